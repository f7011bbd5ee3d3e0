// What a customer wishes for.

import { get, post, remove } from './api.js';
import { forget } from './data.js';
import { html, useEffect } from './html.js';
import { go, loginPath } from './router.js';
import { me } from './session.js';
import { store } from './store.js';
import { toast, toastError } from './toast.js';

/** The products' ids; `undefined` until they were read.
 * @type {ReturnType<typeof store<Set<string> | undefined>>} */
const wishes = store(/** @type {Set<string> | undefined} */ (undefined));

/** @param {{ id: string, name: string }} props */
export function WishButton({ id, name }) {
  const all = wishes.use();
  const profile = me.use();
  useEffect(() => {
    if (!profile || wishes.get()) return;
    get('/api/user/wishlist').then(
      (list) => wishes.set(new Set(list.map((wish) => wish.productId))),
      () => {},
    );
  }, [profile]);
  const wished = all?.has(id) ?? false;
  const toggle = async () => {
    try {
      if (wished) await remove(`/api/user/wishlist/${id}`);
      else await post('/api/user/wishlist', { productId: id });
      const next = new Set(all);
      if (wished) next.delete(id);
      else next.add(id);
      wishes.set(next);
      forget('/api/user/wishlist');
      toast(wished ? `${name} saiu dos seus desejos.` : `${name} está nos seus desejos.`);
    } catch (error) {
      if (/** @type {any} */ (error).status === 401) go(loginPath());
      else toastError(error);
    }
  };
  return html`<button type="button" class="button wish" aria-pressed=${wished ? 'true' : 'false'} onClick=${toggle}>
    <span aria-hidden="true">${wished ? '♥' : '♡'}</span> Lista de desejos
  </button>`;
}
