"""What staff do."""

import re

from client import TIME, field_errors, maybe, page_of

LISTED = {
    "id": str, "name": str, "slug": str, "price": float, "stock": int, "active": bool, "featured": bool,
    "category": maybe({"name": str, "slug": str}), "images": list, "_count": {"orderItems": int}, "createdAt": TIME,
}
VARIANT = {
    "id": str, "price": float, "comparePrice": maybe(float), "stock": int, "sku": maybe(str),
    "values": [{"id": str, "variantOptionId": str, "variantOption": {"value": str, "variantType": {"name": str}}}],
}
COUPON = {
    "id": str, "code": str, "type": str, "value": float, "minOrderValue": maybe(float), "maxUses": maybe(int),
    "usedCount": int, "expiresAt": maybe(TIME), "active": bool, "createdAt": TIME,
}
TARIFF = {"id": str, "name": str, "states": [str], "price": float, "estimatedDays": int}
ORDER = {"id": str, "orderNumber": str, "status": str, "total": float, "payment": {"status": str}}
JSON = {"content-type": "application/json"}
# The smallest picture that is one.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc00000"
    "0301010018dd8db00000000049454e44ae426082"
)


def rows(walk, admin, sale):
    gate(walk, sale["ana"])
    products(walk, admin)
    variants(walk, admin)
    pictures(sale["ana"], admin)
    coupons(admin)
    orders(admin, sale)
    customers(walk, admin, sale["bia"])
    reviews_stock_and_tariffs(admin, sale["products"][1])
    webhooks(admin)
    figures_and_settings(admin)


def gate(walk, customer):
    visitor = walk.caller()
    paths = ("products", "coupons", "orders", "customers", "reviews", "stock", "shipping", "webhooks", "api-keys", "dashboard")
    for path in paths:
        visitor.get(f"/api/admin/{path}", gives=401)
        customer.get(f"/api/admin/{path}", gives=403, like={"error": "Acesso negado"})
    visitor.delete("/api/admin/products", gives=401)


def products(walk, admin):
    path = "/api/admin/products"
    admin.get(f"{path}?search=vela&category=&active=true&featured=", like=page_of(LISTED))
    new = {
        "name": "Vela de teste", "slug": "vela_de-teste", "price": 19.9 * 3, "stock": 10.0, "sku": "", "comparePrice": 0,
        "description": None, "images": [{"url": "/uploads/x.jpg", "alt": "x"}],
    }
    made = {"id": str, "slug": "vela_de-teste", "price": 59.7, "stock": 10, "sku": None, "comparePrice": None, "images": [dict]}
    product = admin.post(path, new, gives=201, like=made)
    wrong = {"name": "V", "slug": "v", "price": 0, "stock": -1}
    admin.post(path, wrong, gives=400, like=field_errors(*wrong))
    admin.post(path, new | {"price": 10.005}, gives=400, like=field_errors("price"))
    admin.post(path, new, gives=201, like={"slug": "vela_de-teste-2"})
    one = f"{path}/{product['id']}"
    admin.get(one, like=made)
    admin.patch(one, {"price": None}, gives=400, like=field_errors("price"))
    admin.patch(one, {"comparePrice": 70, "weight": 0.35}, like={"comparePrice": 70, "weight": 0.35})
    admin.post(f"{one}/clone", gives=201, like={"slug": re.compile(r"vela_de-teste-\d+")})
    shown = f"/api/products/{product['slug']}"
    visitor = walk.caller()
    for action, status in (("deactivate", 404), ("activate", 200)):
        admin.post(f"{path}/bulk", {"ids": [product["id"]], "action": action}, like={"updated": 1})
        visitor.get(shown, gives=status)
    admin.delete(one, like={"message": str})
    admin.get(one, gives=404)
    admin.post(f"{path}/bulk", {"ids": [product["id"]], "action": "delete"}, like={"deleted": 0})


def variants(walk, admin):
    kinds = "/api/admin/variant-types"
    kind = admin.post(kinds, {"name": "Tamanho", "slug": "tamanho_teste"}, gives=201, like={"id": str, "order": int})
    options = f"{kinds}/{kind['id']}/options"
    option = admin.post(options, {"value": "P"}, gives=201, like={"id": str, "value": "P", "order": int})
    admin.get(kinds, like=[{"id": str, "name": str, "slug": str, "order": int}])
    admin.get(options, like=[{"id": str, "value": "P"}])
    new = {"name": "Vela em tamanhos", "slug": "vela-em-tamanhos", "price": 20, "stock": 0}
    product = admin.post("/api/admin/products", new, gives=201)
    one = f"/api/admin/products/{product['id']}"
    variant = {"price": 25, "stock": 5, "values": [{"variantOptionId": option["id"]}]}
    variant = admin.post(f"{one}/variants", variant, gives=201, like=VARIANT)
    admin.get(f"{one}/variants", like=[VARIANT])
    admin.get(one, like={"variants": [VARIANT]})
    value = {"variantType": "Tamanho", "value": "P"}
    shown = {"id": str, "price": 25, "stock": 5, "sku": None, "values": [value]}
    walk.caller().get("/api/products/vela-em-tamanhos", like={"variants": [shown]})
    admin.delete(f"{options}/{option['id']}", gives=409)
    admin.delete(f"{kinds}/{kind['id']}", gives=409)
    admin.patch(f"{one}/variants/{variant['id']}", {"stock": 7}, like={"stock": 7})
    admin.delete(f"{one}/variants/{variant['id']}")
    admin.patch(f"{options}/{option['id']}", {"value": "M"}, like={"value": "M"})
    admin.delete(f"{options}/{option['id']}")
    admin.patch(f"{kinds}/{kind['id']}", {"name": "Porte"}, like={"name": "Porte"})
    admin.delete(f"{kinds}/{kind['id']}")


def pictures(customer, admin):
    upload = lambda name, content: {"files": {name: ("vela.png", content, "image/png")}}
    admin.post("/api/admin/upload", like={"url": str}, **upload("file", PIXEL))
    admin.post("/api/admin/upload", gives=400, **upload("outro", PIXEL))
    admin.post("/api/admin/upload", gives=413, **upload("file", bytes(6_000_000)))
    customer.post("/api/admin/upload", gives=403, **upload("file", PIXEL))


def coupons(admin):
    path = "/api/admin/coupons"
    new = {"code": "CINCO", "type": "FIXED", "value": 5, "active": True, "maxUses": None, "expiresAt": "2099-12-31"}
    coupon = admin.post(path, new, gives=201, like=COUPON)
    admin.post(path, new | {"code": "cinco"}, gives=409)
    admin.post(path, new | {"code": "MUITO", "type": "PERCENT", "value": 101}, gives=400, like=field_errors("value"))
    admin.post(path, {"code": "SEM", "type": "FIXED", "value": 5}, gives=400, like=field_errors("active"))
    admin.get(path, like=[COUPON])
    admin.patch(f"{path}/{coupon['id']}", {"value": 6}, like=COUPON | {"value": 6})
    admin.patch(f"{path}/{coupon['id']}", {"value": None}, gives=400, like=field_errors("value"))
    admin.delete(f"{path}/{coupon['id']}")


def orders(admin, sale):
    path, paid, unpaid = "/api/admin/orders", sale["paid"], sale["open"]
    last = paid["orderNumber"].rsplit("-", 1)[1]
    queries = [
        "", "status=PROCESSING", f"q={paid['orderNumber']}", f"q={last}", f"q={int(last)}", "q=Ana", "q=ana@cliente.example",
        "status=&q=&from=&to=", "from=2020-01-01&to=2099-12-31", "from=2020-01-01T10:00",
        "from=2020-01-01T00:00:00Z&to=2099-12-31T00:00:00.000Z",
    ]
    for query in queries:
        admin.get(f"{path}?{query}", like=page_of(ORDER))
    admin.get(f"{path}?status=NADA", gives=400, like=field_errors("status"))
    admin.get(f"{path}?from=ontem", gives=400, like=field_errors("from"))
    name = re.compile(r'attachment; filename="?pedidos-[\d-]+\.csv"?')
    is_csv = lambda answer, _: (
        answer.headers["content-type"] == "text/csv; charset=utf-8"
        and name.fullmatch(answer.headers["content-disposition"])
    )
    admin.get(f"{path}/export?status=&from=&to=", holds=is_csv)
    one = f"{path}/{paid['id']}"
    admin.post(f"{one}/notes", {"note": "Embrulhar"}, gives=201, like={"id": str, "note": "Embrulhar"})
    admin.patch(one, {"status": "PROCESSING", "note": "Conferir o laço"}, like=ORDER)
    admin.get(one, like=ORDER | {"items": [dict]}, holds=lambda answer, _: "Conferir o laço" in answer.text)
    invoices(admin, one, paid)
    money(admin, f"{path}/{unpaid['id']}", sale["ana"], unpaid)


def invoices(admin, one, paid):
    admin.post(f"{one}/nfe/emitir", like={"status": "autorizada", "chave": str, "numero": int, "serie": object})
    is_pdf = lambda answer, _: (
        answer.headers["content-type"] == "application/pdf"
        and f"danfe-{paid['id']}.pdf" in answer.headers["content-disposition"]
    )
    admin.get(f"{one}/nfe/danfe", holds=is_pdf)
    admin.post(f"{one}/nfe/cancelar", like={"status": "cancelada"})
    admin.post(f"{one}/nfe/inutilizar", gives=409)


def money(admin, one, customer, unpaid):
    admin.patch(one, {"status": "SHIPPED", "trackingCode": "AA123456785BR", "carrier": "Correios"}, like={"status": "SHIPPED"})
    admin.post(f"{one}/nfe/emitir", gives=400)
    unpaid_still = {"status": "SHIPPED", "payment": {"status": "PENDING"}}
    customer.get(f"/api/orders/{unpaid['id']}", like=unpaid_still)
    recorded = {"method": "CASH", "status": "PAID", "amount": unpaid["total"]}
    admin.post(f"{one}/payments", {"method": "CASH"}, gives=201, like=recorded)
    admin.post(f"{one}/payments", {"method": "CASH"}, gives=400, like={"code": "already_paid"})
    customer.get(f"/api/orders/{unpaid['id']}", like={"payment": {"method": "CASH", "status": "PAID"}})
    admin.patch(one, {"status": "PAID"}, gives=400, like=field_errors("status"))
    admin.patch(one, {"status": "REFUNDED"}, like={"status": "REFUNDED"})


def customers(walk, admin, bia):
    path = "/api/admin/customers"
    listed = {"id": str, "name": str, "email": str, "isActive": bool, "createdAt": TIME, "_count": {"orders": int}}
    admin.get(f"{path}?search=ana&active=true", like=page_of(listed))
    account = bia.get("/api/auth/me")["id"]
    admin.get(f"{path}/{account}", like={"id": account, "orders": list})
    admin.patch(f"{path}/{account}/status", {"active": False})
    login = {"email": "bia@cliente.example", "password": "segredo-123"}
    walk.caller().post("/api/auth/login", login, gives=403)
    bia.get("/api/auth/me", gives=401)
    admin.patch(f"{path}/{account}/status", {"active": True})
    phone_as_it_is = lambda answer, _: ";+55 11 98765-4321" in answer.text
    admin.get(f"{path}/export", holds=phone_as_it_is)


def reviews_stock_and_tariffs(admin, product):
    waiting = admin.get("/api/admin/reviews?approved=false", like=page_of({"id": str, "status": "pending"}))
    review = f"/api/admin/reviews/{waiting['data'][0]['id']}"
    admin.patch(review, {"approved": True}, like={"status": "approved"})
    admin.delete(review)
    row = {"id": str, "name": str, "sku": maybe(str), "stock": int, "recentMovements": list}
    all_of_them = lambda answer, rows: int(answer.headers["x-total-count"]) == len(rows)
    admin.get("/api/admin/stock", like=[row], holds=all_of_them)
    admin.get("/api/admin/stock?page=1&limit=3", like=[row], holds=lambda _, rows: len(rows) == 3)
    counted = {"productId": product["id"], "stock": 42}
    admin.patch(f"/api/admin/stock/{product['id']}", {"stock": 42}, like=counted)
    path = "/api/admin/shipping"
    new = {"name": "Sul", "states": ["PR", "SC"], "price": 19.9, "estimatedDays": 5}
    tariff = admin.post(path, new, gives=201, like=TARIFF)
    admin.get(path, like=[TARIFF])
    admin.patch(f"{path}/{tariff['id']}", {"price": 21}, like=TARIFF | {"price": 21})
    admin.delete(f"{path}/{tariff['id']}")
    provider = {"name": str, "status": "disconnected", "lastCheck": None}
    admin.get(f"{path}/providers", like={"providers": [provider]})


def webhooks(admin):
    path = "/api/admin/webhooks"
    new = {"url": "https://nao-existe.invalid/x", "secret": "um-segredo-bem-comprido", "events": ["order.paid"]}
    for url in ("http://example.com/x", "https://localhost/x", "https://loja.localhost./x", "https://127.0.0.1/x"):
        admin.post(path, new | {"url": url}, gives=400, like=field_errors("url"))
    admin.post(path, new | {"events": ["nada"]}, gives=400)
    endpoint = {"id": str, "url": str, "events": [str], "active": bool, "createdAt": TIME}
    secret_stays = lambda answer, _: "secret" not in answer.text
    hook = admin.post(path, new, gives=201, like=endpoint, holds=secret_stays)
    admin.get(path, like=[endpoint], holds=secret_stays)
    unanswered = {"delivered": False, "statusCode": 0, "duration": int, "error": str}
    admin.post(f"{path}/{hook['id']}/test", like=unanswered)
    admin.patch(f"{path}/{hook['id']}", {"events": ["order.created"]}, like={"events": ["order.created"]})
    admin.delete(f"{path}/{hook['id']}")


def figures_and_settings(admin):
    change = {"total": float, "change": float}
    top = {"productId": str, "name": str, "sales": int, "revenue": float}
    figures = {"period": "7d", "orders": change, "revenue": change, "avgOrderValue": float, "newCustomers": int, "topProducts": [top]}
    admin.get("/api/admin/dashboard?period=7d", like=figures)
    admin.get("/api/admin/dashboard?period=", like={"period": "30d"})
    admin.get("/api/admin/dashboard?period=1d", gives=400, like=field_errors("period"))
    recent = ORDER | {"user": {"name": str, "email": str}, "createdAt": TIME}
    del recent["payment"]
    counts = {name: int for name in ("totalProducts", "totalCategories", "totalOrders", "pendingOrders")}
    admin.get("/api/admin/dashboard/stats", like=counts | {"totalRevenue": float, "recentOrders": [recent]})
    saved = {"saved": True}
    for page in ("pagebuilder", "pagebuilder-about"):
        admin.patch(f"/api/admin/settings/{page}", {"data": {"blocks": [1, {"a": None}]}}, like=saved)
    deep = '{"data":' + '{"a":' * 100_000 + "1" + "}" * 100_001
    admin.patch("/api/admin/settings/pagebuilder", data=deep, gives=400, headers=JSON)
    admin.patch("/api/admin/settings/analytics", {"webAnalyticsId": "G-123", "adPixelId": "", "heatmapId": None}, like=saved)
    change = {"currentPassword": "errada-123", "newPassword": "admin-demo-456"}
    admin.patch("/api/admin/settings/change-password", change, gives=401)
