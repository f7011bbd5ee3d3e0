// Addresses: which screen is shown, and what its address says about it.

import { confirmLeaving } from './dialog.js';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from './html.js';

/** @type {Set<() => void>} */
const listeners = new Set();
/** Forms with changes that are not saved.
 * @type {Set<symbol>} */
const unsaved = new Set();
let index = history.state?.index ?? 0;
/** Of the screen that is shown: by the time that a step back is told, the address is another one already. */
let shown = location.pathname;
let returning = false;

/** Where each entry of the history was scrolled to: put there again once its screen is as high as it was. */
history.scrollRestoration = 'manual';
let isBack = true;
const remember = () => sessionStorage.setItem(`at:${index}`, String(scrollY));
addEventListener('pagehide', remember);

/** To where the entry was that one came back to, once its screen is there. */
export function scrollBack() {
  if (!isBack) return;
  isBack = false;
  const [to, end] = [Number(sessionStorage.getItem(`at:${index}`)), Date.now() + 3000];
  const look = () => {
    if (document.documentElement.scrollHeight >= to + innerHeight || Date.now() > end) scrollTo(0, to);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

const notify = () => {
  for (const listener of [...listeners]) listener();
};

/** The screen's path; on a host that begins with `admin.` the back office is at the root. */
export function screenPath() {
  const path = location.pathname.replace(/\/+$/, '');
  return path === '/admin' || path.startsWith('/admin/') ? path : `/admin${path}`;
}

/** Goes to an address; asks first where changes would be lost.
 * @param {string} to
 * @param {{ replace?: boolean, saved?: boolean }} [how]
 */
export async function go(to, { replace = false, saved = false } = {}) {
  const url = new URL(to, location.href);
  const leaves = url.pathname !== location.pathname;
  if (leaves && !saved && unsaved.size && !(await confirmLeaving())) return;
  if (leaves) unsaved.clear();
  remember();
  isBack = false;
  if (!replace) index++;
  history[replace ? 'replaceState' : 'pushState']({ index }, '', url);
  shown = url.pathname;
  notify();
  if (leaves) scrollTo(0, 0);
}

addEventListener('popstate', async (event) => {
  const to = event.state?.index ?? 0;
  if (returning) {
    returning = false;
    return;
  }
  const leaves = location.pathname !== shown;
  if (leaves && unsaved.size && to !== index) {
    const steps = to - index;
    returning = true;
    history.go(-steps);
    if (!(await confirmLeaving())) return;
    unsaved.clear();
    history.go(steps);
    return;
  }
  remember();
  index = to;
  shown = location.pathname;
  isBack = true;
  dispatchEvent(new Event('leave'));
  notify();
  if (!leaves) scrollBack();
});

addEventListener('beforeunload', (event) => {
  if (unsaved.size) event.preventDefault();
});

document.addEventListener('click', (event) => {
  const link = /** @type {Element} */ (event.target).closest?.('a[href^="/admin"]');
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || event.defaultPrevented || link.hasAttribute('download') || link.getAttribute('target')) return;
  event.preventDefault();
  void go(/** @type {string} */ (link.getAttribute('href')));
});

/** The address as it changes. */
export function useLocation() {
  const [, render] = useState(0);
  useEffect(() => {
    const listener = () => render((count) => count + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { path: screenPath(), search: location.search };
}

/** The parameters of the address, and how to change some of them. Another filter begins at page 1.
 * @returns {[URLSearchParams, (changes: Record<string, string | null>, replace?: boolean) => void]}
 */
export function useQuery() {
  const { search } = useLocation();
  const change = useCallback((changes, replace = false) => {
    const query = new URLSearchParams(location.search);
    if (!('page' in changes)) query.delete('page');
    for (const [name, value] of Object.entries(changes)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    const text = query.toString();
    void go(location.pathname + (text ? `?${text}` : ''), { replace });
  }, []);
  return [new URLSearchParams(search), change];
}

/** Keeps the screen from being left unasked while a form has changes. */
export function useUnsaved(dirty) {
  const own = useRef(Symbol('form'));
  // At once: an effect that waits for the screen to be painted would miss a click that follows the last key.
  useLayoutEffect(() => {
    if (dirty) unsaved.add(own.current);
    else unsaved.delete(own.current);
    return () => void unsaved.delete(own.current);
  }, [dirty]);
}
