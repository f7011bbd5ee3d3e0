// What is asked before money goes back.

import { money } from '../lib/format.js';

/** Left empty it would be all that there is. @type {FieldProps} */
export const AMOUNT = { name: 'amount', label: 'Valor (R$)', type: 'money', required: true };

/** What the button says, of what is typed. @param {Values} values */
export const refunding = ({ amount }) => (Number.isFinite(amount) ? `Reembolsar ${money(amount)}` : 'Reembolsar');
