// The parcels of an order: buying their labels, printing them, and where the carrier says they are.

import { address, newKey, post } from '../lib/api.js';
import { askFor } from '../lib/ask-for.js';
import { confirm } from '../lib/dialog.js';
import { date, money, Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { problemOf, shipmentProblem, shipmentStatus } from '../lib/labels.js';
import { Card, Facts, Status } from '../lib/parts.js';
import { toast, toastError } from '../lib/toast.js';
import { useLabels } from '../shipments/provider.js';
import { askForParcels, unpacked } from './parcels.js';

const GIVEN_UP = ['CANCELLED', 'EXPIRED', 'FAILED'];
export const PRINTABLE = ['GENERATED', 'POSTED'];

/** @param {{ order: StaffOrder, reload: () => Promise<void> }} props */
export function Shipments({ order, reload }) {
  const { shipments } = order;
  const buys = useLabels();
  const live = shipments.filter((it) => !GIVEN_UP.includes(it.status));
  const waits =
    order.payment.status === 'PAID' &&
    ['PROCESSING', 'SHIPPED'].includes(order.status) &&
    unpacked(order, live).length > 0;
  const mayBuy = waits && buys;
  if (!waits && !shipments.length) return null;
  const print = shipments.some((it) => PRINTABLE.includes(it.status));
  const actions = html`
    ${print && html`<a class="button" href=${address('/api/admin/shipments/labels', { orderIds: order.id })} download>Imprimir etiquetas</a>`}
    ${mayBuy && html`<button type="button" class="button" onClick=${() => pack(order, live, reload)}>Informar volumes</button>`}
    ${mayBuy && html`<button type="button" class="button" onClick=${() => buy(order, reload)}>Comprar etiquetas</button>`}`;
  return html`<${Card} title="Envios" actions=${actions}>
    ${!shipments.length && html`<p class="muted">Nenhuma etiqueta comprada.${buys === false && html` A loja não compra etiquetas em lugar nenhum: veja <a href="/admin/shipping">Frete</a>.`}</p>`}
    ${shipments.map((it) => html`<${Shipment} key=${it.id} of=${it} reload=${reload} />`)}
  <//>`;
}

/** @param {{ of: Shipment, reload: () => Promise<void> }} props */
function Shipment({ of, reload }) {
  const act = (name, done, body) => () =>
    post(`/api/admin/shipments/${of.id}/${name}`, body)
      .then(() => toast(done), toastError)
      .finally(reload);
  const underWay = ['GENERATED', 'POSTED', 'RETURNING'].includes(of.status);
  const waits = of.problem && ['DRAFT', 'IN_CART', 'PAYING', 'PAID', 'CANCELLING'].includes(of.status);
  const mayCancel = ['DRAFT', 'IN_CART', 'PAID', 'GENERATED'].includes(of.status);
  const button = (text, onClick) =>
    html`<button type="button" class="button plain" onClick=${onClick}>${text}</button>`;
  return html`<div class="stack spaced">
    <p class="actions left"><strong>Volume ${of.parcel}</strong> <${Status} of=${shipmentStatus} is=${of.status} />
      ${underWay && button('Atualizar', act('track', 'Rastreio atualizado.'))}
      ${waits && button(of.problem?.kind === 'PRICE_ABOVE_QUOTE' ? 'Aceitar o preço' : 'Tentar de novo', () => retry(of, reload))}
      ${mayCancel && button('Cancelar etiqueta', () => cancel(of, act('cancel', 'Cancelamento pedido.')))}</p>
    ${of.problem && html`<p class="notice ${GIVEN_UP.includes(of.status) ? 'bad' : 'warn'}">${problemOf(of.problem)}</p>`}
    <${Facts} of=${[
      ['Serviço', of.serviceName ?? of.service],
      [
        'Preço',
        of.price != null && `${money(of.price)}${of.quotedPrice == null ? '' : ` (cotado ${money(of.quotedPrice)})`}`,
      ],
      [
        'Rastreio',
        of.trackingCode &&
          (of.trackingUrl
            ? html`<a href=${of.trackingUrl} target="_blank" rel="noreferrer"><code>${of.trackingCode}</code></a>`
            : html`<code>${of.trackingCode}</code>`),
      ],
      ['Postado', of.postedAt && html`<${Time} at=${of.postedAt} full />`],
      ['Previsão', of.expectedAt && !of.deliveredAt && date(of.expectedAt)],
      ['Entregue', of.deliveredAt && html`<${Time} at=${of.deliveredAt} full />`],
    ]} />
  </div>`;
}

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'service', label: 'Serviço (número)', hint: 'Vazio: o que o cliente escolheu.' },
  { name: 'maxPrice', label: 'Pagar no máximo (R$)', type: 'money', hint: 'Vazio: a cotação e a folga da loja.' },
];

/** @param {StaffOrder} order */
const fieldsOf = ({ buyer, user }) =>
  buyer?.cpf || buyer?.cnpj || user.cpf
    ? FIELDS
    : [
        { name: 'recipientCpf', label: 'CPF do cliente', inputmode: 'numeric', hint: 'A etiqueta precisa dele.' },
        ...FIELDS,
      ];

/** Buys labels for the parcels that were planned, or for those that are told.
 * @param {StaffOrder} order
 * @param {() => Promise<void>} reload
 * @param {string} key the same for each try of one question
 * @param {Values} values
 */
async function bought(order, reload, key, { service, maxPrice, parcels, recipientCpf }) {
  const body = {
    ...(service && { service }),
    ...(typeof maxPrice === 'number' && { maxPrice }),
    ...(parcels && { parcels }),
    ...(recipientCpf && { recipientCpf }),
  };
  const { data } = await post(`/api/admin/orders/${order.id}/shipments`, body, key).catch((error) => {
    const { 'recipient.document': missing, ...others } = error.fieldErrors;
    throw missing ? Object.assign(error, { fieldErrors: { ...others, recipientCpf: missing } }) : error;
  });
  const stuck = data.shipments.find((it) => it.problem);
  const text = stuck && `Etiqueta parada: ${shipmentProblem[stuck.problem.kind] ?? stuck.problem.kind}.`;
  toast(text ?? 'Etiquetas compradas.', { bad: Boolean(stuck) });
  await reload();
}

/** Buys what the customer chose, where staff say nothing else. */
function buy(order, reload) {
  const key = newKey();
  return askFor({
    title: 'Comprar etiquetas',
    children: html`<p>Uma etiqueta para cada volume, paga com o saldo da conta.</p>`,
    fields: fieldsOf(order),
    initial: { maxPrice: null },
    action: 'Comprar',
    save: (values) => bought(order, reload, key, values),
  });
}

/** Buys labels for parcels that were packed otherwise than planned. */
function pack(order, live, reload) {
  const key = newKey();
  return askForParcels({
    lines: unpacked(order, live),
    fields: fieldsOf(order),
    save: (values) => bought(order, reload, key, values),
  });
}

/** Goes on with a label that waits, at another price where that is what it waits for. */
function retry(of, reload) {
  const dear = of.problem.kind === 'PRICE_ABOVE_QUOTE';
  return askFor({
    title: dear ? 'Aceitar o preço' : 'Tentar de novo',
    fields: dear
      ? [{ name: 'maxPrice', label: 'Pagar no máximo (R$)', type: 'money', hint: 'Por todos os volumes que esperam.' }]
      : [],
    initial: dear ? { maxPrice: of.problem.price ?? of.price } : {},
    action: 'Continuar',
    save: async (values) => {
      await post(`/api/admin/shipments/${of.id}/retry`, values);
      toast('Tentando de novo.');
      await reload();
    },
  });
}

async function cancel(of, act) {
  const text = 'O valor pago volta para o saldo da conta. O volume pode ter outra etiqueta depois.';
  if (
    await confirm({
      title: `Cancelar a etiqueta do volume ${of.parcel}?`,
      text,
      action: 'Cancelar a etiqueta',
      danger: true,
    })
  )
    await act();
}
