// How the shop is doing, and what waits for its staff.

import { DaysChart } from './lib/chart.js';
import { useData } from './lib/data.js';
import { count, money, plural, Time } from './lib/format.js';
import { html } from './lib/html.js';
import { orderStatus } from './lib/labels.js';
import { Card, Empty, Loaded, Page, Skeleton, Status } from './lib/parts.js';
import { useQuery } from './lib/router.js';
import { Table } from './lib/table.js';
import { COUNTED, kinds } from './tasks/kinds.js';

const PERIODS = [
  ['7d', '7 dias'],
  ['30d', '30 dias'],
  ['90d', '90 dias'],
];

export default function Dashboard() {
  const [query, setQuery] = useQuery();
  const period = query.get('period') ?? '30d';
  const overview = useData(`/api/admin/dashboard?period=${encodeURIComponent(period)}`);
  const stats = useData('/api/admin/dashboard/stats');
  const tasks = useData('/api/admin/dashboard/tasks');
  const actions = html`<div class="switch" role="group" aria-label="Período">
    ${PERIODS.map(
      ([value, text]) => html`<button type="button" aria-pressed=${period === value ? 'true' : 'false'}
      onClick=${() => setQuery({ period: value ?? null })}>${text}</button>`,
    )}
  </div>`;
  return html`<${Page} title="Início" actions=${actions}>
    <div class="figures"><${Loaded} of=${overview} rows=${1}>${(data) => html`<${Figures} overview=${data} />`}<//></div>
    <div class="columns home">
      <div>
        <${Card} class="plot">${overview.data ? html`<${DaysChart} days=${overview.data.days} />` : !overview.error && html`<${Skeleton} rows=${1} />`}<//>
        <${Card} title="Pedidos recentes" actions=${html`<a href="/admin/orders">Ver todos</a>`}>
          <${Loaded} of=${stats}>${(data) => html`<${Recent} orders=${data.recentOrders} products=${data.totalProducts} />`}<//>
        <//>
      </div>
      <div>
        <${Card} class="waiting" title="O que espera por você" actions=${html`<a href="/admin/tasks">Ver tudo</a>`}>
          <${Loaded} of=${tasks} rows=${3}>${(data) => html`<${Waiting} tasks=${data} />`}<//>
        <//>
        <${Card} title="Mais vendidos">
          <${Loaded} of=${overview}>${(data) => html`<${Best} products=${data.topProducts} />`}<//>
        <//>
      </div>
    </div>
  <//>`;
}

function Change({ change }) {
  const kind = change > 0 ? 'up' : change < 0 ? 'down' : 'muted';
  return html`<span class="small ${kind}">${change > 0 ? '▲' : change < 0 ? '▼' : ''} ${count(Math.abs(change))}% em relação ao período anterior</span>`;
}

/** @param {{ overview: Overview }} props */
function Figures({ overview }) {
  return html`<div class="tiles">
    <div class="card tile"><span class="muted">Receita</span><strong>${money(overview.revenue.total)}</strong><${Change} change=${overview.revenue.change} /></div>
    <div class="card tile"><span class="muted">Pedidos</span><strong>${count(overview.orders.total)}</strong><${Change} change=${overview.orders.change} /></div>
    <div class="card tile"><span class="muted">Valor médio</span><strong>${money(overview.avgOrderValue)}</strong><span class="small muted">por pedido</span></div>
    <div class="card tile"><span class="muted">Novos clientes</span><strong>${count(overview.newCustomers)}</strong><span class="small muted">no período</span></div>
  </div>`;
}

/** @param {{ tasks: Tasks }} props */
function Waiting({ tasks }) {
  const waiting = kinds.filter(([kind]) => tasks[kind].count > 0);
  if (!waiting.length) return html`<p class="muted">Tudo em dia.</p>`;
  return html`<ul class="todo">${waiting.map(
    ([kind, title, screen]) => html`<li key=${kind}>
    <a href=${screen ?? `/admin/tasks?kind=${kind}`}><span>${title}</span>${' '}<strong>${count(tasks[kind].count)}${tasks[kind].count >= COUNTED ? '+' : ''}</strong></a></li>`,
  )}</ul>`;
}

function Recent({ orders, products }) {
  if (!orders.length && !products) {
    return html`<${Empty} title="Comece pelo primeiro produto">
      <p class="muted">Com um produto à venda a loja pode receber pedidos.</p>
      <a class="button primary" href="/admin/products/new">Cadastrar o primeiro produto</a>
    <//>`;
  }
  if (!orders.length) return html`<p class="muted">Os pedidos aparecem aqui assim que chegam.</p>`;
  const columns = [
    {
      head: 'Pedido',
      lead: true,
      cell: (row) =>
        html`<a class="nowrap" href="/admin/orders/${row.id}">${row.orderNumber}</a><div class="small muted"><${Time} at=${row.createdAt} /></div>`,
    },
    { head: 'Cliente', cell: (row) => row.user.name },
    { head: 'Status', cell: (row) => html`<${Status} of=${orderStatus} is=${row.status} />` },
    { head: 'Total', number: true, cell: (row) => money(row.total) },
  ];
  return html`<${Table} label="Pedidos recentes" columns=${columns} rows=${orders} />`;
}

/** @param {{ products: TopProduct[] }} props */
function Best({ products }) {
  if (!products.length) return html`<p class="muted">Nenhuma venda no período.</p>`;
  return html`<ul class="todo">${products.slice(0, 6).map(
    (product) => html`<li key=${product.productId}>
    <a href="/admin/products/${product.productId}"><span>${product.name}<br /><span class="small muted">${plural(product.sales, 'vendido', 'vendidos')}</span></span><strong>${money(product.revenue)}</strong></a></li>`,
  )}</ul>`;
}
