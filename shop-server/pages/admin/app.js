// The back office: the navigation, and the screen of the address.

import { get } from './lib/api.js';
import { onConnection } from './lib/connection.js';
import { html, render, useEffect, useRef, useState } from './lib/html.js';
import { admit, leave, logInAgain, logInAsStaff } from './lib/login.js';
import { Empty, Failure, Page, Skeleton } from './lib/parts.js';
import { go, scrollBack, useLocation } from './lib/router.js';
import { onRefusal } from './lib/session.js';
import { Toasts, toastError } from './lib/toast.js';
import { navigation, routes } from './routes.js';

onRefusal('unauthenticated', () => logInAgain());
onRefusal('forbidden', logInAsStaff);
onRefusal('two_factor_required_by_shop', async () => (await import('./account/two-factor.js')).enrol(true));

/** The screens that were read already. */
const opened = new Set();

function Screen({ path }) {
  const [screen, setScreen] = useState({ path: '', view: /** @type {any} */ (null), error: /** @type {any} */ (null) });
  const [attempt, setAttempt] = useState(0);
  const first = useRef(true);
  useEffect(() => {
    const route = routes.find(({ pattern }) => pattern.test(path));
    const id = route?.pattern.exec(path)?.[1];
    if (!route) return setScreen({ path, view: html`<${Missing} />`, error: null });
    let current = true;
    // A screen's file is behind the gate, too: a session that has ended is renewed before it is asked for.
    const admitted = first.current || opened.has(route) ? Promise.resolve() : admit();
    admitted.then(route.load).then(
      ({ default: View }) => {
        opened.add(route);
        if (current)
          setScreen({ path, view: html`<${View} key=${path} id=${id && decodeURIComponent(id)} />`, error: null });
      },
      () =>
        current &&
        setScreen({ path, view: null, error: new Error('Esta tela não pôde ser carregada. Verifique a conexão.') }),
    );
    return () => {
      current = false;
    };
  }, [path, attempt]);
  useEffect(() => {
    const heading = /** @type {HTMLElement | null} */ (document.querySelector('main h1'));
    if (!first.current) heading?.focus({ preventScroll: true });
    first.current = false;
    scrollBack();
  }, [screen.path]);
  if (screen.error) return html`<${Failure} error=${screen.error} retry=${() => setAttempt(attempt + 1)} />`;
  return screen.view ?? html`<${Skeleton} />`;
}

const Missing = () => html`<${Page} title="Página não encontrada">
  <${Empty} title="Não há nada neste endereço"><a class="button" href="/admin">Ir para o início</a><//>
<//>`;

function Navigation({ path, open, me, onClose }) {
  const current = (to) => path === to || (to !== '/admin' && path.startsWith(`${to}/`));
  return html`<aside aria-label="Menu" class="side ${open ? 'open' : ''}" id="side">
    <div class="brand">Painel
      ${open && html`<button type="button" class="button plain icon" aria-label="Fechar menu" onClick=${onClose}>✕</button>`}
    </div>
    <nav aria-label="Principal">
      ${navigation.map(
        ([title, links]) => html`
        ${title && html`<h2>${title}</h2>`}
        ${links.map(([to, text]) => html`<a key=${to} href=${to} aria-current=${current(to) ? 'page' : undefined} onClick=${onClose}>${text}</a>`)}`,
      )}
    </nav>
    <div class="me">
      <p class="small muted">${me?.name ?? '\u00a0'}</p>
      <nav aria-label="Conta"><a href="/admin/account" aria-current=${current('/admin/account') ? 'page' : undefined} onClick=${onClose}>Minha conta</a></nav>
      <button type="button" class="button plain" onClick=${leave}>Sair</button>
    </div>
  </aside>`;
}

/** `/` leads to the screen's search, or to that of the orders. */
function useSearchKey() {
  useEffect(() => {
    const listen = async (event) => {
      const typing = /** @type {HTMLElement} */ (event.target).matches?.('input, textarea, select, [contenteditable]');
      if (
        event.key !== '/' ||
        typing ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        document.querySelector('dialog[open]')
      )
        return;
      event.preventDefault();
      const search = () => /** @type {HTMLInputElement | null} */ (document.querySelector('main input[type="search"]'));
      if (search()) return search()?.focus();
      await go('/admin/orders');
      const look = setInterval(() => {
        if (!search()) return;
        search()?.focus();
        clearInterval(look);
      }, 30);
      setTimeout(() => clearInterval(look), 3000);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** A link to a file shows nothing of a refusal: a session that has ended is renewed before the file is asked
 * for. It is no answer to be read here, for a month's invoices would fill the page's memory. */
function useDownloads() {
  useEffect(() => {
    const listen = (event) => {
      const link = event.target.closest?.('a[download][href^="/api/"]');
      if (!link) return;
      event.preventDefault();
      const save = () => Object.assign(document.createElement('a'), { href: link.href, download: '' }).click();
      admit().then(save, toastError);
    };
    document.addEventListener('click', listen);
    return () => document.removeEventListener('click', listen);
  }, []);
}

const skip = (event) => {
  event.preventDefault();
  document.getElementById('main')?.focus();
};

function App() {
  const { path } = useLocation();
  const [open, setOpen] = useState(false);
  const [isAway, setAway] = useState(false);
  const [me, setMe] = useState(/** @type {any} */ (null));
  useEffect(() => onConnection(setAway), []);
  useEffect(
    () =>
      void get('/api/auth/me').then(
        ({ data }) => setMe(data),
        () => {},
      ),
    [],
  );
  useEffect(() => {
    const close = (event) => {
      if (event.key !== 'Escape' || !document.querySelector('.side.open')) return;
      setOpen(false);
      /** @type {HTMLElement | null} */ (document.querySelector('[aria-controls=side]'))?.focus();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, []);
  useSearchKey();
  useDownloads();
  return html`
    <a class="skip button" href="#main" onClick=${skip}>Ir para o conteúdo</a>
    <div class="shell">
      <header class="top">
        <button type="button" class="button plain icon" aria-label="Menu" aria-expanded=${open ? 'true' : 'false'} aria-controls="side" onClick=${() => setOpen(true)}>☰</button>
        <span class="brand">Painel</span>
      </header>
      <${Navigation} path=${path} open=${open} me=${me} onClose=${() => setOpen(false)} />
      <main class="main" id="main" tabindex="-1">
        ${isAway && html`<p class="banner" role="status">A loja não está respondendo. Tentando de novo…</p>`}
        <${Screen} path=${path} />
      </main>
    </div>
    <${Toasts} />`;
}

render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById('app')));
