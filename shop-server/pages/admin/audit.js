// The audit log: who changed what, and when, with the values before and after.

import { useList } from './lib/data.js';
import { Dialog } from './lib/dialog.js';
import { Time } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { auditAction } from './lib/labels.js';
import { Empty, Page } from './lib/parts.js';
import { Filters, List } from './lib/table.js';

const ACTIONS =
  `product.create product.update product.delete product.clone product.bulk product.import product_fiscal.update
  variant.create variant.update variant.delete category.create category.update category.delete stock.set stock.sync order.update
  order.note order.payment order.refund nfe.emit nfe.cancel nfe.disable coupon.create coupon.update coupon.delete customer.suspend
  customer.activate customer.export review.moderate review.delete tariff.create tariff.update tariff.delete box.create box.update box.delete settings.update
  api_key.create api_key.revoke webhook.create webhook.update webhook.delete webhook.recover session.end two_factor.enable
  two_factor.disable account.change_password account.create_admin`.split(/\s+/);

const FILTERS = [
  {
    name: 'action',
    label: 'Ação',
    options: /** @type {[string, string][]} */ (ACTIONS.map((action) => [action, auditAction(action)])),
  },
  { name: 'from', label: 'De' },
  { name: 'to', label: 'Até' },
];

export default function Audit() {
  const list = useList('/api/admin/audit', ['action', 'from', 'to', 'resourceId', 'actorId']);
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const columns = [
    { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} full />` },
    { head: 'Quem', cell: (row) => row.actor.name ?? (row.actor.kind === 'SYSTEM' ? 'Sistema' : row.actor.kind) },
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
    <p class="muted">${entry.actor.name ?? 'Sistema'} · <${Time} at=${entry.createdAt} full /></p>
    ${
      changed.length === 0
        ? html`<p>Sem valores registrados.</p>`
        : html`<table class="conflict"><thead><tr><th scope="col">Campo</th><th scope="col">Antes</th><th scope="col">Depois</th></tr></thead>
        <tbody>${changed.map((name) => html`<tr key=${name}><th scope="row">${name}</th><td>${text(entry.before[name])}</td><td>${text(entry.after[name])}</td></tr>`)}</tbody></table>`
    }
  <//>`;
}
