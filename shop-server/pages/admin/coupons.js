// Coupons: what they take off, for whom they hold, how often they were used.

import { useData, useList } from './lib/data.js';
import { destroy } from './lib/destroy.js';
import { EditorDialog } from './lib/editor.js';
import { before, count, date, localDay, money, parseMoney, typedMoney } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { Badge, Empty, Loaded, Page } from './lib/parts.js';
import { Filters, List } from './lib/table.js';

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'code', label: 'Código', maxlength: 60, autocomplete: 'off', placeholder: 'NATAL10' },
  {
    name: 'type',
    label: 'Desconto',
    type: 'select',
    options: [
      ['PERCENT', 'Porcentagem'],
      ['FIXED', 'Valor em reais'],
    ],
  },
  {
    name: 'value',
    label: 'Quanto (% ou R$)',
    type: 'money',
    // `10%` is 10.
    read: (text) => parseMoney(text.replace('%', '')),
    show: typedMoney,
  },
  { name: 'minOrderValue', label: 'Compra mínima (R$)', type: 'money', hint: 'Vazio: qualquer valor.' },
  { name: 'maxUses', label: 'Usos no total', type: 'whole', hint: 'Vazio: sem limite.' },
  { name: 'expiresAt', label: 'Vale até o dia', type: 'date', hint: 'Vazio: não expira.' },
  { name: 'active', label: 'Ativo', type: 'checkbox' },
];
const NEW = { code: '', type: 'PERCENT', value: null, minOrderValue: null, maxUses: null, expiresAt: '', active: true };

const read = (coupon) => ({
  ...Object.fromEntries(FIELDS.map(({ name }) => [name, coupon[name]])),
  expiresAt: coupon.expiresAt ? localDay(before(coupon.expiresAt)) : '',
});
/** @param {Values} values */
const write = (values) => ('expiresAt' in values ? { ...values, expiresAt: values.expiresAt || null } : values);

function state(coupon) {
  if (!coupon.active) return ['Inativo', ''];
  if (coupon.expiresAt && new Date(coupon.expiresAt) < new Date()) return ['Expirado', ''];
  if (coupon.maxUses !== null && coupon.usedCount >= coupon.maxUses) return ['Esgotado', 'warn'];
  return ['Ativo', 'good'];
}

export default function Coupons() {
  const list = useList('/api/admin/coupons', ['search']);
  const [editing, setEditing] = useState(/** @type {string | null} */ (null));
  const drop = async (coupon) => {
    const text = 'Os pedidos que o usaram mantêm o desconto.';
    await destroy({
      title: `Excluir o cupom ${coupon.code}?`,
      text,
      path: `/api/admin/coupons/${coupon.id}`,
      done: 'Cupom excluído.',
    });
    await list.reload();
  };
  const columns = [
    {
      head: 'Código',
      lead: true,
      cell: (row) => html`<button type="button" class="link" onClick=${() => setEditing(row.id)}>${row.code}</button>`,
    },
    { head: 'Desconto', cell: (row) => (row.type === 'PERCENT' ? `${count(row.value)}%` : money(row.value)) },
    { head: 'Mínimo', cell: (row) => money(row.minOrderValue) },
    {
      head: 'Usos',
      number: true,
      cell: (row) => `${row.usedCount}${row.maxUses === null ? '' : ` de ${row.maxUses}`}`,
    },
    { head: 'Vale até', cell: (row) => (row.expiresAt ? date(before(row.expiresAt)) : 'sem prazo') },
    { head: 'Status', cell: (row) => html`<${Badge} tone=${state(row)[1]}>${state(row)[0]}<//>` },
    {
      head: 'Ações',
      hideHead: true,
      number: true,
      cell: (row) =>
        html`<button type="button" class="button plain quiet" aria-label="Excluir ${row.code}" onClick=${() => drop(row)}>Excluir</button>`,
    },
  ];
  const create = html`<button type="button" class="button primary" onClick=${() => setEditing('new')}>Novo cupom</button>`;
  return html`<${Page} title="Cupons" actions=${create}>
    <${Filters} search="search" placeholder="Buscar pelo começo do código" />
    <${List} list=${list} label="Cupons" columns=${columns} empty=${html`<${Empty} title="Nenhum cupom"><p class="muted">Dê um desconto por código, com prazo e limite de usos.</p>${create}<//>`} />
    ${
      editing === 'new' &&
      html`<${EditorDialog} title="Novo cupom" path=${null} create="/api/admin/coupons" fields=${FIELDS} initial=${NEW} read=${read} write=${write}
      saved="Cupom criado." action="Criar cupom" onSaved=${() => void list.reload()} onClose=${() => setEditing(null)} />`
    }
    ${editing && editing !== 'new' && html`<${Edit} id=${editing} onSaved=${() => void list.reload()} onClose=${() => setEditing(null)} />`}
  <//>`;
}

function Edit({ id, onSaved, onClose }) {
  const path = `/api/admin/coupons/${id}`;
  const coupon = useData(path);
  return html`<${Loaded} of=${coupon}>${(
    data,
  ) => html`<${EditorDialog} title="Editar cupom" path=${path} etag=${coupon.etag} fields=${FIELDS}
    initial=${read(data)} read=${read} write=${write} saved="Cupom salvo." onSaved=${onSaved} onClose=${onClose} />`}<//>`;
}
