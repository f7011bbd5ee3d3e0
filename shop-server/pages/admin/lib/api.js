// How the pages speak to the server: the public API, with the browser's session and nothing else.

import { away } from './connection.js';
import { remedy } from './session.js';

/** The fields that are wrong where the server says so by its code alone.
 * @type {Record<string, string>} */
const FIELD_OF = {
  coupon_code_taken: 'code',
  email_taken: 'email',
  invalid_two_factor_code: 'code',
  sku_taken: 'sku',
  slug_taken: 'slug',
  wrong_password: 'currentPassword',
};

/** What the server refused, in its words, or that it did not answer at all. */
export class ApiError extends Error {
  /**
   * @param {number} status 0 where no answer came
   * @param {Refusal} body
   */
  constructor(status, body) {
    super(body.error ?? `O servidor respondeu com o erro ${status}.`);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.requestId = body.requestId;
    const field = FIELD_OF[this.code];
    /** @type {Record<string, string[]>} */
    this.fieldErrors = body.details?.fieldErrors ?? (field ? { [field]: [this.message] } : {});
    this.formErrors = body.details?.formErrors ?? [];
  }
}

const AWAY = {
  code: 'away',
  error: 'A loja não respondeu. O que você digitou continua aqui: tente de novo em instantes.',
};

/**
 * An address with those parameters that say something.
 * @param {string} path
 * @param {Query} [query]
 */
export function address(path, query = {}) {
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

/**
 * Sends a request. Without a session of staff, or without the second factor that the shop demands, it has that put
 * right and then sends it again, which is safe for changes too: what was refused was not done. Nothing else
 * is ever repeated.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body] JSON, or a form with a file
 * @param {{ etag?: string | undefined, key?: string | undefined }} [conditions]
 * @returns {Promise<Answer>}
 */
export async function send(method, path, body, { etag, key } = {}) {
  const isForm = body instanceof FormData;
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' };
  if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
  if (etag) headers['if-match'] = etag;
  if (key) headers['idempotency-key'] = key;
  const content = body === undefined ? null : isForm ? body : JSON.stringify(body);
  const response = await fetch(path, { method, headers, body: content }).catch(() => null);
  if (!response) {
    away();
    throw new ApiError(0, AWAY);
  }
  const data = await response.json().catch(() => ({}));
  if (!response.ok && (await remedy(data.code))) return send(method, path, body, { etag, key });
  if (!response.ok) throw new ApiError(response.status, data);
  const total = response.headers.get('x-total-count');
  return { data, etag: response.headers.get('etag') ?? undefined, total: total ? Number(total) : undefined };
}

/**
 * @param {string} path
 * @param {Query} [query]
 */
export const get = (path, query) => send('GET', address(path, query));

/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [key] names this one wish, so that sending it twice does it once
 */
export const post = (path, body, key) => send('POST', path, body, { key });

/**
 * @param {string} path
 * @param {unknown} body
 * @param {string} [etag] the state that was seen; another one on the server is a 412
 */
export const patch = (path, body, etag) => send('PATCH', path, body, { etag });

export const remove = (path) => send('DELETE', path);

/** A name for one wish. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const REST = 500;

/** An act that is not begun while it runs, nor in the moment after, when something else may have come to
 * stand below the pointer.
 * @template {any[]} On
 * @param {(...on: On) => Promise<unknown>} act
 * @returns {(...on: On) => Promise<void>}
 */
export function once(act) {
  let busy = false;
  return async (...on) => {
    if (busy) return;
    busy = true;
    await act(...on).finally(() => setTimeout(() => (busy = false), REST));
  };
}
