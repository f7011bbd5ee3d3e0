// Which screen an address shows. Each is read when it is first shown.

/** @typedef {{ pattern: RegExp, load: () => Promise<{ default: (props: any) => any }> }} RouteOf */

/** @param {string} path @param {RouteOf['load']} load @returns {RouteOf} */
const at = (path, load) => ({ pattern: new RegExp(`^${path.replace(':id', '([^/]+)')}/?$`), load });

export const routes = [
  at('/', () => import('./home.js')),
  at('/categoria/:id', () => import('./category.js')),
  at('/produto/:id', () => import('./product/product.js')),
  at('/busca', () => import('./search.js')),
  at('/carrinho', () => import('./cart.js')),
  at('/finalizar', () => import('./checkout/checkout.js')),
  at('/pedido/:id', () => import('./order/order.js')),
  at('/conta', () => import('./account/orders.js')),
  // Where the shop's notices and mails lead.
  at('/pedidos/:id', () => import('./order/order.js')),
  at('/pedidos', () => import('./account/orders.js')),
  at('/conta/enderecos', () => import('./account/addresses.js')),
  at('/conta/desejos', () => import('./account/wishes.js')),
  at('/conta/avisos', () => import('./account/notifications.js')),
  at('/conta/dados', () => import('./account/data.js')),
  at('/conta/senha', () => import('./account/password.js')),
  at('/cadastro', () => import('./register.js')),
  at('/senha', () => import('./forgotten.js')),
  at('/contato', () => import('./contact.js')),
  at('/p/:id', () => import('./page.js')),
];

/** @param {string} path */
export const routeOf = (path) => routes.find(({ pattern }) => pattern.test(path));
