// What an NF-e says about a product. What is left empty comes from the category or the shop, as shown.

import { useEditor } from '../lib/editor.js';
import { Field, FormFailure, SaveBar } from '../lib/form.js';
import { html } from '../lib/html.js';
import { Card, Loaded } from '../lib/parts.js';

const ORIGINS = [
  'Nacional',
  'Estrangeira, importação direta',
  'Estrangeira, comprada no Brasil',
  'Nacional, 40% a 70% importado',
  'Nacional, processos básicos',
  'Nacional, até 40% importado',
  'Estrangeira sem similar, importação direta',
  'Estrangeira sem similar, comprada no Brasil',
  'Nacional, mais de 70% importado',
];

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'ncm', label: 'NCM', inputmode: 'numeric' },
  { name: 'cest', label: 'CEST', inputmode: 'numeric' },
  { name: 'gtin', label: 'GTIN (código de barras)', inputmode: 'numeric' },
  { name: 'unit', label: 'Unidade' },
  { name: 'csosn', label: 'CSOSN', inputmode: 'numeric' },
  { name: 'cfopInState', label: 'CFOP no estado', inputmode: 'numeric' },
  { name: 'cfopOutOfState', label: 'CFOP para outro estado', inputmode: 'numeric' },
  {
    name: 'origin',
    label: 'Origem',
    type: 'select',
    options: [
      [null, 'Padrão da loja'],
      .../** @type {[number, string][]} */ (ORIGINS.map((text, at) => [at, `${at} – ${text}`])),
    ],
  },
  {
    name: 'production',
    label: 'Produção',
    type: 'select',
    options: [
      [null, 'Padrão da loja'],
      ['own', 'Fabricação própria'],
      ['resale', 'Revenda'],
    ],
  },
];

const SOURCES = { product: 'do produto', category: 'da categoria', company: 'da loja', sample: 'de exemplo' };

/** What holds where a field is left empty. @param {{ value: unknown, from: keyof SOURCES } | null} [held] */
const fallback = (held) => held && `${held.value} (${SOURCES[held.from]})`;

/** @param {{ path: string, fiscal: Data }} props */
export function Fiscal({ path, fiscal }) {
  return html`<${Card} title="Dados fiscais">
    <${Loaded} of=${fiscal} rows=${2}>${(data) => html`<${Form} path="${path}/fiscal" fiscal=${data} state=${fiscal} />`}<//>
  <//>`;
}

function Form({ path, fiscal, state }) {
  const form = useEditor({
    path,
    etag: state.etag,
    fields: FIELDS,
    initial: fiscal,
    saved: 'Dados fiscais salvos.',
    onSaved: state.set,
    read: (data) => data,
    write: (changes) =>
      Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value === '' ? null : value])),
  });
  return html`<form class="grid" noValidate onSubmit=${form.submit} aria-label="Dados fiscais">
    <${FormFailure} form=${form} />
    ${FIELDS.map(
      (field) =>
        html`<${Field} key=${field.name} form=${form} placeholder=${fallback(fiscal.effective[field.name])} ...${field} />`,
    )}
    <${SaveBar} form=${form} />
  </form>`;
}
