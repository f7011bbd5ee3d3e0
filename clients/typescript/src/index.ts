import createClient, { type Client } from "openapi-fetch";

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

/** A refusal. Programs go by `code` (docs/errors.md), people read `message`. */
export class ShopError extends Error {
  override readonly name = "ShopError";
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly details: Schemas["Error"]["details"];

  constructor(status: number, error: Schemas["Error"]) {
    super(error.error);
    this.status = status;
    this.code = error.code;
    this.requestId = error.requestId;
    this.details = error.details;
  }
}

export function createShop({ baseUrl, token }: Options): Shop {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return createClient<paths>({ baseUrl, headers });
}

/** The body of an answer that went well; anything else is thrown as a {@link ShopError}. */
export async function data<T>(
  call: Promise<{ data?: T; error?: Schemas["Error"]; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (error !== undefined) throw new ShopError(response.status, error);
  return data as T;
}

/** A body with the state that it shows, for a later {@link ifMatch}. */
export interface Versioned<T> {
  data: T;
  etag: string;
}

/** As {@link data}, with the state that a later change goes by. */
export async function versioned<T>(
  call: Promise<{ data?: T; error?: Schemas["Error"]; response: Response }>,
): Promise<Versioned<T>> {
  const { response } = await call;
  const body = await data(call);
  return { data: body, etag: response.headers.get("etag") ?? "*" };
}

/**
 * The header of a change that is refused with 412 (`CHANGED_MEANWHILE`) where somebody else changed
 * the resource since it was read: `params: { path, header: ifMatch(product) }`.
 */
export function ifMatch({ etag }: { etag: string }): { "If-Match": string } {
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

/**
 * Calls again what could not be reached, or was told to come back later (429, 503), as long as
 * `Retry-After` says. Only for calls that may be repeated: reads, and those with {@link once}.
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
      if (tried >= tries) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
