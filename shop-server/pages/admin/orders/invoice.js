// The NF-e of an order.

import { get, newKey, post } from '../lib/api.js';
import { askFor } from '../lib/ask-for.js';
import { money, Time } from '../lib/format.js';
import { html, useEffect } from '../lib/html.js';
import { invoiceStatus } from '../lib/labels.js';
import { Badge, Card, Facts, Status } from '../lib/parts.js';
import { Table } from '../lib/table.js';
import { toast } from '../lib/toast.js';

const PAUSE = 3000;
/** @type {unknown[]} */
const UNDER_WAY = ['pendente', 'processando'];
/** @type {unknown[]} */
const UNUSED = ['rejeitada', 'denegada'];

/** @param {{ order: StaffOrder, reload: () => Promise<void> }} props */
export function Invoice({ order, reload }) {
  const { invoice } = order;
  const path = `/api/admin/orders/${order.id}/nfe`;
  useEffect(() => {
    if (!UNDER_WAY.includes(invoice?.status)) return undefined;
    const timer = setInterval(async () => {
      const answer = await get(path).catch(() => null);
      if (answer && answer.data.status !== invoice?.status) await reload();
    }, PAUSE);
    return () => clearInterval(timer);
  }, [invoice?.status]);
  const mayEmit =
    order.payment.status === 'PAID' &&
    (!invoice || ['rejeitada', 'cancelada', 'inutilizada', 'ocupada'].includes(invoice.status));
  const actions = html`
    ${mayEmit && html`<button type="button" class="button" onClick=${() => emit({ order, path, reload })}>Emitir NF-e</button>`}
    ${
      invoice?.status === 'autorizada' &&
      html`<a class="button" href="${path}/danfe" download>DANFE</a>
      <a class="button" href="${path}/xml" download>XML</a>
      <button type="button" class="button" onClick=${() => correct(path, invoice, reload)}>Carta de correção</button>
      <button type="button" class="button danger" onClick=${() => withdraw(path, reload, true)}>Cancelar NF-e</button>`
    }
    ${UNUSED.includes(invoice?.status) && html`<button type="button" class="button" onClick=${() => withdraw(path, reload, false)}>Inutilizar número</button>`}`;
  return html`<${Card} title="Nota fiscal" actions=${actions}>
    ${invoice ? html`<${Shown} invoice=${invoice} />` : html`<p class="muted">${order.payment.status === 'PAID' ? 'Nenhuma nota emitida.' : 'A nota pode ser emitida quando o pedido estiver pago.'}</p>`}
    ${invoice && invoice.correcoes.length > 0 && html`<${Letters} path=${path} letters=${invoice.correcoes} />`}
  <//>`;
}

/** @param {{ invoice: IssuedInvoice }} props */
function Shown({ invoice }) {
  const [text, tone] = invoiceStatus[invoice.status] ?? [invoice.status, ''];
  return html`<div class="stack">
    ${invoice.motivo && invoice.status !== 'autorizada' && html`<p class="notice ${tone}">${invoice.motivo}</p>`}
    <${Facts} of=${[
      ['Status', html`<${Badge} tone=${tone}>${text}<//>`],
      ['Número e série', `${invoice.numero} / ${invoice.serie}`],
      ['Valor', money(invoice.valor)],
      ['Emitida', html`<${Time} at=${invoice.emitidaEm} full />`],
      ['Chave', invoice.chave && html`<code class="small">${invoice.chave}</code>`],
      ...(invoice.ambiente === 'homologacao' ? [['Ambiente', 'homologação, sem valor fiscal']] : []),
    ]} />
  </div>`;
}

/** Gives the customer's number, where it is not the order's company that buys.
 * @param {{ order: StaffOrder, path: string, reload: () => Promise<void> }} on
 */
const emit = ({ order, path, reload }) =>
  askFor({
    title: 'Emitir NF-e',
    fields: [
      { name: 'cpf', label: 'CPF na nota', inputmode: 'numeric', hint: 'Vazio: quem comprou, como o pedido diz.' },
    ],
    initial: { cpf: order.buyer?.cnpj ? '' : (order.buyer?.cpf ?? order.user.cpf ?? '') },
    action: 'Emitir NF-e',
    save: async ({ cpf }) => {
      // One that is refused has a number and a state, too.
      try {
        const { data } = await post(`${path}/emitir`, { cpf: cpf || null });
        const text = (invoiceStatus[data.status]?.[0] ?? data.status).toLowerCase();
        toast(`NF-e ${data.numero}: ${text}.`, { bad: data.status === 'rejeitada' });
      } finally {
        await reload();
      }
    },
  });

/** @param {string} path @param {() => Promise<void>} reload @param {boolean} cancels else the number is made invalid */
const withdraw = (path, reload, cancels) => {
  const [title, text, action, done] = cancels
    ? [
        'Cancelar NF-e',
        'A nota deixa de valer. Isso só é possível nas 24 horas depois da autorização, e não pode ser desfeito.',
        'Cancelar a nota',
        'NF-e cancelada.',
      ]
    : ['Inutilizar número', 'O número não poderá mais ser usado.', 'Inutilizar o número', 'Número inutilizado.'];
  return justify({ title, text, action, done, path: `${path}/${cancels ? 'cancelar' : 'inutilizar'}`, reload });
};

/** Asks why, for the tax office.
 * @param {{ title: string, text: string, action: string, done: string, path: string, reload: () => Promise<void> }} what
 */
export const justify = ({ title, text, action, done, path, reload }) =>
  askFor({
    title,
    children: html`<p>${text}</p>`,
    fields: [
      {
        name: 'justificativa',
        label: 'Justificativa',
        type: 'textarea',
        maxlength: 255,
        hint: 'De 15 a 255 caracteres; vai para a SEFAZ.',
      },
    ],
    action,
    save: async (values) => {
      try {
        await post(path, values);
        toast(done);
      } finally {
        await reload();
      }
    },
  });

/** Writes a correction letter, which replaces the one before.
 * @param {string} path @param {IssuedInvoice} invoice @param {() => Promise<void>} reload
 */
function correct(path, invoice, reload) {
  const key = newKey();
  const text = invoice.correcoes.findLast((it) => it.status === 'registrada')?.texto ?? '';
  return askFor({
    title: 'Carta de correção',
    children: html`<p>Não corrige valores, quantidades, datas nem quem compra. Vale a última carta: repita nela o que ainda vale das anteriores.</p>`,
    fields: [
      {
        name: 'text',
        label: 'Correção',
        type: 'textarea',
        rows: 6,
        maxlength: 1000,
        hint: 'De 15 a 1000 caracteres; até 30 dias depois da autorização.',
      },
    ],
    initial: { text },
    action: 'Registrar a carta',
    save: async (values) => {
      try {
        await post(`${path}/correcao`, values, key);
        toast('Carta de correção registrada.');
      } finally {
        await reload();
      }
    },
  });
}

/** @type {Record<string, Label>} */
const LETTER = {
  processando: ['Em processamento', 'warn'],
  registrada: ['Registrada', 'good'],
  rejeitada: ['Rejeitada', 'bad'],
};

/** @param {{ path: string, letters: IssuedInvoice['correcoes'] }} props */
function Letters({ path, letters }) {
  const columns = [
    { head: 'Carta', cell: (row) => row.numero },
    {
      head: 'Texto',
      cell: (row) =>
        html`${row.texto}${row.status === 'rejeitada' && html`<div class="small muted">${row.motivo}</div>`}`,
    },
    { head: 'Status', cell: (row) => html`<${Status} of=${LETTER} is=${row.status} />` },
    { head: 'Quando', cell: (row) => html`<${Time} at=${row.registradaEm ?? row.criadaEm} />` },
    {
      head: 'Impressão',
      hideHead: true,
      cell: (row) =>
        row.status === 'registrada' && html`<a href="${path}/correcao/${row.numero}/pdf" download>Imprimir</a>`,
    },
  ];
  return html`<div class="spaced"><${Table} label="Cartas de correção" columns=${columns} rows=${letters} rowKey=${(row) => `${row.numero} ${row.criadaEm}`} /></div>`;
}
