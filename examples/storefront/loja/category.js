// The products of a category; the address holds filters, order and page.

import { address } from './lib/api.js';
import { useData } from './lib/data.js';
import { plural } from './lib/format.js';
import { html, useEffect, useRef, useState } from './lib/html.js';
import { Empty, Failure, Missing, Pages, Screen, Skeleton } from './lib/parts.js';
import { ProductGrid } from './lib/products.js';
import { useQuery } from './lib/router.js';

const A_PAGE = 12;
const SORTS = [
  ['', 'Mais recentes'],
  ['popular', 'Mais vendidos'],
  ['price_asc', 'Menor preço'],
  ['price_desc', 'Maior preço'],
];

/** @param {{ id: string }} props */
export default function Category({ id }) {
  const [query, change] = useQuery();
  const all = useData('/api/categories');
  const category = all.data?.find((one) => one.slug === id);
  const filters = {
    minPrice: query.get('min'),
    maxPrice: query.get('max'),
    inStock: query.get('estoque') ? 'true' : null,
    sort: query.get('ordem'),
    page: query.get('page'),
  };
  const list = useData(address('/api/products', { category: id, limit: A_PAGE, ...filters }));
  if (all.data && !category) return html`<${Missing} title="Categoria não encontrada" />`;
  // What the category says of itself moves nothing that is shown already.
  if (!category && !all.error) return html`<${Screen} title="\u00a0"><${Skeleton} kind="cards" count=${A_PAGE} /><//>`;
  const shown = list.data ?? list.last;
  const filtered = filters.minPrice || filters.maxPrice || filters.inStock;
  return html`<${Screen} title=${category?.name ?? '\u00a0'} lead=${category?.description} trail=${[['/', 'Início']]}>
    <${Filters} query=${query} change=${change} />
    <h2 class="sr-only">Produtos</h2>
    <p class="small muted" role="status">${shown ? plural(shown.pagination.total, 'produto', 'produtos') : '\u00a0'}</p>
    ${list.error && html`<${Failure} error=${list.error} retry=${list.reload} />`}
    ${!shown && !list.error && html`<${Skeleton} kind="cards" count=${A_PAGE} />`}
    ${
      shown &&
      (shown.data.length
        ? html`<div class=${list.data ? '' : 'fading'}><${ProductGrid} products=${shown.data} now=${4} /></div>
          <${Pages} pages=${shown.pagination} to=${(page) => pageOf(query, page)} />`
        : shown.pagination.total
          ? html`<${Empty} title="Não há produtos nesta página"><a class="button" href=${pageOf(query, 1)}>Ver a primeira página</a><//>`
          : html`<${Empty} title=${filtered ? 'Nada com estes filtros' : 'Ainda não há produtos nesta categoria'}>
            ${filtered && html`<a class="button" href="/categoria/${id}">Limpar os filtros</a>`}
          <//>`)
    }
  <//>`;
}

function pageOf(query, page) {
  const next = new URLSearchParams(query);
  next.set('page', String(page));
  return `${location.pathname}?${next}`;
}

function Filters({ query, change }) {
  const timer = useRef(0);
  const typed = useRef(/** @type {Values} */ ({}));
  const place = useRef(/** @type {HTMLFormElement | null} */ (null));
  const [low, high] = [query.get('min') ?? '', query.get('max') ?? ''];
  // Going back puts the fields back, but not under the fingers of somebody who types.
  useEffect(() => {
    for (const [name, value] of [
      ['min', low],
      ['max', high],
    ]) {
      const input = /** @type {HTMLInputElement} */ (place.current?.elements.namedItem(/** @type {string} */ (name)));
      if (input !== document.activeElement && input.ariaInvalid !== 'true') input.value = value.replace('.', ',');
    }
  }, [low, high]);
  const [wrong, setWrong] = useState(/** @type {Record<string, boolean>} */ ({}));
  const price = (event) => {
    const { name, value } = event.currentTarget;
    clearTimeout(timer.current);
    const amount = value
      .replace(/R\$|\s/gi, '')
      .replace(/\.(?=\d{3})/g, '')
      .replace(',', '.')
      .replace(/\.$/, '');
    const isRead = !amount || /^\d+(\.\d{1,2})?$/.test(amount);
    setWrong((old) => ({ ...old, [name]: !isRead }));
    // What cannot be read filters nothing, instead of what stood there before.
    typed.current[name] = (isRead && amount) || null;
    timer.current = setTimeout(() => {
      const both = typed.current;
      typed.current = {};
      if (Object.keys(both).length) change(both, true);
    }, 400);
  };
  const end = (name, label, placeholder) => html`<div class="field"><label for=${name}>${label}</label>
    <input id=${name} name=${name} inputmode="decimal" placeholder=${placeholder} onInput=${price} aria-invalid=${wrong[name] ? 'true' : undefined} aria-describedby=${wrong[name] ? `${name}-wrong` : undefined} />
    ${wrong[name] && html`<span class="wrong" id="${name}-wrong">Escreva um preço, como 49,90.</span>`}</div>`;
  return html`<form class="filters" ref=${place} aria-label="Filtros" onSubmit=${(event) => event.preventDefault()}>
    <fieldset><legend class="sr-only">Preço</legend>
      ${end('min', 'Preço de', 'R$ 0')}${end('max', 'até', 'R$ 200')}
    </fieldset>
    <div class="field tick"><input id="stock" type="checkbox" checked=${Boolean(query.get('estoque'))} onChange=${(event) => change({ estoque: event.currentTarget.checked ? 'sim' : null })} /><label for="stock">Só com estoque</label></div>
    <div class="field"><label for="sort">Ordenar por</label>
      <select id="sort" onChange=${(event) => change({ ordem: event.currentTarget.value || null })}>
        ${SORTS.map(([value, text]) => html`<option key=${value} value=${value} selected=${(query.get('ordem') ?? '') === value}>${text}</option>`)}
      </select></div>
  </form>`;
}
