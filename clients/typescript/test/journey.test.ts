// From register to paid, as a program would.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { type Shop, ShopError, createShop, data, ifMatch, versioned } from "../src/index.js";
import { type Server, start } from "./server.js";

let server: Server;
before(async () => {
  server = await start();
});
after(() => server.stop());

const ana = { name: "Ana Souza", email: "ana@example.com", password: "segredo-123" };

test("a customer registers, fills the cart, orders and pays", async () => {
  const anybody = createShop({ baseUrl: server.url });
  const registered = await data(anybody.POST("/api/auth/register", { body: ana }));
  assert.equal(registered.user.email, ana.email);

  const { email, password } = ana;
  const { token } = await data(anybody.POST("/api/auth/login", { body: { email, password } }));
  const shop = createShop({ baseUrl: server.url, token });

  const query = { inStock: true, limit: 1 };
  const candle = (await data(shop.GET("/api/products", { params: { query } }))).data[0];
  assert.ok(candle);
  const cart = await data(shop.POST("/api/cart/items", { body: { productId: candle.id, quantity: 2 } }));
  assert.equal(cart.items[0]?.quantity, 2);

  const home = {
    label: "Casa", street: "Rua das Flores", number: "123", district: "Centro",
    city: "São Paulo", state: "SP", zipCode: "01001000",
  } as const;
  const address = await data(shop.POST("/api/user/addresses", { body: home }));

  const place = {
    params: { header: { "Idempotency-Key": randomUUID() } },
    body: { addressId: address.id },
  };
  const order = await data(shop.POST("/api/orders", place));
  assert.equal(order.status, "PENDING");
  const again = await data(shop.POST("/api/orders", place));
  assert.equal(again.orderNumber, order.orderNumber);

  const pix = await data(shop.POST("/api/payments/pix", { body: { orderId: order.id } }));
  assert.equal(pix.amount, order.total);
  server.pay(order.orderNumber);

  const paid = await data(shop.GET("/api/orders/{id}", { params: { path: { id: order.id } } }));
  assert.equal(paid.status, "PROCESSING");
  assert.equal(paid.payment?.status, "PAID");
});

test("a refusal is thrown with its code and what is wrong", async () => {
  const shop = createShop({ baseUrl: server.url });
  await assert.rejects(data(shop.GET("/api/auth/me")), (error) => {
    assert.ok(error instanceof ShopError);
    assert.deepEqual([error.status, error.code], [401, "unauthenticated"]);
    return true;
  });
  const body = { name: "A", email: "nobody", password: "segredo-123" };
  await assert.rejects(data(shop.POST("/api/auth/register", { body })), (error) => {
    assert.ok(error instanceof ShopError);
    assert.equal(error.code, "invalid_input");
    assert.ok(error.details?.fieldErrors["email"]);
    return true;
  });
});

async function logInAsStaff(): Promise<Shop> {
  const anybody = createShop({ baseUrl: server.url });
  const staff = { email: "admin@velas.example", password: "admin-demo-123" };
  const { token } = await data(anybody.POST("/api/auth/login", { body: staff }));
  return createShop({ baseUrl: server.url, token });
}

test("a program reads by its key, and no more than its scopes", async () => {
  const admin = await logInAsStaff();
  const key = { name: "ERP", scopes: ["products:read" as const] };
  const { rawKey } = await data(admin.POST("/api/admin/api-keys", { body: key }));

  const erp = createShop({ baseUrl: server.url, token: rawKey });
  const products = await data(erp.GET("/api/v1/products", { params: { query: { limit: 5 } } }));
  assert.equal(products.data.length, 5);
  await assert.rejects(data(erp.GET("/api/v1/orders")), { code: "invalid_api_key" });
});

test("of two changes of what both have read the later is refused", async () => {
  const admin = await logInAsStaff();
  const { data: listed } = await data(admin.GET("/api/admin/products"));
  const path = { id: listed[0]?.id ?? "" };
  const read = await versioned(admin.GET("/api/admin/products/{id}", { params: { path } }));
  const params = { path, header: ifMatch(read) };
  const priced = (price: number) =>
    data(admin.PATCH("/api/admin/products/{id}", { params, body: { price } }));
  assert.equal((await priced(54.9)).price, 54.9);
  await assert.rejects(priced(55.9), { status: 412 });
});

test("a change has the tag of what it made, and goes before the next one", async () => {
  const admin = await logInAsStaff();
  const { data: listed } = await data(admin.GET("/api/admin/products"));
  const path = { id: listed[1]?.id ?? "" };
  let seen = await versioned(admin.GET("/api/admin/products/{id}", { params: { path } }));
  for (const price of [31.5, 32.5]) {
    const params = { path, header: ifMatch(seen) };
    seen = await versioned(admin.PATCH("/api/admin/products/{id}", { params, body: { price } }));
    assert.equal(seen.data.price, price);
  }
});

test("files are downloaded as texts and blobs, and uploaded in a form", async () => {
  const admin = await logInAsStaff();
  const csv: string = await data(admin.GET("/api/admin/products/export", { parseAs: "text" }));
  assert.match(csv, /^\uFEFF?slug[;,]/);
  const blob: Blob = await data(admin.GET("/api/admin/products/export", { parseAs: "blob" }));
  assert.ok(blob.size >= csv.length);

  const file = new File(["sku;name;price\nTS-1;Vela de arquivo;12,50\n"], "velas.csv");
  const params = { query: { dryRun: true } };
  const dry = await data(admin.POST("/api/admin/products/import", { params, body: { file } }));
  assert.deepEqual([dry.created, dry.written], [1, false]);

  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const picture = new Blob([Buffer.from(pixel, "base64")], { type: "image/png" });
  const kept = await data(admin.POST("/api/admin/upload", { body: { file: picture } }));
  assert.match(kept.url, /\/uploads\//);
});
