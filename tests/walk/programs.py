"""The integration API, and the stock webhook."""

from client import DECIMAL, TIME, maybe, page_of

REFUSED = {"error": "API key inválida ou sem permissão"}
SCOPES = ["products:read", "products:write", "stock:write", "orders:read", "orders:write"]
KEY = {"id": str, "name": str, "scopes": list, "createdAt": TIME}
PRODUCT = {
    "id": str, "name": str, "slug": str, "sku": maybe(str), "price": DECIMAL, "comparePrice": maybe(DECIMAL),
    "stock": int, "active": bool, "featured": bool, "weight": maybe(float), "updatedAt": TIME,
    "category": maybe({"id": str, "name": str, "slug": str}), "images": list,
}
JSON = {"content-type": "application/json"}


def rows(walk, admin, sale):
    create = lambda scopes: admin.post(
        "/api/admin/api-keys", {"name": "ERP", "scopes": scopes}, gives=201, like=KEY | {"rawKey": str}
    )
    key = create(SCOPES)
    erp = walk.caller(authorization=f"Bearer {key['rawKey']}")
    reader = walk.caller(authorization=f"Bearer {create(['products:read'])['rawKey']}")
    never_again = lambda answer, _: "rawKey" not in answer.text
    admin.get("/api/admin/api-keys", like=[KEY | {"lastUsedAt": maybe(TIME)}], holds=never_again)
    product = sale["products"][0]["id"]
    keys(walk, erp, reader, product)
    products(erp, product)
    orders(erp, sale["paid"]["id"])
    stock(erp, reader, product)
    admin.delete(f"/api/admin/api-keys/{key['id']}")
    erp.get("/api/v1/products", gives=401, like=REFUSED)


def keys(walk, erp, reader, product):
    stranger = walk.caller(authorization="Bearer svc_live_nada")
    for caller in (stranger, walk.caller()):
        caller.get("/api/v1/products", gives=401, like=REFUSED)
    reader.get("/api/v1/orders", gives=401, like=REFUSED)
    reader.patch(f"/api/v1/products/{product}", {"featured": True}, gives=401, like=REFUSED)
    reader.post("/api/webhooks/stock", {"type": "set"}, gives=401, like=REFUSED)
    stranger.get("/api/products", gives=401)
    erp.get("/api/products")
    erp.get("/api/orders", like=page_of({"id": str}))
    new = {"name": "Vela por chave", "slug": "vela_por_chave", "price": "10.00", "stock": 1}
    erp.post("/api/products", new | {"price": 10}, gives=201)


def products(erp, product):
    fifty = lambda _, v: v["pagination"]["limit"] == 50
    erp.get("/api/v1/products?active=false&category=&low_stock=", like=page_of(PRODUCT), holds=fifty)
    before = erp.get(f"/api/v1/products/{product}", like=PRODUCT)["updatedAt"]
    erp.get("/api/v1/products/nada", gives=404)
    counted = {"id": product, "sku": maybe(str), "stock": 55, "updatedAt": TIME}
    erp.patch(f"/api/v1/products/{product}/stock", {"stock": 55.0}, like=counted)
    moved = lambda _, v: v["updatedAt"] > before
    erp.get(f"/api/v1/products/{product}", like=PRODUCT | {"stock": 55}, holds=moved)
    erp.patch(f"/api/v1/products/{product}", {"featured": True}, like={"featured": True})


def orders(erp, paid):
    order = {"id": str, "orderNumber": str, "items": [dict], "payment": {"status": str}}
    erp.get("/api/v1/orders?status=", like=page_of(order))
    erp.get(f"/api/v1/orders/{paid}", like=order | {"id": paid, "payment": {"status": "PAID"}})
    erp.get("/api/v1/orders/nada", gives=404)
    sent = {"status": "SHIPPED", "trackingCode": "AA123456785BR"}
    erp.patch(f"/api/v1/orders/{paid}", sent, like=sent)


def stock(erp, reader, product):
    path = "/api/webhooks/stock"
    listed = erp.get("/api/v1/products")["data"]
    sku = next(each["sku"] for each in listed if each["sku"])
    items = [{"sku": sku, "stock": 9}, {"sku": "NADA", "stock": 1}]
    done = {"ok": True, "updated": 1, "errors": list}
    erp.post(path, {"type": "sync", "items": items}, like=done | {"errors": [str]})
    erp.post(path, {"type": "set", "productId": product, "variantId": None, "stock": 20}, like=done)
    erp.post(path, {"type": "delta", "productId": product, "delta": -100}, like=done)
    erp.get(f"/api/v1/products/{product}", like={"stock": 0})
    erp.post(path, {"type": "set", "productId": "nada", "stock": 20}, gives=404)
    erp.post(path, {"type": "nada"}, gives=422)
    erp.post(path, data="{", gives=400, headers=JSON)
    deep = '{"type":"sync","items":' + "[" * 100_000 + "]" * 100_000 + "}"
    erp.post(path, data=deep, gives=400, headers=JSON)
