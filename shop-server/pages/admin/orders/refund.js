// What is asked before money goes back.

import { money } from '../lib/format.js';
import { toastError } from '../lib/toast.js';

/** Payments that money can be given back of. */
const HAS_MONEY = ['PAID', 'REVIEW'];

/** What can still go back of a payment. @param {PaymentAttempt} payment */
export const left = ({ status, captured, refunded, chargedBack }) =>
  HAS_MONEY.includes(status) ? Math.max(0, Math.round((captured - refunded - chargedBack) * 100) / 100) : 0;

/** Whether it was received without a provider, so that staff give it back themselves. @param {PaymentAttempt} payment */
export const isByHand = ({ method }) => ['CASH', 'TRANSFER', 'OTHER'].includes(method);
/** @param {StaffOrder} order */
export const goesBackByHand = ({ payments }) => payments.some((one) => left(one) > 0 && isByHand(one));
export const BY_HAND = 'O valor foi recebido por fora da loja: devolva-o também por fora. Aqui fica só o registro.';

/** What can go back of an order at a time: of the payment that paid it, before money that is under review.
 * @param {StaffOrder} order */
export const leftOf = ({ payments }) =>
  HAS_MONEY.flatMap((status) => payments.filter((one) => one.status === status).map(left)).find(Boolean) ?? 0;

/** Left empty it would be all that there is. @type {FieldProps} */
export const AMOUNT = { name: 'amount', label: 'Valor (R$)', type: 'money', required: true };

/** What the button says, of what is typed. @param {Values} values */
export const refunding = ({ amount }) => (Number.isFinite(amount) ? `Reembolsar ${money(amount)}` : 'Reembolsar');

/** Refusals after which the form that is open can do nothing any more. A key that was used is that of a first
 * try, which arrived although its answer was lost.
 * @type {Record<string, string>} */
const OVER = {
  changed_meanwhile: 'A devolução mudou enquanto o formulário estava aberto. Confira e tente de novo.',
  idempotency_key_reused: 'A tentativa anterior pode ter sido feita. Confira antes de tentar de novo.',
};

/** Tells of such a refusal; any other is thrown on. @param {any} error */
export function overtaken(error) {
  const told = OVER[error.code];
  if (!told) throw error;
  toastError(new Error(told));
}
