// What waits for staff, in full: each kind with what is needed to begin.

import { useData } from './lib/data.js';
import { count, money, Time } from './lib/format.js';
import { html } from './lib/html.js';
import { mailKind, parcelTrouble, returnStatus, shipmentProblem } from './lib/labels.js';
import { Badge, Card, Empty, Loaded, Page, Status } from './lib/parts.js';
import { Resend, resendColumn } from './lib/resend.js';
import { useQuery } from './lib/router.js';
import { Table } from './lib/table.js';
import { COUNTED, kinds } from './tasks/kinds.js';

const order = (id) => ({
  head: 'Pedido',
  lead: true,
  cell: (row) => html`<a class="nowrap" href="/admin/orders/${row[id]}">${row.orderNumber}</a>`,
});
const since = (head, name) => ({ head, cell: (row) => html`<${Time} at=${row[name]} />` });
const amount = (name) => ({ head: 'Valor', number: true, cell: (row) => money(row[name]) });

/** @type {Record<string, Column[]>} */
const COLUMNS = {
  ordersToSend: [order('id'), since('Feito', 'createdAt'), amount('total')],
  parcelsInTrouble: [
    order('orderId'),
    { head: 'Volume', number: true, cell: (row) => row.parcel },
    { head: 'Problema', cell: (row) => shipmentProblem[row.problem] ?? parcelTrouble[row.trouble] ?? row.trouble },
    since('Etiqueta pedida', 'createdAt'),
  ],
  paymentsInReview: [order('orderId'), since('Recebido', 'createdAt'), amount('amount')],
  refusedInvoices: [
    order('orderId'),
    { head: 'Resposta da SEFAZ', cell: (row) => row.answer ?? '–' },
    since('Emitida', 'issuedAt'),
  ],
  invoicesNotIssued: [
    order('orderId'),
    { head: 'O que falta', cell: (row) => row.problem },
    since('Esperada desde', 'wantedAt'),
  ],
  returns: [
    order('orderId'),
    { head: 'Devolução', cell: (row) => row.protocol },
    { head: 'Status', cell: (row) => html`<${Status} of=${returnStatus} is=${row.status} />` },
    since('Pedida', 'createdAt'),
  ],
  reviewsToModerate: [
    { head: 'Produto', lead: true, cell: (row) => row.productName },
    { head: 'Nota', cell: (row) => `${row.rating} de 5` },
    since('Escrita', 'createdAt'),
  ],
  lowStock: [
    { head: 'Produto', lead: true, cell: (row) => html`<a href="/admin/products/${row.productId}">${row.name}</a>` },
    { head: 'Item', cell: (row) => (row.itemId === row.productId ? 'Produto' : 'Variante') },
    {
      head: 'Restam',
      number: true,
      cell: (row) => html`<${Badge} tone=${row.stock <= 0 ? 'bad' : 'warn'}>${count(row.stock)}<//>`,
    },
  ],
  failingMails: [
    { head: 'E-mail', lead: true, cell: (row) => mailKind[row.kind] ?? row.kind },
    { head: 'Para', cell: (row) => row.recipient },
    { head: 'Erro', cell: (row) => row.error },
    {
      head: 'Próxima tentativa',
      cell: (row) => (row.nextTryAt ? html`<${Time} at=${row.nextTryAt} />` : html`<${Badge} tone="bad">Desistiu<//>`),
    },
  ],
  failingWebhooks: [{ head: 'Endereço', lead: true, cell: (row) => row.url }, since('Falha desde', 'failingSince')],
};

/** @type {Record<string, string>} */
const HELP = {
  parcelsInTrouble: 'Saem daqui quando andam, ou quando o pedido é entregue, cancelado ou reembolsado.',
  paymentsInReview: 'O dinheiro chegou, mas não corresponde ao pedido. Abra o pedido para devolver o valor.',
  invoicesNotIssued: 'A emissão automática tenta de novo quando o pedido, os produtos ou a configuração mudarem.',
  lowStock: 'Itens à venda com poucas unidades.',
  failingMails: 'Confira o servidor de e-mail. Os que não desistiram saem sozinhos quando ele voltar.',
};

const keyOf = (row) => row.id ?? row.itemId ?? row.orderId;

export default function TaskList() {
  const tasks = useData('/api/admin/dashboard/tasks?limit=100');
  const [query] = useQuery();
  const chosen = kinds.filter(([kind]) => kind === query.get('kind'));
  const shown = chosen.length ? chosen : kinds;
  return html`<${Page} title=${chosen[0]?.[1] ?? 'O que espera por você'} back="/admin" backLabel="Início">
    <${Loaded} of=${tasks}>${(data) => {
      const waiting = shown.filter(([kind]) => data[kind].count > 0);
      if (!waiting.length)
        return html`<${Empty} title="Tudo em dia"><a class="button" href="/admin">Ir para o início</a><//>`;
      return waiting.map(
        ([kind, title, screen]) =>
          html`<${Kind} key=${kind} ...${{ kind, title, screen, waiting: data[kind], reload: tasks.reload }} />`,
      );
    }}<//>
  <//>`;
}

const isGivenUp = (mail) => !mail.nextTryAt;

function Kind({ kind, title, screen, waiting, reload }) {
  const { first } = waiting;
  const more = waiting.count - first.length;
  const columns = [...(COLUMNS[kind] ?? [])];
  let action = screen && html`<a href=${screen}>Abrir</a>`;
  if (kind === 'failingMails') {
    columns.push(resendColumn(isGivenUp, reload));
    const all = first.filter(isGivenUp);
    action = all.length > 1 && html`<${Resend} mails=${all} label="Enviar todos de novo" onDone=${reload} />`;
  }
  return html`<${Card} title=${title} actions=${action}>
    ${HELP[kind] && html`<p class="muted">${HELP[kind]}</p>`}
    <${Table} label=${title} columns=${columns} rows=${first} rowKey=${keyOf} />
    ${more > 0 && html`<p class="muted spaced">E mais ${count(more)}${waiting.count >= COUNTED ? ' ou mais' : ''}. Os mais antigos vêm primeiro.</p>`}
  <//>`;
}
