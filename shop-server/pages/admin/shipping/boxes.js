// The boxes that orders are packed in.

import { useData } from '../lib/data.js';
import { destroy } from '../lib/destroy.js';
import { EditorDialog } from '../lib/editor.js';
import { count } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { Badge, Card, Loaded } from '../lib/parts.js';
import { Table } from '../lib/table.js';

const PATH = '/api/admin/shipping/boxes';
const SIDES = [
  ['Length', 'Comprimento'],
  ['Width', 'Largura'],
  ['Height', 'Altura'],
];
const sides = (of, called) =>
  SIDES.map(([side, label]) => ({ name: of + side, label: `${label} ${called} (cm)`, type: 'number' }));
/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'name', label: 'Nome', maxlength: 80, wide: true },
  ...sides('inner', 'por dentro'),
  ...sides('outer', 'por fora'),
  { name: 'tareWeight', label: 'Peso vazia (kg)', type: 'number', hint: 'Com o enchimento.' },
  { name: 'maxWeight', label: 'Peso máximo (kg)', type: 'number', hint: 'Do volume fechado, com a caixa.' },
];
/** @type {Values} */
const NEW = Object.fromEntries(FIELDS.map(({ name }) => [name, name === 'name' ? '' : null]));

/** @type {Record<string, string>} */
const WARNINGS = {
  too_large_for_correios: 'Grande demais para os Correios',
  surcharge_above70_cm: 'Adicional dos Correios: lado acima de 70 cm',
  too_heavy_for_correios: 'Acima de 30 kg: fora dos Correios',
  smaller_than_least: 'Cotada como 16 x 11 x 2 cm',
};

const size = (row, of) => SIDES.map(([side]) => count(row[of + side])).join(' x ');

export function Boxes() {
  const boxes = useData(PATH);
  const [editing, setEditing] = useState(/** @type {any} */ (null));
  const drop = async (row) => {
    const text = 'Os pedidos mantêm os volumes com que foram feitos.';
    await destroy({ title: `Excluir ${row.name}?`, text, path: `${PATH}/${row.id}`, done: 'Caixa excluída.' });
    await boxes.reload();
  };
  const columns = [
    {
      head: 'Caixa',
      lead: true,
      cell: (row) => html`<button type="button" class="link" onClick=${() => setEditing(row)}>${row.name}</button>`,
    },
    { head: 'Por dentro (cm)', cell: (row) => size(row, 'inner') },
    { head: 'Por fora (cm)', cell: (row) => size(row, 'outer') },
    { head: 'Até (kg)', number: true, cell: (row) => count(row.maxWeight) },
    {
      head: 'Avisos',
      cell: (row) => row.warnings.map((one) => html`<${Badge} key=${one} tone="warn">${WARNINGS[one] ?? one}<//> `),
    },
    {
      head: 'Ações',
      hideHead: true,
      number: true,
      cell: (row) =>
        html`<button type="button" class="button plain quiet" aria-label="Excluir ${row.name}" onClick=${() => drop(row)}>Excluir</button>`,
    },
  ];
  const create = html`<button type="button" class="button" onClick=${() => setEditing(NEW)}>Nova caixa</button>`;
  return html`<${Card} title="Caixas" actions=${create}>
    <p class="muted">Cada pedido é cotado na menor caixa em que cabe. Sem caixas, tudo o que não tem medidas vai em um volume de 16 x 11 x 8 cm.</p>
    <${Loaded} of=${boxes} rows=${2}>${(rows) => rows.length > 0 && html`<${Table} label="Caixas" columns=${columns} rows=${rows} />`}<//>
    ${
      editing &&
      html`<${EditorDialog} title=${editing.id ? editing.name : 'Nova caixa'} path=${editing.id ? `${PATH}/${editing.id}` : null} create=${PATH}
      fields=${FIELDS} initial=${Object.fromEntries(FIELDS.map(({ name }) => [name, editing[name]]))}
      saved=${editing.id ? 'Caixa salva.' : 'Caixa criada.'} onSaved=${() => void boxes.reload()} onClose=${() => setEditing(null)} />`
    }
  <//>`;
}
