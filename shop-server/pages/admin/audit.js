// The audit log: who changed what, and when, with the values before and after.

import { ACTIONS } from './audit/actions.js';
import { useList } from './lib/data.js';
import { Dialog } from './lib/dialog.js';
import { Time } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { Empty, Page } from './lib/parts.js';
import { Filters, List } from './lib/table.js';

const auditAction = (action) => ACTIONS[action] ?? action;

/** Who did it, where that has no name any more. */
const ACTORS = { ADMIN: 'Equipe', KEY: 'Integração', SYSTEM: 'Sistema' };
const nameOf = ({ name, kind }) => name ?? ACTORS[kind];

const FILTERS = [
  {
    name: 'action',
    label: 'Ação',
    options: Object.entries(ACTIONS),
  },
  { name: 'from', label: 'De' },
  { name: 'to', label: 'Até' },
];

export default function Audit() {
  const list = useList('/api/admin/audit', ['action', 'from', 'to', 'resourceId', 'actorId']);
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const columns = [
    { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} full />` },
    { head: 'Quem', cell: (row) => nameOf(row.actor) },
    {
      head: 'O quê',
      cell: (row) =>
        html`<button type="button" class="link" onClick=${() => setShown(row)}>${auditAction(row.action)}</button>`,
    },
    {
      head: 'Sobre',
      cell: (row) =>
        html`<a class="small" href="/admin/audit?resourceId=${encodeURIComponent(row.resourceId)}">${row.after.name ?? row.before.name ?? row.after.code ?? row.resourceId}</a>`,
    },
  ];
  return html`<${Page} title="Auditoria">
    <${Filters} filters=${FILTERS} />
    <${List} list=${list} label="Auditoria" columns=${columns} empty=${html`<${Empty} title="Nada registrado ainda"><p class="muted">Cada alteração da equipe e das integrações fica registrada aqui.</p><//>`} />
    ${shown && html`<${Entry} entry=${shown} onClose=${() => setShown(null)} />`}
  <//>`;
}

const text = (value) =>
  value === undefined || value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** @param {{ entry: AuditEntry, onClose: () => void }} props */
function Entry({ entry, onClose }) {
  const names = [...new Set([...Object.keys(entry.before), ...Object.keys(entry.after)])];
  const changed = names.filter((name) => text(entry.before[name]) !== text(entry.after[name]));
  return html`<${Dialog} title=${auditAction(entry.action)} wide onClose=${onClose}>
    <p class="muted">${nameOf(entry.actor)} · <${Time} at=${entry.createdAt} full /></p>
    ${
      changed.length === 0
        ? html`<p>Sem valores registrados.</p>`
        : html`<table class="conflict"><thead><tr><th scope="col">Campo</th><th scope="col">Antes</th><th scope="col">Depois</th></tr></thead>
        <tbody>${changed.map((name) => html`<tr key=${name}><th scope="row">${name}</th><td>${text(entry.before[name])}</td><td>${text(entry.after[name])}</td></tr>`)}</tbody></table>`
    }
  <//>`;
}
