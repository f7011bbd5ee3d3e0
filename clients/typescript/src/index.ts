import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./schema.js";

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
