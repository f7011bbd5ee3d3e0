// A product: its pictures, what can be chosen of it, what it costs to send, and what others say.

import { putIn } from '../lib/cart.js';
import { useData } from '../lib/data.js';
import { html, useEffect, useState } from '../lib/html.js';
import { Failure, Missing, Skeleton, Trail, useTitle } from '../lib/parts.js';
import { Price, ProductGrid, Stars } from '../lib/products.js';
import { Quantity } from '../lib/quantity.js';
import { whoIsIt } from '../lib/session.js';
import { QuoteByCep } from '../lib/shipping.js';
import { WishButton } from '../lib/wishes.js';
import { Gallery } from './gallery.js';
import { Reviews } from './reviews.js';
import { Variants } from './variants.js';

/** From how few units on it is said that there are few. */
const FEW = 5;

/** @param {{ id: string }} props */
export default function ProductScreen({ id }) {
  const read = useData(`/api/products/${encodeURIComponent(id)}`);
  useTitle(read.data?.name);
  useEffect(() => void whoIsIt().catch(() => {}), []);
  if (read.error && !read.data)
    return read.error.status === 404
      ? html`<${Missing} title="Produto não encontrado" />`
      : html`<div class="screen"><${Failure} error=${read.error} retry=${read.reload} /></div>`;
  const product = read.data;
  if (!product) return html`<div class="screen"><${Skeleton} kind="detail" count=${2} /></div>`;
  return html`<div class="screen">
    <${Trail} of=${[['/', 'Início'], ...(product.category ? [[`/categoria/${product.category.slug}`, product.category.name]] : [])]} />
    <div class="detail">
      <${Gallery} images=${product.images} name=${product.name} />
      <${Offer} product=${product} reload=${read.reload} />
    </div>
    <${Reviews} slug=${product.slug} />
    ${product.category && html`<${Related} slug=${product.category.slug} but=${product.id} />`}
  </div>`;
}

/** @param {{ product: Product, reload: () => Promise<void> }} props */
function Offer({ product, reload }) {
  const { variants } = product;
  const [variant, setVariant] = useState(() => variants.find((one) => one.stock > 0) ?? variants[0]);
  const chosen = variants.find((one) => one.id === variant?.id) ?? product;
  const [quantity, setQuantity] = useState(1);
  const [busy, setBusy] = useState(false);
  const left = product.variantRequired && chosen === product ? 0 : chosen.stock;
  const wanted = Math.max(1, Math.min(quantity, left));
  const buy = async (event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const done = await putIn(product, variant?.id ?? null, wanted);
    if (!done) await reload();
    setBusy(false);
  };
  return html`<form class="offer" onSubmit=${buy}>
    <h1 tabindex="-1">${product.name}</h1>
    ${product.reviewCount > 0 && html`<a class="plain" href="#avaliacoes"><${Stars} average=${product.averageRating} count=${product.reviewCount} /></a>`}
    <${Price} of=${chosen} full=${true} />
    ${variants.length > 0 && html`<${Variants} variants=${variants} chosen=${variant} onChoose=${setVariant} />`}
    <p class="small ${left < 1 ? 'wrong' : 'muted'}" role="status">${left < 1 ? 'Esgotado no momento' : left <= FEW ? `Só ${left === 1 ? 'resta 1 unidade' : `restam ${left} unidades`}` : 'Em estoque, pronta entrega'}</p>
    ${
      left > 0 &&
      html`<div class="buy">
        <${Quantity} value=${wanted} max=${left} label="Quantidade" onChange=${setQuantity} />
        <button class="button primary large" aria-disabled=${busy ? 'true' : undefined}>Adicionar à sacola</button>
      </div>`
    }
    <${WishButton} id=${product.id} name=${product.name} />
    <div class="prose">${product.description.split(/\n+/).map((text, at) => html`<p key=${at}>${text}</p>`)}</div>
    <${QuoteByCep} subtotal=${Math.round(chosen.price * 100 * wanted) / 100} lines=${[{ productId: product.id, variantId: variant?.id ?? null, quantity: wanted }]} />
  </form>`;
}

function Related({ slug, but }) {
  const { data } = useData(`/api/products?category=${encodeURIComponent(slug)}&sort=popular&inStock=true&limit=5`);
  const others = data?.data.filter((one) => one.id !== but).slice(0, 4);
  if (!others?.length) return null;
  return html`<section aria-labelledby="related"><h2 id="related">Combina com</h2><${ProductGrid} products=${others} /></section>`;
}
