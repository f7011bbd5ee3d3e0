// The way from the cart to an order, on one screen: who buys, where it goes, how it is sent and paid.

import { cart, readCart } from '../lib/cart.js';
import { useData } from '../lib/data.js';
import { FormFailure, Send, useForm } from '../lib/form.js';
import { phone, taxNumber } from '../lib/format.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { Empty, Failure, Screen, Skeleton } from '../lib/parts.js';
import { usePlace } from '../lib/place.js';
import { loginPath } from '../lib/router.js';
import { askAgain, useMe } from '../lib/session.js';
import { isUnknownCep, rememberedCep, UNKNOWN_CEP, useQuote } from '../lib/shipping.js';
import { ofTab } from '../lib/store.js';
import { AddressFields, savedAddress } from './address.js';
import { Buyer } from './buyer.js';
import { useCoupon } from './coupon.js';
import { place, resume, unfinished } from './place.js';
import { Payment, Shipping } from './shipping.js';
import { Summary, sumOf } from './summary.js';

export default function Checkout() {
  const profile = useMe();
  const bag = cart.use();
  const [error, setError] = useState(/** @type {any} */ (null));
  const [resuming, setResuming] = useState(false);
  const addresses = useData(profile ? '/api/user/addresses' : null);
  const look = () => {
    setError(null);
    readCart()
      .then((now) => {
        if (now.items.length || !unfinished()) return;
        setResuming(true);
        return resume();
      })
      .catch(setError)
      .finally(() => setResuming(false));
  };
  useEffect(look, []);
  // An account that is made while the order is placed takes nothing off the screen.
  const ready = useRef(false);
  const waits = !ready.current && (!bag || profile === undefined || (profile && !addresses.data && !addresses.error));
  if (!waits) ready.current = true;
  const customer = useRef(false);
  customer.current ||= Boolean(profile && !profile.guest);
  const ended = customer.current && profile === null;
  const isEmpty = bag && !bag.items.length;
  // A cart that is empty all at once may be the one of a session that ended.
  useEffect(() => void (isEmpty && customer.current && askAgain().catch(() => {})), [isEmpty]);
  return html`<${Screen} title="Finalizar a compra" trail=${[['/carrinho', 'Sacola']]}>
    ${error && html`<${Failure} error=${error} retry=${look} />`}
    ${resuming && html`<p class="notice" role="status">Confirmando o seu pedido…</p>`}
    ${!resuming && !error && waits && html`<${Skeleton} count=${8} />`}
    ${ended && html`<div class="notice bad" role="alert"><p>Sua sessão terminou. <a href=${loginPath()}>Entre de novo</a> para concluir a compra: a sacola e o que você preencheu continuam guardados.</p></div>`}
    ${!ended && !resuming && !waits && bag && (bag.items.length ? html`<${Filled} bag=${bag} profile=${profile ?? null} addresses=${addresses.data ?? []} />` : !error && html`<${Empty} title="Sua sacola está vazia"><a class="button primary" href="/">Conhecer os produtos</a><//>`)}
  <//>`;
}

/** What was typed before a reload, over what the account says; what was typed with another account is
 * somebody else's. */
function initial(profile, addresses) {
  const { account, ...before } = ofTab.get('checkout') ?? {};
  const usual = addresses.find((one) => one.isDefault) ?? addresses[0];
  const known = {
    name: profile?.name ?? '',
    email: profile?.email ?? '',
    phone: phone(profile?.phone),
    document: taxNumber(profile?.cnpj ?? profile?.cpf),
    companyName: profile?.companyName ?? '',
    addressId: usual?.id ?? '',
    zipCode: usual ? '' : rememberedCep(),
    street: '',
    number: '',
    complement: '',
    district: '',
    city: '',
    state: '',
    option: '',
    method: 'pix',
  };
  const isOwn = !account || account === profile?.id;
  const typed = Object.entries(before).filter(([name, value]) => isOwn && name in known && value);
  const values = { ...known, ...Object.fromEntries(typed) };
  const chosen = isOwn ? before.addressId : undefined;
  // An address that is typed is never given up for a saved one that was not chosen.
  if (!addresses.some((one) => one.id === chosen))
    values.addressId = usual && chosen !== '' && !values.street ? usual.id : '';
  return values;
}

/** Why there is no total yet that could be agreed to. @returns {any} */
function unquoted({ quote, error, busy }, agreed) {
  if (busy || (quote && !agreed)) return new Error('Aguarde o cálculo do frete e confira o total.');
  return quote ? null : error && !isUnknownCep(error) ? error : new Error(UNKNOWN_CEP);
}

/** @param {{ bag: Cart, profile: Profile | null, addresses: Address[] }} props */
function Filled({ bag, profile, addresses }) {
  const coupon = useCoupon(bag.subtotal);
  const form = useForm(initial(profile, addresses), async (values) => {
    if (!coupon.code && coupon.typed.trim() && !coupon.wrong)
      throw new Error((await coupon.apply()) || 'O cupom foi aplicado. Confira o total e faça o pedido.');
    try {
      const { agreed, total } = sumOf({ bag, quote, option: values.option, coupon });
      const options = quote?.options ?? [];
      const refusal = unquoted(quoted, agreed);
      const wish = { values, bag, coupon: coupon.code, options, addresses, shown: profile, refusal };
      await place({ ...wish, ...(agreed && { total }) });
    } catch (error) {
      // It may be the coupon that does not hold any more.
      const { status, code } = /** @type {any} */ (error);
      if (code === 'total_changed' || quoted.error) quoted.again();
      if (coupon.code && status >= 400 && status < 500) await coupon.apply();
      throw error;
    }
  });
  const { values } = form;
  useEffect(() => {
    // Where no address is saved, another one is no choice.
    const addressId = addresses.length ? values.addressId : undefined;
    ofTab.set('checkout', { ...values, addressId, account: profile?.id });
  }, [values, profile?.id]);
  const saved = savedAddress(addresses, values.addressId);
  const quoted = useQuote(saved?.zipCode ?? values.zipCode, bag.subtotal, bag.items);
  const { quote, error, busy } = quoted;
  usePlace(form, saved ? '' : values.zipCode);
  useEffect(() => {
    if (quote && !quote.options.some((one) => one.id === values.option))
      form.set({ option: quote.options[0]?.id ?? '' });
  }, [quote]);
  return html`<form class="split checkout" novalidate onSubmit=${form.submit}>
    <div class="stack">
      <${Buyer} form=${form} profile=${profile} />
      <${AddressFields} form=${form} addresses=${addresses} error=${error} />
      <${Shipping} form=${form} quote=${quote} error=${error} busy=${busy} />
      <${Payment} form=${form} />
    </div>
    <${Summary} bag=${bag} quote=${quote} option=${values.option} coupon=${coupon}>
      <${FormFailure} form=${form} />
      <${Send} form=${form} label="Fazer o pedido" busy="Fazendo o pedido…" class="large wide" />
      <p class="small muted">O pagamento é na próxima tela.</p>
    <//>
  </form>`;
}
