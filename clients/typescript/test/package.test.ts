import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { retried } from "../src/index.js";

const PROGRAM = `
import { createShop, ifMatch, once, verifyWebhook, type Schemas } from "shop-client";

const shop = createShop({ baseUrl: "http://127.0.0.1:1", token: "x" });
const order: () => Promise<{ data?: Schemas["Order"] }> = () =>
  shop.POST("/api/orders", { params: { header: once("key") }, body: { addressId: "a" } });
if (ifMatch({ etag: "e" })["If-Match"] !== "e" || typeof order !== "function") throw new Error();
await verifyWebhook("s", {}, "").then(() => process.exit(1), () => console.log("works"));
`;

/** The package as `npm pack` makes it, in a program of its own with what it depends on. */
test("the package that npm packs is imported and compiled by a strict program", () => {
  const folder = mkdtempSync(join(tmpdir(), "shop-client-"));
  try {
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder]);
    const packed = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
    assert.equal(packed.length, 1);
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, "shop-client"), { recursive: true });
    const from = join(folder, packed[0] ?? "");
    const into = ["-C", join(modules, "shop-client"), "--strip-components=1"];
    execFileSync("tar", ["-xzf", from, ...into]);
    const names = readdirSync(join(modules, "shop-client")).sort();
    const expected = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "lib", "package.json"];
    assert.deepEqual(names, expected);
    for (const name of ["openapi-fetch", "openapi-typescript-helpers", "@types"]) {
      symlinkSync(join(process.cwd(), "node_modules", name), join(modules, name));
    }
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    const strict = ["--strict", "--module", "NodeNext", "--target", "ES2022", "--types", "node"];
    const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, ...strict, "program.ts"], { cwd: folder });
    const said = execFileSync(process.execPath, ["program.js"], { cwd: folder });
    assert.equal(said.toString(), "works\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a call that is told to come back later comes back, and no more often than it may", async () => {
  let calls = 0;
  const busy = (times: number) => async () => {
    calls += 1;
    return { response: new Response("", { status: calls <= times ? 503 : 200 }) };
  };
  assert.equal((await retried(busy(2), { pause: 1 })).response.status, 200);
  assert.equal(calls, 3);
  calls = 0;
  assert.equal((await retried(busy(9), { pause: 1, tries: 2 })).response.status, 503);
  assert.equal(calls, 2);
  calls = 0;
  const broken = async (): Promise<{ response: Response }> => {
    calls += 1;
    throw new TypeError("fetch failed");
  };
  await assert.rejects(retried(broken, { pause: 1, tries: 3 }), TypeError);
  assert.equal(calls, 3);
});

test("what another try cannot mend is thrown at once", async () => {
  let calls = 0;
  const thrown = [
    new TypeError("ifMatch: what was read has no ETag"),
    new DOMException("This operation was aborted", "AbortError"),
  ];
  for (const error of thrown) {
    calls = 0;
    const own = async (): Promise<{ response: Response }> => {
      calls += 1;
      throw error;
    };
    await assert.rejects(retried(own, { pause: 1, tries: 3 }), error);
    assert.equal(calls, 1, `${error.name} is thrown at once`);
  }
  const refused = async (): Promise<{ response: Response }> => {
    calls += 1;
    return { response: await fetch("http://127.0.0.1:1") };
  };
  calls = 0;
  await assert.rejects(retried(refused, { pause: 1, tries: 3 }), TypeError);
  assert.equal(calls, 3, "what fetch itself says of a connection that fails");
});
