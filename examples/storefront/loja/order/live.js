// An order as it changes: the server says so by itself, and is asked where it cannot.

import { get } from '../lib/api.js';
import { useEffect } from '../lib/html.js';

const PAUSE = 3000;
const said = ({ status, payment }) => `${status} ${payment.status}`;

/** Whether a payment may still come by itself. @param {Order} order */
const waits = ({ status, payment }) => status === 'PENDING' && payment.status !== 'PAID';

/**
 * Reads an order that waits for its payment again when its status or that of its payment has changed.
 * @param {Order} order
 * @param {string | undefined} token
 * @param {() => Promise<void>} reload
 */
export function useLive(order, token, reload) {
  const shown = said(order);
  useEffect(() => {
    if (!waits(order)) return;
    let ended = false;
    let timer = 0;
    const tell = (news) => void (said(news) !== shown && !ended && reload());
    const path = `/api/orders/${order.id}`;
    const ask = async () => {
      if (!document.hidden) await get(path, { token }).then(tell, () => {});
      if (!ended) timer = setTimeout(ask, PAUSE);
    };
    // The browser's own way to follow events has no headers, so the token stands in the address.
    const stream = new EventSource(`${path}/events${token ? `?t=${encodeURIComponent(token)}` : ''}`);
    stream.addEventListener('order', (event) => tell(JSON.parse(event.data)));
    stream.addEventListener('error', () => {
      // A stream that broke is taken up again by the browser; one that was refused is closed.
      if (stream.readyState === EventSource.CLOSED && !timer) timer = setTimeout(ask, PAUSE);
    });
    return () => {
      ended = true;
      clearTimeout(timer);
      stream.close();
    };
  }, [order.id, shown, token]);
}
