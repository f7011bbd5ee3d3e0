// A question whose answer is a short form, as the password before something changes.

import { ask, Dialog } from './dialog.js';
import { Field, FormFailure, useForm } from './form.js';
import { html, useEffect, useRef } from './html.js';

/** @type {FieldProps} */
export const PASSWORD = { name: 'currentPassword', label: 'Senha', type: 'password', autocomplete: 'current-password' };
/** @type {FieldProps} */
export const CODE = {
  name: 'code',
  label: 'Código de verificação',
  autocomplete: 'one-time-code',
  autocapitalize: 'none',
  hint: 'O do aplicativo autenticador, ou um código de recuperação.',
};

/**
 * Asks until `save` takes what was typed, and gives what it answered; undefined where the question was
 * closed. One that is `forced` cannot be.
 * @param {Question} question
 * @returns {Promise<any>}
 */
export const askFor = (question) => ask((done) => html`<${Asked} ...${question} done=${done} />`);

function Asked({ title, children, fields, action, danger, forced, save, done }) {
  const blank = Object.fromEntries(fields.map(({ name }) => [name, '']));
  const form = useForm(blank, async (values) => done(await save(values)), undefined, false);
  const place = useRef(/** @type {HTMLFormElement | null} */ (null));
  // After the dialog has opened, which takes the focus to its first button.
  useEffect(() => void setTimeout(() => place.current?.querySelector('input')?.focus()), []);
  return html`<${Dialog} title=${title} onClose=${forced ? undefined : () => done()}>
    <form class="grid one" noValidate ref=${place} onSubmit=${form.submit}>
      ${children}
      <${FormFailure} form=${form} />
      ${fields.map((field) => html`<${Field} key=${field.name} form=${form} ...${field} />`)}
      <p class="actions">
        ${forced?.()}
        <button class="button ${danger ? 'danger' : 'primary'}" disabled=${form.busy}>${action}</button>
      </p>
    </form>
  <//>`;
}
