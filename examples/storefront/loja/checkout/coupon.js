// A coupon: what it takes off, as long as the cart has its sum.

import { post } from '../lib/api.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { ofTab } from '../lib/store.js';

/** @param {number} subtotal */
export function useCoupon(subtotal) {
  const [typed, setTyped] = useState(() => ofTab.get('coupon') ?? '');
  const [state, setState] = useState({ code: '', discount: 0, wrong: '', busy: false });
  /** @param {string} text @returns {Promise<string>} what is wrong with it, or nothing */
  const apply = async (text) => {
    const code = text.trim();
    ofTab.set('coupon', code || null);
    if (!code) {
      setState({ code: '', discount: 0, wrong: '', busy: false });
      return '';
    }
    setState((old) => ({ ...old, busy: true }));
    const answer = await post('/api/coupons/validate', { code, subtotal }).catch((error) => ({ error: error.message }));
    const { coupon, error } = answer;
    setState({ code: coupon?.code ?? '', discount: coupon?.discount ?? 0, wrong: coupon ? '' : error, busy: false });
    return coupon ? '' : error;
  };
  useEffect(() => void (typed && apply(typed)), [subtotal]);
  const clear = () => {
    setTyped('');
    void apply('');
  };
  const type = (text) => {
    setTyped(text);
    if (!text.trim()) ofTab.set('coupon', null);
    setState((old) => ({ ...old, wrong: '' }));
  };
  return { ...state, typed, setTyped: type, apply: () => apply(typed), clear };
}

/** @param {{ of: ReturnType<typeof useCoupon> }} props */
export function Coupon({ of }) {
  const takeOut = useRef(/** @type {HTMLButtonElement | null} */ (null));
  // The field and its button are gone then, and the focus with them.
  const apply = async () => {
    await of.apply();
    if (document.activeElement === document.body) takeOut.current?.focus();
  };
  // It stands inside the order's form, which Enter must not send from here.
  const enter = (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void apply();
  };
  if (of.code)
    return html`<p class="coupon notice good"><span>Cupom <strong>${of.code}</strong> aplicado.</span>
      <button type="button" class="link small" ref=${takeOut} onClick=${of.clear}>Remover cupom</button></p>`;
  return html`<div class="field"><label for="coupon">Cupom</label>
    <div class="joined"><input id="coupon" value=${of.typed} autocomplete="off" autocapitalize="characters" aria-invalid=${of.wrong ? 'true' : undefined} aria-describedby=${of.wrong ? 'coupon-wrong' : undefined} onKeyDown=${enter} onInput=${(event) => of.setTyped(event.currentTarget.value)} />
    <button type="button" class="button" disabled=${of.busy} onClick=${apply}>Aplicar</button></div>
    ${of.wrong && html`<span class="wrong" id="coupon-wrong" role="alert">${of.wrong}</span>`}
  </div>`;
}
