// The goods of an order that come back: how far each return is, and what can be done about it.

import { newKey, post, send } from '../lib/api.js';
import { askFor } from '../lib/ask-for.js';
import { useData } from '../lib/data.js';
import { before, date, money } from '../lib/format.js';
import { html } from '../lib/html.js';
import { invoiceStatus, refundStatus, returnKind, returnStatusOf } from '../lib/labels.js';
import { Card, Facts, Loaded, Status } from '../lib/parts.js';
import { Table } from '../lib/table.js';
import { toast } from '../lib/toast.js';
import { Timeline } from './history.js';
import { justify } from './invoice.js';
import { AMOUNT, BY_HAND, goesBackByHand, leftOf, overtaken, refunding } from './refund.js';

/** @type {FieldProps} */
const NOTE = { name: 'note', label: 'Nota', maxlength: 500, hint: 'Só a equipe vê.' };
/** @type {FieldProps} */
const REASON = { name: 'reason', label: 'Motivo', type: 'textarea', maxlength: 1000, hint: 'O cliente lê.' };
/** @type {FieldProps[]} */
const PARCEL = [
  { name: 'trackingCode', label: 'Código de postagem ou rastreio', maxlength: 60 },
  { name: 'carrier', label: 'Transportadora', maxlength: 60 },
  NOTE,
];

/** @param {{ order: StaffOrder, reload: () => Promise<void> }} props */
export function Returns({ order, reload }) {
  return order.returns.map((of) => html`<${Return} key=${of.id} ...${{ id: of.id, order, reload }} />`);
}

function Return({ id, order, reload }) {
  const state = useData(`/api/admin/returns/${id}`);
  const again = () => Promise.all([state.reload(), reload()]).then(() => {});
  return html`<${Loaded} of=${state} rows=${3}>${(of) => html`<${Shown} ...${{ of, order, etag: state.etag, reload: again }} />`}<//>`;
}

const names = (item) => (item.variant ? `${item.productName} (${item.variant})` : item.productName);

const COLUMNS = [
  { head: 'Produto', lead: true, cell: names },
  { head: 'Unidades', number: true, cell: (item) => item.quantity },
  { head: 'Chegaram', number: true, cell: (item) => item.received ?? '–' },
  { head: 'Em estoque', number: true, cell: (item) => item.restocked },
  { head: 'Na nota', number: true, cell: (item) => item.invoiced },
  { head: 'Valor', number: true, cell: (item) => money(item.amount) },
];

function Shown({ of, order, etag, reload }) {
  const { refund } = of;
  const acts = possible(of, order).map(
    ([text, act]) =>
      html`<button key=${text} type="button" class="button" onClick=${() => act({ of, order, etag, reload })}>${text}</button>`,
  );
  return html`<${Card} title="Devolução ${of.protocol}" actions=${acts}>
    <p class="actions left"><${Status} of=${returnStatusOf(of)} is=${of.status} /> <span class="muted">${returnKind[of.kind]}${of.courtesy ? ', fora do prazo' : ''}</span></p>
    ${of.reason && html`<p class="quote">${of.reason}</p>`}
    <${Table} label="Itens da devolução ${of.protocol}" columns=${COLUMNS} rows=${of.items} rowKey=${(item) => item.orderItemId} />
    <div class="spaced"><${Facts} of=${[
      ['A devolver', `${money(of.amount + of.freight)}${of.freight ? ` (frete ${money(of.freight)})` : ''}`],
      [
        'Reembolso',
        refund.status === 'NONE'
          ? null
          : refund.amount
            ? html`<${Status} of=${refundStatus} is=${refund.status} /> ${money(refund.amount)}`
            : 'nenhum',
      ],
      ['Prazo', of.termEndsAt ? `até ${date(before(of.termEndsAt))}` : 'ainda não começou'],
      ['Rastreio', of.trackingCode && html`<code>${of.trackingCode}</code>`],
      ...of.invoices.map((it) => [`NF-e ${it.numero}`, html`<${Paper} invoice=${it} reload=${reload} />`]),
    ]} /></div>
    <details class="spaced"><summary>Histórico da devolução</summary><${Timeline} moves=${[...of.history].reverse()} labels=${returnStatusOf(of)} /></details>
  <//>`;
}

function Paper({ invoice, reload }) {
  const path = `/api/admin/nfe/devolucoes/${invoice.id}`;
  const retry = () =>
    askFor({
      title: 'Emitir de novo',
      fields: [],
      action: 'Emitir',
      save: () => post(`${path}/emitir`).finally(reload),
    });
  const cancel = () =>
    justify({
      title: 'Cancelar NF-e de devolução',
      text: 'As unidades podem voltar por outra nota.',
      action: 'Cancelar a nota',
      done: 'NF-e cancelada.',
      path: `${path}/cancelar`,
      reload,
    });
  const good = invoice.status === 'autorizada';
  return html`<${Status} of=${invoiceStatus} is=${invoice.status} />${' '}
    ${good && html`<a href="${path}/danfe" download>DANFE</a> <a href="${path}/xml" download>XML</a> `}
    ${good && html`<button type="button" class="button plain" onClick=${cancel}>Cancelar a nota</button>`}
    ${invoice.status === 'rejeitada' && html`<button type="button" class="button plain" onClick=${retry}>Emitir de novo</button>`}`;
}

/** What the state of a return allows. @returns {[text: string, act: (on: any) => Promise<any>][]} */
function possible(of, order) {
  const { status, refund, items } = of;
  const open = ['APPROVED', 'IN_TRANSIT', 'RECEIVED'].includes(status);
  const invoiced = items.some((item) => item.invoiced > 0);
  const left = items.some((item) => item.invoiced < (item.received ?? item.quantity - item.released));
  /** @type {[boolean, string, (on: any) => Promise<any>][]} */
  const acts = [
    [status === 'REQUESTED', 'Aprovar', say('approve', 'Aprovar a devolução', [NOTE], 'Devolução aprovada.')],
    [
      status === 'APPROVED' || status === 'IN_TRANSIT',
      'Informar postagem',
      say('in-transit', 'Informar a postagem', PARCEL, 'Postagem informada.'),
    ],
    [(open || status === 'REFUNDED') && !of.receivedAt, 'Registrar chegada', receive],
    [Boolean(of.receivedAt) && items.some((item) => unshelved(item) > 0), 'Repor no estoque', restock],
    [open && refund.status !== 'DONE', due(of, order) ? 'Reembolsar devolução' : WITHOUT_MONEY, giveBack],
    [
      (open || status === 'REFUNDED') && order.invoice?.status === 'autorizada' && left,
      'Emitir NF-e de devolução',
      issue,
    ],
    [
      ['REQUESTED', 'APPROVED', 'IN_TRANSIT'].includes(status) && refund.status !== 'PENDING' && !invoiced,
      'Cancelar devolução',
      say('cancel', 'Cancelar a devolução', [NOTE], 'Devolução cancelada.'),
    ],
    [
      (status === 'REQUESTED' || open) && (of.kind === 'DEFECT' || of.courtesy) && !invoiced,
      'Recusar',
      say('reject', 'Recusar a devolução', [REASON], 'Devolução recusada.'),
    ],
  ];
  return acts.filter(([may]) => may).map(([, text, act]) => [text, act]);
}

/** Asks for what an act needs, and does it once, on the state that was seen. */
async function act({ of, etag, reload }, name, question, body, done) {
  const key = newKey();
  await askFor({
    ...question,
    action: question.action ?? question.title,
    save: async (values) => {
      const wanted = body(values);
      try {
        await send('POST', `/api/admin/returns/${of.id}/${name}`, wanted, { etag, key });
        toast(done);
      } catch (error) {
        overtaken(error);
      } finally {
        await reload();
      }
    },
  });
}

/** An act that takes what its fields say. */
const say = (name, title, fields, done) => (on) => act(on, name, { title, fields }, (values) => values, done);

/** One number for each item. */
const units = (items, prefix, label, number) => ({
  fields: items.map((item, at) => ({
    name: prefix + at,
    label: `${label} de ${names(item)}`,
    type: 'whole',
    required: true,
  })),
  initial: Object.fromEntries(items.map((item, at) => [prefix + at, number(item)])),
});

/** Refuses units that there cannot be, at their fields, and no units at all.
 * @param {[name: string, units: number, most: number][]} typed
 */
function check(typed) {
  const wrong = typed.filter(([, units, most]) => units < 0 || units > most);
  const fieldErrors = Object.fromEntries(wrong.map(([name, , most]) => [name, [`Deve ser de 0 a ${most}.`]]));
  if (wrong.length) throw Object.assign(new Error(), { fieldErrors });
  if (typed.every(([, units]) => units === 0)) throw new Error('Informe ao menos uma unidade.');
}

function receive(on) {
  const { items } = on.of;
  const came = units(items, 'came', 'Chegaram', (item) => item.quantity - item.released);
  const shelf = units(items, 'shelf', 'Repor no estoque', () => 0);
  const fields = items.flatMap((_, at) => [came.fields[at], shelf.fields[at]]);
  const body = (values) => {
    const lines = items.map((item, at) => ({
      orderItemId: item.orderItemId,
      quantity: values[`came${at}`],
      restock: values[`shelf${at}`],
    }));
    check(
      lines.flatMap(({ quantity, restock }, at) => [
        [`came${at}`, quantity, items[at].quantity],
        [`shelf${at}`, restock, Math.max(0, quantity)],
      ]),
    );
    return { items: lines };
  };
  const question = { title: 'Registrar a chegada', fields, initial: { ...came.initial, ...shelf.initial } };
  return act(on, 'receive', question, body, 'Chegada registrada.');
}

const unshelved = (item) => item.received - item.restocked;

function restock(on) {
  const items = on.of.items.filter((item) => unshelved(item) > 0);
  const { fields, initial } = units(items, 'shelf', 'Repor', unshelved);
  const body = (values) => {
    const lines = items.map((item, at) => ({ orderItemId: item.orderItemId, quantity: values[`shelf${at}`] }));
    check(lines.map(({ quantity }, at) => [`shelf${at}`, quantity, unshelved(items[at])]));
    return { items: lines.filter(({ quantity }) => quantity) };
  };
  return act(on, 'restock', { title: 'Repor no estoque', fields, initial }, body, 'Estoque reposto.');
}

const WITHOUT_MONEY = 'Encerrar sem reembolso';

/** What goes back of a return: what is on its way already, else no more than is left of what was paid. */
const due = (of, order) =>
  of.refund.status === 'PENDING'
    ? of.refund.amount
    : Math.min(Math.round((of.amount + of.freight) * 100) / 100, leftOf(order));

function giveBack(on) {
  const amount = due(on.of, on.order);
  const question = {
    title: amount ? 'Reembolsar a devolução' : WITHOUT_MONEY,
    children: html`<p>${goesBackByHand(on.order) ? BY_HAND : 'O dinheiro volta pelo mesmo meio de pagamento.'} Isso não pode ser desfeito; com R$ 0,00 a devolução é encerrada sem reembolso.</p>`,
    fields: [AMOUNT, NOTE],
    initial: { amount },
    action: (values) => (values.amount === 0 ? WITHOUT_MONEY : refunding(values)),
  };
  return act(on, 'refund', question, (values) => values, amount ? 'Reembolso registrado.' : 'Devolução encerrada.');
}

function issue({ of, reload }) {
  const key = newKey();
  return askFor({
    title: 'Emitir NF-e de devolução',
    children: html`<p>Uma nota de entrada com as unidades desta devolução que ainda não estão em nota, no valor que ela devolve.</p>`,
    fields: [{ name: 'reason', label: 'Motivo na nota', maxlength: 500, hint: 'Opcional.' }],
    action: 'Emitir',
    save: async ({ reason }) => {
      const body = { returnId: of.id, reason: reason || null };
      try {
        const { data } = await post(`/api/admin/orders/${of.orderId}/nfe/devolucao`, body, key);
        toast(`NF-e ${data.numero}: ${invoiceStatus[data.status]?.[0].toLowerCase()}.`);
      } finally {
        await reload();
      }
    },
  });
}
