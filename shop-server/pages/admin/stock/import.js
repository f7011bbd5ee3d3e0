// Units from a CSV file: first shown as a table of what would change, then applied.

import { get, patch } from '../lib/api.js';
import { Dialog } from '../lib/dialog.js';
import { count, parseWhole, plural } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { Badge } from '../lib/parts.js';
import { Table } from '../lib/table.js';
import { toast } from '../lib/toast.js';

const MOST = 2000;
/** Lines that are asked about at the same time. */
const TOGETHER = 6;

/** What a first line says that is a heading; an SKU may begin like one, as `REF-AZUL`. */
const HEADING =
  /^(sku|c[oó]d(igo|\.)?|ref(er[eê]ncia|\.)?|produto|item|artigo)( [^;]*)?;|;(unid|quant|qtd|estoque|saldo)\D*$/i;

/** The text of a file: UTF-8, else as spreadsheet programs of Windows write it. @param {Blob} file */
async function textOf(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** @param {string} content of a line */
const cellsOf = (content) =>
  content
    .split(content.includes(';') ? ';' : content.includes('\t') ? '\t' : ',')
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));

/** Reads `sku;unidades`, or with commas or tabs, below a heading or without one.
 * @param {string} text
 * @returns {Line[]}
 */
export function parse(text) {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((content, at) => ({ content, line: at + 1 }))
    .filter(({ content }) => content.trim() && !/^sep=.$/i.test(content));
  const read = lines.map(({ content, line }) => {
    const [sku = '', units = ''] = cellsOf(content);
    const wanted = /^[\d.]{1,11}$/.test(units) ? (parseWhole(units) ?? NaN) : NaN;
    return {
      line,
      sku,
      wanted,
      ...(Number.isNaN(wanted) ? { wrong: 'A segunda coluna não é um número de unidades.' } : {}),
    };
  });
  const headed = read[0]?.wrong && HEADING.test(cellsOf(lines[0]?.content ?? '').join(';'));
  const counted = headed ? read.slice(1) : read;
  const first = new Map();
  for (const { sku, line } of counted) if (!first.has(sku)) first.set(sku, line);
  return counted.map((one) =>
    first.get(one.sku) === one.line ? one : { ...one, wrong: `Este SKU já está na linha ${first.get(one.sku)}.` },
  );
}

/** The product or variant of an SKU, which a search finds among those whose names or SKUs begin like it,
 * at most 10,000.
 * @param {string} sku
 */
async function findBySku(sku, page = 1) {
  const { data, total = 0 } = await get('/api/admin/stock', { search: sku, limit: 100, page });
  const all = data.flatMap((one) => [
    one,
    ...one.variants.map((variant) => ({ ...variant, name: `${one.name} – ${variant.name}` })),
  ]);
  const found = all.find((one) => one.sku === sku);
  return found || page * 100 >= total ? found : findBySku(sku, page + 1);
}

/** @param {Line} line @returns {Promise<Line>} */
async function lookUp(line) {
  if (line.wrong) return line;
  const found = await findBySku(line.sku);
  return found
    ? { ...line, id: found.id, name: found.name, stock: found.stock }
    : { ...line, wrong: 'Nenhum produto tem este SKU.' };
}

/** @param {Line} line @returns {Promise<Line>} */
async function apply(line) {
  try {
    const path = `/api/admin/stock/${line.id}`;
    const { data, etag } = await get(path);
    if (data.stock !== line.stock)
      return { ...line, stock: data.stock, wrong: 'Mudou depois da conferência. Confira e aplique de novo.' };
    await patch(path, { stock: line.wanted }, etag);
    return { ...line, stock: line.wanted, done: true };
  } catch (error) {
    return { ...line, wrong: /** @type {Error} */ (error).message };
  }
}

export function StockImport({ onClose, onDone }) {
  const [lines, setLines] = useState(/** @type {Line[] | null} */ (null));
  const [progress, setProgress] = useState(/** @type {[number, number] | null} */ (null));
  const [wrong, setWrong] = useState('');
  const [name, setName] = useState('');
  const each = async (all, step) => {
    const next = [];
    for (let at = 0; at < all.length; at += TOGETHER) {
      setProgress([at, all.length]);
      next.push(...(await Promise.all(all.slice(at, at + TOGETHER).map(step))));
    }
    setProgress(null);
    setLines(next);
    return next;
  };
  const choose = async (file) => {
    if (!file) return;
    setName(file.name);
    // Those of a file that was chosen before are not applied in place of these.
    setLines(null);
    const read = parse(await textOf(file));
    setWrong(
      read.length
        ? read.length > MOST
          ? `São no máximo ${count(MOST)} linhas de cada vez.`
          : ''
        : 'O arquivo não tem linhas.',
    );
    if (!read.length || read.length > MOST) return;
    try {
      await each(read, lookUp);
    } catch (error) {
      setProgress(null);
      setWrong(/** @type {Error} */ (error).message);
    }
  };
  const ready = lines?.filter((line) => line.id && !line.done && line.stock !== line.wanted) ?? [];
  const run = async () => {
    const set = new Set(ready);
    const after = await each(lines ?? [], (line) =>
      set.has(line) ? apply({ ...line, wrong: '' }) : Promise.resolve(line),
    );
    const done = after.filter((line) => line.done).length;
    toast(`${count(done)} de ${plural(set.size, 'item atualizado', 'itens atualizados')}.`, { bad: done < set.size });
    await onDone();
  };
  return html`<${Dialog} title="Importar estoque" wide onClose=${onClose}>
    <p class="muted">Um arquivo CSV com o SKU na primeira coluna e as unidades na segunda. Antes de mudar qualquer coisa mostramos o que vai mudar.</p>
    <p class="actions left"><label class="button" for="stock-file">Escolher arquivo CSV</label> <span class="muted">${name}</span>
      <input class="sr-only" id="stock-file" type="file" accept=".csv,text/csv,text/plain" disabled=${Boolean(progress)} onChange=${(
        event,
      ) => {
        void choose(event.currentTarget.files[0]);
        // A file that was mended has the same name, and is to be read anew.
        event.currentTarget.value = '';
      }} /></p>
    ${wrong && html`<p class="notice bad" role="alert">${wrong}</p>`}
    ${progress && html`<progress max=${progress[1]} value=${progress[0]} aria-label="Andamento"></progress>`}
    ${
      lines &&
      !progress &&
      html`<${Table} label="O que vai mudar" columns=${COLUMNS} rows=${lines} rowKey=${(line) => String(line.line)} />
      <p class="actions"><button type="button" class="button" onClick=${onClose}>Fechar</button>
        <button type="button" class="button primary" disabled=${!ready.length} onClick=${run}>Aplicar ${plural(ready.length, 'alteração', 'alterações')}</button></p>`
    }
  <//>`;
}

const COLUMNS = [
  { head: 'Linha', cell: (line) => line.line },
  { head: 'SKU', cell: (line) => line.sku },
  { head: 'Item', cell: (line) => line.name ?? '–' },
  { head: 'Agora', number: true, cell: (line) => (line.stock === undefined ? '–' : count(line.stock)) },
  {
    head: 'Novo',
    number: true,
    cell: (line) => (Number.isNaN(line.wanted) ? '–' : html`<strong>${count(line.wanted)}</strong>`),
  },
  {
    head: 'Situação',
    cell: (line) =>
      line.wrong
        ? html`<${Badge} tone="bad">Erro<//> <span class="small">${line.wrong}</span>`
        : line.done
          ? html`<${Badge} tone="good">Salvo<//>`
          : line.stock === line.wanted
            ? html`<${Badge}>Sem mudança<//>`
            : html`<${Badge} tone="info">Vai mudar<//>`,
  },
];
