// The customers: found by name or e-mail, exported for a spreadsheet.

import { address } from '../lib/api.js';
import { useList } from '../lib/data.js';
import { count, Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { Badge, Empty, Page } from '../lib/parts.js';
import { useQuery } from '../lib/router.js';
import { Filters, List } from '../lib/table.js';

const FILTERS = [
  {
    name: 'active',
    label: 'Conta',
    options: /** @type {[string, string][]} */ ([
      ['true', 'Ativa'],
      ['false', 'Suspensa'],
    ]),
  },
];

const COLUMNS = [
  { head: 'Nome', lead: true, cell: (row) => html`<div><a href="/admin/customers/${row.id}">${row.name}</a></div>` },
  { head: 'E-mail', cell: (row) => row.email },
  { head: 'Pedidos', number: true, cell: (row) => count(row._count.orders) },
  { head: 'Desde', cell: (row) => html`<${Time} at=${row.createdAt} />` },
  {
    head: 'Conta',
    cell: (row) => html`<${Badge} tone=${row.isActive ? 'good' : 'bad'}>${row.isActive ? 'Ativa' : 'Suspensa'}<//>`,
  },
];

export default function Customers() {
  const list = useList('/api/admin/customers', ['search', 'active']);
  const [query] = useQuery();
  const actions = html`<a class="button" href=${address('/api/admin/customers/export', { active: query.get('active') })} download>Exportar CSV${query.get('search') ? ' (sem a busca)' : ''}</a>`;
  return html`<${Page} title="Clientes" actions=${actions}>
    <${Filters} search="search" placeholder="Buscar por nome ou e-mail" filters=${FILTERS} />
    <${List} list=${list} label="Clientes" columns=${COLUMNS} empty=${html`<${Empty} title="Ainda não há clientes"><p class="muted">Quem se cadastra na loja aparece aqui.</p><//>`} />
  <//>`;
}
