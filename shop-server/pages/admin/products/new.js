// New products: a copy of another, and the address that a name suggests.

import { once, post } from '../lib/api.js';
import { go } from '../lib/router.js';
import { toast, toastError } from '../lib/toast.js';

export const clone = once(async (product) => {
  try {
    const { data } = await post(`/api/admin/products/${product.id}/clone`);
    toast('Cópia criada, fora de venda.');
    await go(`/admin/products/${data.id}`);
  } catch (error) {
    toastError(error);
  }
});

/** "Vela de Lavanda" is `vela-de-lavanda`. */
export const slugOf = (name) =>
  name
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 120)
    .replace(/-$/, '');
