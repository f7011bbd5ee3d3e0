// Dialogs: the browser's own, which keep the focus inside, close with Esc and give the focus back.

import { html, render, useEffect, useId, useRef } from './html.js';

/** @param {{ title: string, onClose: () => void, children?: any }} props */
export function Dialog({ title, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => /** @type {HTMLElement | null} */ (before)?.focus?.();
  }, []);
  return html`<dialog ref=${dialog} aria-labelledby=${heading} onClose=${onClose}>
    <header>
      <h2 id=${heading}>${title}</h2>
      <button type="button" class="icon" aria-label="Fechar" onClick=${onClose}>✕</button>
    </header>
    ${children}
  </dialog>`;
}

/** Asks a question beside the screen.
 * @param {{ title: string, text?: string, action: string, stay?: string }} question
 * @returns {Promise<boolean>}
 */
export function confirm({ title, text, action, stay = 'Voltar' }) {
  const place = document.body.appendChild(document.createElement('div'));
  return new Promise((answered) => {
    const done = (answer) => {
      render(null, place);
      place.remove();
      answered(answer);
    };
    const view = html`<${Dialog} title=${title} onClose=${() => done(false)}>
      ${text && html`<p>${text}</p>`}
      <p class="actions">
        <button type="button" class="button" onClick=${() => done(false)}>${stay}</button>
        <button type="button" class="button danger" onClick=${() => done(true)}>${action}</button>
      </p>
    <//>`;
    render(view, place);
  });
}
