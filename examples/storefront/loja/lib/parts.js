// Small parts that every screen is made of.

import { shop } from '../shop.js';
import { html, useEffect } from './html.js';
import { askAgain } from './session.js';
import { toast } from './toast.js';

/** The frame of a screen: its title and its content.
 * @param {{ title: string, lead?: any, trail?: [path: string, text: string][], kind?: string, children?: any }} props
 */
export function Screen({ title, lead, trail, kind = '', children }) {
  useTitle(title);
  return html`<div class="screen ${kind}">
    ${trail && html`<${Trail} of=${trail} />`}
    <header class="screen-head"><h1 tabindex="-1">${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</header>
    ${children}
  </div>`;
}

/** @param {string | undefined} title the shop's name alone where there is none */
export function useTitle(title) {
  useEffect(() => {
    if (title !== undefined) document.title = title ? `${title} | ${shop.name}` : shop.name;
  }, [title]);
}

/** What had the focus may be gone with what it changed: the focus goes on from the heading. */
export const keepFocus = () =>
  requestAnimationFrame(() => {
    if (document.activeElement === document.body)
      /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus();
  });

/** The way here. @param {{ of: [path: string, text: string][] }} props */
export const Trail = ({ of }) => html`<nav class="trail small" aria-label="Você está em">
  <ol>${of.map(([to, text]) => html`<li key=${to}><a href=${to}>${text}</a></li>`)}</ol>
</nav>`;

/** Grey places where something will stand. @param {{ kind?: string, count?: number }} props */
export const Skeleton = ({
  kind = 'lines',
  count = 6,
}) => html`<div class="skeleton ${kind}" role="status" aria-label="Carregando">
  ${Array.from({ length: count }, (_, at) => html`<span key=${at}></span>`)}
</div>`;

export const Empty = ({ title, children }) =>
  html`<div class="empty"><p class="empty-title">${title}</p>${children}</div>`;

/** What went wrong, what to do about it, and the number by which the shop finds it.
 * @param {{ error: any, retry?: () => void }} props
 */
export function Failure({ error, retry }) {
  // The session may have ended in another tab.
  useEffect(() => {
    if (error.status === 401) askAgain().catch(() => {});
  }, [error]);
  return html`<div class="notice bad" role="alert">
    <p>${error.message}</p>
    ${error.status >= 500 && error.requestId && html`<p class="small">Código para o suporte: ${error.requestId}</p>`}
    ${retry && html`<p><button type="button" class="button" onClick=${retry}>Tentar de novo</button></p>`}
  </div>`;
}

/** What was read, or its place, or why it could not be read.
 * @param {{ of: Data, kind?: string, count?: number, children: (data: any) => any }} props
 */
export function Loaded({ of, kind, count, children }) {
  if (of.data !== undefined) return children(of.data);
  if (of.error) return html`<${Failure} error=${of.error} retry=${of.reload} />`;
  return html`<${Skeleton} kind=${kind} count=${count} />`;
}

/** What is not there, with the ways on. @param {{ title?: string, text?: string }} props */
export const Missing = ({
  title = 'Página não encontrada',
  text = 'O endereço pode ter mudado, ou o produto pode não estar mais à venda.',
}) => html`<${Screen} title=${title} lead=${text} kind="narrow centered">
  <p class="actions"><a class="button primary" href="/">Ir para o início</a><a class="button" href="/busca">Buscar produtos</a></p>
<//>`;

/** Pages of a list, as links. @param {{ pages: { page: number, totalPages: number }, to: (page: number) => string }} props */
export function Pages({ pages: { page, totalPages }, to }) {
  if (totalPages < 2) return null;
  const link = (target, text) =>
    target >= 1 && target <= totalPages ? html`<a class="button" href=${to(target)}>${text}</a>` : html`<span></span>`;
  return html`<nav class="pages" aria-label="Páginas">
    ${link(page - 1, '← Anterior')}<span class="muted">Página ${page} de ${totalPages}</span>${link(page + 1, 'Próxima →')}
  </nav>`;
}

/** A text to be taken along. @param {{ text: string, label: string, class?: string }} props */
export function Copy({ text, label, class: kind = '' }) {
  const copy = () =>
    // There is no clipboard without https.
    (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => toast('Copiado.'),
      () => toast('O navegador não deixou copiar. Selecione o texto e copie.', { bad: true }),
    );
  return html`<button type="button" class="button ${kind}" onClick=${copy}>${label}</button>`;
}
