// Which screen an address shows. Each is read when it is first shown.

/** @typedef {{ pattern: RegExp, load: () => Promise<{ default: (props: any) => any }> }} RouteOf */

/** @param {string} path @param {RouteOf['load']} load @returns {RouteOf} */
const at = (path, load) => ({ pattern: new RegExp(`^${path.replace(':id', '([^/]+)')}$`), load });

export const routes = [
  at('/admin', () => import('./dashboard.js')),
  at('/admin/tasks', () => import('./tasks.js')),
  at('/admin/orders', () => import('./orders/list.js')),
  at('/admin/orders/:id', () => import('./orders/detail.js')),
  at('/admin/shipments', () => import('./shipments/list.js')),
  at('/admin/returns', () => import('./returns/list.js')),
  at('/admin/products', () => import('./products/list.js')),
  at('/admin/products/:id', () => import('./products/detail.js')),
  at('/admin/categories', () => import('./categories.js')),
  at('/admin/stock', () => import('./stock.js')),
  at('/admin/coupons', () => import('./coupons.js')),
  at('/admin/customers', () => import('./customers/list.js')),
  at('/admin/customers/:id', () => import('./customers/detail.js')),
  at('/admin/reviews', () => import('./reviews.js')),
  at('/admin/shipping', () => import('./shipping.js')),
  at('/admin/webhooks', () => import('./webhooks.js')),
  at('/admin/api-keys', () => import('./api-keys.js')),
  at('/admin/newsletter', () => import('./newsletter.js')),
  at('/admin/settings', () => import('./settings.js')),
  at('/admin/invoices', () => import('./invoices.js')),
  at('/admin/audit', () => import('./audit.js')),
  at('/admin/account', () => import('./account.js')),
];

/** The navigation, by what people are doing.
 * @type {[title: string, links: [path: string, text: string][]][]} */
export const navigation = [
  [
    '',
    [
      ['/admin', 'Início'],
      ['/admin/orders', 'Pedidos'],
      ['/admin/shipments', 'Envios'],
      ['/admin/returns', 'Devoluções'],
      ['/admin/products', 'Produtos'],
      ['/admin/categories', 'Categorias'],
      ['/admin/stock', 'Estoque'],
      ['/admin/customers', 'Clientes'],
    ],
  ],
  [
    'Vendas',
    [
      ['/admin/coupons', 'Cupons'],
      ['/admin/reviews', 'Avaliações'],
      ['/admin/newsletter', 'Newsletter'],
      ['/admin/invoices', 'Notas fiscais'],
    ],
  ],
  [
    'Loja',
    [
      ['/admin/shipping', 'Frete'],
      ['/admin/settings', 'Páginas e análise'],
      ['/admin/webhooks', 'Webhooks'],
      ['/admin/api-keys', 'Chaves de API'],
      ['/admin/audit', 'Auditoria'],
    ],
  ],
];
