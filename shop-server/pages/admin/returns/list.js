// The returns: those that wait, and all others, by protocol, order or customer.

import { useList } from '../lib/data.js';
import { money, Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { choices, returnKind, returnStatus, returnStatusOf } from '../lib/labels.js';
import { Empty, Page, Status } from '../lib/parts.js';
import { Filters, List } from '../lib/table.js';

const FILTERS = [
  { name: 'waiting', label: 'Situação', options: [['true', 'Esperando pela loja']] },
  { name: 'status', label: 'Status', options: choices(returnStatus) },
  { name: 'kind', label: 'Motivo', options: Object.entries(returnKind) },
  { name: 'from', label: 'De' },
  { name: 'to', label: 'Até' },
];

const COLUMNS = [
  {
    head: 'Devolução',
    lead: true,
    cell: (row) => html`<a class="nowrap" href="/admin/orders/${row.orderId}">${row.protocol}</a>`,
  },
  { head: 'Pedida', cell: (row) => html`<${Time} at=${row.createdAt} />` },
  { head: 'Cliente', cell: (row) => row.user.name },
  { head: 'Motivo', cell: (row) => returnKind[row.kind] },
  { head: 'Status', cell: (row) => html`<${Status} of=${returnStatusOf(row)} is=${row.status} />` },
  {
    head: 'Valor',
    number: true,
    // What went back, once it is over; until then what is to.
    cell: (row) => money(row.status === 'REFUNDED' ? (row.refund.amount ?? 0) : row.amount + row.freight),
  },
];

export default function Returns() {
  const list = useList('/api/admin/returns', ['q', ...FILTERS.map(({ name }) => name)]);
  return html`<${Page} title="Devoluções">
    <${Filters} search="q" placeholder="Buscar por protocolo ou cliente" filters=${FILTERS} />
    <${List} list=${list} label="Devoluções" columns=${COLUMNS} empty=${html`<${Empty} title="Nenhuma devolução"><p class="muted">O que os clientes querem devolver aparece aqui.</p><//>`} />
  <//>`;
}
