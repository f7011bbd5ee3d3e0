// The orders of a customer.

import { useData } from '../lib/data.js';
import { date, money, plural, STATUS } from '../lib/format.js';
import { html } from '../lib/html.js';
import { Empty, Loaded, Pages } from '../lib/parts.js';
import { Cover } from '../lib/picture.js';
import { useQuery } from '../lib/router.js';
import { Account } from './frame.js';

const A_PAGE = 10;

export default function Orders() {
  return html`<${Account} title="Meus pedidos">${() => html`<${List} />`}<//>`;
}

function List() {
  const [query] = useQuery();
  const page = Math.max(1, Number(query.get('page') ?? 1) || 1);
  const orders = useData('/api/orders');
  return html`<${Loaded} of=${orders} count=${5}>${(all) =>
    all.length
      ? html`<ul class="orders">${all.slice((page - 1) * A_PAGE, page * A_PAGE).map((order) => html`<${Row} key=${order.id} order=${order} />`)}</ul>
        <${Pages} pages=${{ page, totalPages: Math.ceil(all.length / A_PAGE) }} to=${(other) => `/conta?page=${other}`} />`
      : html`<${Empty} title="Você ainda não fez pedidos"><a class="button primary" href="/">Conhecer os produtos</a><//>`}<//>`;
}

/** @param {{ order: Order }} props */
function Row({ order }) {
  const waits = order.status === 'PENDING' && order.payment.status !== 'PAID';
  const count = order.items.reduce((sum, item) => sum + item.quantity, 0);
  return html`<li class="card"><a class="plain" href="/pedido/${order.orderNumber}">
    <span class="pictures">${order.items.slice(0, 3).map((item) => html`<${Cover} key=${item.id} images=${item.product.images} sizes="56px" />`)}</span>
    <span><strong>${order.orderNumber}</strong><br /><span class="small muted">${date(order.createdAt)} · ${plural(count, 'item', 'itens')}</span></span>
    <span class="badge ${waits ? 'warm' : ''}">${STATUS[order.status]}</span><strong>${money(order.total)}</strong></a></li>`;
}
