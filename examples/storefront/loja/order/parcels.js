// Where the parcels of an order are: what happened to each on its way, and when it is expected.

import { date, moment, plural } from '../lib/format.js';
import { html } from '../lib/html.js';
import { Copy } from '../lib/parts.js';

/** @type {Record<string, string>} */
const STATUS = {
  PREPARING: 'Em preparação',
  POSTED: 'A caminho',
  RETURNING: 'Voltando para a loja',
  RETURNED: 'Devolvido à loja',
  DELIVERED: 'Entregue',
};

/** The parcels that the shop follows, or else the code that staff entered. @param {{ order: Order }} props */
export function Parcels({ order }) {
  const parcels = order.shipments ?? [];
  if (!parcels.length && !order.trackingCode) return null;
  return html`<section class="card stack" aria-labelledby="tracking"><h2 id="tracking">Rastreio</h2>
    ${parcels.length > 1 && html`<p class="small muted">Este pedido vai em ${plural(parcels.length, 'volume', 'volumes')}.</p>`}
    ${parcels.map((one) => html`<${Parcel} key=${one.id} of=${one} alone=${parcels.length === 1} />`)}
    ${!parcels.length && html`<${Code} of=${order} />`}
  </section>`;
}

/** @param {{ of: Shipment, alone: boolean }} props */
function Parcel({ of, alone }) {
  const title = html`<strong>${!alone && `Volume ${of.parcel}: `}${STATUS[of.status] ?? of.status}</strong>`;
  const expected = of.status === 'POSTED' && of.expectedAt;
  return html`<div class=${alone ? 'stack' : 'outline'}>
    <p>${title}${expected && html`<br />Previsão de entrega: ${date(expected)}`}</p>
    <${Code} of=${of} />
    ${of.steps.length > 0 && html`<ol class="way" aria-label=${alone ? 'Percurso' : `Percurso do volume ${of.parcel}`}>${of.steps.toReversed().map((step, at) => html`<li key=${at}>${step.description}<br /><span class="small muted">${moment(step.at)}${step.place && ` · ${step.place}`}</span></li>`)}</ol>`}
  </div>`;
}

/** By which the carrier finds a parcel, and its page that does.
 * @param {{ of: { carrier: string | null, trackingCode: string | null, trackingUrl?: string | null } }} props */
export const Code = ({ of: { carrier, trackingCode, trackingUrl } }) =>
  trackingCode &&
  html`<p>${carrier && `${carrier}: `}<strong class="code">${trackingCode}</strong></p>
  <p class="actions"><${Copy} text=${trackingCode} label="Copiar o código" />
  ${trackingUrl && html`<a class="button" href=${trackingUrl} target="_blank" rel="noreferrer">Rastrear a entrega</a>`}</p>`;
