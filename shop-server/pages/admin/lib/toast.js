// Short news at the edge of the screen, read out as they come.

import { html, useEffect, useState } from './html.js';

const STAYS = 6000;
let last = 0;
/** @type {(news: News) => void} */
let show = () => {};

/** @param {string} text
 * @param {{ bad?: boolean, undo?: () => void }} [how]
 */
export function toast(text, { bad = false, undo } = {}) {
  show({ id: ++last, text, bad, undo });
}

/** Says what went wrong, and with what, where it is not the screen's own thing. There are no fields here
 * beside which it could stand what is wrong with each.
 * @param {any} error @param {string} [about]
 */
export function toastError(error, about) {
  const more = [...Object.values(error.fieldErrors ?? {}), error.formErrors ?? []].flat();
  const others = more.filter((text) => text !== error.message).join(', ');
  toast([about, error.message, others].filter(Boolean).join(': '), { bad: true });
}

export function Toasts() {
  const [news, setNews] = useState(/** @type {News[]} */ ([]));
  const drop = (id) => setNews((all) => all.filter((one) => one.id !== id));
  const undo = (one) => {
    drop(one.id);
    one.undo?.();
  };
  useEffect(() => {
    show = (one) => {
      setNews((all) => [...all.slice(-2), one]);
      setTimeout(() => drop(one.id), one.bad ? 2 * STAYS : STAYS);
    };
  }, []);
  return html`<div class="toasts" role="status">
    ${news.map(
      (one) => html`<p key=${one.id} class="toast ${one.bad ? 'bad' : ''}">
      <span>${one.text}</span>
      ${one.undo && html`<button type="button" class="button plain" onClick=${() => undo(one)}>Desfazer</button>`}
      <button type="button" class="button plain icon" aria-label="Fechar aviso" onClick=${() => drop(one.id)}>✕</button>
    </p>`,
    )}
  </div>`;
}
