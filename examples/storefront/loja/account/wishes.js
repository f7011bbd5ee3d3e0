// What a customer wishes for.

import { remove } from '../lib/api.js';
import { putIn } from '../lib/cart.js';
import { read, useData } from '../lib/data.js';
import { money } from '../lib/format.js';
import { html } from '../lib/html.js';
import { Empty, Loaded } from '../lib/parts.js';
import { Cover } from '../lib/picture.js';
import { go } from '../lib/router.js';
import { toastError } from '../lib/toast.js';
import { Account } from './frame.js';

export default function Wishes() {
  return html`<${Account} title="Lista de desejos">${() => html`<${List} />`}<//>`;
}

/** Puts a product into the cart; what comes in several variants is chosen on its page. */
async function want(product) {
  try {
    const { variants } = await read(`/api/products/${product.slug}`);
    if (variants.length) go(`/produto/${product.slug}`);
    else await putIn(product, null, 1);
  } catch (error) {
    toastError(error);
  }
}

function List() {
  const list = useData('/api/user/wishlist');
  const drop = async (productId) => {
    await remove(`/api/user/wishlist/${productId}`).catch(toastError);
    await list.reload();
  };
  return html`<${Loaded} of=${list} kind="cards" count=${4}>${(all) =>
    all.length
      ? html`<ul class="lines">${all.map(
          ({ product, ...wish }) => html`<li key=${wish.id}>
        <a href="/produto/${product.slug}" class="line-picture" aria-hidden="true" tabindex="-1"><${Cover} images=${product.images} sizes="112px" /></a>
        <div><h2><a class="plain" href="/produto/${product.slug}">${product.name}</a></h2>
          <p class="actions">${
            product.inStock
              ? html`<button type="button" class="button" aria-label="Adicionar ${product.name} à sacola" onClick=${() => want(product)}>Adicionar à sacola</button>`
              : html`<span class="badge">Esgotado</span>`
          }
          <button type="button" class="link small" aria-label="Remover ${product.name}" onClick=${() => drop(product.id)}>Remover</button></p></div>
        <strong>${money(product.price)}</strong></li>`,
        )}</ul>`
      : html`<${Empty} title="Sua lista de desejos está vazia"><p>Toque no coração de um produto para guardá-lo aqui.</p><a class="button primary" href="/">Ver os produtos</a><//>`}<//>`;
}
