// What a search finds, as one types, with the words that fit marked.

import { address } from './lib/api.js';
import { read, useData } from './lib/data.js';
import { plural } from './lib/format.js';
import { html, useEffect, useState } from './lib/html.js';
import { Marked } from './lib/mark.js';
import { Empty, Failure, Loaded, Pages, Screen, Skeleton } from './lib/parts.js';
import { Cover } from './lib/picture.js';
import { LONGEST_SEARCH, lowest, Price, ProductGrid } from './lib/products.js';
import { useQuery } from './lib/router.js';

export default function Search() {
  const [query] = useQuery();
  const words = query.get('q')?.trim().slice(0, LONGEST_SEARCH) ?? '';
  const page = query.get('page');
  const list = useData(words ? address('/api/products/search', { q: words, limit: 12, page }) : null);
  const shown = words ? (list.data ?? list.last) : undefined;
  const total = shown?.pagination.total;
  const to = (other) => address('/busca', { q: words, page: other });
  return html`<${Screen} title=${words ? `Busca: ${words}` : 'Buscar'} trail=${[['/', 'Início']]}>
    <p class="small muted" role="status">${total === undefined ? '\u00a0' : plural(total, 'produto encontrado', 'produtos encontrados')}</p>
    ${list.error && html`<${Failure} error=${list.error} retry=${list.reload} />`}
    ${words && !shown && !list.error && html`<${Skeleton} count=${6} />`}
    ${shown && shown.data.length > 0 && html`<ul class="hits ${list.data ? '' : 'fading'}">${shown.data.map((hit) => html`<${Hit} key=${hit.id} hit=${hit} />`)}</ul><${Pages} pages=${shown.pagination} to=${to} />`}
    ${total > 0 && !shown.data.length && html`<${Empty} title="Não há produtos nesta página"><a class="button" href=${to(1)}>Ver a primeira página</a><//>`}
    ${total === 0 && html`<${Empty} title="Não encontramos nada com estas palavras"><p>Tente um aroma, como lavanda ou capim-santo, ou veja o que mais sai:</p><//>`}
    ${(!words || total === 0) && html`<${Popular} />`}
  <//>`;
}

/** What the search says of a product has no picture: that comes with the product itself.
 * @param {{ hit: SearchHit }} props */
function Hit({ hit }) {
  const [images, setImages] = useState(/** @type {any} */ (undefined));
  useEffect(() => {
    read(`/api/products/${hit.slug}`).then(
      (product) => setImages(product.images),
      () => {},
    );
  }, [hit.slug]);
  return html`<li><a href="/produto/${hit.slug}">
    <${Cover} images=${images} sizes="120px" />
    <span><h2><${Marked} text=${hit.name} /></h2><span class="small muted clamp"><${Marked} text=${hit.highlight} /></span><${Price} of=${lowest(hit)} /></span>
  </a></li>`;
}

function Popular() {
  const popular = useData('/api/products?sort=popular&limit=8');
  return html`<section aria-labelledby="popular"><h2 id="popular">Mais vendidos</h2>
    <${Loaded} of=${popular} kind="cards" count=${8}>${({ data }) => html`<${ProductGrid} products=${data} />`}<//>
  </section>`;
}
