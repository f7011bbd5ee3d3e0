// Short news at the edge of the screen, read out as they come.

import { html, useEffect, useState } from './html.js';

const STAYS = 6000;
let last = 0;
/** @type {(news: News) => void} */
let show = () => {};

/** @param {string} text
 * @param {{ bad?: boolean, to?: string, action?: string }} [how] where it leads, and how that is called
 */
export function toast(text, { bad = false, to, action } = {}) {
  show({ id: ++last, text, bad, to, action });
}

/** Says what went wrong, and by which number support finds it. */
export function toastError(error) {
  const code = error.status >= 500 && error.requestId ? ` (código ${error.requestId})` : '';
  toast([error.message, ...(error.formErrors ?? [])].join(' ') + code, { bad: true });
}

export function Toasts() {
  const [news, setNews] = useState(/** @type {News[]} */ ([]));
  const drop = (id) => setNews((all) => all.filter((one) => one.id !== id));
  useEffect(() => {
    show = (one) => {
      setNews((all) => [...all.slice(-1), one]);
      setTimeout(() => drop(one.id), one.bad ? 2 * STAYS : STAYS);
    };
  }, []);
  return html`<div class="toasts" role="status">
    ${news.map(
      (one) => html`<p key=${one.id} class="toast ${one.bad ? 'bad' : ''}">
      <span>${one.text}</span>
      ${one.to && html`<a href=${one.to} onClick=${() => drop(one.id)}>${one.action}</a>`}
      <button type="button" class="icon" aria-label="Fechar aviso" onClick=${() => drop(one.id)}>✕</button>
    </p>`,
    )}
  </div>`;
}
