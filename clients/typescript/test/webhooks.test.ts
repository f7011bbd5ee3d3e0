import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { verifyWebhook, WebhookError } from "../src/index.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

function sign(key: Buffer | string, id: string, time: number, body: string): string {
  return `v1,${createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64")}`;
}

const KEY = Buffer.from(SECRET.slice("whsec_".length), "base64");
const BODY = JSON.stringify({ id: "41", event: "order.paid", version: 1, data: { total: 9.9 } });
const TIME = 1_760_000_000;
const NOW = { now: TIME * 1000 };

function headers(signature: string, time = TIME): Record<string, string> {
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(time),
    "webhook-signature": signature,
  };
}

test("the published vector of Standard Webhooks holds", async () => {
  const published = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const body = '{"test": 2432232314}';
  const read = await verifyWebhook(SECRET, published, body, { now: 1_614_265_330_000 });
  assert.deepEqual(read, { test: 2432232314 });
});

test("a delivery is read from headers and bodies of either kind", async () => {
  const signed = headers(sign(KEY, "msg_1", TIME, BODY));
  for (const of of [signed, new Headers(signed)]) {
    for (const body of [BODY, new TextEncoder().encode(BODY)]) {
      assert.equal((await verifyWebhook(SECRET, of, body, NOW)).event, "order.paid");
    }
  }
});

test("while a secret is being changed either signature is enough, and a secret may be any text", async () => {
  const both = `${sign("other", "msg_1", TIME, BODY)} ${sign(KEY, "msg_1", TIME, BODY)} v2,x`;
  await verifyWebhook(SECRET, headers(both), BODY, NOW);
  await verifyWebhook("other", headers(both), BODY, NOW);
});

test("what is forged, changed, old, or not signed is refused", async () => {
  const good = sign(KEY, "msg_1", TIME, BODY);
  const refused: [Record<string, string>, string][] = [
    [headers(good), `${BODY} `],
    [headers(sign("wrong", "msg_1", TIME, BODY)), BODY],
    [headers(sign(KEY, "msg_2", TIME, BODY)), BODY],
    [headers(good.replace("v1", "v2")), BODY],
    [headers("v1,%%%"), BODY],
    [headers(sign(KEY, "msg_1", TIME - 301, BODY), TIME - 301), BODY],
    [headers(sign(KEY, "msg_1", TIME + 301, BODY), TIME + 301), BODY],
    [{ ...headers(good), "webhook-timestamp": "soon" }, BODY],
    [{ "webhook-id": "msg_1" }, BODY],
  ];
  for (const [of, body] of refused) {
    await assert.rejects(verifyWebhook(SECRET, of, body, NOW), WebhookError);
  }
});
