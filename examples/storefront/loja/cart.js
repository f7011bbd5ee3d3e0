// The cart: what is in it, what it costs to send, and the way on.

import { cart, change, readCart, takeOut, units, useVariantName } from './lib/cart.js';
import { money, plural } from './lib/format.js';
import { html, useEffect, useState } from './lib/html.js';
import { Empty, Failure, Screen, Skeleton } from './lib/parts.js';
import { Cover } from './lib/picture.js';
import { Quantity } from './lib/quantity.js';
import { QuoteByCep } from './lib/shipping.js';

export default function CartScreen() {
  const bag = cart.use();
  const [error, setError] = useState(/** @type {any} */ (null));
  const look = () => {
    setError(null);
    readCart().catch(setError);
  };
  useEffect(look, []);
  return html`<${Screen} title="Sacola" lead=${bag?.items.length ? plural(units(bag), 'item', 'itens') : undefined}>
    ${error && !bag && html`<${Failure} error=${error} retry=${look} />`}
    ${!bag && !error && html`<${Skeleton} count=${4} />`}
    ${bag && (bag.items.length ? html`<${Filled} bag=${bag} />` : html`<${Empty} title="Sua sacola está vazia"><a class="button primary" href="/">Conhecer os produtos</a><//>`)}
  <//>`;
}

/** @param {{ bag: Cart }} props */
function Filled({ bag }) {
  return html`<div class="split">
    <ul class="lines">${bag.items.map((item) => html`<${Line} key=${item.id} item=${item} />`)}</ul>
    <aside class="card stack" aria-label="Resumo">
      <p class="total"><span>Subtotal</span><strong>${money(bag.subtotal)}</strong></p>
      <${QuoteByCep} subtotal=${bag.subtotal} lines=${bag.items} bar=${true} />
      <a class="button primary large wide" href="/finalizar">Finalizar a compra</a>
      <p class="small muted">Cupom e forma de envio na próxima tela.</p>
    </aside>
  </div>`;
}

/** @param {{ item: CartItem & { left?: number } }} props what this browser keeps says how much there is */
function Line({ item }) {
  const [busy, setBusy] = useState(false);
  const during = async (request) => {
    setBusy(true);
    await request;
    setBusy(false);
  };
  const { product, quantity, left = quantity } = item;
  const variant = useVariantName(item);
  return html`<li class=${busy ? 'fading' : ''}>
    <a href="/produto/${product.slug}" class="line-picture" aria-hidden="true" tabindex="-1"><${Cover} images=${product.images} sizes="112px" /></a>
    <div>
      <h2><a class="plain" href="/produto/${product.slug}">${product.name}</a></h2>
      ${variant && html`<p class="small muted">${variant}</p>`}
      <p class="small muted">${money(item.price)} cada</p>
      ${left < quantity && html`<p class="small wrong">${left ? `Só ${plural(left, 'unidade disponível', 'unidades disponíveis')}.` : 'Esgotado.'}</p>`}
      <div class="actions">
        <${Quantity} value=${item.quantity} label="Quantidade de ${product.name}" onChange=${(value) => during(change(item.id, value))} />
        <button type="button" class="link small" aria-label="Remover ${product.name}" onClick=${() => during(takeOut(item.id))}>Remover</button>
      </div>
    </div>
    <strong>${money(item.total)}</strong>
  </li>`;
}
