// The storefront: what is around every screen, and the screen of the address.

import { Bottom, Top } from './frame.js';
import { html, render, useEffect, useRef, useState } from './lib/html.js';
import { takeToken } from './lib/order-token.js';
import { Failure, Missing, Skeleton } from './lib/parts.js';
import { path as pathNow, screensAre, useLocation } from './lib/router.js';
import { Toasts } from './lib/toast.js';
import { routeOf } from './routes.js';

takeToken();
screensAre((path) => Boolean(routeOf(path)));

/** The screen that was left stays until the next one can be shown. */
function Page() {
  const { path } = useLocation();
  const [screen, setScreen] = useState({ path: '', view: /** @type {any} */ (null) });
  const [attempt, setAttempt] = useState(0);
  const first = useRef(true);
  useEffect(() => {
    const route = routeOf(path);
    const id = route?.pattern.exec(path)?.[1];
    if (!route) return setScreen({ path, view: html`<${Missing} key=${path} />` });
    const retry = () => setAttempt((count) => count + 1);
    const error = new Error('Esta página não pôde ser carregada. Verifique a conexão.');
    route.load().then(
      ({ default: View }) =>
        path === pathNow() && setScreen({ path, view: html`<${View} key=${path} id=${id && decoded(id)} />` }),
      () => setScreen({ path, view: html`<div class="screen"><${Failure} error=${error} retry=${retry} /></div>` }),
    );
  }, [path, attempt]);
  useEffect(() => {
    if (!screen.path) return;
    const isFirst = first.current;
    first.current = false;
    return isFirst ? undefined : focusHeading();
  }, [screen.path]);
  return screen.view ?? html`<div class="screen"><${Skeleton} /></div>`;
}

/** An address may have anything in it. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Leads to the heading of a screen, which may have to be read first; not from the search, in which somebody
 * types. */
function focusHeading() {
  const focus = () => {
    if (document.activeElement?.matches('[type=search]')) return true;
    const heading = /** @type {HTMLElement | null} */ (document.querySelector('main h1'));
    heading?.focus({ preventScroll: true });
    return Boolean(heading);
  };
  if (focus()) return undefined;
  const watch = new MutationObserver(() => (document.activeElement !== document.body || focus()) && watch.disconnect());
  watch.observe(place('page'), { childList: true, subtree: true });
  return () => watch.disconnect();
}

const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
// What the server wrote there is for those who run no scripts.
place('page').replaceChildren();
render(html`<${Page} />`, place('page'));
render(html`<${Top} />`, place('top'));
render(html`<${Bottom} />`, place('foot'));
render(html`<${Toasts} />`, place('news'));
