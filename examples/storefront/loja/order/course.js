// The course of an order: what has happened and what comes next.

import { html } from '../lib/html.js';

const STEPS = ['Pedido feito', 'Pagamento confirmado', 'Enviado', 'Entregue'];
const paid = ({ payment, total }) => payment.status === 'PAID' || total === 0;

/** How many of the steps are done. @param {Order} order */
function done(order) {
  const sent = ['SHIPPED', 'DELIVERED'].indexOf(order.status) + 1;
  return sent ? sent + 2 : paid(order) ? 2 : 1;
}

/** @param {{ order: Order }} props */
export function Course({ order }) {
  if (order.status === 'CANCELLED' || order.status === 'REFUNDED')
    return html`<p class="notice" role="status">${
      order.status === 'CANCELLED' ? 'Este pedido foi cancelado.' : 'Este pedido foi reembolsado.'
    } <a href="/">Ver a loja</a></p>`;
  const count = done(order);
  return html`<ol class="course" aria-label="Andamento do pedido">${STEPS.map(
    (
      step,
      at,
    ) => html`<li key=${step} class=${at < count ? 'done' : ''} aria-current=${at === count - 1 ? 'step' : undefined}>
    <span>${step}</span>${at < count && html`<span class="sr-only"> (concluído)</span>`}</li>`,
  )}</ol>`;
}
