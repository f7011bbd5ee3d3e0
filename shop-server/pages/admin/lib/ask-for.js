// A question whose answer is a short form, as the password before something changes.

import { ask, Dialog } from './dialog.js';
import { Field, FormFailure, useClosing, useForm } from './form.js';
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

function Asked({ title, children, fields, initial, action, danger, forced, save, done }) {
  const blank = Object.fromEntries(fields.map(({ name }) => [name, '']));
  const answer = async (values) => {
    const empty = fields.filter(({ name, required }) => required && (values[name] ?? '') === '');
    const fieldErrors = Object.fromEntries(empty.map(({ name }) => [name, ['Preencha este campo.']]));
    if (empty.length) throw Object.assign(new Error('Confira os campos marcados.'), { fieldErrors });
    done(await save(values));
  };
  const form = useForm({ ...blank, ...initial }, answer, undefined, false);
  const close = () => done();
  const asking = useClosing(form, close);
  const leave = fields.every((field) => field === PASSWORD || field === CODE) ? close : asking;
  const place = useRef(/** @type {HTMLFormElement | null} */ (null));
  // After the dialog has opened, which takes the focus to its first button.
  useEffect(() => {
    const first = () => /** @type {HTMLElement | null} */ (place.current?.querySelector('input, textarea'))?.focus();
    setTimeout(first);
  }, []);
  return html`<${Dialog} title=${title} onClose=${forced ? undefined : leave}>
    <form class="grid one" noValidate ref=${place} onSubmit=${form.submit}>
      ${children}
      <${FormFailure} form=${form} />
      ${fields.map((field) => html`<${Field} key=${field.name} form=${form} ...${field} />`)}
      <div class="save-bar"><span class="actions">
        ${forced?.()}
        <button class="button ${danger ? 'danger' : 'primary'}" disabled=${form.busy}>${typeof action === 'function' ? action(form.values) : action}</button>
      </span></div>
    </form>
  <//>`;
}
