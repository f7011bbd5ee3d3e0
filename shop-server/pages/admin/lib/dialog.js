// Dialogs: the browser's own, which keep the focus inside, close with Esc and give the focus back.

import { html, render, useEffect, useId, useRef } from './html.js';

/** @param {{ title: string, onClose?: (() => void) | undefined, children?: any, wide?: boolean }} props without `onClose` it stays */
export function Dialog({ title, onClose, children, wide }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      /** @type {HTMLElement | null} */ (before)?.focus?.();
      // What had it may be gone, or disabled.
      if (document.activeElement === document.body)
        /** @type {HTMLElement | null} */ (document.querySelector('h1[tabindex]'))?.focus({ preventScroll: true });
    };
  }, []);
  const cancel = (event) => {
    if (event.target !== dialog.current) return;
    event.preventDefault();
    onClose?.();
  };
  // A second Esc closes it whatever a page says; one that must stay is opened again.
  const closed = () => {
    onClose?.();
    setTimeout(() => dialog.current?.isConnected && !dialog.current.open && dialog.current.showModal());
  };
  return html`<dialog ref=${dialog} class=${wide ? 'wide' : ''} aria-labelledby=${heading} onCancel=${cancel} onClose=${closed}>
    <header>
      <h2 id=${heading}>${title}</h2>
      ${onClose && html`<button type="button" class="button plain icon" aria-label="Fechar" onClick=${onClose}>✕</button>`}
    </header>
    <div class="body">${children}</div>
  </dialog>`;
}

/**
 * Asks a question beside the screen.
 * @template T
 * @param {(done: (answer: T) => void) => any} view
 * @returns {Promise<T>}
 */
export function ask(view) {
  const place = document.body.appendChild(document.createElement('div'));
  return new Promise((answered) => {
    const left = () => done(/** @type {any} */ (null));
    const done = (answer) => {
      removeEventListener('leave', left);
      render(null, place);
      place.remove();
      answered(answer);
    };
    // A question about a screen that was left is answered by nobody.
    addEventListener('leave', left);
    render(view(done), place);
  });
}

/**
 * @param {{ title: string, text?: any, action: string, danger?: boolean, stay?: string }} question
 * @returns {Promise<boolean>}
 */
export function confirm({ title, text, action, danger, stay = 'Cancelar' }) {
  return ask(
    (done) => html`<${Dialog} title=${title} onClose=${() => done(false)}>
    ${text && html`<p>${text}</p>`}
    <p class="actions">
      <button type="button" class="button" onClick=${() => done(false)}>${stay}</button>
      <button type="button" class="button ${danger ? 'danger' : 'primary'}" onClick=${() => done(true)}>${action}</button>
    </p>
  <//>`,
  );
}

/** Asks before what was typed is lost. */
export const confirmLeaving = () =>
  confirm({
    title: 'Sair sem salvar?',
    text: 'As alterações desta tela ainda não foram salvas.',
    action: 'Sair sem salvar',
    stay: 'Continuar editando',
    danger: true,
  });
