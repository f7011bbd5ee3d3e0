// Categories, and the kinds of variation with their options.

import { post } from './lib/api.js';
import { useData } from './lib/data.js';
import { destroy } from './lib/destroy.js';
import { EditorDialog } from './lib/editor.js';
import { Field, FormFailure, useForm, wrongAt } from './lib/form.js';
import { count } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { Badge, Card, Empty, Loaded, Page } from './lib/parts.js';
import { Table } from './lib/table.js';
import { slugOf } from './products/new.js';

/** @type {FieldProps[]} */
const CATEGORY = [
  { name: 'name', label: 'Nome', maxlength: 120 },
  { name: 'slug', label: 'Endereço na loja', hint: 'Vazio: feito do nome.' },
  { name: 'description', label: 'Descrição', type: 'textarea', maxlength: 2000, wide: true },
  { name: 'active', label: 'Visível na loja', type: 'checkbox' },
];
/** @type {FieldProps[]} */
const KIND = [
  { name: 'name', label: 'Nome', maxlength: 60, placeholder: 'Tamanho' },
  { name: 'order', label: 'Posição', type: 'whole' },
];

/** @param {Values} values */
const writeCategory = (values) =>
  values.slug === '' ? Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'slug')) : values;

async function drop(title, text, path, reload) {
  await destroy({ title, text, path, done: 'Excluído.' });
  await reload();
}

export default function Categories() {
  const categories = useData('/api/admin/categories');
  const [editing, setEditing] = useState(/** @type {any} */ (null));
  const columns = [
    {
      head: 'Categoria',
      lead: true,
      cell: (row) =>
        html`<div><button type="button" class="link" onClick=${() => setEditing(row)}>${row.name}</button></div>`,
    },
    { head: 'Endereço', cell: (row) => html`<span class="muted">${row.slug}</span>` },
    {
      head: 'Produtos',
      number: true,
      cell: (row) =>
        html`<a href="/admin/products?category=${encodeURIComponent(row.slug)}">${count(row.productCount)}</a>`,
    },
    {
      head: 'Status',
      cell: (row) => html`<${Badge} tone=${row.active ? 'good' : ''}>${row.active ? 'Visível' : 'Oculta'}<//>`,
    },
    {
      head: 'Ações',
      hideHead: true,
      number: true,
      cell: (row) => html`<button type="button" class="button plain quiet" aria-label="Excluir ${row.name}"
      onClick=${() => drop(`Excluir a categoria ${row.name}?`, 'Só uma categoria sem produtos pode ser excluída.', `/api/admin/categories/${row.id}`, categories.reload)}>Excluir</button>`,
    },
  ];
  const create = html`<button type="button" class="button primary" onClick=${() => setEditing({})}>Nova categoria</button>`;
  return html`<${Page} title="Categorias" actions=${create}>
    <${Loaded} of=${categories}>${(rows) =>
      rows.length
        ? html`<${Table} label="Categorias" columns=${columns} rows=${rows} />`
        : html`<${Empty} title="Nenhuma categoria"><p class="muted">Categorias ajudam os clientes a achar o que procuram.</p>${create}<//>`}<//>
    <${Kinds} />
    ${
      editing &&
      html`<${EditorDialog} title=${editing.id ? 'Editar categoria' : 'Nova categoria'} path=${editing.id ? `/api/admin/categories/${editing.id}` : null}
      create="/api/admin/categories" fields=${CATEGORY} write=${writeCategory} saved="Categoria salva."
      initial=${editing.id ? pick(editing, CATEGORY) : { name: '', slug: '', description: '', active: true }}
      onSaved=${() => void categories.reload()} onClose=${() => setEditing(null)} />`
    }
  <//>`;
}

/** @param {any} data @param {FieldProps[]} fields */
const pick = (data, fields) =>
  Object.fromEntries(fields.map(({ name }) => [name, data[name] ?? (name === 'description' ? '' : data[name])]));

/** Staff see names alone: two that differ in an accent have one slug.
 * @param {Values} values @param {VariantType[] | undefined} known */
function newKind(values, known) {
  const slug = slugOf(values.name);
  if (known?.some((one) => one.slug === slug)) throw wrongAt('name', 'Já existe um tipo com este nome.');
  return { ...values, slug };
}

function Kinds() {
  const types = useData('/api/admin/variant-types');
  const [editing, setEditing] = useState(/** @type {any} */ (null));
  const create = html`<button type="button" class="button" onClick=${() => setEditing({})}>Novo tipo</button>`;
  return html`<${Card} title="Tipos de variação" actions=${create}>
    <${Loaded} of=${types} rows=${2}>${(rows) => html`<div class="stack">
      ${rows.length === 0 && html`<p class="muted">Por exemplo Tamanho, com as opções P, M e G.</p>`}
      ${rows.map((type) => html`<${Kind} key=${type.id} type=${type} reload=${types.reload} edit=${() => setEditing(type)} />`)}
    </div>`}<//>
    ${
      editing &&
      html`<${EditorDialog} title=${editing.id ? 'Editar tipo de variação' : 'Novo tipo de variação'} path=${editing.id ? `/api/admin/variant-types/${editing.id}` : null}
      create="/api/admin/variant-types" fields=${KIND} saved="Tipo salvo." initial=${editing.id ? pick(editing, KIND) : { name: '', order: 0 }}
      write=${(values) => (editing.id ? values : newKind(values, types.data))}
      onSaved=${() => void types.reload()} onClose=${() => setEditing(null)} />`
    }
  <//>`;
}

/** @param {{ type: VariantType, reload: () => Promise<void>, edit: () => void }} props */
function Kind({ type, reload, edit }) {
  const path = `/api/admin/variant-types/${type.id}`;
  const form = useForm({ value: '' }, async ({ value }) => {
    await post(`${path}/options`, { value, order: type.options.length });
    form.rebase({ value: '' });
    await reload();
  });
  return html`<section class="kind" aria-label=${type.name}>
    <div class="card-head"><h3>${type.name}</h3><span class="actions">
      <button type="button" class="button plain" onClick=${edit}>Editar</button>
      <button type="button" class="button plain quiet" onClick=${() => drop(`Excluir ${type.name}?`, 'As opções saem com ele.', path, reload)}>Excluir</button></span></div>
    <ul class="chips">${type.options.map(
      (option) => html`<li key=${option.id}>${option.value}
      <button type="button" class="button plain icon" aria-label="Excluir a opção ${option.value}" onClick=${() => drop(`Excluir a opção ${option.value}?`, '', `${path}/options/${option.id}`, reload)}>✕</button></li>`,
    )}</ul>
    <form class="inline" noValidate onSubmit=${form.submit}>
      <${Field} form=${form} name="value" label="Nova opção de ${type.name}" maxlength=${60} />
      <button class="button" disabled=${form.busy || !form.values.value.trim()}>Adicionar</button>
      <${FormFailure} form=${form} />
    </form>
  </section>`;
}
