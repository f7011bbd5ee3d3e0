// Keys for programs: made, shown once, revoked.

import { useData } from './lib/data.js';
import { destroy } from './lib/destroy.js';
import { Dialog } from './lib/dialog.js';
import { EditorDialog } from './lib/editor.js';
import { Ticks } from './lib/form.js';
import { before, date, Time } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { scopes } from './lib/labels.js';
import { Badge, Copy, Empty, Loaded, Page } from './lib/parts.js';
import { Table } from './lib/table.js';

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'name', label: 'Nome', maxlength: 120, placeholder: 'ERP', wide: true },
  { name: 'expiresAt', label: 'Vale até o dia', type: 'date', hint: 'Vazio: sem prazo.', wide: true },
];

const NEW = { name: '', expiresAt: '', scopes: [] };
const write = (values) => ({ ...values, expiresAt: values.expiresAt || null });

export default function ApiKeys() {
  const keys = useData('/api/admin/api-keys');
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState(/** @type {any} */ (null));
  const created = (key) => {
    setMade(key);
    void keys.reload();
  };
  const revoke = async (key) => {
    const text = `Programas que usam ${key.keyPrefix}… deixam de funcionar agora. Isso não pode ser desfeito.`;
    await destroy({
      title: `Revogar ${key.name}?`,
      text,
      action: 'Revogar',
      path: `/api/admin/api-keys/${key.id}`,
      done: 'Chave revogada.',
    });
    await keys.reload();
  };
  const columns = [
    {
      head: 'Nome',
      lead: true,
      cell: (row) =>
        html`<div><strong>${row.name}</strong><div class="small muted"><code>${row.keyPrefix}…</code></div></div>`,
    },
    {
      head: 'Permissões',
      cell: (row) => row.scopes.map((scope) => scopes.find(([one]) => one === scope)?.[1] ?? scope).join(', '),
    },
    {
      head: 'Último uso',
      cell: (row) => (row.lastUsedAt ? html`<${Time} at=${row.lastUsedAt} />` : html`<span class="muted">nunca</span>`),
    },
    {
      head: 'Status',
      cell: (row) =>
        html`<${Badge} tone=${row.active ? 'good' : ''}>${row.active ? (row.expiresAt ? `Vale até ${date(before(row.expiresAt))}` : 'Ativa') : row.revokedAt ? 'Revogada' : 'Expirada'}<//>`,
    },
    {
      head: 'Ações',
      hideHead: true,
      number: true,
      cell: (row) =>
        row.active &&
        html`<button type="button" class="button plain quiet" aria-label="Revogar ${row.name}" onClick=${() => revoke(row)}>Revogar</button>`,
    },
  ];
  const create = html`<button type="button" class="button primary" onClick=${() => setCreating(true)}>Nova chave</button>`;
  return html`<${Page} title="Chaves de API" actions=${create}>
    <${Loaded} of=${keys}>${(rows) =>
      rows.length
        ? html`<${Table} label="Chaves de API" columns=${columns} rows=${rows} />`
        : html`<${Empty} title="Nenhuma chave"><p class="muted">Com uma chave um ERP ou outro programa lê e altera produtos, estoque e pedidos.</p>${create}<//>`}<//>
    ${
      creating &&
      html`<${EditorDialog} title="Nova chave de API" path=${null} create="/api/admin/api-keys" fields=${FIELDS} initial=${NEW}
      write=${write} action="Criar chave" onSaved=${created} onClose=${() => setCreating(false)}>${(form) => html`<${Ticks} form=${form} name="scopes" label="Permissões" options=${scopes} />`}<//>`
    }
    ${
      made &&
      html`<${Dialog} title="Chave criada" onClose=${() => setMade(null)}>
      <p class="notice warn">Copie a chave agora: ela não será mostrada de novo.</p>
      <div class="secret"><code>${made.rawKey}</code><${Copy} text=${made.rawKey} label="Copiar chave" /></div>
    <//>`
    }
  <//>`;
}
