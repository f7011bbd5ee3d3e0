// The first screen: what the shop is, what it shows first, its categories and what is new.

import { useData } from './lib/data.js';
import { html } from './lib/html.js';
import { Loaded, useTitle } from './lib/parts.js';
import { Cover } from './lib/picture.js';
import { ProductGrid } from './lib/products.js';
import { shop } from './shop.js';

export default function Home() {
  useTitle('');
  const featured = useData('/api/products?featured=true&limit=8');
  const newest = useData('/api/products?sort=newest&limit=12');
  const categories = useData('/api/categories');
  const known = [...(featured.data?.data ?? []), ...(newest.data?.data ?? [])];
  const isEmpty = newest.data?.data.length === 0;
  const { hero } = shop;
  const isThere = categories.data?.some((one) => one.productCount > 0 && hero.to === `/categoria/${one.slug}`);
  const to = hero.to.startsWith('/categoria/') && isThere === false ? '/busca' : hero.to;
  return html`<div class="screen home">
    <section class="hero" aria-labelledby="hero">
      <div>
        <p class="eyebrow">${shop.claim}</p>
        <h1 id="hero" tabindex="-1">${hero.title}</h1>
        <p class="lead">${hero.text}</p>
        ${!isEmpty && html`<p class="actions"><a class="button primary large" href=${to}>${hero.action}</a></p>`}
      </div>
      <div class="arch"><${Cover} images=${featured.data?.data.at(-1)?.images} sizes="(width < 800px) 90vw, 480px" now=${true} /></div>
    </section>
    ${
      // A shop without a product has nothing to stand below these headings.
      isEmpty ||
      html`<section aria-labelledby="featured">
      <h2 id="featured">Destaques</h2>
      <${Loaded} of=${featured} kind="cards" count=${8}>${({ data }) => html`<${ProductGrid} products=${data} now=${4} />`}<//>
    </section>
    <section aria-labelledby="categories">
      <h2 id="categories">Escolha por categoria</h2>
      <${Loaded} of=${categories} kind="tiles" count=${6}>${(all) => html`<${Tiles} all=${all} known=${known} />`}<//>
    </section>
    <section aria-labelledby="newest">
      <h2 id="newest">Acabaram de chegar</h2>
      <${Loaded} of=${newest} kind="cards" count=${12}>${({ data }) => html`<${ProductGrid} products=${data} />`}<//>
    </section>`
    }
    <section class="promises" aria-label="Como trabalhamos">
      ${shop.promises.map(([title, text]) => html`<div key=${title}><h2>${title}</h2><p>${text}</p></div>`)}
    </section>
  </div>`;
}

/** A category without a picture shows one of its products. @param {{ all: Category[], known: ProductSummary[] }} props */
function Tiles({ all, known }) {
  const cover = ({ image, slug }) =>
    image ? [{ url: image }] : known.find((product) => product.category?.slug === slug)?.images;
  return html`<ul class="tiles">
    ${all
      .filter((one) => one.productCount > 0)
      .map(
        (one) => html`<li key=${one.id}><a href="/categoria/${one.slug}">
        <span class="round"><${Cover} images=${cover(one)} sizes="170px" /></span><span>${one.name}</span></a></li>`,
      )}
  </ul>`;
}
