// What is bought, and what it comes to.

import { useVariantName } from '../lib/cart.js';
import { cents, money } from '../lib/format.js';
import { html } from '../lib/html.js';
import { Cover } from '../lib/picture.js';
import { cost, FreeShipping, fallbackCost } from '../lib/shipping.js';
import { Coupon } from './coupon.js';

/** What it comes to by the option that was chosen, or where there are none. The freight is missing, and the
 * sum is not agreed to, where none was chosen yet.
 * @param {{ bag: Cart, quote: ShippingQuote | undefined, option: string, coupon: any }} of */
export function sumOf({ bag, quote, option, coupon }) {
  const chosen = quote?.options.find((one) => one.id === option);
  const shipping = chosen && !chosen.free ? chosen.price : (quote?.fallbackPrice ?? 0);
  const freight = chosen ? cost(chosen) : fallbackCost(quote);
  const agreed = Boolean(chosen || (quote && !quote.options.length));
  return { agreed, freight, total: cents(bag.subtotal - coupon.discount + shipping) };
}

/** @param {{ bag: Cart, quote: ShippingQuote | undefined, option: string, coupon: any, children?: any }} props */
export function Summary({ bag, quote, option, coupon, children }) {
  const { freight, total } = sumOf({ bag, quote, option, coupon });
  return html`<aside class="card stack" aria-label="Resumo do pedido">
    <div class="card-head"><h2>Resumo</h2><a class="small" href="/carrinho">Alterar</a></div>
    <ul class="small-lines">${bag.items.map((item) => html`<${Line} key=${item.id} item=${item} />`)}</ul>
    <${Coupon} of=${coupon} />
    <${FreeShipping} quote=${quote} />
    <dl class="sums">
      <div><dt>Subtotal</dt><dd>${money(bag.subtotal)}</dd></div>
      ${coupon.discount > 0 && html`<div><dt>Desconto</dt><dd>−${money(coupon.discount)}</dd></div>`}
      <div><dt>Frete</dt><dd>${freight || '–'}</dd></div>
      <div class="total"><dt>Total</dt><dd>${money(total)}</dd></div>
    </dl>
    ${children}
  </aside>`;
}

/** @param {{ item: CartItem }} props */
function Line({ item }) {
  const variant = useVariantName(item);
  return html`<li><${Cover} images=${item.product.images} sizes="56px" />
    <span>${item.product.name}${variant && html`<br /><span class="small muted">${variant}</span>`}<br /><span class="small muted">${item.quantity} × ${money(item.price)}</span></span>
    <span>${money(item.total)}</span></li>`;
}
