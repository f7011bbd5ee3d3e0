// Shipping: the shop's own tariffs by state, and whether the carriers answer.

import { useData } from './lib/data.js';
import { destroy } from './lib/destroy.js';
import { Dialog } from './lib/dialog.js';
import { useEditor } from './lib/editor.js';
import { Field, FormFailure, SaveBar, Ticks } from './lib/form.js';
import { money, plural, Time } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { states } from './lib/labels.js';
import { Badge, Card, Empty, Failure, Loaded, Page, Skeleton } from './lib/parts.js';
import { Table } from './lib/table.js';

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'name', label: 'Nome', maxlength: 80, wide: true, placeholder: 'Econômica Sudeste' },
  { name: 'price', label: 'Preço (R$)', type: 'money' },
  { name: 'estimatedDays', label: 'Prazo (dias úteis)', type: 'number' },
  { name: 'states', label: 'Estados' },
];

export default function Shipping() {
  const tariffs = useData('/api/admin/shipping');
  const [editing, setEditing] = useState(/** @type {string | null} */ (null));
  const drop = async (tariff) => {
    const text = `Vale em ${tariff.states.join(', ')}.`;
    await destroy({ title: `Excluir ${tariff.name}?`, text, path: `/api/admin/shipping/${tariff.id}`, done: 'Tarifa excluída.' });
    await tariffs.reload();
  };
  const columns = [
    { head: 'Tarifa', lead: true, cell: (row) => html`<button type="button" class="link" onClick=${() => setEditing(row.id)}>${row.name}</button>` },
    { head: 'Estados', cell: (row) => html`<span title=${row.states.join(', ')}>${row.states.length > 9 ? plural(row.states.length, 'estado', 'estados') : row.states.join(', ')}</span>` },
    { head: 'Prazo', cell: (row) => plural(row.estimatedDays, 'dia útil', 'dias úteis') },
    { head: 'Preço', number: true, cell: (row) => money(row.price) },
    { head: 'Ações', hideHead: true, number: true, cell: (row) => html`<button type="button" class="button plain quiet" aria-label="Excluir ${row.name}" onClick=${() => drop(row)}>Excluir</button>` },
  ];
  const create = html`<button type="button" class="button primary" onClick=${() => setEditing('new')}>Nova tarifa</button>`;
  return html`<${Page} title="Frete" actions=${create}>
    <${Carriers} />
    <${Loaded} of=${tariffs}>${(rows) => (rows.length
      ? html`<${Table} label="Tarifas por estado" columns=${columns} rows=${rows} />`
      : html`<${Empty} title="Nenhuma tarifa própria"><p class="muted">Elas valem quando nenhuma transportadora responde.</p>${create}<//>`)}<//>
    ${editing && html`<${Tariff} id=${editing} onSaved=${tariffs.reload} onClose=${() => setEditing(null)} />`}
  <//>`;
}

function Carriers() {
  const carriers = useData('/api/admin/shipping/providers');
  return html`<${Card} title="Transportadoras">
    ${carriers.error && html`<${Failure} error=${carriers.error} retry=${carriers.reload} />`}
    ${!carriers.data && !carriers.error && html`<${Skeleton} rows=${2} />`}
    ${carriers.data && html`<ul class="todo plain-list">${carriers.data.providers.map((one) => html`<li key=${one.name}>
      <span>${one.name}</span>
      <span class="actions"><span class="small muted">${one.lastCheck ? html`verificada <${Time} at=${one.lastCheck} />` : 'não configurada'}</span>
        <${Badge} tone=${one.status === 'connected' ? 'good' : one.lastCheck ? 'bad' : ''}>${one.status === 'connected' ? 'Conectada' : 'Desconectada'}<//></span></li>`)}</ul>`}
  <//>`;
}

function Tariff({ id, onSaved, onClose }) {
  const path = id === 'new' ? null : `/api/admin/shipping/${id}`;
  const tariff = useData(path);
  const form = (data) => html`<${TariffForm} path=${path} tariff=${data} etag=${tariff.etag} onSaved=${onSaved} onClose=${onClose} />`;
  return html`<${Dialog} title=${path ? 'Editar tarifa' : 'Nova tarifa'} onClose=${onClose}>
    ${path ? html`<${Loaded} of=${tariff}>${form}<//>` : form({ name: '', price: null, estimatedDays: null, states: [] })}
  <//>`;
}

function TariffForm({ path, tariff, etag, onSaved, onClose }) {
  const read = (data) => Object.fromEntries(FIELDS.map(({ name }) => [name, data[name]]));
  const form = useEditor({
    path, create: '/api/admin/shipping', etag, fields: FIELDS, initial: read(tariff), read, saved: 'Tarifa salva.',
    onSaved: () => (void onSaved(), onClose()),
  });
  return html`<form class="grid" noValidate onSubmit=${form.submit}>
    <${FormFailure} form=${form} />
    ${FIELDS.slice(0, 3).map((field) => html`<${Field} key=${field.name} form=${form} ...${field} />`)}
    <${Ticks} form=${form} name="states" label="Estados" narrow options=${states.map((state) => [state, state])}>
      <div class="actions"><button type="button" class="button plain" onClick=${() => form.set('states', states)}>Todos</button><button type="button" class="button plain" onClick=${() => form.set('states', [])}>Nenhum</button></div>
    <//>
    <${SaveBar} form=${form} always />
  </form>`;
}
