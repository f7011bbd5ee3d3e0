// Goods that come back: what was asked for, and asking for it.

import { newKey, post } from '../lib/api.js';
import { confirm } from '../lib/dialog.js';
import { Field, FormFailure, Send, useForm } from '../lib/form.js';
import { date, money, plural } from '../lib/format.js';
import { html, useRef } from '../lib/html.js';
import { toast, toastError } from '../lib/toast.js';
import { Code } from './parcels.js';

/** @type {Record<string, string>} */
const STATUS = {
  REQUESTED: 'Pedida',
  APPROVED: 'Aprovada',
  IN_TRANSIT: 'A caminho da loja',
  RECEIVED: 'Recebida pela loja',
  REJECTED: 'Não aceita',
  CANCELLED: 'Cancelada',
};

const isToPost = (of) => of.status === 'IN_TRANSIT' && of.trackingCode;

/** What became of it, as far as goods and money really moved. @param {OrderReturn} of @param {Order} order */
function stateOf(of, order) {
  const given = of.refund.amount ?? 0;
  if (isToPost(of)) return ['Poste os produtos', money(of.amount + of.freight)];
  if (of.status === 'REFUNDED') return given ? ['Valor devolvido', money(given)] : ['Concluída', ''];
  const hasGoods = of.status === 'APPROVED' && ['SHIPPED', 'DELIVERED'].includes(order.status);
  return [
    hasGoods ? 'Aprovada: aguarde as instruções de envio' : (STATUS[of.status] ?? of.status),
    money(of.amount + of.freight),
  ];
}

/** A product with the variant that was bought of it. @param {string} product @param {string | null} variant */
const named = (product, variant) => (variant ? `${product} (${variant})` : product);

/** @param {{ order: Order, token: string | undefined, reload: () => Promise<void> }} props */
export function Returns({ order, token, reload }) {
  const returns = order.returns ?? [];
  const open = order.payment.status === 'PAID' && ['PROCESSING', 'SHIPPED', 'DELIVERED'].includes(order.status);
  const back = (item) =>
    returns
      .filter((one) => !['REJECTED', 'CANCELLED'].includes(one.status))
      .flatMap((one) => one.items)
      .filter((one) => one.orderItemId === item.id)
      .reduce((sum, one) => sum + one.quantity, 0);
  const left = order.items.map((item) => ({ item, most: item.quantity - back(item) })).filter(({ most }) => most > 0);
  if (!returns.length && !(open && left.length)) return null;
  return html`<section class="card stack" aria-labelledby="returns"><h2 id="returns">Devoluções</h2>
    ${returns.map((one) => html`<${Requested} key=${one.id} of=${one} order=${order} token=${token} reload=${reload} />`)}
    ${open && left.length > 0 && html`<${Request} key=${returns.length} order=${order} left=${left} token=${token} reload=${reload} />`}
  </section>`;
}

/** @param {{ of: OrderReturn, order: Order, token: string | undefined, reload: () => Promise<void> }} props */
function Requested({ of, order, token, reload }) {
  const cancel = async () => {
    if (!(await confirm({ title: 'Desistir da devolução?', action: 'Desistir da devolução' }))) return;
    await post(`/api/orders/${of.orderId}/returns/${of.id}/cancel`, undefined, { token }).catch(toastError);
    await reload();
  };
  const [state, amount] = stateOf(of, order);
  const items = of.items
    .map((item) => ({ ...item, units: item.received ?? item.quantity }))
    .filter(({ units }) => units > 0);
  return html`<div class="outline">
    <p><strong>${state}</strong><br /><span class="small muted">Protocolo ${of.protocol} · ${date(of.createdAt)}${amount && ` · ${amount}`}</span></p>
    <ul class="small">${items.map((item) => html`<li key=${item.orderItemId}>${item.units} × ${named(item.productName, item.variant)}</li>`)}</ul>
    ${isToPost(of) && html`<p>Leve os produtos a uma agência da transportadora com este código${!of.courtesy && ', sem custo para você'}. Se já postou, é só aguardar.</p><${Code} of=${of} />`}
    ${of.rejectionReason && html`<p class="small">${of.rejectionReason}</p>`}
    ${['REQUESTED', 'APPROVED'].includes(of.status) && html`<p><button type="button" class="link small" onClick=${cancel}>Desistir da devolução</button></p>`}
  </div>`;
}

/** @param {{ order: Order, left: { item: any, most: number }[], token: string | undefined, reload: () => Promise<void> }} props */
function Request({ order, left, token, reload }) {
  const key = useRef(newKey());
  const initial = { kind: 'WITHDRAWAL', reason: '', ...Object.fromEntries(left.map(({ item }) => [item.id, '0'])) };
  const form = useForm(initial, async (values) => {
    const items = left
      .map(({ item }) => ({ orderItemId: item.id, quantity: Number(values[item.id]) }))
      .filter(({ quantity }) => quantity > 0);
    if (!items.length) throw new Error('Escolha o que você quer devolver.');
    const body = { items, kind: values.kind, ...(values.reason && { reason: values.reason }) };
    await post(`/api/orders/${order.id}/returns`, body, { key: key.current, token }).catch((error) => {
      if (error.status) key.current = newKey();
      throw error;
    });
    toast('Devolução pedida. Enviamos os próximos passos por e-mail.');
    await reload();
  });
  const counts = (most) =>
    Array.from({ length: most + 1 }, (_, at) => [String(at), at ? plural(at, 'unidade', 'unidades') : 'Não devolver']);
  return html`<details><summary>Devolver produtos</summary>
    <form class="stack" novalidate onSubmit=${form.submit}>
      <p class="small muted">Você pode desistir da compra, sem dizer o motivo, por pelo menos 7 dias depois da entrega.</p>
      ${left.map(({ item, most }) => html`<${Field} key=${item.id} form=${form} name=${item.id} label=${named(item.productNameSnapshot, item.variantSnapshot)} type="select" options=${counts(most)} required />`)}
      <${Field} form=${form} name="kind" label="Por quê?" type="select" required options=${[['WITHDRAWAL', 'Desisti da compra'], ['DEFECT', 'Veio com defeito']]} />
      <${Field} form=${form} name="reason" label="Conte o que houve" type="textarea" maxlength=${1000} required=${form.values.kind === 'DEFECT'} />
      <${FormFailure} form=${form} /><${Send} form=${form} label="Pedir devolução" />
    </form></details>`;
}
