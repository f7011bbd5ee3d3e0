// An order: its course, what is in it, and what can be done with it. Its own customer sees it, and whoever
// has the link of its mail.

import { address } from '../lib/api.js';
import { useData } from '../lib/data.js';
import { cep, date, money, STATUS } from '../lib/format.js';
import { html, useEffect, useState } from '../lib/html.js';
import { forgetToken, tokenOf } from '../lib/order-token.js';
import { Failure, Screen, Skeleton } from '../lib/parts.js';
import { Cover } from '../lib/picture.js';
import { loginPath } from '../lib/router.js';
import { whoIsIt } from '../lib/session.js';
import { cost } from '../lib/shipping.js';
import { ByLink } from './by-link.js';
import { Course } from './course.js';
import { useLive } from './live.js';
import { Papers } from './papers.js';
import { Parcels } from './parcels.js';
import { PaymentPanel } from './payment.js';
import { Returns } from './returns.js';

/** @param {{ id: string }} props its number, or its id */
export default function OrderScreen({ id }) {
  const [token, setToken] = useState(() => tokenOf(id));
  const read = useData(`/api/orders/${encodeURIComponent(id)}`, { token });
  useEffect(() => void whoIsIt().catch(() => {}), []);
  const isOld = read.error?.code === 'invalid_order_link';
  useEffect(() => {
    // The session may still show it.
    if (!isOld) return;
    forgetToken(id);
    setToken(undefined);
  }, [isOld]);
  if (isOld && token) return html`<div class="screen"><${Skeleton} count=${8} /></div>`;
  if (read.error && !read.data) return html`<${Refused} error=${read.error} retry=${read.reload} />`;
  const order = read.data;
  if (!order) return html`<div class="screen"><${Skeleton} count=${8} /></div>`;
  return html`<${Found} order=${order} token=${token} reload=${read.reload} />`;
}

/** @param {{ error: any, retry: () => void }} props */
function Refused({ error, retry }) {
  if (![401, 403, 404].includes(error.status))
    return html`<div class="screen"><${Failure} error=${error} retry=${retry} /></div>`;
  const lead = 'Entre na conta com que ele foi feito, ou abra o link que enviamos por e-mail.';
  return html`<${Screen} title="Não encontramos este pedido" lead=${lead} kind="narrow centered">
    <p class="actions"><a class="button primary" href=${loginPath()}>Entrar</a><a class="button" href="/contato">Falar com a loja</a></p>
    ${error.requestId && html`<p class="small muted">Código para o suporte: ${error.requestId}</p>`}
  <//>`;
}

/** @param {{ order: Order, token: string | undefined, reload: () => Promise<void> }} props */
function Found({ order, token, reload }) {
  useLive(order, token, reload);
  const lead = html`Feito em ${date(order.createdAt)} · ${STATUS[order.status]}`;
  return html`<${Screen} title="Pedido ${order.orderNumber}" lead=${lead} trail=${[['/conta', 'Meus pedidos']]}>
    <${Course} order=${order} />
    <${PaymentPanel} order=${order} token=${token} reload=${reload} />
    <div class="split">
      <div class="stack">
        <${Parcels} order=${order} />
        <section class="card stack" aria-labelledby="items"><h2 id="items">Itens</h2>
          <ul class="small-lines">${order.items.map((item) => html`<${Line} key=${item.id} item=${item} />`)}</ul>
          <${Sums} order=${order} />
        </section>
        <${Returns} order=${order} token=${token} reload=${reload} />
      </div>
      <aside class="stack" aria-label="Entrega e documentos">
        <section class="card stack" aria-labelledby="to"><h2 id="to">Entrega</h2>
          <p>${order.address.street}, ${order.address.number}${order.address.complement && `, ${order.address.complement}`}<br />
          ${order.address.district}<br />${order.address.city}/${order.address.state} · ${cep(order.address.zipCode)}</p>
          ${order.shippingService && html`<p class="small muted">${order.shippingService}</p>`}
        </section>
        <${Papers} order=${order} token=${token} reload=${reload} />
        ${token && html`<${ByLink} token=${token} order=${order} reload=${reload} />`}
      </aside>
    </div>
  <//>`;
}

/** @param {{ item: any }} props */
const Line = ({ item }) => html`<li><${Cover} images=${item.product.images} sizes="56px" />
  <span>${item.productNameSnapshot}${item.variantSnapshot && html`<br /><span class="small muted">${item.variantSnapshot}</span>`}<br /><span class="small muted">${item.quantity} × ${money(item.price)}</span></span>
  <span>${money(item.total)}</span></li>`;

/** What sending it costs. An order without freight does not say why: it is free, or was to be agreed upon
 * where nothing could be quoted. The quote of the same sum does. @param {{ order: Order }} props */
function Freight({ order }) {
  const isQuoted = order.shipping || order.shippingService;
  const { zipCode: cep } = order.address;
  const { data: quote } = useData(
    isQuoted ? null : address('/api/shipping/calculate', { cep, subtotal: order.subtotal }),
  );
  if (isQuoted) return cost({ free: false, price: order.shipping });
  if (!quote) return '–';
  return quote.qualifiesForFree ? 'Grátis' : 'A combinar';
}

/** @param {{ order: Order }} props */
const Sums = ({ order: { paid = 0, refunded = 0, ...order } }) => html`<dl class="sums">
  <div><dt>Subtotal</dt><dd>${money(order.subtotal)}</dd></div>
  ${order.discount > 0 && html`<div><dt>Desconto</dt><dd>−${money(order.discount)}</dd></div>`}
  <div><dt>Frete</dt><dd><${Freight} order=${order} /></dd></div>
  <div class="total"><dt>Total</dt><dd>${money(order.total)}</dd></div>
  ${
    refunded > 0 &&
    html`${paid !== order.total && html`<div><dt>Pago</dt><dd>${money(paid)}</dd></div>`}
    <div><dt>Reembolsado</dt><dd>−${money(refunded)}</dd></div>
    <div class="total"><dt>Total após o reembolso</dt><dd>${money(paid - refunded)}</dd></div>`
  }
</dl>`;
