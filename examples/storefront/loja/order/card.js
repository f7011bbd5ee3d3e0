// Paying by card. In the sandbox a card is chosen by what it will come to. With a real provider the form of
// its own script stands here: the README of the storefront says how.

import { newKey, post } from '../lib/api.js';
import { Field, useForm } from '../lib/form.js';
import { money, part } from '../lib/format.js';
import { html, useRef } from '../lib/html.js';
import { shop } from '../shop.js';

const CARDS = [
  ['tok_approved', 'Cartão aprovado'],
  ['tok_pending', 'Cartão em análise'],
  ['tok_cc_rejected_insufficient_amount', 'Cartão sem limite'],
  ['tok_cc_rejected_bad_filled_security_code', 'Código de segurança errado'],
  ['tok_cc_rejected_call_for_authorize', 'Cartão que pede autorização do banco'],
];

/** What the provider's script would give for the card that was typed.
 * @param {Values} values
 * @returns {Promise<{ token: string, paymentMethodId: string, issuerId?: string }>} */
const tokenOf = async ({ card }) => ({ token: card, paymentMethodId: 'visa' });

/** Refusals because of a payment that was made before. */
const BEFORE = ['payment_in_process', 'already_paid'];

/** Whether nothing was charged. Without an answer, or after a fault, it may have been.
 * @param {any} error */
const isKnown = ({ status, code }) => status >= 400 && status < 500 && !BEFORE.includes(code);

/** @param {{ order: Order, token: string | undefined, reload: () => Promise<void> }} props */
export function Card({ order, token, reload }) {
  const attempt = useRef({ text: '', key: '' });
  const form = useForm({ card: 'tok_approved', installments: '1' }, async (values) => {
    const card = await tokenOf(values);
    const body = { orderId: order.id, installments: Number(values.installments), ...card };
    // An attempt that got no answer is the same attempt when it is sent again, but not with another card.
    const text = JSON.stringify(body);
    if (attempt.current.text !== text) attempt.current = { text, key: newKey() };
    try {
      await post('/api/payments/provider1/card', body, { key: attempt.current.key, token });
    } catch (error) {
      if (isKnown(error)) attempt.current = { text: '', key: '' };
      else await reload().catch(() => {});
      throw error;
    }
    await reload();
  });
  const most = Math.max(1, Math.min(shop.installments, Math.floor(order.total / shop.smallestInstallment)));
  const installments = Array.from({ length: most }, (_, at) => [
    String(at + 1),
    `${at + 1}x de ${part(order.total, at + 1)}`,
  ]);
  return html`<form class="stack" onSubmit=${form.submit}>
    <p class="notice small">Ambiente de teste: escolha o que o cartão vai responder. Nada é cobrado.</p>
    <div class="fields">
      <${Field} form=${form} name="card" label="Cartão de teste" type="select" options=${CARDS} required />
      <${Field} form=${form} name="installments" label="Parcelas" type="select" options=${installments} required />
    </div>
    ${
      form.failure &&
      html`<div class="notice bad" role="alert">${
        isKnown(form.failure)
          ? html`<p><strong>Pagamento não aprovado.</strong> ${form.failure.message.replace(/\.$/, '')}.</p><p class="small">Confira os dados, tente outro cartão ou pague com PIX. Nada foi cobrado.</p>`
          : html`<p><strong>${BEFORE.includes(form.failure.code) ? form.failure.message : 'Ainda não sabemos se o pagamento passou'}.</strong> Não pague de outra forma: esta página mostra assim que ele for confirmado.</p>`
      }</div>`
    }
    <p><button class="button primary large" disabled=${form.busy}>${form.busy ? 'Pagando…' : `Pagar ${money(order.total)}`}</button></p>
  </form>`;
}
