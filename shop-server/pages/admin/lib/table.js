// Lists: a table that becomes cards on a phone, its filters and its pages, both in the address.

import { count, plural } from './format.js';
import { html, useId, useLayoutEffect, useRef, useState } from './html.js';
import { Empty, Failure, Skeleton } from './parts.js';
import { useQuery } from './router.js';

const PAUSE = 250;

/** @param {TableProps} props */
export function Table({ label, columns, rows, rowKey = (row) => row.id, selected, onSelect, busy }) {
  const keys = rows.map(rowKey);
  const all = selected && keys.length > 0 && keys.every((key) => selected.has(key));
  const toggle = (some, on) => {
    const next = new Set(selected);
    for (const key of some) on ? next.add(key) : next.delete(key);
    onSelect?.(next);
  };
  const box = (some, on, name) =>
    html`<input type="checkbox" aria-label=${name} checked=${on} onChange=${(event) => toggle(some, event.currentTarget.checked)} />`;
  return html`<div class="table-frame" aria-busy=${busy ? 'true' : 'false'}>
    <table class="list ${selected ? 'selectable' : ''}">
      <caption class="sr-only">${label}</caption>
      <thead>
        <tr>
          ${selected && html`<th class="pick" scope="col">${box(keys, Boolean(all), 'Selecionar todos desta página')}</th>`}
          ${columns.map(
            (column) => html`<th scope="col" class=${column.number ? 'number' : ''}>
            <span class=${column.hideHead ? 'sr-only' : ''}>${column.head}</span></th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, at) => html`<tr key=${keys[at]}>
          ${selected && html`<td class="pick">${box([keys[at] ?? ''], selected.has(keys[at] ?? ''), `Selecionar ${row.name ?? row.orderNumber ?? row.id}`)}</td>`}
          ${columns.map((column) => html`<td class=${column.number ? 'number' : column.lead ? 'lead' : ''} data-head=${(!column.hideHead && !column.lead && column.head) || undefined}>${column.cell(row)}</td>`)}
        </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export function Pager({ pages }) {
  const [, setQuery] = useQuery();
  if (!pages || pages.total === 0) return null;
  const { page, limit, total, totalPages } = pages;
  const to = (next) => setQuery({ page: next > 1 ? String(next) : null });
  const first = (page - 1) * limit + 1;
  const last = Math.min(total, page * limit);
  return html`<nav class="pager" aria-label="Páginas">
    <span class="muted">${count(first)}–${count(last)} de ${count(total)}</span>
    ${
      totalPages > 1 &&
      html`<span class="actions">
      <button type="button" class="button" disabled=${page <= 1} onClick=${() => to(page - 1)}>Anterior</button>
      <button type="button" class="button" disabled=${page >= totalPages} onClick=${() => to(page + 1)}>Próxima</button>
    </span>`
    }
  </nav>`;
}

/** A list with everything around it: skeleton, failure, nothing found, nothing there.
 * @param {{ list: any, label: string, columns: Column[], empty: any, rowKey?: (row: any) => string,
 *   selected?: Set<string>, onSelect?: (selected: Set<string>) => void }} props
 */
export function List({ list, label, columns, empty, rowKey, selected, onSelect }) {
  const [, setQuery] = useQuery();
  if (!list.rows)
    return list.error ? html`<${Failure} error=${list.error} retry=${list.reload} />` : html`<${Skeleton} />`;
  if (!list.rows.length && list.filtered) {
    const clear = () =>
      setQuery(Object.fromEntries([...new URLSearchParams(location.search).keys()].map((name) => [name, null])));
    return html`<${Empty} title="Nada encontrado com estes filtros">
      <button type="button" class="button" onClick=${clear}>Limpar filtros</button>
    <//>`;
  }
  if (!list.rows.length) return empty;
  return html`
    ${list.error && html`<${Failure} error=${list.error} retry=${list.reload} />`}
    <${Table} ...${{ label, columns, rows: list.rows, rowKey, selected, onSelect, busy: list.loading }} />
    <${Pager} pages=${list.pages} />`;
}

export function Filters({ search, placeholder = 'Buscar', filters = [], children }) {
  const [query, setQuery] = useQuery();
  return html`<form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
    ${search && html`<${Search} name=${search} placeholder=${placeholder} />`}
    ${filters.map(
      ({ name, label, options }) => html`<label key=${name} class=${options ? '' : 'day'}>
      <span class=${options ? 'sr-only' : 'muted'}>${label}</span>
      ${
        options
          ? html`<select value=${query.get(name) ?? ''} onChange=${(event) => setQuery({ [name]: event.currentTarget.value })}>
            <option value="">Qualquer ${label.toLowerCase()}</option>
            ${options.map(([value, text]) => html`<option value=${value} selected=${query.get(name) === value}>${text}</option>`)}
          </select>`
          : html`<${Day} name=${name} />`
      }
    </label>`,
    )}
    ${children}
  </form>`;
}

/** A day. While its year is typed it is one of the first centuries, which is no filter yet, and stays although
 * the list is drawn anew meanwhile. */
function Day({ name }) {
  const [query, setQuery] = useQuery();
  const said = query.get(name) ?? '';
  const [day, setDay] = useState(said);
  // At once: an effect that waits for the screen to be painted would undo a key that was pressed meanwhile.
  useLayoutEffect(() => setDay(said), [said]);
  const type = (event) => {
    const { value } = event.currentTarget;
    setDay(value);
    if (!value.startsWith('0')) setQuery({ [name]: value }, true);
  };
  return html`<input type="date" value=${day} onChange=${type} />`;
}

/** A search that looks while one types, a moment after the last key. */
function Search({ name, placeholder }) {
  const [query, setQuery] = useQuery();
  const said = query.get(name) ?? '';
  const [text, setText] = useState(said);
  const timer = useRef(0);
  const id = useId();
  // A blank at the end is one between words.
  useLayoutEffect(() => setText((text) => (text.trim() === said ? text : said)), [said]);
  const type = (event) => {
    const value = event.currentTarget.value;
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery({ [name]: value.trim() }, true), PAUSE);
  };
  return html`<div class="search">
    <label class="sr-only" for=${id}>${placeholder}</label>
    <input id=${id} type="search" placeholder=${placeholder} value=${text} onInput=${type} />
  </div>`;
}

/** What is to happen to those that were ticked.
 * @param {{ number: number, children?: any, onClear: () => void }} props
 */
export function Selection({ number, children, onClear }) {
  if (!number) return null;
  return html`<div class="selection" role="region" aria-label="Ações em lote">
    <strong>${plural(number, 'selecionado', 'selecionados')}</strong>
    <span class="actions">${children}<button type="button" class="button plain" onClick=${onClear}>Limpar seleção</button></span>
  </div>`;
}
