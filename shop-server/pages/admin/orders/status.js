// The status, the tracking code and the carrier of an order, with a note for its history.

import { EditorDialog } from '../lib/editor.js';
import { html } from '../lib/html.js';
import { choices, orderStatus } from '../lib/labels.js';
import { PRINTABLE } from './shipments.js';

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'status', label: 'Status', type: 'select', options: choices(orderStatus), wide: true },
  { name: 'trackingCode', label: 'Código de rastreio', maxlength: 60, autocomplete: 'off' },
  { name: 'carrier', label: 'Transportadora', maxlength: 60, autocomplete: 'off' },
  {
    name: 'note',
    label: 'Nota para o histórico',
    type: 'textarea',
    maxlength: 1000,
    wide: true,
    hint: 'Só a equipe vê.',
  },
];

const read = (order) => ({ status: order.status, trackingCode: order.trackingCode, carrier: order.carrier, note: '' });

/** An empty text forgets the code or the carrier.
 * @param {Values} changes
 */
const write = (changes) =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value === '' ? null : value]));

export function StatusDialog({ path, order, etag, status, onSaved, onClose }) {
  const initial = read(order);
  // What the shop bought to send it with.
  const label =
    status === 'SHIPPED' &&
    !order.trackingCode &&
    order.shipments.find((it) => it.trackingCode && PRINTABLE.includes(it.status));
  const proposed = { status, ...(label && { trackingCode: label.trackingCode, carrier: label.serviceName }) };
  return html`<${EditorDialog} title="Status e rastreio" path=${path} etag=${etag} fields=${FIELDS} initial=${initial}
    proposed=${proposed} read=${read} write=${write} saved="Pedido atualizado." onSaved=${onSaved} onClose=${onClose}>${(
      form,
    ) =>
      (form.values.status === 'REFUNDED' || (form.values.status === 'CANCELLED' && order.payment.status === 'PAID')) &&
      order.status !== form.values.status &&
      html`<p class="notice warn">Não devolve dinheiro: para isso, use “Reembolsar”.</p>`}<//>`;
}
