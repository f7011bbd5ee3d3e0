// Small parts that every screen is made of.

import { html, useEffect, useRef } from './html.js';

/** The frame of a screen: its title, what can be done with it, and its content.
 * @param {{ title: string, back?: string, backLabel?: string, actions?: any, children?: any }} props
 */
export function Page({ title, back, backLabel, actions, children }) {
  const heading = useRef(null);
  useEffect(() => {
    document.title = `${title} · Painel`;
  }, [title]);
  return html`<div class="page">
    <header class="page-head">
      <div>
        ${back && html`<a class="back small" href=${back}>← ${backLabel}</a>`}
        <h1 ref=${heading} tabindex="-1">${title}</h1>
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}
  </div>`;
}

export function Card({ title, actions, children, class: kind = '' }) {
  return html`<section class="card ${kind}">
    ${
      (title || actions) &&
      html`<header class="card-head">
      <h2>${title}</h2>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>`
    }
    ${children}
  </section>`;
}

/** @param {{ tone?: string | undefined, children?: any }} props tone: good, warn, bad, info */
export const Badge = ({ tone = '', children }) => html`<span class="badge ${tone}">${children}</span>`;

/** A status of the API in Portuguese, in the colour of how serious it is.
 * @param {{ of: Record<string, Label>, is: string }} props
 */
export function Status({ of, is }) {
  const [text, tone] = of[is] ?? [is, ''];
  return html`<${Badge} tone=${tone}>${text}<//>`;
}

export function Skeleton({ rows = 6 }) {
  return html`<div class="skeleton" role="status" aria-label="Carregando">
    ${Array.from({ length: rows }, (_, row) => html`<span key=${row}></span>`)}
  </div>`;
}

export const Empty = ({ title, children }) =>
  html`<div class="empty"><p class="empty-title">${title}</p>${children}</div>`;

/** What went wrong, what to do about it, and the number by which the log has it.
 * @param {{ error: any, retry?: () => void }} props
 */
export function Failure({ error, retry }) {
  return html`<div class="notice bad failure" role="alert">
    <p>${error.message}</p>
    ${error.formErrors?.map((text) => html`<p>${text}</p>`)}
    ${error.requestId && html`<p class="small muted">Código para o suporte: ${error.requestId}</p>`}
    ${retry && html`<button type="button" class="button" onClick=${retry}>Tentar de novo</button>`}
  </div>`;
}

/** What was read, or a skeleton, or why it could not be read.
 * @param {{ of: Data, children: (data: any) => any, rows?: number }} props
 */
export function Loaded({ of, children, rows }) {
  if (of.data !== undefined) return children(of.data);
  if (of.error) return html`<${Failure} error=${of.error} retry=${of.reload} />`;
  return html`<${Skeleton} rows=${rows} />`;
}

/** Names beside values.
 * @param {{ of: [string, any][] }} props
 */
export function Facts({ of }) {
  return html`<dl class="facts">
    ${of.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value ?? '–'}</dd></div>`)}
  </dl>`;
}

/** A picture of a product, or its place.
 * @param {{ images: { url: string, isPrimary?: boolean }[] | undefined, size?: number }} props
 */
export function Thumb({ images, size = 40 }) {
  const image = images?.find((one) => one.isPrimary) ?? images?.[0];
  if (!image) return html`<span class="thumb" style=${{ width: `${size}px`, height: `${size}px` }}></span>`;
  const url = image.url.startsWith('/uploads/') && !image.url.endsWith('.svg') ? `${image.url}?w=160` : image.url;
  return html`<img class="thumb" src=${url} alt="" width=${size} height=${size} loading="lazy" />`;
}

/** A text to be taken along.
 * @param {{ text: string, label?: string }} props
 */
export function Copy({ text, label = 'Copiar' }) {
  const copy = async (event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    // There is no clipboard without https.
    button.textContent = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => 'Copiado',
      () => 'Selecione e copie',
    );
    setTimeout(() => (button.textContent = label), 2000);
  };
  return html`<button type="button" class="button" onClick=${copy}>${label}</button>`;
}
