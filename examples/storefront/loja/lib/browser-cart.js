// The cart of a shopper without a session, which this browser keeps: what was chosen alone. Names,
// prices and stock are as the shop says them now.

import { ApiError, get } from './api.js';
import { kept } from './store.js';
import { toast } from './toast.js';

const MOST = 100;

/** @typedef {Line & { slug: string }} KeptLine */

/** @returns {KeptLine[]} */
export const lines = () => kept.get('cart') ?? [];
/** @param {KeptLine[]} now */
const keep = (now) => kept.set('cart', now.length ? now : null);
/** @param {{ productId: string, variantId: string | null }} line */
const idOf = ({ productId, variantId }) => `${productId}/${variantId ?? ''}`;
export const isKept = (id) => lines().some((line) => idOf(line) === id);

/** What it has, as the server shows a cart; what is off sale by now is taken out, and said.
 * @returns {Promise<Cart>} */
export async function shown() {
  const all = lines();
  const found = await Promise.all(all.map(item));
  const gone = new Set(all.filter((_, at) => !found[at]).map(idOf));
  if (gone.size) {
    keep(lines().filter((line) => !gone.has(idOf(line))));
    toast('Saiu da sacola o que não está mais à venda.', { bad: true });
  }
  const items = found.flatMap((one) => one ?? []);
  return { items, subtotal: sum(items.map(({ total }) => total)) };
}

/** @param {KeptLine} line @returns {Promise<(CartItem & { left: number }) | null>} */
async function item(line) {
  const product = await productOf(line);
  const offer = product && offerOf(product, line.variantId);
  if (!offer) return null;
  const { id, name, slug, images } = product;
  const { variantId, quantity } = line;
  const total = sum(Array(quantity).fill(offer.price));
  return {
    id: idOf(line),
    productId: id,
    variantId,
    quantity,
    price: offer.price,
    total,
    product: { name, slug, images },
    left: offer.stock,
  };
}

/** @param {KeptLine} line @returns {Promise<Product | null>} */
const productOf = ({ slug }) =>
  get(`/api/products/${slug}`).catch((error) => {
    if (error.status === 404) return null;
    throw error;
  });

/** What has the price and the stock of a choice. @param {Product} product @param {string | null} variantId */
const offerOf = (product, variantId) => (variantId ? product.variants.find((one) => one.id === variantId) : product);

/** Units that there are of a line. @param {KeptLine} line */
export async function left(line) {
  const product = await productOf(line);
  return (product && offerOf(product, line.variantId)?.stock) || 0;
}

/** In whole cents, since they are exact. @param {number[]} amounts */
const sum = (amounts) => amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100;

/** Adds units of something. @param {KeptLine} line */
export async function add(line) {
  const before = lines().find((one) => idOf(one) === idOf(line));
  await set({ ...line, quantity: line.quantity + (before?.quantity ?? 0) });
}

/** @param {string} id @param {number} quantity */
export async function change(id, quantity) {
  const line = lines().find((one) => idOf(one) === id);
  if (line) await set({ ...line, quantity });
}

/** @param {string} id */
export const remove = (id) => keep(lines().filter((line) => idOf(line) !== id));

/** @param {KeptLine} line */
async function set(line) {
  const product = await productOf(line);
  const offer = product && offerOf(product, line.variantId);
  if (!offer) throw new ApiError(404, { error: 'Este produto não está mais à venda.' });
  const now = lines();
  const at = now.findIndex((one) => idOf(one) === idOf(line));
  // Fewer than before is a step on the way to what there is.
  if (offer.stock < line.quantity && line.quantity >= (now[at]?.quantity ?? 0)) {
    throw new ApiError(400, { error: `Estoque insuficiente para ${product.name} (disponível: ${offer.stock})` });
  }
  if (at >= 0) now[at] = line;
  else if (now.length < MOST) now.push(line);
  else throw new ApiError(400, { error: `A sacola tem no máximo ${MOST} produtos diferentes.` });
  keep(now);
}

/** @param {KeptLine} line what could not be handed over */
export const putBack = (line) => keep([...lines(), line]);

/** Takes a line out of it. @returns {KeptLine | undefined} */
export function takeFirst() {
  const [first, ...rest] = lines();
  keep(rest);
  return first;
}
