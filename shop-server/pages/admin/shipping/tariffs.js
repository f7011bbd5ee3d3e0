// The tariffs as a table that is typed over: each row is saved by itself, or all of them at once.

import { destroy } from '../lib/destroy.js';
import { useEditor } from '../lib/editor.js';
import { Field } from '../lib/form.js';
import { plural } from '../lib/format.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { states } from '../lib/labels.js';
import { Card, Empty } from '../lib/parts.js';

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'name', label: 'Nome', maxlength: 80 },
  { name: 'states', label: 'Estados' },
  { name: 'estimatedDays', label: 'Prazo (dias úteis)', type: 'whole' },
  { name: 'price', label: 'Preço (R$)', type: 'money' },
];
const NEW = { name: '', states: [], estimatedDays: null, price: null };

const read = (tariff) => Object.fromEntries(FIELDS.map(({ name }) => [name, tariff[name]]));

/** @param {{ rows: Tariff[], reload: () => Promise<void> }} props */
export function Tariffs({ rows, reload }) {
  const [adding, setAdding] = useState(false);
  const [changed, setChanged] = useState(/** @type {Set<string>} */ (new Set()));
  const forms = useRef(/** @type {Map<string, Form>} */ (new Map()));
  const note = (id, form) => {
    forms.current.set(id, form);
    if (changed.has(id) === form.dirty) return;
    setChanged((old) => {
      const next = new Set(old);
      form.dirty ? next.add(id) : next.delete(id);
      return next;
    });
  };
  const forget = (id) => {
    forms.current.delete(id);
    setChanged((old) => new Set([...old].filter((one) => one !== id)));
  };
  const saveAll = async () => {
    for (const id of changed) await forms.current.get(id)?.submit();
  };
  const create = html`<button type="button" class="button primary" disabled=${adding} onClick=${() => setAdding(true)}>Nova tarifa</button>`;
  if (!rows.length && !adding) {
    return html`<${Empty} title="Nenhuma tarifa própria"><p class="muted">Elas valem quando nenhuma transportadora responde.</p>${create}<//>`;
  }
  const added = async () => {
    setAdding(false);
    await reload();
  };
  const shared = { note, forget };
  return html`<${Card} title="Tarifas por estado" actions=${create}>
    <p class="muted">${uncovered(rows)}</p>
    <div class="table-frame spaced">
      <table class="list editable">
        <caption class="sr-only">Tarifas por estado</caption>
        <thead><tr>
          ${FIELDS.map(({ name, label }) => html`<th key=${name} scope="col">${label}</th>`)}
          <th scope="col"><span class="sr-only">Ações</span></th>
        </tr></thead>
        <tbody>
          ${rows.map((tariff) => html`<${Row} key=${tariff.id} tariff=${tariff} ...${shared} onGone=${reload} />`)}
          ${adding && html`<${Row} key="new" tariff=${null} ...${shared} onSaved=${added} onGone=${() => setAdding(false)} />`}
        </tbody>
      </table>
    </div>
    ${changed.size > 1 && html`<p class="actions spaced"><button type="button" class="button primary" onClick=${saveAll}>Salvar ${plural(changed.size, 'tarifa', 'tarifas')}</button></p>`}
  <//>`;
}

/** Which states no tariff serves. */
function uncovered(rows) {
  const served = new Set(rows.flatMap((tariff) => tariff.states));
  const left = states.filter((state) => !served.has(state));
  return left.length ? `Sem tarifa: ${left.join(', ')}.` : 'Todos os estados têm tarifa.';
}

/** @param {{ tariff: Tariff | null, note: (id: string, form: Form) => void, forget: (id: string) => void,
 *   onSaved?: () => void, onGone: () => void }} props
 */
function Row({ tariff, note, forget, onSaved = () => {}, onGone }) {
  const id = tariff?.id ?? 'new';
  const path = tariff && `/api/admin/shipping/${id}`;
  const initial = tariff ? read(tariff) : NEW;
  const form = useEditor({
    path,
    create: '/api/admin/shipping',
    fields: FIELDS,
    initial,
    read,
    saved: tariff ? 'Tarifa salva.' : 'Tarifa criada.',
    onSaved,
  });
  useEffect(() => note(id, form));
  useEffect(() => () => forget(id), []);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  // It is the last row, which may be far below.
  useEffect(() => void (tariff || place.current?.querySelector('input')?.focus()), []);
  const [called, whose] = tariff ? [form.base.name, `de ${form.base.name}`] : ['nova tarifa', 'da nova tarifa'];
  const drop = async () => {
    if (!tariff) return onGone();
    const text = `Vale em ${tariff.states.join(', ')}.`;
    if (
      await destroy({
        title: `Excluir ${tariff.name}?`,
        text,
        path: `/api/admin/shipping/${id}`,
        done: 'Tarifa excluída.',
      })
    )
      onGone();
  };
  const enter = (event) => event.key === 'Enter' && event.target.tagName === 'INPUT' && void form.submit(event);
  const others = Object.keys(form.errors).length === 0 && form.failure;
  return html`<tr ref=${place} class=${form.dirty ? 'changed' : ''} onKeyDown=${enter}>
    ${FIELDS.map(
      (field) => html`<td key=${field.name} data-head=${field.label}>
      ${
        field.name === 'states'
          ? html`<${States} form=${form} whose=${whose} />`
          : html`<${Field} form=${form} ...${field} label="${field.label} ${whose}" bare autocomplete="off" />`
      }
    </td>`,
    )}
    <td class="number">
      ${others && html`<p class="wrong" role="alert">${others.message}</p>`}
      <div class="actions">
        ${(form.dirty || !tariff) && html`<button type="button" class="button primary" disabled=${form.busy} aria-label="Salvar ${called}" onClick=${form.submit}>Salvar</button>`}
        ${form.dirty && tariff && html`<button type="button" class="button" aria-label="Descartar as alterações ${whose}" onClick=${() => form.rebase(form.base)}>Descartar</button>`}
        <button type="button" class="button icon danger" aria-label="Excluir ${called}" onClick=${drop}>✕</button>
      </div>
    </td>
  </tr>`;
}

/** The states of a tariff, opened to be ticked. */
function States({ form, whose }) {
  const chosen = new Set(form.values.states);
  const toggle = (state) =>
    form.set(
      'states',
      states.filter((one) => chosen.has(one) !== (one === state)),
    );
  const wrong = form.errors.states;
  const said = chosen.size > 9 ? plural(chosen.size, 'estado', 'estados') : [...chosen].join(', ');
  return html`<details class="states">
    <summary aria-label="Estados ${whose}: ${said || 'nenhum'}">${said || 'Escolher'}</summary>
    <fieldset>
      <legend class="sr-only">Estados ${whose}</legend>
      <div class="ticks narrow-ticks">${states.map(
        (state) => html`<label key=${state}>
        <input type="checkbox" checked=${chosen.has(state)} onChange=${() => toggle(state)} />${state}</label>`,
      )}</div>
      <div class="actions left">
        <button type="button" class="button plain" onClick=${() => form.set('states', states)}>Todos</button>
        <button type="button" class="button plain" onClick=${() => form.set('states', [])}>Nenhum</button>
      </div>
    </fieldset>
  </details>
  ${wrong && html`<span class="wrong">${wrong.join(' ')}</span>`}`;
}
