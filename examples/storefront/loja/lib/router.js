// Addresses: which screen is shown, what its address says about it, and where on it one was.

import { useEffect, useState } from './html.js';
import { ofTab } from './store.js';

/** @type {Set<() => void>} */
const listeners = new Set();
/** @type {(path: string) => boolean} */
let isScreen = () => false;

/** What the links of the page lead to without the page being read anew. @param {(path: string) => boolean} test */
export function screensAre(test) {
  isScreen = test;
}

const notify = () => {
  for (const listener of [...listeners]) listener();
};

export const path = () => location.pathname.replace(/(.)\/+$/, '$1');

/** Where each entry of the history was scrolled to: put there again once the screen is as high as it was. */
history.scrollRestoration = 'manual';
let entry = history.state?.entry ?? `${Date.now()}`;
history.replaceState({ ...history.state, entry }, '');
const remember = () => ofTab.set(`at:${entry}`, scrollY);

/** To where the entry was, or to what its address names, as soon as that is there. */
function scrollBack() {
  const known = ofTab.get(`at:${entry}`);
  const [to, end] = [known ?? 0, Date.now() + 1000];
  const look = () => {
    const named = known === null && location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (named) named.scrollIntoView();
    else if (known === null && location.hash && Date.now() < end) requestAnimationFrame(look);
    else if (document.documentElement.scrollHeight >= to + innerHeight || Date.now() > end) scrollTo(0, to);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Goes to an address.
 * @param {string} to
 * @param {{ replace?: boolean }} [how]
 */
export function go(to, { replace = false } = {}) {
  const url = new URL(to, location.href);
  if (!isScreen(url.pathname)) return location.assign(url);
  const leaves = url.pathname !== location.pathname;
  remember();
  if (!replace) entry = `${Date.now()}`;
  history[replace ? 'replaceState' : 'pushState']({ entry }, '', url);
  notify();
  if (leaves) scrollTo({ top: 0, behavior: 'instant' });
}

addEventListener('popstate', (event) => {
  remember();
  entry = event.state?.entry ?? `${Date.now()}`;
  // A fragment of the same screen comes without a state.
  if (!event.state) history.replaceState({ entry }, '');
  notify();
  scrollBack();
});
addEventListener('pagehide', remember);
addEventListener('load', scrollBack);

document.addEventListener('click', (event) => {
  const link = /** @type {HTMLAnchorElement | null} */ (
    /** @type {Element} */ (event.target).closest?.('a[href^="/"]')
  );
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || event.defaultPrevented || link.hasAttribute('download') || link.target) return;
  if (!isScreen(link.pathname)) return;
  event.preventDefault();
  go(link.href);
});

/** The address as it changes. */
export function useLocation() {
  const [, render] = useState(0);
  useEffect(() => {
    const listener = () => render((count) => count + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { path: path(), search: location.search };
}

/** The parameters of the address, and how to change some of them. Another filter begins at page 1.
 * @returns {[URLSearchParams, (changes: Record<string, string | null>, replace?: boolean) => void]}
 */
export function useQuery() {
  const { search } = useLocation();
  const change = (changes, replace = false) => {
    const query = new URLSearchParams(location.search);
    if (!('page' in changes)) query.delete('page');
    for (const [name, value] of Object.entries(changes)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    const text = query.toString();
    go(location.pathname + (text ? `?${text}` : ''), { replace });
  };
  return [new URLSearchParams(search), change];
}

/** The page to log in, which leads back here. */
export const loginPath = (next = location.pathname + location.search) => `/login?next=${encodeURIComponent(next)}`;
