// A copy of a product, made once however often the button is clicked.

import { post } from '../lib/api.js';
import { once } from '../lib/once.js';
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
