// The pages of the page builder, as data, and the identifiers of analytics.

import { useData } from './lib/data.js';
import { useEditor } from './lib/editor.js';
import { Field, FormFailure, SaveBar, wrongAt } from './lib/form.js';
import { Time } from './lib/format.js';
import { html } from './lib/html.js';
import { Card, Loaded, Page } from './lib/parts.js';
import { Preview } from './settings/preview.js';

/** @type {FieldProps[]} */
const ANALYTICS = [
  { name: 'webAnalyticsId', label: 'Análise de visitas', placeholder: 'G-XXXXXXX', autocomplete: 'off' },
  { name: 'adPixelId', label: 'Pixel de anúncios', autocomplete: 'off' },
  { name: 'heatmapId', label: 'Mapa de calor', autocomplete: 'off' },
];

/** @type {FieldProps[]} */
const PAGE = [{ name: 'json', label: 'Conteúdo (JSON)', type: 'textarea', rows: 12, wide: true }];

export default function Settings() {
  return html`<${Page} title="Páginas e análise">
    <${Analytics} />
    <${Content} title="Página inicial" path="/api/admin/settings/pagebuilder" />
    <${Content} title="Página Sobre" path="/api/admin/settings/pagebuilder-about" />
  <//>`;
}

function Analytics() {
  const path = '/api/admin/settings/analytics';
  const analytics = useData(path);
  return html`<${Card} title="Análise"><${Loaded} of=${analytics} rows=${2}>${(data) => html`<${AnalyticsForm} path=${path} data=${data} etag=${analytics.etag} reload=${analytics.reload} />`}<//><//>`;
}

function AnalyticsForm({ path, data, etag, reload }) {
  const form = useEditor({
    path,
    etag,
    fields: ANALYTICS,
    initial: data,
    saved: 'Identificadores salvos.',
    onSaved: reload,
    read: (answer) => (answer.saved ? form.values : answer),
    write: (changes) => Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value || null])),
  });
  return html`<form class="grid" noValidate onSubmit=${form.submit} aria-label="Análise">
    <${FormFailure} form=${form} />
    ${ANALYTICS.map((field) => html`<${Field} key=${field.name} form=${form} ...${field} />`)}
    <${SaveBar} form=${form} />
  </form>`;
}

function Content({ title, path }) {
  const page = useData(path);
  return html`<${Card} title=${title}><${Loaded} of=${page} rows=${3}>${(data) => html`<${ContentForm} title=${title} path=${path} page=${data} etag=${page.etag} reload=${page.reload} />`}<//><//>`;
}

const read = (page) => ({ json: page.data ? JSON.stringify(page.data, null, 2) : '' });

/** A page's content as it is typed; what is no JSON object is wrong at its field. */
function parsed(json) {
  try {
    const data = JSON.parse(json);
    if (data && typeof data === 'object' && !Array.isArray(data)) return data;
  } catch {
    /* said below */
  }
  throw wrongAt('json', 'O conteúdo precisa ser um objeto JSON.');
}

function ContentForm({ title, path, page, etag, reload }) {
  const form = useEditor({
    path,
    etag,
    fields: PAGE,
    initial: read(page),
    saved: `${title} publicada.`,
    onSaved: reload,
    read: (answer) => (answer.saved ? form.values : read(answer)),
    write: ({ json }) => ({ data: parsed(json) }),
  });
  return html`<form class="grid" noValidate onSubmit=${form.submit} aria-label=${title}>
    <${FormFailure} form=${form} />
    ${PAGE.map((field) => html`<${Field} key=${field.name} form=${form} ...${field} hint=${page.updatedAt ? html`Publicada <${Time} at=${page.updatedAt} />.` : 'Ainda não publicada.'} />`)}
    <${SaveBar} form=${form} label="Publicar" />
    <${Preview} json=${form.values.json} />
  </form>`;
}
