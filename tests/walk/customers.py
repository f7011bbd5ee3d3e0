"""Accounts, addresses, cart, orders and payments of a customer."""

import re
import subprocess
from datetime import datetime, timezone

from client import TIME, field_errors, maybe

HOME = {
    "label": "Casa", "street": "Rua das Flores", "number": "123", "district": "Centro",
    "city": "São Paulo", "state": "SP", "zipCode": "01001000",
}
ADDRESS = {name: str for name in HOME} | {"id": str, "complement": maybe(str), "isDefault": bool}
USER = {"id": str, "name": str, "email": str, "role": "CUSTOMER"}
LINE = {"id": str, "productId": str, "quantity": int, "price": float, "total": float}
CART = {"items": [LINE | {"variantId": maybe(str), "product": {"name": str, "slug": str, "images": list}}], "subtotal": float}
UNPAID = {"method": None, "status": "PENDING"}
ORDER = {
    "id": str, "orderNumber": re.compile(r"PED-\d{8}-\d{4}"), "userId": str, "addressId": str,
    "subtotal": float, "shipping": float, "discount": float, "total": float, "status": "PENDING",
    "notes": maybe(str), "items": [LINE | {"productNameSnapshot": str}], "payment": UNPAID,
    "address": {"street": str, "number": str, "city": str, "state": str, "zipCode": str}, "createdAt": TIME,
}


def rows(walk, admin, cli):
    """Returns what the back office is asked about: the caller, its address and its orders."""
    ana = register(walk, "ana@cliente.example")
    bia = register(walk, "bia@cliente.example")
    session(walk, ana)
    home = addresses(ana, bia)
    products = walk.caller().get("/api/products?inStock=true&limit=3")["data"]
    wishes_and_reviews(ana, bia, products)
    fill_cart(walk, ana, products[0])
    coupon = coupons(walk, admin)
    paid, by_card, open_order = orders(walk, ana, bia, home, products, coupon)
    pix(ana, bia, cli, paid)
    card_and_intent(walk, ana, by_card, open_order)
    foreign_sites(ana, products[1])
    return {"ana": ana, "bia": bia, "home": home, "products": products, "paid": paid, "open": open_order}


def register(walk, email):
    caller = walk.caller()
    new = {"name": "Ana Souza", "email": email, "password": "segredo-123"}
    caller.post("/api/auth/register", new, gives=201, like={"user": USER})
    return caller


def session(walk, ana):
    visitor = walk.caller()
    taken = {"name": "Ana", "email": "ANA@cliente.example ", "password": "segredo-123"}
    visitor.post("/api/auth/register", taken, gives=409)
    visitor.post("/api/auth/register", {"name": "Ana"}, gives=400, like=field_errors("email", "password"))
    wrong = {"email": "ana@cliente.example", "password": "errada-123"}
    visitor.post("/api/auth/login", wrong, gives=401, like={"error": "Email ou senha inválidos"})
    visitor.post("/api/auth/login", {"email": "ana@cliente.example"}, gives=400, like=field_errors("password"))
    attributes = ("token=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=604800")
    cookie = lambda answer, _: all(part in answer.headers["set-cookie"] for part in attributes)
    known = {"user": USER | {"phone": maybe(str)}, "token": str}
    ana.post("/api/auth/login", wrong | {"password": "segredo-123"}, like=known, holds=cookie)
    ana.get("/api/auth/me", like=USER | {"phone": maybe(str), "createdAt": TIME})
    visitor.get("/api/auth/me", gives=401)
    ana.put("/api/auth/me", {"phone": "+55 11 98765-4321", "cpf": "52998224725"}, like=USER)
    change = {"currentPassword": "errada-123", "newPassword": "segredo-456"}
    ana.patch("/api/auth/me/password", change, gives=401)
    ana.patch("/api/auth/me/password", {"currentPassword": "segredo-123"}, gives=400)
    ana.patch("/api/auth/me/password", change | {"currentPassword": "segredo-123"}, like={"message": str})
    ana.get("/api/auth/me", like=USER)
    visitor.post("/api/auth/login", wrong | {"password": "segredo-456"})
    forgotten = lambda answer, _: "token=;" in answer.headers["set-cookie"]
    visitor.post("/api/auth/logout", like={"message": str}, holds=forgotten)
    visitor.post("/api/auth/logout", like={"message": str})
    too_many(walk.caller())


def too_many(guesser):
    for _ in range(10):
        guess = {"email": "bia@cliente.example", "password": "errada-123"}
        guesser.post("/api/auth/login", guess, gives=401)
    limits = lambda answer, _: (
        answer.headers["x-ratelimit-limit"] == "10"
        and answer.headers["x-ratelimit-remaining"] == "0"
        and int(answer.headers["retry-after"]) > 0
    )
    text = re.compile(r"Muitas tentativas\. Tente novamente em \d+ minutos?\.")
    guesser.post("/api/auth/login", guess, gives=429, like={"error": text}, holds=limits)


def addresses(ana, bia):
    home = ana.post("/api/user/addresses", HOME, gives=201, like=ADDRESS)
    other = ana.post("/api/user/addresses", HOME | {"complement": "", "state": "sp"}, gives=201, like=ADDRESS)
    ana.post("/api/user/addresses", HOME | {"state": "XX"}, gives=400, like=field_errors("state"))
    ana.get("/api/user/addresses", like=[ADDRESS])
    path = f"/api/user/addresses/{home['id']}"
    ana.patch(path, {"complement": "ap 4"}, like=ADDRESS | {"complement": "ap 4"})
    ana.patch(path, {"street": None}, gives=400, like=field_errors("street"))
    bia.patch(path, {"complement": "ap 4"}, gives=404)
    bia.delete(path, gives=404)
    ana.delete(f"/api/user/addresses/{other['id']}", like={"message": str})
    return home


def wishes_and_reviews(ana, bia, products):
    wish = {"productId": products[0]["id"]}
    ana.post("/api/user/wishlist", wish, gives=201)
    ana.post("/api/user/wishlist", wish, gives=409)
    ana.post("/api/user/wishlist", {"productId": "nada"}, gives=404)
    product = {"id": str, "name": str, "slug": str, "price": float, "stock": int, "images": list}
    ana.get("/api/user/wishlist", like=[{"id": str, "productId": str, "addedAt": TIME, "product": product}])
    ana.delete(f"/api/user/wishlist/{products[0]['id']}", like={"message": str})
    path = f"/api/products/{products[0]['slug']}/reviews"
    review = {"id": str, "rating": 5, "title": str, "body": str, "status": "pending", "createdAt": TIME}
    ana.post(path, {"rating": 5, "title": "Ótima", "body": "Cheiro bom"}, gives=201, like=review)
    ana.post(path, {"rating": 5, "body": "De novo"}, gives=409)
    bia.post(path, {"rating": 4.0, "title": None, "body": "Boa"}, gives=201)
    bia.post(f"/api/products/{products[1]['slug']}/reviews", {"rating": 6, "body": "x"}, gives=400, like=field_errors("rating"))
    bia.post("/api/products/nao-existe/reviews", {"rating": 5, "body": "x"}, gives=404)


def fill_cart(walk, ana, product):
    walk.caller().get("/api/cart", gives=401)
    ana.post("/api/cart/items", {"productId": product["id"], "quantity": 1.0, "variantId": None}, gives=201, like=CART)
    cart = ana.post("/api/cart/items", {"productId": product["id"], "quantity": 1}, gives=201, like=CART)
    ana.patch(f"/api/cart/items/{cart['items'][0]['id']}", {"quantity": 1}, like=CART)
    ana.get("/api/cart", like=CART)


def coupons(walk, admin):
    """Returns a coupon of ten percent, after one of each kind that does not hold."""
    def create(code, **fields):
        new = {"code": code, "type": "FIXED", "value": 5, "active": True} | fields
        return admin.post("/api/admin/coupons", new, gives=201)

    coupon = create("DEZ", type="PERCENT", value=10)
    create("PARADO", active=False)
    create("ANTIGO", expiresAt="2020-01-01")
    create("GRANDE", minOrderValue=1000)
    shopper = walk.caller()
    discount = {"id": str, "code": "DEZ", "type": "PERCENT", "value": 10, "discount": 5.97}
    asked = {"code": "dez", "subtotal": 19.9 * 3}
    shopper.post("/api/coupons/validate", asked, like={"valid": True, "coupon": discount})
    refused = {
        "NADA": "Cupom não encontrado", "PARADO": "Cupom inativo", "ANTIGO": "Cupom expirado",
        "GRANDE": "Pedido abaixo do valor mínimo",
    }
    for code, error in refused.items():
        answer = {"valid": False, "error": error}
        shopper.post("/api/coupons/validate", {"code": code, "subtotal": 100}, like=answer)
    return coupon


def orders(walk, ana, bia, home, products, coupon):
    to_home = {"addressId": home["id"]}
    one = lambda product, quantity: {"cartItems": [{"productId": product["id"], "quantity": quantity, "price": 0.01}]}
    first = ana.post("/api/orders", to_home, gives=201, like=ORDER)
    ana.post("/api/orders", to_home, gives=400)
    by_server = lambda _, v: v["items"][0]["price"] == products[1]["price"] and v["discount"] > 0
    used = to_home | one(products[1], 1) | {"couponId": coupon["id"], "notes": ""}
    second = ana.post("/api/orders", used, gives=201, like=ORDER, holds=by_server)
    third = ana.post("/api/orders", to_home | one(products[1], 2.0), gives=201, like=ORDER)
    ana.post("/api/orders", to_home | {"cartItems": []}, gives=400)
    ana.post("/api/orders", to_home | one(products[2], products[2]["stock"] + 1), gives=400)
    ana.post("/api/orders", {"addressId": "nada"} | one(products[1], 1), gives=404)
    bia.post("/api/orders", to_home | one(products[1], 1), gives=404)
    walk.caller().post("/api/orders", to_home, gives=401)
    listed = {name: ORDER[name] for name in ("id", "orderNumber", "status", "total", "createdAt", "payment")}
    image = {"url": str, "isPrimary": bool}
    listed |= {"items": [LINE | {"product": {"name": str, "images": [image]}}], "address": {"street": str, "city": str, "state": str}}
    ana.get("/api/orders", like=[listed], holds=lambda _, v: v[0]["id"] == third["id"])
    ana.get(f"/api/orders/{first['id']}", like=ORDER)
    bia.get(f"/api/orders/{first['id']}", gives=404)
    walk.caller().get("/api/orders", gives=401)
    return first, second, third


def pix(ana, bia, cli, order):
    ask = {"orderId": order["id"]}
    def half_an_hour(_, code):
        ends = datetime.fromisoformat(code["expiresAt"].replace("Z", "+00:00"))
        return 1790 <= (ends - datetime.now(timezone.utc)).total_seconds() <= 1800
    code = {"qrCode": str, "qrCodeText": str, "expiresAt": TIME, "amount": order["total"]}
    first = ana.post("/api/payments/pix", ask, like=code, holds=half_an_hour)
    ana.post("/api/payments/pix", ask, like=first)
    bia.post("/api/payments/pix", ask, gives=404)
    subprocess.run([*cli, "sandbox", "pay", order["orderNumber"]], check=True, stdout=subprocess.DEVNULL)
    paid = {"status": "PROCESSING", "payment": {"method": "PIX", "status": "PAID"}}
    ana.get(f"/api/orders/{order['id']}", like=paid)
    ana.post("/api/payments/pix", ask, gives=400)
    notification = {"id": str, "type": "ORDER_STATUS", "title": str, "body": str, "read": bool, "link": str, "createdAt": TIME}
    ana.get("/api/user/notifications", like=[notification])


def card_and_intent(walk, ana, order, other):
    path = "/api/payments/provider1/card"
    card = {"orderId": order["id"], "token": "tok_approved", "paymentMethodId": "visa", "installments": 1, "issuerId": "24"}
    ana.post(path, card | {"token": ""}, gives=400, like=field_errors("token"))
    ana.post(path, card | {"token": "tok_cc_rejected_insufficient_amount"}, gives=422)
    approved = {"status": "approved", "paymentId": str, "orderId": str, "installments": 1, "lastFourDigits": str}
    ana.post(path, card, like=approved)
    ana.post(path, card | {"installments": 2}, gives=400)
    intent = {"clientSecret": str, "paymentIntentId": str, "amount": round(other["total"] * 100), "currency": "brl"}
    ana.post("/api/payments/provider2", {"orderId": other["id"]}, like=intent)
    for provider in ("provider1", "provider2"):
        walk.caller().post(f"/api/payments/{provider}/webhook", {"type": "payment"}, gives=401)


def foreign_sites(ana, product):
    elsewhere = {"origin": "https://outra.example"}
    line = {"productId": product["id"], "quantity": 1}
    ana.post("/api/cart/items", line, gives=403, headers=elsewhere)
    ana.post("/api/auth/logout", gives=403, headers=elsewhere)
    names_header = lambda answer, _: "Content-Type" in answer.text
    plain = {"content-type": "text/plain"}
    ana.post("/api/cart/items", data="{}", gives=400, headers=plain, holds=names_header)
    ana.get("/admin/orders", gives=302, holds=lambda answer, _: answer.headers["location"] == "/")
