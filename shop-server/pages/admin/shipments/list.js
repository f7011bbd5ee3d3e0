// All parcels with their labels: those that wait first to be seen, bought for all orders at once, printed as one file.

import { address, post } from '../lib/api.js';
import { useList } from '../lib/data.js';
import { confirm } from '../lib/dialog.js';
import { money, plural, Time } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { choices, shipmentProblem, shipmentStatus } from '../lib/labels.js';
import { Empty, Page, Status } from '../lib/parts.js';
import { Filters, List, Selection } from '../lib/table.js';
import { toast, toastError } from '../lib/toast.js';
import { useLabels } from './provider.js';

const FILTERS = [{ name: 'status', label: 'Status', options: choices(shipmentStatus) }];

const COLUMNS = [
  {
    head: 'Pedido',
    lead: true,
    cell: (row) => html`<a class="nowrap" href="/admin/orders/${row.orderId}">${row.orderNumber}</a>`,
  },
  { head: 'Volume', number: true, cell: (row) => row.parcel },
  { head: 'Status', cell: (row) => html`<${Status} of=${shipmentStatus} is=${row.status} />` },
  { head: 'Problema', cell: (row) => (row.problem ? shipmentProblem[row.problem.kind] : '–') },
  { head: 'Serviço', cell: (row) => row.serviceName ?? row.service },
  { head: 'Rastreio', cell: (row) => row.trackingCode ?? '–' },
  { head: 'Pedida', cell: (row) => html`<${Time} at=${row.createdAt} />` },
  { head: 'Preço', number: true, cell: (row) => (row.price == null ? '–' : money(row.price)) },
];

export default function Shipments() {
  const list = useList('/api/admin/shipments', ['status']);
  const buys = useLabels();
  const [selected, setSelected] = useState(/** @type {Set<string>} */ (new Set()));
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState(/** @type {UnboughtOrder[]} */ ([]));
  const buy = async () => {
    const text = 'Cada pedido pago que espera o envio ganha suas etiquetas, pagas com o saldo da conta.';
    if (!(await confirm({ title: 'Comprar as etiquetas que faltam?', text, action: 'Comprar' }))) return;
    setBusy(true);
    await post('/api/admin/shipments/bulk', {}).then(({ data }) => {
      toast(bought(data), { bad: data.refused.length > 0 });
      setRefused(data.refused);
    }, toastError);
    setBusy(false);
    await list.reload();
  };
  const actions =
    buys &&
    html`<button type="button" class="button primary" disabled=${busy} onClick=${buy}>${busy ? 'Comprando…' : 'Comprar etiquetas que faltam'}</button>`;
  const print = address('/api/admin/shipments/labels', { ids: [...selected].join(',') });
  return html`<${Page} title="Envios" actions=${actions}>
    ${refused.length > 0 && html`<div class="notice warn" role="note"><p>Sem etiqueta:</p><ul>${refused.map((one) => html`<li key=${one.orderId}><a href="/admin/orders/${one.orderId}">${one.orderNumber}</a>${one.fields.includes('recipient.document') && ': falta o CPF do cliente'}</li>`)}</ul></div>`}
    <${Filters} filters=${FILTERS} />
    <${Selection} number=${selected.size} onClear=${() => setSelected(new Set())}><a class="button" href=${print} download>Imprimir etiquetas</a><//>
    <${List} list=${list} label="Envios" columns=${COLUMNS} selected=${selected} onSelect=${setSelected} empty=${html`<${Empty} title="Nenhum envio"><p class="muted">${buys === false ? html`A loja não compra etiquetas em lugar nenhum: veja <a href="/admin/shipping">Frete</a>.` : 'As etiquetas compradas para os pedidos aparecem aqui.'}</p><//>`} />
  <//>`;
}

const bought = ({ shipments, refused }) =>
  `${plural(shipments.length, 'etiqueta comprada', 'etiquetas compradas')}${refused.length ? `; ${plural(refused.length, 'pedido ficou', 'pedidos ficaram')} sem` : ''}.`;
