// What an answer is to `data` and `versioned` when the shop did not write it, or left something out.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ShopError, createShop, data, ifMatch, versioned } from "../src/index.js";

/** A shop that gives this answer, whatever it is asked. */
function answering(body: string | null, init: ResponseInit) {
  const shop = createShop({ baseUrl: "http://shop.example" });
  const fetch = async () => new Response(body, init);
  return shop.GET("/api/auth/me", { fetch });
}

async function thrown(call: Promise<unknown>): Promise<ShopError> {
  const error = await call.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof ShopError, String(error));
  return error;
}

test("a refusal without a body is thrown, and says its status", async () => {
  for (const status of [400, 401, 404, 431, 500, 502]) {
    const headers = { "content-length": "0" };
    for (const read of [data, versioned] as const) {
      const error = await thrown(read(answering("", { status, headers })));
      assert.deepEqual([error.status, error.code, error.message], [status, `http_${status}`, `HTTP ${status}`]);
    }
  }
});

test("the page of a proxy is thrown with what it says: its status", async () => {
  const headers = { "content-type": "text/html", "x-request-id": "r1" };
  const page = { status: 502, statusText: "Bad Gateway", headers };
  const error = await thrown(data(answering("<html>Bad Gateway</html>", page)));
  assert.deepEqual([error.code, error.message], ["http_502", "HTTP 502 Bad Gateway"]);
  assert.deepEqual([error.requestId, error.details], ["r1", undefined]);
  for (const body of ["null", "[]", "{}", '{"code":1,"error":"x"}', '"x"']) {
    assert.equal((await thrown(data(answering(body, { status: 504 })))).code, "http_504", body);
  }
});

test("an answer without a tag makes no If-Match", async () => {
  const untagged = await versioned(answering("{}", { status: 200 }));
  assert.equal(untagged.etag, undefined);
  assert.throws(() => ifMatch(untagged), TypeError);
  const tagged = await versioned(answering("{}", { status: 200, headers: { etag: '"7"' } }));
  assert.deepEqual(ifMatch(tagged), { "If-Match": '"7"' });
});
