// One order: what was bought, where it goes, how it was paid, and what is still to be done.

import { patch, post } from '../lib/api.js';
import { askFor } from '../lib/ask-for.js';
import { useData } from '../lib/data.js';
import { cep, cpf, money, Time } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { addressFields, orderStatus, states } from '../lib/labels.js';
import { Card, Facts, Loaded, Page, Status, Thumb } from '../lib/parts.js';
import { toast, toastError } from '../lib/toast.js';
import { History, Notes } from './history.js';
import { Invoice } from './invoice.js';
import { Packing } from './labels.js';
import { Mails } from './mails.js';
import { Payments } from './payments.js';
import { Returns } from './returns.js';
import { Shipments } from './shipments.js';
import { StatusDialog } from './status.js';

/** What usually comes next, and whether more is to be said about it than yes.
 * @type {Record<string, [status: string, text: string, asks: boolean]>} */
const NEXT = {
  PENDING: ['PROCESSING', 'Marcar como a enviar', false],
  PROCESSING: ['SHIPPED', 'Marcar como enviado', true],
  SHIPPED: ['DELIVERED', 'Marcar como entregue', false],
};

export default function OrderDetail({ id }) {
  const path = `/api/admin/orders/${encodeURIComponent(id)}`;
  const order = useData(path);
  const mails = useData(`${path}/mails`);
  // What changes an order may write to the customer.
  const state = { ...order, reload: () => Promise.all([order.reload(), mails.reload()]).then(() => {}) };
  return html`<${Loaded} of=${order} rows=${10}>${(data) => html`<${Order} path=${path} order=${data} state=${state} mails=${mails} />`}<//>`;
}

/** @param {{ path: string, order: StaffOrder, state: Data, mails: Data }} props */
function Order({ path, order, state, mails }) {
  const [dialog, setDialog] = useState(/** @type {string | null} */ (null));
  const saved = (data, etag) => {
    state.set(data, etag);
    void mails.reload();
  };
  const setStatus = async (status, etag, undoing = false) => {
    const before = order.status;
    try {
      const answer = await patch(path, { status }, etag);
      saved(answer.data, answer.etag);
      const undo = () => void setStatus(before, answer.etag, true);
      toast(`Pedido ${order.orderNumber}: ${orderStatus[status]?.[0].toLowerCase()}.`, undoing ? {} : { undo });
    } catch (error) {
      toastError(error);
      if (/** @type {any} */ (error).code === 'changed_meanwhile') await state.reload();
    }
  };
  const next = order.payment.status === 'PAID' ? NEXT[order.status] : undefined;
  const advance = () => (next?.[2] ? setDialog(next[0]) : void setStatus(next?.[0] ?? '', state.etag));
  const actions = html`
    <button type="button" class="button" onClick=${() => setDialog('')}>Status e rastreio</button>
    ${next && html`<button type="button" class="button primary" onClick=${advance}>${next[1]}</button>`}`;
  return html`<${Page} title="Pedido ${order.orderNumber}" back="/admin/orders" backLabel="Pedidos" actions=${actions}>
    <p class="actions left"><${Status} of=${orderStatus} is=${order.status} />
      <span class="muted">feito <${Time} at=${order.createdAt} /></span></p>
    <div class="columns">
      <div>
        <${Items} order=${order} />
        <${Packing} order=${order} />
        <${Shipments} order=${order} reload=${state.reload} />
        <${Payments} order=${order} reload=${state.reload} />
        <${Invoice} order=${order} reload=${state.reload} />
        <${Returns} order=${order} reload=${state.reload} />
        <${Mails} mails=${mails} />
        <${History} order=${order} />
      </div>
      <div>
        ${order.notes && html`<${Card} title="Recado do cliente"><p class="quote">${order.notes}</p><//>`}
        <${Customer} order=${order} />
        <${Delivery} order=${order} mend=${() => void mend(path, order, state)} />
        <${Notes} notes=${order.internalNotes} add=${async (note) => {
          await post(`${path}/notes`, { note });
          await state.reload();
        }} />
      </div>
    </div>
    ${
      dialog !== null &&
      html`<${StatusDialog} path=${path} order=${order} etag=${state.etag} status=${dialog || order.status}
      onSaved=${saved} onClose=${() => setDialog(null)} />`
    }
  <//>`;
}

/** @param {{ order: StaffOrder }} props */
function Items({ order }) {
  const totals = [
    ['Subtotal', order.subtotal],
    ['Desconto', -order.discount],
    [order.shippingService ? `Frete (${order.shippingService})` : 'Frete', order.shipping],
    ['Total', order.total],
  ];
  return html`<${Card} title="Itens">
    <div class="table-frame"><table class="list">
      <caption class="sr-only">Itens do pedido</caption>
      <thead><tr><th scope="col">Produto</th><th scope="col" class="number">Preço</th><th scope="col" class="number">Qtd.</th><th scope="col" class="number">Total</th></tr></thead>
      <tbody>${order.items.map(
        (item) => html`<tr key=${item.id}>
        <td><div class="named"><${Thumb} images=${item.product.images} /><div>
          <a href="/admin/products/${item.productId}">${item.productNameSnapshot}</a>
          ${item.variantSnapshot && html`<div class="small muted">${item.variantSnapshot}</div>`}</div></div></td>
        <td class="number" data-head="Preço">${money(item.price)}</td>
        <td class="number" data-head="Quantidade">${item.quantity}</td>
        <td class="number" data-head="Total">${money(item.total)}</td>
      </tr>`,
      )}</tbody>
    </table></div>
    <div class="totals spaced">${totals.filter(([, amount], at) => amount || at !== 1).map(([name, amount]) => html`<div key=${name}><span>${name}</span><span>${money(/** @type {number} */ (amount))}</span></div>`)}</div>
  <//>`;
}

/** @param {{ order: StaffOrder }} props */
function Customer({ order }) {
  const { user, buyer } = order;
  return html`<${Card} title="Cliente">
    <p><a href="/admin/customers/${user.id}">${user.name}</a></p>
    <p><a href="mailto:${user.email}">${user.email}</a></p>
    ${user.phone && html`<p>${user.phone}</p>`}
    ${buyer?.cnpj ? html`<p class="muted">CNPJ ${buyer.cnpj}<br />${buyer.companyName}</p>` : user.cpf && html`<p class="muted">CPF ${cpf(user.cpf)}</p>`}
  <//>`;
}

const lines = (address) => [
  `${address.street}, ${address.number}${address.complement ? ` – ${address.complement}` : ''}`,
  address.district,
  `${address.city} – ${address.state}`,
  `CEP ${cep(address.zipCode)}`,
];

/** @type {FieldProps[]} */
const ADDRESS = Object.entries(addressFields).map(([name, label]) => ({
  name,
  label,
  ...(name === 'zipCode' && { inputmode: 'numeric' }),
  ...(name === 'state' && { type: 'select', options: states.map((it) => [it, it]) }),
}));

/** Puts an address right that no invoice has yet. */
const mend = (path, order, state) =>
  askFor({
    title: 'Corrigir o endereço',
    children: html`<p class="muted">O preço do frete não muda.</p>`,
    fields: ADDRESS,
    initial: Object.fromEntries(ADDRESS.map(({ name }) => [name, order.address[name] ?? ''])),
    action: 'Salvar',
    save: async (address) => {
      await patch(path, { address }, state.etag).catch((error) => {
        const named = Object.entries(error.fieldErrors ?? {}).map(([name, texts]) => [
          name.replace('address.', ''),
          texts,
        ]);
        throw Object.assign(error, { fieldErrors: Object.fromEntries(named) });
      });
      toast('Endereço corrigido.');
      await state.reload();
    },
  });

/** @param {{ order: StaffOrder, mend: () => void }} props */
function Delivery({ order, mend }) {
  const fixed = order.status === 'DELIVERED' || ['processando', 'autorizada'].includes(order.invoice?.status ?? '');
  const actions = !fixed && html`<button type="button" class="button" onClick=${mend}>Corrigir endereço</button>`;
  return html`<${Card} title="Entrega" actions=${actions}>
    ${lines(order.address).map((line) => html`<p key=${line}>${line}</p>`)}
    <div class="spaced"><${Facts} of=${[['Transportadora', order.carrier], ['Rastreio', order.trackingCode && html`<code>${order.trackingCode}</code>`]]} /></div>
  <//>`;
}
