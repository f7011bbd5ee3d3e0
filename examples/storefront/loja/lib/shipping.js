// What it costs to send something to a postal code, which is remembered from screen to screen.

import { ApiError, address, get } from './api.js';
import { write } from './form.js';
import { cep as cepText, digits, money, plural } from './format.js';
import { html, useEffect, useRef, useState } from './html.js';
import { Failure } from './parts.js';
import { kept } from './store.js';

export const rememberedCep = () => cepText(kept.get('cep') ?? '');

/** A quote names so many items at most. */
const MOST = 80;

/**
 * The quote for a postal code, as soon as it has its eight digits.
 * @param {string} typed
 * @param {number} subtotal
 * @param {Line[]} lines what is to be sent
 * @returns {{ quote: ShippingQuote | undefined, error: any, busy: boolean, again: () => void }}
 */
export function useQuote(typed, subtotal, lines) {
  const cep = digits(typed);
  const items =
    lines.length > MOST
      ? ''
      : lines
          .map(({ productId, variantId, quantity }) => `${productId}${variantId ? `/${variantId}` : ''}:${quantity}`)
          .join();
  const name = cep.length === 8 ? address('/api/shipping/calculate', { cep, subtotal, items }) : '';
  const [state, setState] = useState(/** @type {any} */ ({ name: '' }));
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((count) => count + 1);
  const latest = useRef('');
  latest.current = name;
  useEffect(() => {
    if (!name) return;
    get(name).then(
      (quote) => {
        kept.set('cep', cep);
        if (latest.current === name) setState({ name, quote });
      },
      (error) => latest.current === name && setState({ name, error }),
    );
  }, [name, turn]);
  if (state.name === name) return { quote: state.quote, error: state.error, busy: false, again };
  // While another sum is asked about, what holds for this postal code stays where it is.
  return { quote: state.quote?.cep === cep ? state.quote : undefined, error: null, busy: Boolean(name), again };
}

export const arrival = ({ estimatedDays }) => `em até ${plural(estimatedDays, 'dia útil', 'dias úteis')}`;
export const cost = ({ free, price }) => (free || price === 0 ? 'Grátis' : money(price));
/** Whether what it costs is agreed upon after the order: nothing can be quoted, and it is not free.
 * @param {ShippingQuote | undefined} quote */
export const isAgreedLater = (quote) => quote?.fallbackPrice === 0 && !quote.qualifiesForFree;
/** What a quote without options costs. @param {ShippingQuote | undefined} quote */
export function fallbackCost(quote) {
  if (quote?.fallbackPrice == null) return '';
  if (isAgreedLater(quote)) return 'A combinar';
  return cost({ free: quote.qualifiesForFree, price: quote.fallbackPrice });
}
/** @param {any} error */
export const isUnknownCep = (error) =>
  error instanceof ApiError && (error.code === 'cep_not_found' || 'cep' in error.fieldErrors);
export const UNKNOWN_CEP = 'Não encontramos este CEP. Confira os números.';

/** How much is missing for free shipping. @param {{ quote: ShippingQuote | undefined }} props */
export function FreeShipping({ quote }) {
  if (!quote?.freeShippingThreshold) return null;
  const { freeShippingThreshold: threshold, remaining, qualifiesForFree } = quote;
  const reached = qualifiesForFree || !remaining;
  return html`<div class="free-shipping" role="status">
    <p class="small">${reached ? 'Você ganhou frete grátis!' : html`Faltam <strong>${money(remaining)}</strong> para o frete grátis.`}</p>
    <progress max=${threshold} value=${reached ? threshold : threshold - (remaining ?? 0)} aria-label="Quanto falta para o frete grátis"></progress>
  </div>`;
}

/** The field for a postal code, and what it costs to send there.
 * @param {{ subtotal: number, lines: Line[], bar?: boolean, onQuote?: (quote: ShippingQuote | undefined) => void }} props
 */
export function QuoteByCep({ subtotal, lines, bar, onQuote }) {
  const [typed, setTyped] = useState(rememberedCep);
  const { quote, error, busy } = useQuote(typed, subtotal, lines);
  useEffect(() => onQuote?.(quote), [quote]);
  const type = (event) => {
    const input = event.currentTarget;
    write(input, cepText);
    setTyped(input.value);
  };
  const wrong = error && isUnknownCep(error) ? UNKNOWN_CEP : '';
  return html`<div class="quote">
    <div class="field"><label for="cep">Calcular frete e prazo</label>
      <input id="cep" inputmode="numeric" autocomplete="postal-code" placeholder="00000-000" value=${typed}
        aria-invalid=${wrong ? 'true' : undefined} aria-describedby=${wrong ? 'cep-wrong' : undefined}
        onKeyDown=${(event) => event.key === 'Enter' && event.preventDefault()} onInput=${type} />
      ${wrong && html`<span class="wrong" id="cep-wrong">${wrong}</span>`}
    </div>
    ${error && !wrong && html`<${Failure} error=${error} />`}
    <div aria-live="polite" aria-busy=${busy ? 'true' : 'false'}>
      ${
        quote &&
        html`<p class="small muted">Para ${[quote.city, quote.state].filter(Boolean).join(', ')}</p>
        <ul class="quote-options">${quote.options.map(
          (option) =>
            html`<li key=${option.id}><span>${option.name}<br /><span class="small muted">${arrival(option)}</span></span><strong>${cost(option)}</strong></li>`,
        )}
        ${fallbackCost(quote) && html`<li><span>Entrega</span><strong>${fallbackCost(quote)}</strong></li>`}</ul>`
      }
    </div>
    ${bar && html`<${FreeShipping} quote=${quote} />`}
  </div>`;
}
