// Forms: what was typed, what is wrong with it and at which field, and whether it is saved.

import { confirmLeaving } from './dialog.js';
import { parseMoney, parseNumber, parseWhole, typedMoney } from './format.js';
import { html, useEffect, useId, useRef, useState } from './html.js';
import { fieldName } from './labels.js';
import { useUnsaved } from './router.js';

/** Whether two values are the same; what cannot be read (NaN) is not the same as nothing. */
export const same = (a, b) =>
  Number.isNaN(a) === Number.isNaN(b) && JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/**
 * @param {Values} initial
 * @param {(values: Values, changes: Values) => Promise<unknown>} save
 * @param {Values} [proposed] what counts as typed already
 * @param {boolean} [keeps] whether it may not be left unasked while it has changes
 * @returns {Form}
 */
export function useForm(initial, save, proposed, keeps = true) {
  const [base, setBase] = useState(initial);
  const [values, setValues] = useState({ ...initial, ...proposed });
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  const [errors, setErrors] = useState(/** @type {Record<string, string[]>} */ ({}));
  const [busy, setBusy] = useState(false);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const sent = useRef(/** @type {Values | null} */ (null));
  const changes = Object.fromEntries(Object.entries(values).filter(([name, value]) => !same(value, base[name])));
  const dirty = Object.keys(changes).length > 0;
  useUnsaved(keeps && dirty);
  useEffect(() => focusFirstWrong(place.current), [errors]);
  const clear = (name) => setErrors(({ [name]: _, ...rest }) => rest);
  return {
    values,
    base,
    changes,
    errors,
    failure,
    busy,
    dirty,
    set: (name, value) => {
      setValues((old) => ({ ...old, [name]: value }));
      if (errors[name]) clear(name);
    },
    rebase: (next, keep = false) => {
      setBase(next);
      // What was typed after it was sent is not saved, and stays.
      const before = sent.current ?? values;
      const now = (old, name) => (same(old[name], before[name]) ? next[name] : old[name]);
      if (!keep)
        setValues((old) => Object.fromEntries(Object.keys({ ...old, ...next }).map((name) => [name, now(old, name)])));
    },
    submit: async (event) => {
      event?.preventDefault();
      event?.stopPropagation();
      if (busy) return;
      place.current = /** @type {any} */ (event)?.currentTarget?.closest('form, tr') ?? null;
      sent.current = values;
      setBusy(true);
      setFailure(null);
      setErrors({});
      try {
        const wrong = unreadable(values);
        if (Object.keys(wrong).length) setErrors(wrong);
        else await save(values, changes);
      } catch (error) {
        setFailure(error);
        setErrors(/** @type {any} */ (error).fieldErrors ?? {});
      }
      sent.current = null;
      setBusy(false);
      keepFocus(place.current);
    },
  };
}

/** Closes the dialog of a form; one that was typed in asks before.
 * @param {Form} form @param {() => void} close */
export function useClosing(form, close) {
  const opened = useRef(form.values);
  const asking = useRef(false);
  return async () => {
    if (asking.current) return;
    asking.current = true;
    if (same(form.values, opened.current) || (await confirmLeaving())) return close();
    // The browser may close this dialog by the same Esc that answered the question.
    setTimeout(() => (asking.current = false));
  };
}

/** The button that had it may be gone with what it saved: the focus goes on from the form, or the screen.
 * @param {HTMLElement | null} form */
const keepFocus = (form) =>
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const place = form?.isConnected ? form : document.getElementById('main');
    place?.setAttribute('tabindex', '-1');
    place?.focus({ preventScroll: true });
  });

/** What was typed and means nothing.
 * @param {Values} values
 * @returns {Record<string, string[]>}
 */
function unreadable(values) {
  const wrong = Object.entries(values).filter(([, value]) => Number.isNaN(value));
  return Object.fromEntries(wrong.map(([name]) => [name, ['Não é um número válido. Escreva, por exemplo, 1.234,56.']]));
}

/** What is wrong with a field before anything is sent. @param {string} name @param {string} text */
export const wrongAt = (name, text) => Object.assign(new Error(text), { fieldErrors: { [name]: [text] } });

/** What is said of a whole number that cannot be read. */
export const NOT_WHOLE = 'Deve ser um número inteiro e não pode ser negativo. Escreva, por exemplo, 1.234.';
/** @type {Record<string, string[]>} */
const UNREAD = { whole: [NOT_WHOLE], number: ['Não é um número válido. Escreva, por exemplo, 1,5.'] };

/** @param {HTMLElement | null} form */
export function focusFirstWrong(form) {
  requestAnimationFrame(() =>
    /** @type {HTMLElement | null} */ (form?.querySelector('[aria-invalid="true"]'))?.focus(),
  );
}

/** One field, with what is wrong with it below.
 * @param {FieldProps & { form: Form, disabled?: boolean }} props
 */
export function Field({ form, name, label, type = 'text', hint, wide, bare, show, ...rest }) {
  const id = useId();
  const errors = form.errors[name];
  const wrong = errors && Number.isNaN(form.values[name]) ? (UNREAD[type] ?? errors) : errors;
  const told = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ');
  const common = {
    ...rest,
    id,
    name,
    'aria-invalid': wrong ? 'true' : undefined,
    'aria-describedby': told || undefined,
  };
  const Input = inputs[type] ?? Text;
  const input = html`<${Input} ...${common} type=${type} value=${form.values[name]} onValue=${(value) => form.set(name, value)} />`;
  return html`<div class="field ${wide ? 'wide' : ''} ${type === 'checkbox' ? 'tick' : ''}">
    ${type === 'checkbox' && input}
    <label class=${bare ? 'sr-only' : ''} for=${id}>${label}</label>
    ${type !== 'checkbox' && input}
    ${hint && html`<span class="hint" id="${id}-hint">${hint}</span>`}
    ${wrong && html`<span class="wrong" id="${id}-wrong">${wrong.join(' ')}</span>`}
  </div>`;
}

/** @type {Record<string, (props: any) => any>} */
const inputs = {
  checkbox: ({ value, onValue, type, ...rest }) =>
    html`<input type="checkbox" ...${rest} checked=${Boolean(value)} onChange=${(event) => onValue(event.currentTarget.checked)} />`,
  textarea: ({ value, onValue, type, ...rest }) =>
    html`<textarea ...${rest} value=${value ?? ''} onInput=${(event) => onValue(event.currentTarget.value)}></textarea>`,
  select: ({ value, onValue, options, type, ...rest }) => {
    const at = options.findIndex(([one]) => same(one, value));
    return html`<select ...${rest} value=${String(at)} onChange=${(event) => onValue(options[Number(event.currentTarget.value)][0])}>
      ${options.map(([, text], index) => html`<option value=${String(index)} selected=${index === at}>${text}</option>`)}
    </select>`;
  },
  money: (props) =>
    html`<${Typed} read=${parseMoney} ...${props} write=${typedMoney} inputmode="decimal" placeholder=${props.placeholder ?? '0,00'} />`,
  number: (props) => html`<${Typed} ...${props} read=${parseNumber} write=${typedNumber} inputmode="decimal" />`,
  whole: (props) => html`<${Typed} ...${props} read=${parseWhole} write=${typedNumber} inputmode="numeric" />`,
};

function Text({ value, onValue, ...rest }) {
  return html`<input ...${rest} value=${value ?? ''} onInput=${(event) => onValue(event.currentTarget.value)} />`;
}

/** @param {number | null | undefined} number */
export const typedNumber = (number) =>
  number === null || number === undefined ? '' : String(number).replace('.', ',');

/** A value with a notation of its own: the text stays as it is typed for as long as it means the value. */
function Typed({ value, onValue, read, write, type, ...rest }) {
  const [text, setText] = useState(write(value));
  const means = read(text);
  useEffect(() => {
    if (!Object.is(means, value) && !(means === null && value === undefined))
      setText(Number.isNaN(value) ? text : write(value));
  }, [value]);
  return html`<input ...${rest} type="text" value=${text} onInput=${(event) => {
    setText(event.currentTarget.value);
    onValue(read(event.currentTarget.value));
  }} />`;
}

/** Several of a fixed set.
 * @param {{ form: Form, name: string, label: string, options: [string, string][], narrow?: boolean, children?: any }} props
 */
export function Ticks({ form, name, label, options, narrow, children }) {
  const chosen = new Set(form.values[name]);
  const toggle = (value) =>
    form.set(
      name,
      options.map(([one]) => one).filter((one) => chosen.has(one) !== (one === value)),
    );
  return html`<fieldset><legend>${label}</legend>
    ${form.errors[name] && html`<span class="wrong">${form.errors[name].join(' ')}</span>`}
    <div class="ticks ${narrow ? 'narrow-ticks' : ''}">${options.map(
      ([value, text]) => html`<label key=${value}>
      <input type="checkbox" checked=${chosen.has(value)} onChange=${() => toggle(value)} />${text}</label>`,
    )}</div>
    ${children}
  </fieldset>`;
}

/** What is wrong with a form as a whole, or with a field that it does not show.
 * @param {{ form: Form, fields?: string[] }} props
 */
export function FormFailure({ form, fields }) {
  const { failure } = form;
  if (!failure) return null;
  const shown = new Set(fields ?? Object.keys(form.values));
  const others = Object.entries(/** @type {Record<string, string[]>} */ (failure.fieldErrors ?? {})).filter(
    ([name]) => !shown.has(name),
  );
  const all = Object.keys(failure.fieldErrors ?? {}).length;
  const [atFields, hasShown] = [all > 0, all > others.length];
  return html`<div class="notice bad" role="alert">
    ${(!atFields || hasShown) && html`<p>${atFields ? 'Confira os campos marcados.' : failure.message}</p>`}
    ${failure.formErrors?.map((text) => html`<p>${text}</p>`)}
    ${others.map(([name, texts]) => html`<p>${fieldName(name)}: ${texts.join(' ')}</p>`)}
    ${!atFields && failure.requestId && html`<p class="small muted">Código para o suporte: ${failure.requestId}</p>`}
  </div>`;
}

/** Saves, or goes back to what was there; sticks to the edge of the screen while there is something to save.
 * @param {{ form: Form, always?: boolean, label?: string, children?: any }} props
 */
export function SaveBar({ form, always, label = 'Salvar', children }) {
  if (!form.dirty && !always && !form.busy) return null;
  return html`<div class="save-bar">
    ${form.dirty && html`<span class="muted">Alterações não salvas</span>`}
    <span class="actions">
      ${children}
      ${form.dirty && !always && html`<button type="button" class="button" disabled=${form.busy} onClick=${() => form.rebase(form.base)}>Descartar</button>`}
      <button class="button primary" disabled=${form.busy}>${form.busy ? 'Salvando…' : label}</button>
    </span>
  </div>`;
}
