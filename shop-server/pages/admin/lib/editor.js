// Changing one thing that others may change at the same time: only what differs is sent, with the state
// that was seen, and where that is an older one both states are shown beside each other to choose from.

import { get, newKey, patch, post } from './api.js';
import { ask, Dialog } from './dialog.js';
import { Field, FormFailure, SaveBar, same, typedNumber, useClosing, useForm } from './form.js';
import { money, plural } from './format.js';
import { html, useRef, useState } from './html.js';
import { toast } from './toast.js';

/** A form that creates a thing (`path` is null) or changes it. What is `proposed` counts as typed already.
 * Without an `etag`, as of a row of a list, and for fields that it does not cover (`untagged`), what was seen
 * is compared with what is there before it is changed.
 * @param {EditorOptions} options
 */
export function useEditor(options) {
  const {
    path,
    create,
    etag,
    untagged = [],
    fields,
    initial,
    read,
    write = (it) => it,
    onSaved,
    saved,
    proposed,
  } = options;
  const key = useRef(newKey());
  const known = useRef(etag);
  const picked = read ?? ((data) => Object.fromEntries(fields.map(({ name }) => [name, data[name]])));
  const form = useForm(
    initial,
    async (values, changes) => {
      const answer = path
        ? await change(path, form.base, values, changes)
        : await post(/** @type {string} */ (create), write(values), key.current);
      if (!answer) return;
      key.current = newKey();
      known.current = answer.etag;
      form.rebase(path ? picked(answer.data) : initial);
      if (saved) toast(saved);
      onSaved(answer.data, answer.etag);
    },
    proposed,
  );

  /** @param {string} path @param {Values} base @param {Values} values @param {Values} changes
   * @returns {Promise<Answer | null>} */
  async function change(path, base, values, changes) {
    const covered = known.current && !untagged.some((name) => name in changes);
    const before = covered ? null : await get(path);
    if (!before || same(picked(before.data), base)) {
      try {
        return await patch(path, write(changes), before?.etag ?? known.current);
      } catch (error) {
        if (/** @type {any} */ (error).code !== 'changed_meanwhile') throw error;
      }
    }
    const current = await get(path);
    const theirs = picked(current.data);
    const choice = await choose(fields, base, values, theirs);
    if (!choice) return null;
    known.current = current.etag;
    form.rebase(theirs, true);
    for (const [name, value] of Object.entries(choice)) form.set(name, value);
    const left = Object.fromEntries(Object.entries(choice).filter(([name, value]) => !same(value, theirs[name])));
    return Object.keys(left).length ? change(path, theirs, choice, left) : current;
  }
  return form;
}

/** Asks which of two changes to the same fields is to stay. What only the other one changed is taken.
 * @param {FieldProps[]} fields
 * @param {Values} base
 * @param {Values} mine
 * @param {Values} theirs
 * @returns {Promise<Values | null>}
 */
function choose(fields, base, mine, theirs) {
  const changed = fields.filter(({ name }) => !same(theirs[name], base[name]) && !same(theirs[name], mine[name]));
  const both = changed.filter(({ name }) => !same(mine[name], base[name]));
  const merged = Object.fromEntries(
    fields.map(({ name }) => [name, same(mine[name], base[name]) ? theirs[name] : mine[name]]),
  );
  // Nothing to choose: what was typed is there already, as after an answer that was lost.
  if (!changed.length) return Promise.resolve(merged);
  return ask((done) => html`<${Conflict} ...${{ changed, both, mine, theirs, merged, done }} />`);
}

function Conflict({ changed, both, mine, theirs, merged, done }) {
  const [choice, setChoice] = useState(merged);
  const radio = (field, value, whose) => html`<label class="choice">
    <input type="radio" name=${field.name} aria-label=${`${field.label}: ${whose}`} checked=${same(choice[field.name], value)}
      onChange=${() => setChoice({ ...choice, [field.name]: value })} />
    <span>${shown(field, value)}</span>
  </label>`;
  return html`<${Dialog} title="Alterado enquanto você editava" wide onClose=${() => done(null)}>
    <p>Isto mudou depois que você abriu o formulário. ${both.length ? 'Escolha o que deve ficar.' : 'Os campos que você alterou são outros.'}</p>
    <table class="conflict">
      <thead><tr><th scope="col">Campo</th><th scope="col">Agora</th><th scope="col">O seu</th></tr></thead>
      <tbody>
        ${changed.map(
          (field) => html`<tr key=${field.name}>
          <th scope="row">${field.label}</th>
          ${
            both.includes(field)
              ? html`<td>${radio(field, theirs[field.name], 'o de agora')}</td><td>${radio(field, mine[field.name], 'o seu')}</td>`
              : html`<td>${shown(field, theirs[field.name])}</td><td class="muted">sem alteração sua</td>`
          }
        </tr>`,
        )}
      </tbody>
    </table>
    <p class="actions">
      <button type="button" class="button" onClick=${() => done(null)}>Voltar ao formulário</button>
      <button type="button" class="button primary" onClick=${() => done(choice)}>Salvar com esta escolha</button>
    </p>
  <//>`;
}

/** A value as people read it.
 * @param {FieldProps} field
 */
function shown({ type, options, show }, value) {
  if (value === null || value === undefined || value === '') return html`<span class="muted">vazio</span>`;
  if (options) return options.find(([one]) => same(one, value))?.[1] ?? String(value);
  if (show) return show(value);
  if (type === 'money') return money(value);
  if (typeof value === 'number') return typedNumber(value);
  if (typeof value === 'boolean') return value ? 'sim' : 'não';
  if (Array.isArray(value))
    return value.every((one) => typeof one === 'string') ? value.join(', ') : plural(value.length, 'item', 'itens');
  return String(value);
}

/** A form in a dialog, made of its fields; one that was typed in asks before it closes.
 * @param {EditorOptions & { title: string, action?: string, onClose: () => void, children?: any }} props
 */
export function EditorDialog({ title, action = 'Salvar', onClose, children, ...options }) {
  const onSaved = (data, etag) => {
    options.onSaved(data, etag);
    onClose();
  };
  const form = useEditor({ ...options, onSaved });
  return html`<${Dialog} title=${title} onClose=${useClosing(form, onClose)}>
    <form class="grid" noValidate onSubmit=${form.submit}>
      <${FormFailure} form=${form} />
      ${options.fields.map((field) => html`<${Field} key=${field.name} form=${form} ...${field} />`)}
      ${typeof children === 'function' ? children(form) : children}
      <${SaveBar} form=${form} always label=${action} />
    </form>
  <//>`;
}
