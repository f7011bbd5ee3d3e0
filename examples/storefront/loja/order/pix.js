// PIX: a picture for another device, a text for this one, and how long they hold.

import { request } from '../lib/api.js';
import { plural } from '../lib/format.js';
import { html, useEffect, useState } from '../lib/html.js';
import { Copy, Failure, Skeleton } from '../lib/parts.js';

const MINUTE = 60_000;

/** Whole minutes until then, as they go by.
 * @param {string | undefined} time
 * @param {number} behind how far this device's clock is behind the server's, in milliseconds
 */
function useMinutesTo(time, behind) {
  const left = () => (time ? Math.ceil((new Date(time).getTime() - Date.now() - behind) / MINUTE) : 1);
  const [minutes, setMinutes] = useState(left);
  useEffect(() => {
    setMinutes(left);
    const timer = setInterval(() => setMinutes(left), 1000);
    return () => clearInterval(timer);
  }, [time]);
  return minutes;
}

const duration = (minutes) =>
  minutes < 120 ? plural(minutes, 'minuto', 'minutos') : plural(Math.floor(minutes / 60), 'hora', 'horas');

/** @param {{ order: Order, token: string | undefined, asked: boolean }} props whether the code was wanted already */
export function Pix({ order, token, asked }) {
  const [charge, setCharge] = useState(/** @type {PixCharge | undefined} */ (undefined));
  const [behind, setBehind] = useState(0);
  const [error, setError] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(asked);
  const minutes = useMinutesTo(charge?.expiresAt, behind);
  const make = () => {
    setBusy(true);
    setError(null);
    // As long as a code holds, asking again gives the same one.
    request('POST', '/api/payments/pix', { orderId: order.id }, { token })
      .then(async (answer) => {
        setBehind(Date.parse(answer.headers.get('date') ?? '') - Date.now() || 0);
        setCharge(await answer.json());
      })
      .catch(setError)
      .finally(() => setBusy(false));
  };
  useEffect(() => void (asked && make()), []);
  if (error) return html`<${Failure} error=${error} retry=${make} />`;
  if (busy) return html`<${Skeleton} kind="pix" count=${2} />`;
  if (!charge)
    return html`<p><button type="button" class="button primary large" onClick=${make}>Gerar o código PIX</button></p>`;
  if (minutes <= 0)
    return html`<p class="notice">Este código venceu.</p><p><button type="button" class="button primary" onClick=${make}>Gerar outro código</button></p>`;
  return html`<div class="pix">
    <img src="data:image/png;base64,${charge.qrCode}" alt="QR code do PIX" width="240" height="240" />
    <div class="stack">
      <ol class="steps"><li>Abra o aplicativo do seu banco e escolha pagar com PIX.</li><li>Leia o QR code, ou copie o código e cole no aplicativo.</li><li>Confirme. Esta página muda sozinha quando o pagamento chegar.</li></ol>
      <div class="field"><label for="pix-code">PIX copia e cola</label>
        <div class="joined"><input id="pix-code" readonly value=${charge.qrCodeText} onFocus=${(event) => event.currentTarget.select()} /><${Copy} text=${charge.qrCodeText} label="Copiar código" class="primary" /></div></div>
      <p class="small muted">O código vale por mais ${duration(minutes)}. Aguardando o pagamento…</p>
    </div>
  </div>`;
}
