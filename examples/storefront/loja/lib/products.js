// Products as lists show them.

import { shop } from '../shop.js';
import { money, number, part, plural } from './format.js';
import { html } from './html.js';
import { Cover } from './picture.js';

/** How many characters the server takes. */
export const LONGEST_SEARCH = 200;

/** What a product can be had for, as a list or a search says it. The former price is the product's own, of
 * which nothing follows where its variants cost something else.
 * @param {{ price: number, minPrice: number, maxPrice: number, comparePrice?: number | null }} of */
export const lowest = ({ price, minPrice, maxPrice, comparePrice = null }) => ({
  price: minPrice,
  isFrom: minPrice < maxPrice,
  comparePrice: minPrice === price && maxPrice === price ? comparePrice : null,
});

/** A price, with the former one, and in parts where the shop says so.
 * @param {{ of: { price: number, comparePrice?: number | null, isFrom?: boolean }, full?: boolean }} props
 */
export function Price({ of: { price, comparePrice, isFrom }, full }) {
  const parts = Math.min(shop.installments, Math.floor(price / shop.smallestInstallment));
  return html`<p class="price">
    ${comparePrice && comparePrice > price && html`<s><span class="sr-only">De </span>${money(comparePrice)}</s><span class="sr-only"> por </span>`}
    ${isFrom && html`<span class="small">a partir de </span>`}<strong>${money(price)}</strong>
    ${full && parts > 1 && html`<span class="muted small">ou ${parts}x de ${part(price, parts)} sem juros</span>`}
  </p>`;
}

/** @param {{ average: number, count?: number }} props */
export function Stars({ average, count }) {
  const text = `Nota ${number(average)} de 5${count === undefined ? '' : `, ${plural(count, 'avaliação', 'avaliações')}`}`;
  const full = Math.floor(average + 0.3);
  return html`<span class="stars"><span role="img" aria-label=${text}><b aria-hidden="true">${'★'.repeat(full)}</b><i aria-hidden="true">${'★'.repeat(5 - full)}</i></span>${
    count !== undefined && html`<span class="small muted" aria-hidden="true">(${count})</span>`
  }</span>`;
}

/** @param {{ of: ProductSummary, now?: boolean }} props */
export function ProductCard({ of, now }) {
  const offer = lowest(of);
  const { price, comparePrice } = offer;
  const off = comparePrice && comparePrice > price ? Math.round((1 - price / comparePrice) * 100) : 0;
  return html`<article class="product">
    <a href="/produto/${of.slug}">
      <span class="frame">
        <${Cover} images=${of.images} sizes="(width < 700px) 46vw, 290px" now=${now} />
        ${!of.inStock ? html`<span class="flag">Esgotado</span>` : off > 0 && html`<span class="flag warm">−${off}%</span>`}
      </span>
      <h3>${of.name}</h3>
    </a>
    <${Price} of=${offer} />
    ${of.reviewCount > 0 && html`<${Stars} average=${of.averageRating} count=${of.reviewCount} />`}
  </article>`;
}

/** @param {{ products: ProductSummary[], now?: number }} props how many of them are seen first */
export const ProductGrid = ({ products, now = 0 }) => html`<ul class="products">
  ${products.map((product, at) => html`<li key=${product.id}><${ProductCard} of=${product} now=${at < now} /></li>`)}
</ul>`;
