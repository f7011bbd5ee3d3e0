// The course of an order: what has happened and what comes next.

import { html } from '../lib/html.js';

const STEPS = ['Pedido feito', 'Pagamento confirmado', 'Enviado', 'Entregue'];
const paid = ({ payment, total }) => payment.status === 'PAID' || total === 0;

/** Which of the steps are done: staff may send what is not paid yet. @param {Order} order */
function done(order) {
  const sent = ['SHIPPED', 'DELIVERED'].indexOf(order.status) + 1;
  return [true, paid(order), sent > 0, sent > 1];
}

/** Staff may mark an order as refunded, by which no money moves. @param {Order} order */
function ended({ status, payment }) {
  if (status === 'CANCELLED') return 'Este pedido foi cancelado.';
  return payment.status === 'REFUNDED' ? 'Este pedido foi reembolsado.' : 'Este pedido foi marcado como reembolsado.';
}

/** @param {{ order: Order }} props */
export function Course({ order }) {
  if (order.status === 'CANCELLED' || order.status === 'REFUNDED')
    return html`<p class="notice" role="status">${ended(order)} <a href="/">Ver a loja</a></p>`;
  const steps = done(order);
  const last = steps.lastIndexOf(true);
  return html`<ol class="course" aria-label="Andamento do pedido">${STEPS.map(
    (
      step,
      at,
    ) => html`<li key=${step} class=${steps[at] ? 'done' : ''} aria-current=${at === last ? 'step' : undefined}>
    <span>${step}</span>${steps[at] && html`<span class="sr-only"> (concluído)</span>`}</li>`,
  )}</ol>`;
}
