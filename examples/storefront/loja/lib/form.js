// Forms: what was typed, what is wrong with it and at which field, and whether it is being sent.

import { html, useEffect, useId, useRef, useState } from './html.js';
import { loginPath } from './router.js';

/**
 * @param {Values} initial
 * @param {(values: Values) => Promise<unknown>} save
 * @returns {Form}
 */
export function useForm(initial, save) {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState(/** @type {Record<string, string[]>} */ ({}));
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  // A second click may come before the first one has disabled the button.
  const running = useRef(false);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const wrong = /** @type {HTMLElement | null} */ (place.current?.querySelector('[aria-invalid="true"]'));
    wrong?.focus();
  }, [errors]);
  return {
    values,
    errors,
    failure,
    busy,
    set: (changes) => {
      setValues((old) => ({ ...old, ...changes }));
      if (Object.keys(changes).some((name) => errors[name])) {
        place.current = null;
        setErrors((old) => Object.fromEntries(Object.entries(old).filter(([name]) => !(name in changes))));
      }
    },
    submit: async (event) => {
      event?.preventDefault();
      if (running.current) return;
      running.current = true;
      place.current = /** @type {any} */ (event)?.currentTarget ?? null;
      setBusy(true);
      setFailure(null);
      setErrors({});
      try {
        await save(values);
      } catch (error) {
        setFailure(error);
        setErrors(/** @type {any} */ (error).fieldErrors ?? {});
      }
      running.current = false;
      setBusy(false);
    },
  };
}

/** Something that is wrong before anything is sent. @param {Record<string, string[]>} fieldErrors */
export const wrongFields = (fieldErrors) => Object.assign(new Error('Confira os campos marcados.'), { fieldErrors });

/** Writes what was typed in its notation. The caret stays behind the digit that it stood behind.
 * @param {HTMLInputElement} input @param {(text: string) => string} mask */
export function write(input, mask) {
  const count = (text) => text.replace(/[^\d+a-z]/gi, '').length;
  const after = count(input.value.slice(input.selectionStart ?? 0));
  const text = mask(input.value);
  let at = text.length;
  while (at > 0 && (count(text.slice(at)) < after || !count(text[at - 1]))) at--;
  input.value = text;
  input.setSelectionRange(at, at);
}

/** One field, with what is wrong with it below.
 * @param {FieldProps & { form: Form }} props
 */
export function Field({ form, name, label, type = 'text', hint, options, mask, onValue, class: kind = '', ...rest }) {
  const id = useId();
  const wrong = form.errors[name];
  const told = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ');
  const change = (event) => {
    const input = event.currentTarget;
    if (mask) write(input, mask);
    form.set({ [name]: type === 'checkbox' ? input.checked : input.value });
    onValue?.(input.value);
  };
  const common = {
    ...rest,
    id,
    name,
    'aria-invalid': wrong ? 'true' : undefined,
    'aria-describedby': told || undefined,
  };
  const value = form.values[name] ?? '';
  const input =
    type === 'textarea'
      ? html`<textarea ...${common} value=${value} onInput=${change}></textarea>`
      : type === 'select'
        ? html`<select ...${common} value=${value} onChange=${change}>
            ${options?.map(([one, text]) => html`<option key=${one} value=${one} selected=${one === value}>${text}</option>`)}
          </select>`
        : type === 'checkbox'
          ? html`<input ...${common} type="checkbox" checked=${Boolean(value)} onChange=${change} />`
          : html`<input ...${common} type=${type} value=${value} onInput=${change} />`;
  return html`<div class="field ${type === 'checkbox' ? 'tick' : ''} ${kind}">
    ${type === 'checkbox' && input}
    <label for=${id}>${label}${!rest.required && type !== 'checkbox' && html` <span class="muted">(opcional)</span>`}</label>
    ${type !== 'checkbox' && input}
    ${hint && html`<span class="hint" id="${id}-hint">${hint}</span>`}
    ${wrong && html`<span class="wrong" id="${id}-wrong">${wrong.join(' ')}</span>`}
  </div>`;
}

/** What is wrong with a form as a whole, or with a field that it does not show. @param {{ form: Form }} props */
export function FormFailure({ form }) {
  const { failure } = form;
  if (!failure) return null;
  const fields = Object.entries(/** @type {Record<string, string[]>} */ (failure.fieldErrors ?? {}));
  const others = fields.filter(([name]) => !(name in form.values));
  return html`<div class="notice bad" role="alert">
    <p>${fields.length > others.length ? 'Confira os campos marcados.' : failure.code === 'unauthenticated' ? html`Sua sessão terminou. <a href=${loginPath()}>Entre de novo</a> para continuar.` : failure.message}</p>
    ${failure.formErrors?.map((text) => html`<p>${text}</p>`)}
    ${others.map(([, texts]) => html`<p>${texts.join(' ')}</p>`)}
    ${failure.status >= 500 && failure.requestId && html`<p class="small">Código para o suporte: ${failure.requestId}</p>`}
  </div>`;
}

/** The button that sends a form. It keeps the focus while it does. @param {{ form: Form, label: string, busy?: string, class?: string }} props */
export const Send = ({ form, label, busy = 'Enviando…', class: kind = '' }) =>
  html`<button class="button primary ${kind}" aria-disabled=${form.busy ? 'true' : undefined}>${form.busy ? busy : label}</button>`;
