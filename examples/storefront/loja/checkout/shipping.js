// How an order is sent, and how it will be paid.

import { html } from '../lib/html.js';
import { Failure } from '../lib/parts.js';
import { arrival, cost, fallbackCost, isAgreedLater, isUnknownCep } from '../lib/shipping.js';

/** @param {{ form: Form, quote: ShippingQuote | undefined, error: any, busy: boolean }} props */
export function Shipping({ form, quote, error, busy }) {
  const { option } = form.values;
  return html`<section class="card stack" aria-labelledby="shipping"><h2 id="shipping">Envio</h2>
    ${!quote && !error && html`<p class="muted">${busy ? 'Calculando…' : 'Informe o CEP para ver as opções.'}</p>`}
    ${error && (isUnknownCep(error) ? html`<p class="muted">Confira o CEP para ver as opções.</p>` : html`<${Failure} error=${error} />`)}
    ${
      quote &&
      html`<fieldset class="choices ${busy ? 'fading' : ''}"><legend class="sr-only">Forma de envio</legend>
        ${quote.options.map(
          (one) => html`<label class="choice" key=${one.id}>
          <input type="radio" name="option" checked=${option === one.id} onChange=${() => form.set({ option: one.id })} />
          <span class="spread"><span>${one.name}<br /><span class="small muted">${arrival(one)}</span></span><strong>${cost(one)}</strong></span></label>`,
        )}
        ${!quote.options.length && html`<${Unquoted} quote=${quote} />`}
      </fieldset>`
    }
  </section>`;
}

/** @param {{ quote: ShippingQuote }} props */
function Unquoted({ quote }) {
  if (isAgreedLater(quote)) return html`<p class="muted">O envio para este CEP é combinado depois do pedido.</p>`;
  return html`<p class="spread"><span>Entrega<br /><span class="small muted">O prazo é combinado depois do pedido.</span></span><strong>${fallbackCost(quote)}</strong></p>`;
}

const METHODS = [
  ['pix', 'PIX', 'Aprovado na hora, por QR code ou copia e cola.'],
  ['card', 'Cartão de crédito', 'À vista ou parcelado.'],
];

/** @param {{ form: Form }} props */
export const Payment = ({
  form,
}) => html`<section class="card stack" aria-labelledby="method"><h2 id="method">Pagamento</h2>
  <fieldset class="choices"><legend class="sr-only">Forma de pagamento</legend>
    ${METHODS.map(
      ([method, name, text]) => html`<label class="choice" key=${method}>
      <input type="radio" name="method" checked=${form.values.method === method} onChange=${() => form.set({ method })} />
      <span>${name}<br /><span class="small muted">${text}</span></span></label>`,
    )}
  </fieldset>
</section>`;
