/** A webhook that was verified, as the shop sent it (docs/events.md). */
export interface WebhookEvent {
  /** The event's id in the log. */
  id: string;
  /** What happened, such as `order.paid`. */
  event: string;
  /** Of the shape of `data`. */
  version: number;
  /** When it happened, ISO 8601. */
  timestamp: string;
  /** What there is to say, as it was at that instant. */
  data: unknown;
}

/** The headers of a request: those of `fetch`, or those of Node's `http`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How old a delivery may be, and how far ahead its clock, in seconds: 300 where it is left out. */
  tolerance?: number;
  /** Now, in milliseconds since 1970. */
  now?: number;
}

/** A delivery that must not be believed. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/**
 * Reads a delivery if the shop signed it, by Standard Webhooks: its signature covers the id, the time
 * and the very bytes of the body. An event may come twice; its `webhook-id` is the same.
 *
 * @param body the body as it came, before anything parsed it
 * @throws {@link WebhookError} for one that is not signed, forged, or too old
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, time, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => header(headers, name),
  ) as [string, string, string];
  const seconds = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  if (!(Math.abs(now / 1000 - seconds) <= tolerance)) {
    throw new WebhookError("the delivery is too old, or its time is ahead");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${time}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const key = await crypto.subtle.importKey(
    "raw",
    keyOf(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  for (const entry of signatures.split(" ")) {
    const [version, text] = entry.split(",", 2);
    const signature = version === "v1" ? base64(text ?? "") : undefined;
    // `verify` takes the same time whatever is wrong.
    if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    }
  }
  throw new WebhookError("no signature of the delivery is the shop's");
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== "string" || value === "") throw new WebhookError(`${name} is missing`);
  return value;
}

/** The key of `whsec_<base64>` is what the base64 stands for, of any other secret its text. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = secret.startsWith("whsec_") ? base64(secret.slice("whsec_".length)) : undefined;
  return encoded ?? new TextEncoder().encode(secret);
}

function base64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
