// From register to paid, as a program would.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { ShopError, createShop, data, ifMatch, versioned } from "../src/index.js";
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

test("a program reads by its key, and no more than its scopes", async () => {
  const anybody = createShop({ baseUrl: server.url });
  const staff = { email: "admin@velas.example", password: "admin-demo-123" };
  const { token } = await data(anybody.POST("/api/auth/login", { body: staff }));
  const admin = createShop({ baseUrl: server.url, token });
  const key = { name: "ERP", scopes: ["products:read" as const] };
  const { rawKey } = await data(admin.POST("/api/admin/api-keys", { body: key }));

  const erp = createShop({ baseUrl: server.url, token: rawKey });
  const products = await data(erp.GET("/api/v1/products", { params: { query: { limit: 5 } } }));
  assert.equal(products.data.length, 5);
  await assert.rejects(data(erp.GET("/api/v1/orders")), { code: "invalid_api_key" });
});

test("of two changes of what both have read the later is refused", async () => {
  const anybody = createShop({ baseUrl: server.url });
  const staff = { email: "admin@velas.example", password: "admin-demo-123" };
  const { token } = await data(anybody.POST("/api/auth/login", { body: staff }));
  const admin = createShop({ baseUrl: server.url, token });
  const { data: listed } = await data(admin.GET("/api/admin/products"));
  const path = { id: listed[0]?.id ?? "" };
  const read = await versioned(admin.GET("/api/admin/products/{id}", { params: { path } }));
  const params = { path, header: ifMatch(read) };
  const priced = (price: number) =>
    data(admin.PATCH("/api/admin/products/{id}", { params, body: { price } }));
  assert.equal((await priced(54.9)).price, 54.9);
  await assert.rejects(priced(55.9), { status: 412 });
});
