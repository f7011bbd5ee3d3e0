// The token of a link in a mail, which shows and pays one order without a log-in. It leaves the address at
// once, so that it stays neither in the history nor in what is copied from there, and is kept for this tab.

import { ofTab } from './store.js';

const PAGE = /^\/pedido\/([^/]+)\/?$/;

/** Takes the token out of the address. */
export function takeToken() {
  const number = PAGE.exec(location.pathname)?.[1];
  const query = new URLSearchParams(location.search);
  const token = query.get('t');
  if (!number || !token) return;
  ofTab.set(`t:${number}`, token);
  query.delete('t');
  const rest = query.toString();
  history.replaceState(history.state, '', location.pathname + (rest ? `?${rest}` : '') + location.hash);
}

/** @param {string} number @returns {string | undefined} */
export const tokenOf = (number) => ofTab.get(`t:${number}`) ?? undefined;

/** @param {string} number */
export const forgetToken = (number) => ofTab.set(`t:${number}`, null);
