// A page as its content reads, part by part. How it looks is for the storefront to say.

import { html } from '../lib/html.js';

const PICTURE = /^\/uploads\/.+\.(avif|gif|jpe?g|png|svg|webp)$/i;
const DEEPEST = 8;

/** @param {{ json: string }} props */
export function Preview({ json }) {
  const page = parsed(json);
  if (page === undefined) return null;
  return html`<details class="wide outline">
    <summary>Prévia</summary>
    <${Part} value=${page} depth=${0} />
  </details>`;
}

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function Part({ value, depth }) {
  if (value === null || value === '') return html`<span class="muted">vazio</span>`;
  if (typeof value === 'boolean') return value ? 'sim' : 'não';
  if (typeof value !== 'object') return html`<${Text} text=${String(value)} />`;
  if (depth > DEEPEST) return html`<span class="muted">…</span>`;
  if (Array.isArray(value))
    return html`<ol>${value.map((one, at) => html`<li key=${at}><${Part} value=${one} depth=${depth + 1} /></li>`)}</ol>`;
  return html`<dl>${Object.entries(value).map(([name, one]) => html`<div key=${name}><dt>${name}</dt><dd><${Part} value=${one} depth=${depth + 1} /></dd></div>`)}</dl>`;
}

/** A picture of this shop is shown; what lies elsewhere is not fetched. */
function Text({ text }) {
  if (PICTURE.test(text)) return html`<img src=${text} alt="" loading="lazy" />`;
  return html`<span class="quote" dir="auto">${text}</span>`;
}
