// A page of the page builder, as its content reads: titles, texts and pictures, part by part. A shop that
// has shapes of its own draws them here.

import { useData } from './lib/data.js';
import { html } from './lib/html.js';
import { Empty, Loaded, Missing, Screen } from './lib/parts.js';
import { shop } from './shop.js';

const PICTURE = /^\/uploads\/.+\.(avif|gif|jpe?g|png|svg|webp)$/i;
const TITLE = /^(title|titulo|heading)$/i;
const DEEPEST = 8;

/** @param {{ id: string }} props */
export default function Page({ id }) {
  const page = shop.pages[id];
  const settings = useData(page ? '/api/settings' : null);
  if (!page) return html`<${Missing} />`;
  return html`<${Loaded} of=${settings}>${(all) => {
    const data = all[page.key];
    return html`<${Screen} title=${data?.title ?? page.title} kind="narrow">
      ${data ? html`<div class="prose"><${Part} value=${data} depth=${0} /></div>` : html`<${Empty} title="Esta página ainda não tem conteúdo" />`}<//>`;
  }}<//>`;
}

/** @param {{ value: any, name?: string, depth: number }} props */
function Part({ value, name = '', depth }) {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || depth > DEEPEST) return null;
  if (typeof value !== 'string') {
    const parts = Array.isArray(value) ? value.map((one) => ['', one]) : Object.entries(value);
    const shown = depth === 0 ? parts.filter(([one]) => one !== 'title') : parts;
    return shown.map(
      ([one, content], at) => html`<${Part} key=${at} name=${one} value=${content} depth=${depth + 1} />`,
    );
  }
  if (PICTURE.test(value)) return html`<img src=${value} alt="" loading="lazy" />`;
  if (TITLE.test(name)) return html`<h2>${value}</h2>`;
  return value.split(/\n+/).map((text, at) => html`<p key=${at}>${text}</p>`);
}
