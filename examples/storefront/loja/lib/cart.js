// The cart, which the server keeps; of a shopper without a session, unless the shop keeps carts of
// guests (`carts.guests`), the browser does.

import { get, patch, post, remove } from './api.js';
import * as own from './browser-cart.js';
import { read } from './data.js';
import { useEffect, useState } from './html.js';
import { store } from './store.js';
import { toast, toastError } from './toast.js';

/** `undefined` until it was read.
 * @type {ReturnType<typeof store<Cart | undefined>>} */
export const cart = store(/** @type {Cart | undefined} */ (undefined));

/** @param {Cart | undefined} of */
export const units = (of) => of?.items.reduce((sum, item) => sum + item.quantity, 0) ?? 0;

/** What the server answers, or without a session what this browser does.
 * @param {Promise<any>} asked @param {() => unknown} instead
 */
const orOwn = (asked, instead) =>
  asked.catch(async (error) => {
    if (error.status !== 401) throw error;
    await instead();
    return own.shown();
  });

/** @type {Promise<Cart> | undefined} */
let reading;

/** What is in the cart now. @returns {Promise<Cart>} */
export async function readCart() {
  // Two readers at once must not both hand over what this browser has.
  reading ??= orOwn(get('/api/cart').then(handOver), () => {}).finally(() => {
    reading = undefined;
  });
  const now = await reading;
  cart.set(now);
  return now;
}

/** Refusals of what cannot be had any more. */
const GONE = [400, 404, 409, 422];

/** Adds what this browser has to the server's cart. @param {Cart} now */
async function handOver(now) {
  // One at a time: whoever reloads meanwhile keeps the rest.
  for (let count = own.lines().length; count > 0; count--) {
    const line = own.takeFirst();
    if (line) now = (await handed(line, now)) ?? now;
  }
  return now;
}

/** Adds a line, or as much of it as there is beside what the cart has, and says what cannot be had.
 * @param {own.KeptLine} line @param {Cart} now */
async function handed(line, now) {
  const { productId, variantId, quantity } = line;
  const add = (units) => post('/api/cart/items', { productId, variantId, quantity: units });
  try {
    return await add(quantity);
  } catch (error) {
    if (!GONE.includes(/** @type {any} */ (error).status)) return own.putBack(line);
    toastError(error);
    const is = (item) => item.productId === productId && item.variantId === variantId;
    const left = (await own.left(line).catch(() => 0)) - (now.items.find(is)?.quantity ?? 0);
    return left > 0 && left < quantity ? add(left).catch(() => {}) : undefined;
  }
}

/** @param {{ id: string, slug: string, name: string }} product @param {string | null} variantId @param {number} quantity */
export async function putIn({ id: productId, slug, name }, variantId, quantity) {
  const line = { productId, variantId, quantity };
  try {
    cart.set(await orOwn(post('/api/cart/items', line), () => own.add({ ...line, slug })));
    toast(`${name} está na sacola.`, { to: '/carrinho', action: 'Ver sacola' });
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}

/** @type {Promise<unknown>} */
let turn = Promise.resolve();

/** One after the other, so that the last one counts. @param {string} id @param {number} quantity */
export const change = (id, quantity) =>
  (turn = turn.then(() =>
    answer(own.isKept(id) ? own.change(id, quantity).then(own.shown) : patch(`/api/cart/items/${id}`, { quantity })),
  ));
/** @param {string} id */
export const takeOut = (id) => {
  if (!own.isKept(id)) return answer(remove(`/api/cart/items/${id}`));
  own.remove(id);
  return answer(own.shown());
};

async function answer(request) {
  try {
    cart.set(await request);
  } catch (error) {
    toastError(error);
    await readCart().catch(() => {});
  }
}

/** What was chosen of a product: "Lavanda, 200 g". @param {CartItem} item */
export function useVariantName({ product, variantId }) {
  const [name, setName] = useState('');
  useEffect(() => {
    if (!variantId) return setName('');
    read(`/api/products/${product.slug}`).then(
      ({ variants }) => {
        const chosen = variants.find((one) => one.id === variantId);
        setName(chosen?.values.map(({ value }) => value).join(', ') ?? '');
      },
      () => {},
    );
  }, [product.slug, variantId]);
  return name;
}

// Another tab may have changed it.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && cart.get()) readCart().catch(() => {});
});
