// The payments of an order, what went back of them, and payments that staff received themselves.

import { newKey, post } from '../lib/api.js';
import { askFor } from '../lib/ask-for.js';
import { money, Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { paymentMethod, paymentStatus, refundStatus } from '../lib/labels.js';
import { Card, Status } from '../lib/parts.js';
import { Table } from '../lib/table.js';
import { toast } from '../lib/toast.js';
import { AMOUNT, BY_HAND, isByHand, left, overtaken, refunding } from './refund.js';

/** What the shop writes before the reason, in the note that it leaves on the order. */
const REVIEWED = 'em revisão:';

/** @param {{ order: StaffOrder, reload: () => Promise<void> }} props */
export function Payments({ order, reload }) {
  const paid = order.payment.status === 'PAID';
  const closed = ['CANCELLED', 'REFUNDED'].includes(order.status);
  const actions =
    !paid &&
    !closed &&
    html`<button type="button" class="button" onClick=${() => record(order, reload)}>Registrar pagamento</button>`;
  const columns = [
    {
      head: 'Forma',
      cell: (row) =>
        html`${paymentMethod[row.method]}${row.lastFourDigits ? ` final ${row.lastFourDigits}` : ''}${row.installments > 1 ? ` em ${row.installments}x` : ''}`,
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${paymentStatus} is=${row.status} />` },
    { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} />` },
    { head: 'Valor', number: true, cell: (row) => money(row.amount) },
    {
      head: 'Ações',
      hideHead: true,
      number: true,
      cell: (row) =>
        left(row) > 0 &&
        html`<button type="button" class="button" onClick=${() => giveBack(order, row, reload)}>Reembolsar</button>`,
    },
  ];
  return html`<${Card} title="Pagamento" actions=${actions}>
    ${order.payments.some((payment) => payment.status === 'REVIEW') && html`<${Review} order=${order} />`}
    ${
      order.payments.length
        ? html`<${Table} label="Pagamentos" columns=${columns} rows=${order.payments} />`
        : html`<p class="muted">${paid ? 'Nada a pagar.' : 'Nenhum pagamento até agora.'}</p>`
    }
    ${order.refunds.length > 0 && html`<${Refunds} refunds=${order.refunds} />`}
  <//>`;
}

/** Why money does not count as the order's payment, as the shop noted it, and what to do with it.
 * @param {{ order: StaffOrder }} props
 */
function Review({ order }) {
  const doubts = order.internalNotes
    .filter(({ note }) => note.includes(REVIEWED))
    .map(({ note }) => note.split(REVIEWED)[1]?.trim());
  const paid = order.payment.status === 'PAID';
  return html`<div class="notice warn stack" role="note">
    <p><strong>Um pagamento está em análise</strong>${doubts.length > 0 && `: ${doubts.join('; ')}`}.</p>
    <p>O dinheiro chegou, mas não ${paid ? 'era devido' : 'vale como pagamento deste pedido'}. Devolva-o com “Reembolsar”.
      ${!paid && ' Se o cliente acertou o valor por fora da loja, use “Registrar pagamento” com o total do pedido.'}</p>
  </div>`;
}

/** @param {{ refunds: Refund[] }} props */
function Refunds({ refunds }) {
  const columns = [
    {
      head: 'Reembolso',
      cell: (row) => row.reason ?? (row.origin === 'PROVIDER' ? 'Feito no provedor' : 'Sem motivo informado'),
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${refundStatus} is=${row.status} />` },
    { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} />` },
    { head: 'Valor', number: true, cell: (row) => money(row.amount) },
  ];
  return html`<div class="spaced"><${Table} label="Reembolsos" columns=${columns} rows=${refunds} /></div>`;
}

/** @param {StaffOrder} order @param {PaymentAttempt} payment @param {() => Promise<void>} reload */
function giveBack(order, payment, reload) {
  const key = newKey();
  return askFor({
    title: `Reembolsar ${paymentMethod[payment.method]}`,
    children: html`<p>Podem ser devolvidos até <strong>${money(left(payment))}</strong>. Isso não pode ser desfeito. ${isByHand(payment) && BY_HAND}</p>`,
    fields: [AMOUNT, { name: 'reason', label: 'Motivo', maxlength: 500 }],
    initial: { amount: left(payment) },
    action: refunding,
    save: async ({ amount, reason }) => {
      const wanted = { paymentId: payment.id, amount, reason: reason || null };
      try {
        const { data } = await post(`/api/admin/orders/${order.id}/refunds`, wanted, key);
        const bad = data.status === 'FAILED';
        const done = `Reembolso de ${money(data.amount)} ${isByHand(payment) ? 'registrado' : data.status === 'DONE' ? 'feito' : 'enviado'}.`;
        toast(bad ? 'O provedor recusou o reembolso.' : done, { bad });
      } catch (error) {
        overtaken(error);
      } finally {
        await reload();
      }
    },
  });
}

/** @param {StaffOrder} order @param {() => Promise<void>} reload */
function record(order, reload) {
  const key = newKey();
  const methods = ['CASH', 'TRANSFER', 'OTHER'].map((it) => /** @type {[any, string]} */ ([it, paymentMethod[it]]));
  return askFor({
    title: 'Registrar pagamento',
    children: html`<p class="muted">Para o que foi recebido fora da loja. Com o total do pedido, ele passa a valer como pago.</p>`,
    fields: [
      { name: 'method', label: 'Forma', type: 'select', options: methods },
      { name: 'amount', label: 'Valor (R$)', type: 'money' },
      { name: 'note', label: 'Nota', maxlength: 1000 },
    ],
    initial: { method: 'TRANSFER', amount: order.total },
    action: 'Registrar pagamento',
    save: async ({ method, amount, note }) => {
      const received = { method, amount, note: note || null };
      const { data } = await post(`/api/admin/orders/${order.id}/payments`, received, key);
      toast(data.status === 'PAID' ? 'Pagamento registrado.' : 'Registrado. O pedido não está pago: confira o aviso.', {
        bad: data.status !== 'PAID',
      });
      await reload();
    },
  });
}
