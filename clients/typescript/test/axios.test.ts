// The API as axios uses it, which knows nothing of this package: numbers that JavaScript added up,
// fields of forms that are empty, files, a request that is given up.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import axios, { type AxiosInstance } from "axios";

import { type Server, start } from "./server.js";

let server: Server;
let staff: AxiosInstance;
before(async () => {
  server = await start();
  const body = { email: "admin@velas.example", password: "admin-demo-123" };
  const { data } = await axios.post(`${server.url}/api/auth/login`, body);
  const headers = { Authorization: `Bearer ${data.token}` };
  staff = axios.create({ baseURL: server.url, headers, validateStatus: () => true });
});
after(() => server.stop());

test("sums of JavaScript and empty fields of a form make a product", async () => {
  const sums = { price: 3 * 19.9, weight: 0.1 + 0.2 };
  const body = { name: "Vela de Axios", slug: "vela-de-axios", stock: 3, comparePrice: "", sku: "", ...sums };
  const made = await staff.post("/api/admin/products", body);
  assert.equal(made.status, 201, JSON.stringify(made.data));
  const { price, comparePrice, weight, sku } = made.data;
  assert.deepEqual({ price, comparePrice, weight, sku }, { price: 59.7, comparePrice: null, weight: 0.3, sku: null });

  const query = { search: "axios", limit: "20", category: "" };
  const found = await staff.get("/api/admin/products", { params: query });
  assert.deepEqual(found.data.data.map((product: { id: string }) => product.id), [made.data.id]);

  const wrong = await staff.post("/api/admin/products", { name: "Vela", price: 19.999 });
  assert.equal(wrong.status, 400);
  assert.ok(wrong.data.details.fieldErrors.price, JSON.stringify(wrong.data));
});

test("a file is sent as FormData", async () => {
  const form = new FormData();
  form.append("file", new Blob(["sku,name,price\nAX-1,Vela de arquivo,12.5\n"]), "velas.csv");
  const dry = await staff.post("/api/admin/products/import?dryRun=true", form);
  assert.deepEqual([dry.status, dry.data.created, dry.data.written], [200, 1, false], JSON.stringify(dry.data));
});

test("a request that is given up changes nothing for the next one", async () => {
  const given = new AbortController();
  const lost = staff.get("/api/admin/products", { signal: given.signal });
  given.abort();
  await assert.rejects(lost, (error) => axios.isCancel(error));
  assert.equal((await staff.get("/api/auth/me")).status, 200);
});

test("what is no JSON is refused in JSON", async () => {
  const refused = await staff.post("/api/auth/login", new URLSearchParams({ email: "a@example.com" }));
  assert.deepEqual([refused.status, refused.data.code], [400, "unsupported_content_type"]);
});
