"""What anybody may ask: catalogue, shipping quotes, newsletter, contact, addresses that do not exist."""

from client import TIME, field_errors, maybe, page_of

CATEGORY = {"id": str, "name": str, "slug": str}
PRODUCT = {
    "id": str, "name": str, "slug": str, "price": float, "comparePrice": maybe(float), "stock": int,
    "featured": bool, "category": CATEGORY, "reviewCount": int, "averageRating": maybe(float),
}
LISTED = PRODUCT | {"images": [{"url": str, "alt": maybe(str), "isPrimary": bool}]}
DETAIL = PRODUCT | {
    "description": maybe(str), "sku": maybe(str), "weight": maybe(float), "active": True,
    "images": [{"id": str, "url": str, "alt": maybe(str), "isPrimary": bool, "order": int}],
    "variants": list, "reviews": list, "createdAt": TIME,
}
HIT = {"id": str, "name": str, "slug": str, "price": float, "highlight": str}
OPTION = {"id": str, "name": str, "price": float, "estimatedDays": int, "free": bool}
QUOTE = {
    "cep": str, "state": str, "city": str, "options": [OPTION], "qualifiesForFree": bool,
    "freeShippingThreshold": 150, "remaining": float, "source": "static",
}
# What a form sends whose fields were left empty.
EMPTY = "search=&category=&minPrice=&maxPrice=&inStock=&featured=&sort=&page=&limit="


def rows(walk):
    visitor = walk.caller()
    lists(visitor)
    details(visitor)
    quotes(walk.caller())
    readers(walk.caller())
    elsewhere(visitor)


def lists(visitor):
    visitor.get("/api/products", like=page_of(LISTED), holds=lambda _, v: v["pagination"]["limit"] == 20)
    queries = [
        "page=2&limit=5", "search=lavanda", "category=velas-aromaticas", "featured=true", "inStock=true",
        "sort=price_asc", "sort=price_desc", "sort=newest", "sort=popular", EMPTY,
        f"minPrice=19.9&maxPrice={19.9 * 3}",
    ]
    for query in queries:
        visitor.get(f"/api/products?{query}", like=page_of(LISTED))
    at_most = lambda _, v: v["pagination"]["limit"] == 100
    visitor.get("/api/products?limit=1000", like=page_of(LISTED), holds=at_most)
    for name, value in [("page", "0"), ("limit", "x"), ("minPrice", "x"), ("inStock", "talvez")]:
        visitor.get(f"/api/products?{name}={value}", gives=400, like=field_errors(name))
    category = {**CATEGORY, "description": maybe(str), "image": maybe(str)}
    visitor.get("/api/categories", like=[category | {"active": True, "productCount": int}])


def details(visitor):
    slug = visitor.get("/api/products")["data"][0]["slug"]
    visitor.get(f"/api/products/{slug}", like=DETAIL)
    visitor.get("/api/products/nao-existe", gives=404)
    marked = lambda answer, _: "<mark>" in answer.text
    hits = page_of(HIT) | {"query": "vela"}
    visitor.get("/api/products/search?q=vela", like=hits, holds=marked)
    visitor.get("/api/products/search", gives=400, like=field_errors("q"))
    visitor.get("/api/products/search?q=", gives=400, like=field_errors("q"))
    summary = {"average": float, "total": int, "distribution": {stars: int for stars in "54321"}}
    visitor.get(f"/api/products/{slug}/reviews", like={"data": list, "summary": summary})
    visitor.post(f"/api/products/{slug}/reviews", {"rating": 5, "body": "Boa"}, gives=401)


def quotes(visitor):
    path = "/api/shipping/calculate"
    left = lambda missing: lambda _, v: v["remaining"] == missing
    visitor.get(f"{path}?cep=01001-000&subtotal={19.9 * 3}", like=QUOTE, holds=left(90.3))
    free = QUOTE | {"qualifiesForFree": True}
    visitor.get(f"{path}?cep=01001000&subtotal=150&weight=", like=free, holds=left(0))
    visitor.get(f"{path}?cep=01001000&subtotal=10&weight=1.2", like=QUOTE)
    visitor.get(f"{path}?cep=0100&subtotal=10", gives=400, like=field_errors("cep"))
    visitor.get(f"{path}?cep=01001000", gives=400, like=field_errors("subtotal"))
    visitor.get(f"{path}?cep=00000000&subtotal=10", gives=422)


def readers(visitor):
    path = "/api/newsletter"
    visitor.post(f"{path}/subscribe", {"email": "leitora@example.com", "name": ""}, like={"message": str})
    visitor.post(f"{path}/subscribe", {"email": "leitora@example.com"}, gives=409)
    visitor.post(f"{path}/subscribe", {"email": "torto"}, gives=400, like=field_errors("email"))
    visitor.post(f"{path}/unsubscribe", {"email": "leitora@example.com"}, like={"message": str})
    message = {"name": "Ana", "email": "ana@example.com", "subject": "Olá", "message": "Tudo bem?"}
    visitor.post("/api/contact", message, like={"message": str})
    visitor.post("/api/contact", {"name": "Ana"}, gives=400, like=field_errors("email", "message"))


def elsewhere(visitor):
    visitor.get("/api/nada", gives=404)
    visitor.get("/admin/orders", gives=302, holds=lambda answer, _: answer.headers["location"] == "/login?next=/admin/orders")
    origin = {"origin": "https://outra.example", "access-control-request-method": "PATCH"}
    open_to_all = lambda answer, _: answer.headers["access-control-allow-origin"] == "*"
    visitor.ask("OPTIONS", "/api/v1/products", gives=204, headers=origin, holds=open_to_all)
