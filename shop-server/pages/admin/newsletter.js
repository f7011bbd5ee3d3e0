// Who reads the newsletter, and who did.

import { useList } from './lib/data.js';
import { Time } from './lib/format.js';
import { html } from './lib/html.js';
import { Badge, Empty, Page } from './lib/parts.js';
import { Filters, List } from './lib/table.js';

const COLUMNS = [
  { head: 'E-mail', lead: true, cell: (row) => row.email },
  { head: 'Nome', cell: (row) => row.name ?? html`<span class="muted">–</span>` },
  { head: 'Inscrito', cell: (row) => html`<${Time} at=${row.subscribedAt} />` },
  {
    head: 'Status',
    cell: (row) =>
      row.unsubscribedAt
        ? html`<${Badge}>Cancelou <${Time} at=${row.unsubscribedAt} /><//>`
        : html`<${Badge} tone="good">Inscrito<//>`,
  },
];

export default function Newsletter() {
  const list = useList('/api/admin/newsletter', ['search']);
  return html`<${Page} title="Newsletter">
    <${Filters} search="search" placeholder="Buscar pelo começo do e-mail" />
    <${List} list=${list} label="Inscritos" columns=${COLUMNS} rowKey=${(row) => row.email}
      empty=${html`<${Empty} title="Ninguém se inscreveu ainda"><p class="muted">Quem assina a newsletter da loja aparece aqui.</p><//>`} />
  <//>`;
}
