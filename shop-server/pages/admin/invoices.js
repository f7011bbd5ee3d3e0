// The invoices, and those of a month as a file for the accountant.

import { useList } from './lib/data.js';
import { localDay, money, Time } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { choices, invoiceStatus } from './lib/labels.js';
import { Empty, Page, Status } from './lib/parts.js';
import { Filters, List } from './lib/table.js';

/** What a note is about. @type {Record<string, string>} */
const KINDS = { venda: 'Venda', devolucao: 'Devolução' };

const FILTERS = [
  { name: 'tipo', label: 'Tipo', options: Object.entries(KINDS) },
  { name: 'status', label: 'Status', options: choices(invoiceStatus) },
  { name: 'from', label: 'De' },
  { name: 'to', label: 'Até' },
];

const COLUMNS = [
  { head: 'Número', cell: (row) => `${row.numero} / ${row.serie}` },
  { head: 'Tipo', cell: (row) => KINDS[row.tipo] ?? row.tipo },
  { head: 'Pedido', cell: (row) => html`<a href="/admin/orders/${row.orderId}">${row.orderNumber}</a>` },
  { head: 'Emitida', cell: (row) => html`<${Time} at=${row.emitidaEm} />` },
  {
    head: 'Status',
    cell: (row) => html`<${Status} of=${invoiceStatus} is=${row.status} />
    ${row.motivo && row.status !== 'autorizada' && html`<div class="small muted">${row.motivo}</div>`}`,
  },
  { head: 'Valor', number: true, cell: (row) => money(row.valor) },
];

export default function Invoices() {
  const list = useList('/api/admin/nfe', ['tipo', 'status', 'from', 'to']);
  const [month, setMonth] = useState(localDay().slice(0, 7));
  const actions = html`<label class="sr-only" for="month">Mês</label>
    <input id="month" class="fit" type="month" value=${month} onInput=${(event) => setMonth(event.currentTarget.value)} />
    ${
      month
        ? html`<a class="button" href="/api/admin/nfe/export?month=${encodeURIComponent(month)}" download>Baixar o mês (ZIP)</a>`
        : html`<button type="button" class="button" disabled>Baixar o mês (ZIP)</button>`
    }`;
  return html`<${Page} title="Notas fiscais" actions=${actions}>
    <${Filters} filters=${FILTERS} />
    <${List} list=${list} label="Notas fiscais" columns=${COLUMNS} empty=${html`<${Empty} title="Nenhuma nota fiscal"><p class="muted">Emita a NF-e na tela de um pedido pago.</p><a class="button" href="/admin/orders">Ver os pedidos</a><//>`} />
  <//>`;
}
