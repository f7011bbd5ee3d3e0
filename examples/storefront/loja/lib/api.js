// How the pages speak to the shop: the public API, with the browser's session and nothing else.

/** What the server refused, in its words, or that it did not answer at all. */
export class ApiError extends Error {
  /**
   * @param {number} status 0 where no answer came
   * @param {Refusal} body
   */
  constructor(status, body) {
    super(body.error ?? `A loja respondeu com o erro ${status}.`);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.requestId = body.requestId;
    /** @type {Record<string, string[]>} */
    this.fieldErrors =
      body.details?.fieldErrors ?? (this.code === 'wrong_password' ? { currentPassword: [this.message] } : {});
    this.formErrors = body.details?.formErrors ?? [];
  }
}

const AWAY = { code: 'away', error: 'A loja não respondeu. Verifique a conexão e tente de novo em instantes.' };

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
 * Sends a request. Nothing is ever repeated.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Conditions} [conditions]
 * @returns {Promise<Response>} an answer that is no refusal
 */
export async function request(method, path, body, { key, token } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (key) headers['idempotency-key'] = key;
  if (token) headers['x-order-token'] = token;
  const content = body === undefined ? null : JSON.stringify(body);
  const response = await fetch(path, { method, headers, body: content }).catch(() => null);
  if (!response) throw new ApiError(0, AWAY);
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})));
  return response;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Conditions} [conditions]
 * @returns {Promise<any>} what the answer says
 */
export async function send(method, path, body, conditions) {
  const response = await request(method, path, body, conditions);
  return response.json().catch(() => ({}));
}

/** @param {string} path @param {Conditions} [conditions] */
export const get = (path, conditions) => send('GET', path, undefined, conditions);
/** @param {string} path @param {unknown} [body] @param {Conditions} [conditions] */
export const post = (path, body, conditions) => send('POST', path, body, conditions);
/** @param {string} path @param {unknown} body */
export const patch = (path, body) => send('PATCH', path, body);
/** @param {string} path @param {unknown} [body] */
export const remove = (path, body) => send('DELETE', path, body);

/** A name for one wish, so that sending it twice does it once. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** A file of the shop, saved by the browser. @param {string} path @param {string} name @param {Conditions} [conditions] */
export async function download(path, name, conditions) {
  const response = await request('GET', path, undefined, conditions);
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
