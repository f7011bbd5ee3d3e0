// The stock: counted by a list, low first if asked, with what moved it lately.

import { useList } from './lib/data.js';
import { Dialog } from './lib/dialog.js';
import { focusFirstWrong, NOT_WHOLE } from './lib/form.js';
import { count, parseWhole, plural, Time } from './lib/format.js';
import { html, useState } from './lib/html.js';
import { stockReason } from './lib/labels.js';
import { Badge, Empty, Page } from './lib/parts.js';
import { useUnsaved } from './lib/router.js';
import { Filters, List, Table } from './lib/table.js';
import { toast, toastError } from './lib/toast.js';
import { StockImport } from './stock/import.js';
import { setStock } from './stock/units.js';

const FILTERS = [
  {
    name: 'low',
    label: 'Estoque',
    options: /** @type {[string, string][]} */ ([
      ['true', 'Baixo'],
      ['false', 'Suficiente'],
    ]),
  },
];

/** Products and variants as they are counted: what has variants is counted by them.
 * @param {any[] | undefined} products
 */
const items = (products) =>
  products?.flatMap((product) =>
    product.variants.length
      ? product.variants.map((variant) => ({
          ...variant,
          name: `${product.name} – ${variant.name}`,
          productId: product.id,
        }))
      : [{ ...product, productId: product.id }],
  );

export default function Stock() {
  const list = useList('/api/admin/stock', ['search', 'low']);
  // What was typed, with the item as it was then; kept from page to page.
  const [counted, setCounted] = useState(/** @type {Record<string, { row: any, text: string }>} */ ({}));
  const [movements, setMovements] = useState(/** @type {any} */ (null));
  const [importing, setImporting] = useState(false);
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState(false);
  const rows = items(list.rows);
  const changed = Object.values(counted)
    .map(({ row, text }) => ({ row, units: parseWhole(text) }))
    .filter(({ row, units }) => units !== null && units !== row.stock);
  // What cannot be read (NaN) is not 0 or more either.
  const wrong = changed.filter(({ units }) => !(Number(units) >= 0)).map(({ row }) => row.id);
  useUnsaved(changed.length > 0);
  const save = async (event) => {
    event.preventDefault();
    setTold(wrong.length > 0);
    if (wrong.length) return focusFirstWrong(event.currentTarget);
    setBusy(true);
    let done = 0;
    const saved = new Map();
    for (const { row, units } of changed) {
      try {
        done += Number(await setStock(row, units));
        saved.set(row.id, units);
      } catch (error) {
        toastError(error);
        // One item that is refused keeps no other from being saved.
        const { status } = /** @type {any} */ (error);
        if (!(status >= 400) || status === 401) break;
      }
    }
    // What was typed meanwhile stays to be saved.
    setCounted((now) =>
      Object.fromEntries(
        Object.entries(now)
          .filter(([id, { text }]) => !saved.has(id) || text !== counted[id]?.text)
          .map(([id, { row, text }]) => [id, { row: saved.has(id) ? { ...row, stock: saved.get(id) } : row, text }]),
      ),
    );
    if (done) toast(done === 1 ? 'Estoque salvo.' : `${done} itens salvos.`);
    setBusy(false);
    await list.reload();
  };
  const columns = [
    {
      head: 'Item',
      lead: true,
      cell: (row) =>
        html`<div><a href="/admin/products/${row.productId}">${row.name}</a>${row.sku && html`<div class="small muted">${row.sku}</div>`}</div>`,
    },
    { head: 'Último movimento', cell: (row) => html`<${Last} row=${row} show=${() => setMovements(row)} />` },
    {
      head: 'Agora',
      number: true,
      cell: (row) => html`<${Badge} tone=${row.stock <= 0 ? 'bad' : ''}>${count(row.stock)}<//>`,
    },
    {
      head: 'Contado',
      number: true,
      cell: (row) => {
        const isWrong = told && wrong.includes(row.id);
        return html`<input class="count" inputmode="numeric" aria-label="Unidades de ${row.name}" value=${counted[row.id]?.text ?? row.stock}
          aria-invalid=${isWrong} aria-describedby=${isWrong ? row.id : undefined}
          onInput=${({ currentTarget: { value: text } }) => setCounted((now) => ({ ...now, [row.id]: { row, text } }))} />
          ${isWrong && html`<span class="wrong" id=${row.id}>${NOT_WHOLE}</span>`}`;
      },
    },
  ];
  return html`<${Page} title="Estoque" actions=${html`<button type="button" class="button" onClick=${() => setImporting(true)}>Importar CSV</button>`}>
    <${Filters} search="search" placeholder="Buscar por nome ou SKU" filters=${FILTERS} />
    <form class="stack" noValidate onSubmit=${save}>
      <${List} list=${{ ...list, rows }} label="Estoque" columns=${columns} empty=${html`<${Empty} title="Nada em estoque"><a class="button primary" href="/admin/products/new">Cadastrar o primeiro produto</a><//>`} />
      ${
        changed.length > 0 &&
        html`<div class="save-bar"><span class="muted">${count(changed.length)} a salvar</span><span class="actions">
        <button type="button" class="button" onClick=${() => setCounted({})}>Descartar</button>
        <button class="button primary" disabled=${busy}>Salvar contagem</button></span></div>`
      }
    </form>
    ${movements && html`<${Movements} item=${movements} onClose=${() => setMovements(null)} />`}
    ${importing && html`<${StockImport} onClose=${() => setImporting(false)} onDone=${list.reload} />`}
  <//>`;
}

function Last({ row, show }) {
  const last = row.recentMovements[0];
  if (!last) return html`<span class="muted">–</span>`;
  return html`<button type="button" class="link" onClick=${show}><span class="sr-only">Movimentos de ${row.name}: </span>${signed(last.delta)} ${stockReason[last.reason]} <${Time} at=${last.createdAt} /></button>`;
}

const signed = (delta) => (delta > 0 ? `+${count(delta)}` : count(delta));

function Movements({ item, onClose }) {
  const columns = [
    { head: 'Quando', cell: (row) => html`<${Time} at=${row.createdAt} full />` },
    { head: 'Motivo', cell: (row) => stockReason[row.reason] },
    { head: 'Unidades', number: true, cell: (row) => signed(row.delta) },
  ];
  return html`<${Dialog} title="Movimentos de ${item.name}" onClose=${onClose}>
    <p class="muted">Os últimos ${item.recentMovements.length}; agora há ${plural(item.stock, 'unidade', 'unidades')}.</p>
    <${Table} label="Movimentos" columns=${columns} rows=${item.recentMovements} />
  <//>`;
}
