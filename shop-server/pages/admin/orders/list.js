// The orders: found by number, name, e-mail or product, by status and day; exported for a spreadsheet.

import { address } from '../lib/api.js';
import { useList } from '../lib/data.js';
import { money, plural, Time } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { choices, orderStatus, paymentStatus } from '../lib/labels.js';
import { Empty, Page, Status } from '../lib/parts.js';
import { useQuery } from '../lib/router.js';
import { Filters, List, Selection } from '../lib/table.js';
import { Labels } from './labels.js';

const FILTERS = [
  { name: 'status', label: 'Status', options: choices(orderStatus) },
  { name: 'from', label: 'De' },
  { name: 'to', label: 'Até' },
];

const COLUMNS = [
  {
    head: 'Pedido',
    lead: true,
    cell: (row) => html`<a class="nowrap" href="/admin/orders/${row.id}">${row.orderNumber}</a>`,
  },
  { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} />` },
  { head: 'Cliente', cell: (row) => row.user.name },
  { head: 'Itens', cell: (row) => plural(units(row), 'item', 'itens') },
  { head: 'Pagamento', cell: (row) => html`<${Status} of=${paymentStatus} is=${row.payment.status} />` },
  { head: 'Status', cell: (row) => html`<${Status} of=${orderStatus} is=${row.status} />` },
  { head: 'Total', number: true, cell: (row) => money(row.total) },
];

const units = (order) => order.items.reduce((sum, item) => sum + item.quantity, 0);

export default function Orders() {
  const list = useList('/api/admin/orders', ['q', 'status', 'from', 'to']);
  const [query] = useQuery();
  const [selected, setSelected] = useState(/** @type {Set<string>} */ (new Set()));
  const filter = { status: query.get('status'), from: query.get('from'), to: query.get('to') };
  const actions = html`<a class="button" href=${address('/api/admin/orders/export', filter)} download>Exportar CSV${query.get('q') ? ' (sem a busca)' : ''}</a>`;
  return html`<${Page} title="Pedidos" actions=${actions}>
    <${Filters} search="q" placeholder="Buscar por número ou cliente" filters=${FILTERS} />
    <${Selection} number=${selected.size} onClear=${() => setSelected(new Set())}><${Labels} ids=${[...selected]} /><//>
    <${List} list=${list} label="Pedidos" columns=${COLUMNS} selected=${selected} onSelect=${setSelected} empty=${html`<${Empty} title="Ainda não há pedidos">
      <p class="muted">Eles aparecem aqui assim que os clientes compram.</p>
      <a class="button" href="/admin/products">Ver os produtos</a>
    <//>`} />
  <//>`;
}
