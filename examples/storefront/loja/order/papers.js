// The invoice of an order, and giving up one that is not paid.

import { download, post } from '../lib/api.js';
import { confirm } from '../lib/dialog.js';
import { html } from '../lib/html.js';
import { keepFocus } from '../lib/parts.js';
import { toast, toastError } from '../lib/toast.js';
import { isInReview } from './payment.js';

/** @param {{ order: Order, token: string | undefined, reload: () => Promise<void> }} props */
export function Papers({ order, token, reload }) {
  const file = (kind, name) => async () => {
    await download(`/api/orders/${order.id}/nfe/${kind}`, name, { token }).catch(toastError);
  };
  const cancel = async () => {
    const sure = await confirm({
      title: 'Cancelar este pedido?',
      text: 'Os produtos voltam para a loja. Isto não pode ser desfeito.',
      action: 'Cancelar o pedido',
    });
    if (!sure) return;
    try {
      await post(`/api/orders/${order.id}/cancel`, undefined, { token });
      toast('Pedido cancelado.');
    } catch (error) {
      toastError(error);
    }
    await reload();
    keepFocus();
  };
  const isHeld = ['PAID', 'REVIEW'].includes(order.payment.status) || isInReview(order);
  const mayCancel = order.status === 'PENDING' && !isHeld;
  const number = order.orderNumber;
  return html`
    ${
      order.hasInvoice &&
      html`<section class="card stack" aria-labelledby="papers"><h2 id="papers">Nota fiscal</h2>
      <p class="actions"><button type="button" class="button" onClick=${file('danfe', `${number}.pdf`)}>DANFE (PDF)</button>
      <button type="button" class="button" onClick=${file('xml', `${number}.xml`)}>XML</button></p></section>`
    }
    ${mayCancel && html`<p><button type="button" class="button danger" onClick=${cancel}>Cancelar o pedido</button></p>`}`;
}
