// What is to be paid: by PIX or by card, until it is paid.

import { money } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { ofTab } from '../lib/store.js';
import { Card } from './card.js';
import { Pix } from './pix.js';

/** What a payment that was confirmed means for the order as it is now. @type {Record<string, string>} */
const PAID = {
  PROCESSING: ' Já estamos preparando o seu pedido!',
  CANCELLED: ' Fale com a loja sobre a devolução do valor.',
};
const hasEnded = ({ status }) => status === 'CANCELLED' || status === 'REFUNDED';

/** What there is to say once money moved. @type {Record<string, (order: Order) => string>} */
const AFTER = {
  PAID: ({ status }) => `Pagamento confirmado.${PAID[status] ?? ''}`,
  REVIEW: (order) =>
    `O pagamento está em análise.${hasEnded(order) ? '' : ' Avisamos por e-mail assim que for confirmado.'}`,
  REFUNDED: () => 'O valor deste pedido foi devolvido.',
  CHARGED_BACK: () => 'O pagamento deste pedido foi contestado.',
};

/** Whether a card's answer is still to come, before which the order can be neither paid nor cancelled.
 * @param {Order} order */
export const isInReview = ({ payment }) => payment.status === 'PENDING' && payment.method === 'CREDIT_CARD';

/** @param {{ order: Order, token: string | undefined, reload: () => Promise<void> }} props */
export function PaymentPanel({ order, token, reload }) {
  const chosen = ofTab.get(`pay:${order.orderNumber}`);
  const [method, setMethod] = useState(chosen ?? (order.payment.method === 'CREDIT_CARD' ? 'card' : 'pix'));
  const { status } = order.payment;
  // It stays one element, so that it is read out when it changes.
  const told = html`<div role="status">${AFTER[status] && html`<p class="notice ${status === 'PAID' ? 'good' : ''} large">${status === 'PAID' && html`<strong>Pago.</strong> `}${AFTER[status](order)}</p>`}</div>`;
  if (AFTER[status] || hasEnded(order)) return told;
  if (isInReview(order))
    return html`<div role="status"><p class="notice large"><strong>O pagamento com cartão está em análise.</strong> Não pague de outra forma: esta página mostra assim que ele for confirmado.</p></div>`;
  const choose = (event) => {
    setMethod(event.currentTarget.value);
    ofTab.set(`pay:${order.orderNumber}`, event.currentTarget.value);
  };
  const tab = (value, text) =>
    html`<label class="chip"><input type="radio" name="pay" value=${value} checked=${method === value} onChange=${choose} /><span>${text}</span></label>`;
  return html`${told}<section class="card stack pay" aria-labelledby="pay">
    <div class="card-head"><h2 id="pay">Pagar ${money(order.total)}</h2></div>
    <fieldset class="variants"><legend class="sr-only">Forma de pagamento</legend><div class="chips">${tab('pix', 'PIX')}${tab('card', 'Cartão de crédito')}</div></fieldset>
    ${method === 'pix' ? html`<${Pix} order=${order} token=${token} asked=${chosen === 'pix' || order.payment.method === 'PIX'} />` : html`<${Card} order=${order} token=${token} reload=${reload} />`}
  </section>`;
}
