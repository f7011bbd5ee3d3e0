// Placing an order: once, however often its button is clicked and whatever becomes of the answer.

import { newKey, post, send } from '../lib/api.js';
import { readCart } from '../lib/cart.js';
import { forget } from '../lib/data.js';
import { wrongFields } from '../lib/form.js';
import { digits, isTaxNumber } from '../lib/format.js';
import { go } from '../lib/router.js';
import { askAgain, me, whoIsIt } from '../lib/session.js';
import { kept, ofTab } from '../lib/store.js';
import { isCompany } from './buyer.js';

const CHANGED = 'A sacola mudou, talvez em outra aba. Confira os valores e faça o pedido de novo.';
const OTHER = 'Este navegador entrou em uma conta, talvez em outra aba. Confira os dados e faça o pedido de novo.';

/** What is in a cart, and for how much. @param {Cart} bag */
const contents = (bag) =>
  JSON.stringify(bag.items.map((item) => [item.productId, item.variantId, item.quantity, item.price]).sort());

/** An order that was sent and whose answer never came. */
export const unfinished = () => ofTab.get('order');

/** Sends the order that was sent before, with its key: what was placed then is the answer. */
export async function resume() {
  const { body, key, method } = unfinished();
  await finish(body, key, method);
}

/** @param {{ values: Values, bag: Cart, coupon: string, options: QuoteOption[], addresses: Address[], shown: Profile | null, refusal: any, total?: number }} wish */
export async function place({ values, bag, coupon, options, addresses, shown, refusal, total }) {
  check(values, addresses);
  if (refusal) throw refusal;
  const now = await readCart();
  if (contents(now) !== contents(bag)) throw new Error(CHANGED);
  const buyer = me.get();
  const account = await identify(values, shown);
  // The account's cart has what the browser's had, unless something else was in it.
  if (contents(await readCart()) !== contents(now)) throw new Error(CHANGED);
  const chosen = addresses.find((one) => one.id === values.addressId);
  const addressId = chosen && account.id === buyer?.id ? chosen.id : await saveAddress(account.id, chosen ?? values);
  const body = {
    addressId,
    ...(coupon && { couponCode: coupon }),
    ...(options.some((one) => one.id === values.option) && { shippingOptionId: values.option }),
    ...(total !== undefined && { expectedTotal: total }),
  };
  const wish = JSON.stringify([body, contents(now)]);
  const before = unfinished();
  const key = before?.wish === wish ? before.key : newKey();
  ofTab.set('order', { wish, body, key, method: values.method });
  await finish(body, key, values.method);
}

const REQUIRED = ['zipCode', 'street', 'number', 'district', 'city', 'state'];

/** What can be said without asking the server. */
function check(values, addresses) {
  const needed = addresses.some((one) => one.id === values.addressId) ? [] : [...REQUIRED];
  if (isCompany(values.document)) needed.push('companyName');
  needed.push('name', 'email');
  const missing = needed.filter((name) => !values[name]?.trim());
  const wrong = Object.fromEntries(missing.map((name) => [name, ['Preencha este campo.']]));
  if (!wrong.email && !/^\S+@\S+\.\S+$/.test(values.email.trim())) wrong.email = ['E-mail inválido'];
  if (values.document.trim() && !isTaxNumber(values.document))
    wrong.document = ['Número inválido. Confira os dígitos.'];
  if (Object.keys(wrong).length) throw wrongFields(wrong);
}

async function finish(body, key, method) {
  try {
    const order = await post('/api/orders', body, { key });
    ofTab.set(`pay:${order.orderNumber}`, method);
    for (const name of ['order', 'coupon', 'checkout', 'address']) ofTab.set(name, null);
    forget('/api/');
    void readCart().catch(() => {});
    go(`/pedido/${order.orderNumber}`, { replace: true });
  } catch (error) {
    const { status } = /** @type {any} */ (error);
    // What was refused was not placed. Without an answer, or with a fault, it may have been.
    if (status >= 400 && status < 500) {
      ofTab.set('order', null);
      if (status === 401) await askAgain().catch(() => {});
      await readCart().catch(() => {});
    }
    throw error;
  }
}

/** What a guest says of themselves. @param {Values} values */
function guestOf({ name, email, phone, document }) {
  const number = document.replace(/[^\da-z]/gi, '').toUpperCase();
  const plain = digits(phone);
  return { name, email, ...(plain && { phone: plain }), ...(number && !isCompany(document) && { cpf: number }) };
}

/** What changes in an account by whom the invoice is to name: a company, a person, or nobody.
 * @param {Profile} profile @param {string} number @param {string | false} companyName
 */
function buyer(profile, number, companyName) {
  if (companyName !== false) return profile.cnpj === number ? null : { cnpj: number, companyName };
  return profile.cnpj || (profile.cpf ?? '') !== number ? { cpf: number || null, cnpj: null } : null;
}

/** The account that buys: the session's, as long as it is the one that is shown, else a guest's. A guest may
 * still say something else.
 * @param {Values} values @param {Profile | null} shown
 * @returns {Promise<Profile>}
 */
async function identify(values, shown) {
  const number = values.document.replace(/[^\da-z]/gi, '').toUpperCase();
  const company = isCompany(values.document);
  let profile = await whoIsIt();
  try {
    const guest = guestOf(values);
    const says = (name) => !guest[name] || guest[name] === profile?.[name];
    if (!profile || (profile.guest && !['name', 'email', 'phone', 'cpf'].every(says))) {
      await post('/api/auth/guest', guest);
      profile = await askAgain();
    }
    if (profile && !profile.guest && profile.id !== shown?.id) throw new Error(OTHER);
    if (!profile) throw new Error('A sessão não pôde ser aberta. O navegador precisa aceitar cookies desta loja.');
    const change = buyer(profile, number, company && values.companyName);
    if (change) {
      await send('PUT', '/api/auth/me', change);
      await askAgain();
    }
    return profile;
  } catch (error) {
    const errors = /** @type {any} */ (error).fieldErrors;
    for (const field of ['cpf', 'cnpj']) {
      if (!errors?.[field]) continue;
      errors.document = errors[field];
      delete errors[field];
    }
    throw error;
  }
}

/** Saves what was typed, and the same only once. @returns {Promise<string>} its id */
async function saveAddress(account, values) {
  const { zipCode, street, number, complement, district, city, state } = values;
  const typed = { label: 'Entrega', zipCode: digits(zipCode), street, number, complement, district, city, state };
  const text = JSON.stringify([account, typed]);
  const before = ofTab.get('address');
  if (before?.text === text) return before.id;
  const { id } = await post('/api/user/addresses', typed);
  ofTab.set('address', { text, id });
  kept.set('cep', typed.zipCode);
  return id;
}
