import createClient, { type Client, defaultBodySerializer } from "openapi-fetch";

import type { components, paths } from "./schema.js";

export {
  verifyWebhook,
  WebhookError,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
} from "./webhooks.js";

/** Everything that goes over the wire, by its name in the document. */
export type Schemas = components["schemas"];

/** The shop: `GET`, `POST`, .. by the paths of the document, typed by it. */
export type Shop = Client<paths, `${string}/${string}`>;

export interface Options {
  /** Where the shop is, such as `https://loja.example`. */
  baseUrl: string;
  /** A session's token, or a program's key. Browsers on the shop's own pages need none: they have a cookie. */
  token?: string;
}

/**
 * A refusal. Programs go by `code` (docs/errors.md), people read `message`. What the shop did not
 * write itself (the page of a proxy, an empty body) has the code `http_` with the status, such as
 * `http_502`.
 */
export class ShopError extends Error {
  override readonly name = "ShopError";
  readonly status: number;
  readonly code: string;
  /** Undefined where what refused is not the shop. */
  readonly requestId: string | undefined;
  readonly details: Schemas["Error"]["details"];

  constructor(status: number, error: Refusal) {
    super(error.error);
    this.status = status;
    this.code = error.code;
    this.requestId = error.requestId;
    this.details = error.details;
  }
}

type Refusal = Omit<Schemas["Error"], "requestId"> & { requestId?: string | undefined };

function isRefusal(body: unknown): body is Schemas["Error"] {
  const { code, error } = (body ?? {}) as Partial<Schemas["Error"]>;
  return typeof code === "string" && typeof error === "string";
}

function refusal({ status, statusText, headers }: Response, body: unknown): ShopError {
  if (isRefusal(body)) return new ShopError(status, body);
  const requestId = headers.get("x-request-id") ?? undefined;
  const error = `HTTP ${status} ${statusText}`.trimEnd();
  return new ShopError(status, { code: `http_${status}`, error, requestId });
}

export function createShop({ baseUrl, token }: Options): Shop {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return createClient<paths>({ baseUrl, headers, bodySerializer });
}

// Its types leave the headers out, by which it makes JSON or a form without files.
const withoutFiles = defaultBodySerializer as (body: unknown, headers?: Headers) => unknown;

/** A body with a file goes as a form. */
function bodySerializer(body: unknown, headers?: Headers): unknown {
  const fields = Object.entries(body ?? {});
  if (!fields.some(([, value]) => value instanceof Blob)) return withoutFiles(body, headers);
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value instanceof Blob ? value : String(value));
  return form;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer that went well; anything else is thrown as a {@link ShopError}. */
export async function data<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  // By the status: a refusal without a body has no `error`.
  if (!response.ok) throw refusal(response, error);
  return data as T;
}

/** A body with the state that it shows, for a later {@link ifMatch}. */
export interface Versioned<T> {
  data: T;
  /** Undefined where the answer has none, as those of resources without `If-Match`. */
  etag: string | undefined;
}

/** As {@link data}, with the state that a later change goes by. */
export async function versioned<T>(call: Promise<Answer<T>>): Promise<Versioned<T>> {
  const body = await data(call);
  const { response } = await call;
  return { data: body, etag: response.headers.get("etag") ?? undefined };
}

/**
 * The header of a change that is refused with 412 (`CHANGED_MEANWHILE`) where somebody else changed
 * the resource since it was read: `params: { path, header: ifMatch(product) }`. Throws where there is
 * no state to go by, since a change without one would write over whatever is there.
 */
export function ifMatch({ etag }: { etag: string | undefined }): { "If-Match": string } {
  if (!etag) throw new TypeError("ifMatch: what was read has no ETag");
  return { "If-Match": etag };
}

/**
 * The header by which a repeat gets the first answer instead of a second order. One key is for one
 * thing that shall happen once: keep it over all tries.
 */
export function once(key: string = crypto.randomUUID()): { "Idempotency-Key": string } {
  return { "Idempotency-Key": key };
}

export interface RetryOptions {
  /** Tries in all: 5 where it is left out. */
  tries?: number;
  /** The first pause in milliseconds, which doubles each time: 250 where it is left out. */
  pause?: number;
}

// What `fetch` says of a connection that fails, while it asks or while the body comes: it is a
// `TypeError` everywhere, and only its text tells it from one of the caller's own.
const UNREACHED = new Set([
  "fetch failed", // Node
  "terminated", // Node, while the body comes
  "Failed to fetch", // Chromium
  "network error", // Chromium, while the body comes
  "NetworkError when attempting to fetch resource.", // Firefox
  "Error in input stream", // Firefox, while the body comes
  "Load failed", // Safari
  "The network connection was lost.", // Safari
  "The Internet connection appears to be offline.", // Safari
]);

/** Whether another try may reach what this one did not; a time limit may be a new one each time. */
function isUnreached(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "TimeoutError" || (error instanceof TypeError && UNREACHED.has(error.message));
}

/**
 * Calls again what could not be reached, or was told to come back later (429, 503), as long as
 * `Retry-After` says. What the caller calls off (`AbortError`) and the caller's own errors are
 * thrown at once. Only for calls that may be repeated: reads, and those with {@link once}.
 */
export async function retried<A extends { response: Response }>(
  call: () => Promise<A>,
  { tries = 5, pause = 250 }: RetryOptions = {},
): Promise<A> {
  for (let tried = 1; ; tried += 1) {
    let wait = pause * 2 ** (tried - 1);
    try {
      const answer = await call();
      const { status, headers } = answer.response;
      if ((status !== 429 && status !== 503) || tried >= tries) return answer;
      wait = Math.max(wait, 1000 * Number(headers.get("retry-after") ?? 0) || 0);
    } catch (error) {
      if (tried >= tries || !isUnreached(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
