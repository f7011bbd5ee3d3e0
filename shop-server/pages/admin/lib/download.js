// Files of the shop: asked for as everything else is, so that a session that ended is renewed first, and a
// refusal is said where the browser would only note a download that failed.

import { request } from './api.js';
import { admit } from './login.js';
import { toastError } from './toast.js';

const KEPT = 60_000;

/** @param {string} href @param {string} name */
const save = (href, name) => Object.assign(document.createElement('a'), { href, download: name }).click();

/** @param {HTMLAnchorElement} link */
async function download({ href, dataset }) {
  // What may be large goes to the disk at once, not through the memory of this page.
  if ('large' in dataset) return admit().then(() => save(href, ''));
  const response = await request('GET', href);
  const name = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? '';
  const url = URL.createObjectURL(await response.blob());
  save(url, name);
  setTimeout(() => URL.revokeObjectURL(url), KEPT);
}

document.addEventListener('click', (event) => {
  const link = /** @type {Element} */ (event.target).closest?.('a[download][href^="/api/"]');
  if (!link || event.defaultPrevented) return;
  event.preventDefault();
  download(/** @type {HTMLAnchorElement} */ (link)).catch(toastError);
});
