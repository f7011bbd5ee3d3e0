// What is around every screen: the shop's name, the search, the cart, and the foot with the newsletter.

import { post } from './lib/api.js';
import { cart, readCart, units } from './lib/cart.js';
import { useData } from './lib/data.js';
import { Field, FormFailure, Send, useForm } from './lib/form.js';
import { cep, digits, phone, taxNumber } from './lib/format.js';
import { html, useEffect, useRef, useState } from './lib/html.js';
import { LONGEST_SEARCH } from './lib/products.js';
import { go, useLocation } from './lib/router.js';
import { shop } from './shop.js';

const ICONS = {
  menu: 'M3 6h18M3 12h18M3 18h18',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.5-6 8-6s8 2 8 6',
  bag: 'M5 8h14l1 13H4zM9 8V6a3 3 0 0 1 6 0v2',
};
/** @param {{ of: keyof typeof ICONS }} props */
const Icon = ({ of }) =>
  html`<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d=${ICONS[of]} /></svg>`;

/** Leads to the search, which looks as one types. `/` leads here. */
function Search() {
  const { path, search } = useLocation();
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const words = path === '/busca' ? (new URLSearchParams(search).get('q') ?? '') : '';
  useEffect(() => {
    // The address follows what is typed, and not the other way round.
    if (input.current && document.activeElement !== input.current) input.current.value = words;
  }, [words]);
  useEffect(() => {
    const listen = (event) => {
      const typing = /** @type {HTMLElement} */ (event.target).matches?.('input, textarea, select');
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  const timer = useRef(0);
  const look = (event) => {
    clearTimeout(timer.current);
    event.preventDefault();
    const text = input.current?.value.trim() ?? '';
    const to = text ? `/busca?q=${encodeURIComponent(text)}` : '/busca';
    if (event.type === 'submit' || text || path === '/busca') go(to, { replace: path === '/busca' });
  };
  const soon = (event) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => look(event), 150);
  };
  return html`<form class="search" role="search" action="/busca" onSubmit=${look}>
    <${Icon} of="search" />
    <input ref=${input} type="search" name="q" aria-label="Buscar produtos" placeholder="Buscar velas, aromas, presentes…" autocomplete="off" maxlength=${LONGEST_SEARCH} onInput=${soon} />
  </form>`;
}

export function Top() {
  const { path } = useLocation();
  const bag = cart.use();
  const [open, setOpen] = useState(false);
  const { data: categories } = useData('/api/categories');
  useEffect(() => void readCart().catch(() => {}), []);
  useEffect(() => setOpen(false), [path]);
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const close = (event) => {
    if (event.key !== 'Escape' || !open) return;
    setOpen(false);
    button.current?.focus();
  };
  const count = units(bag);
  const shown = categories?.filter((one) => one.productCount > 0) ?? [];
  return html`<div class="top-line">
      <button ref=${button} type="button" class="icon menu-button" aria-label="Categorias" aria-expanded=${open ? 'true' : 'false'} aria-controls="menu" onKeyDown=${close} onClick=${() => setOpen(!open)}><${Icon} of="menu" /></button>
      <a class="brand" href="/">${shop.name}</a>
      <${Search} />
      <nav class="tools" aria-label="Você">
        <a class="icon" href="/conta" aria-label="Minha conta" aria-current=${path.startsWith('/conta') ? 'page' : undefined}><${Icon} of="account" /></a>
        <a class="icon" href="/carrinho" aria-label=${count ? `Sacola, ${count === 1 ? '1 item' : `${count} itens`}` : 'Sacola'} aria-current=${path === '/carrinho' ? 'page' : undefined}>
          <${Icon} of="bag" />${count > 0 && html`<span class="count" aria-hidden="true">${count}</span>`}
        </a>
      </nav>
    </div>
    <nav id="menu" class="menu ${open ? 'open' : ''}" aria-label="Categorias" onKeyDown=${close}>
      ${shown.map(({ slug, name }) => html`<a key=${slug} href="/categoria/${slug}" aria-current=${path === `/categoria/${slug}` ? 'page' : undefined}>${name}</a>`)}
    </nav>`;
}

function Newsletter() {
  const [done, setDone] = useState('');
  const said = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => said.current?.focus(), [done]);
  const form = useForm({ email: '' }, async ({ email }) => {
    const { message } = await post('/api/newsletter/subscribe', { email });
    setDone(message);
  });
  return html`<section aria-label="Newsletter" class="newsletter">
    <h2>Novidades com cheiro bom</h2>
    <p>Lançamentos e coleções de época, uma vez por mês. Sem lotar a sua caixa de entrada.</p>
    ${
      done
        ? html`<p ref=${said} class="notice good" role="status" tabindex="-1">${done}</p>`
        : html`<form novalidate onSubmit=${form.submit}>
          <${Field} form=${form} name="email" label="Seu e-mail" type="email" autocomplete="email" required />
          <${Send} form=${form} label="Quero receber" />
          <${FormFailure} form=${form} />
        </form>`
    }
  </section>`;
}

/** What the law wants on every screen: the term to withdraw, and who sells. @param {{ of: any }} props */
function Law({ of }) {
  const { seller, withdrawalDays } = of ?? {};
  const email = seller?.email ?? shop.email;
  const { street, number, complement, district, city, state, zipCode } = seller?.address ?? {};
  return html`<div class="foot-line law small">
    ${withdrawalDays && html`<p>Você tem ${withdrawalDays} dias corridos, a contar do recebimento, para desistir da compra, sem precisar dizer o motivo. Peça na página do pedido, em “Devoluções”.</p>`}
    <address>
      ${
        seller &&
        html`<p>${seller.name}, CNPJ ${taxNumber(seller.cnpj)}</p>
        <p>${[street, number, complement, district, `${city} - ${state}`, `CEP ${cep(zipCode)}`].filter(Boolean).join(', ')}</p>`
      }
      <p>${seller?.phone && html`<a href="tel:${digits(seller.phone)}">${phone(seller.phone)}</a> `}<a href="mailto:${email}">${email}</a></p>
    </address>
  </div>`;
}

export function Bottom() {
  const { data: settings } = useData('/api/settings');
  const hasContent = (/** @type {string[]} */ [to = '']) => {
    const page = shop.pages[to.replace('/p/', '')];
    return !page || !settings || settings[page.key];
  };
  return html`<${Newsletter} />
    <div class="foot-line">
      <div><p class="brand">${shop.name}</p><p class="small">${shop.about}</p></div>
      <nav aria-label="Ajuda">
        ${shop.links.filter(hasContent).map(([to, text]) => html`<a key=${to} href=${to}>${text}</a>`)}
        <a href="/conta">Minha conta</a>
      </nav>
    </div>
    <${Law} of=${settings} />`;
}
