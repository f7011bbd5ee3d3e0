// What is asked before money goes back.

import { money } from '../lib/format.js';

/** Payments that money can be given back of. */
const HAS_MONEY = ['PAID', 'REVIEW'];

/** What can still go back of a payment. @param {PaymentAttempt} payment */
export const left = ({ status, captured, refunded, chargedBack }) =>
  HAS_MONEY.includes(status) ? Math.max(0, Math.round((captured - refunded - chargedBack) * 100) / 100) : 0;

/** What can go back of an order at a time: of the payment that paid it, before money that is under review.
 * @param {StaffOrder} order */
export const leftOf = ({ payments }) =>
  HAS_MONEY.map((status) => payments.find((one) => one.status === status && left(one) > 0))
    .map((one) => (one ? left(one) : 0))
    .find((amount) => amount > 0) ?? 0;

/** Left empty it would be all that there is. @type {FieldProps} */
export const AMOUNT = { name: 'amount', label: 'Valor (R$)', type: 'money', required: true };

/** What the button says, of what is typed. @param {Values} values */
export const refunding = ({ amount }) => (Number.isFinite(amount) ? `Reembolsar ${money(amount)}` : 'Reembolsar');
