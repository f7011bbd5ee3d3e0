"""Judges what programs read of a storefront: the feed of products by feedparser, field by field against
the API, the sitemap by its schema and by another reader, the pages' JSON-LD by extruct.

usage: storefront.py SERVER

Starts the server with `--demo` in a folder of its own, and adds what is hard to write down: names that
try to become markup, a product without anything, one that is not on sale.
"""

import pathlib
import re
import sys
import urllib.parse
from decimal import Decimal

import extruct
import feedparser
import requests
from lxml import etree
from usp.tree import sitemap_from_str

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from demo_server import ADMIN, demo_server  # noqa: E402

HOSTILE = "Vela </script><script>alert(1)</script> \"a\" 'b' & <!-- \u202eolev"
PICTURE = re.compile(r"https?://\S+")


class Judge:
    """Collects what is wrong."""

    def __init__(self, url):
        self.url, self.session, self.wrong, self.checks = url, requests.Session(), [], 0

    def same(self, what, found, expected):
        self.checks += 1
        if found != expected:
            self.wrong.append(f"{what} is {found!r}, must be {expected!r}")

    def must(self, what, holds):
        self.same(what, bool(holds), True)

    def get(self, path, status=200):
        answer = self.session.get(urllib.parse.urljoin(self.url, path))
        self.same(f"the status of {path}", answer.status_code, status)
        answer.encoding = "utf-8"
        return answer

    def post(self, path, body, status=201):
        answer = self.session.post(self.url + path, json=body)
        self.same(f"the status of POST {path}", answer.status_code, status)
        return answer.json()


def prepare(judge):
    """Adds what the demonstration has none of."""
    judge.post("/api/auth/login", ADMIN, 200)
    new = {"name": HOSTILE, "slug": "hostil", "price": 1234.5, "stock": 1, "description": HOSTILE, "sku": "<&>'\""}
    judge.post("/api/admin/products", new)
    judge.post("/api/admin/products", {"name": "Nada", "slug": "nada", "price": 0.1, "stock": 0})
    judge.post("/api/admin/products", {"name": "Oculta", "slug": "oculta", "price": 1, "stock": 1, "active": False})


def products(judge):
    """Every product on sale, as the API has it, by its slug."""
    found, page = {}, 1
    while True:
        answer = judge.get(f"/api/products?limit=100&page={page}").json()
        for product in answer["data"]:
            found[product["slug"]] = judge.get(f"/api/products/{product['slug']}").json()
        if page >= answer["pagination"]["totalPages"]:
            return found
        page += 1


def money(amount):
    return f"{Decimal(str(amount)).quantize(Decimal('0.01'))} BRL"


def expected_items(url, shop):
    """What the feed must have, by identifier."""
    items = {}
    for slug, product in shop.items():
        own = product["sku"] or slug
        for variant in product["variants"] or [None]:
            sold = variant or product
            before = sold["comparePrice"]
            on_offer = before is not None and before > sold["price"]
            items[(variant["sku"] or variant["id"]) if variant else own] = {
                "link": f"{url}/produto/{slug}",
                "g_availability": "in_stock" if sold["stock"] > 0 else "out_of_stock",
                "g_price": money(before if on_offer else sold["price"]),
                "g_sale_price": money(sold["price"]) if on_offer else None,
                "g_condition": "new",
                "g_item_group_id": own if variant else None,
                "g_product_type": product["category"]["name"] if product["category"] else None,
                "g_mpn": sold["sku"],
                "summary": (product["description"] or product["name"])[:5000],
            }
    return items


def judge_feed(judge, shop):
    raw = judge.get("/feeds/products.xml").content
    feed = feedparser.parse(raw, sanitize_html=False, resolve_relative_uris=False)
    judge.must(f"the feed's form ({feed.get('bozo_exception')})", not feed.bozo)
    judge.same("the feed's version", feed.version, "rss20")
    judge.same("the namespace", feed.namespaces.get("g"), "http://base.google.com/ns/1.0")
    expected = expected_items(judge.url, shop)
    judge.same("identifiers", sorted(it["g_id"] for it in feed.entries), sorted(expected))
    for item in feed.entries:
        for field, value in expected.get(item["g_id"], {}).items():
            judge.same(f"{field} of {item['g_id']}", item.get(field), value)
        check_form(judge, item)
    return len(feed.entries)


def check_form(judge, item):
    """What the specification demands of each item by itself."""
    name = item["g_id"]
    judge.must(f"the identifier of {name}", 1 <= len(name) <= 50)
    judge.must(f"the title of {name}", 1 <= len(item["title"]) <= 150)
    judge.must(f"the price of {name}", re.fullmatch(r"\d+\.\d\d BRL", item["g_price"]))
    if "g_image_link" in item:
        judge.must(f"the picture of {name}", PICTURE.fullmatch(item["g_image_link"]))
    known = "g_gtin" in item or ("g_brand" in item and "g_mpn" in item)
    judge.same(f"identifier_exists of {name}", item.get("g_identifier_exists"), None if known else "no")
    if "g_shipping_weight" in item:
        judge.must(f"the weight of {name}", re.fullmatch(r"\d+\.\d{3} kg", item["g_shipping_weight"]))


def judge_sitemap(judge, shop):
    schema = etree.XMLSchema(etree.parse(HERE / "sitemap.xsd"))
    raw = judge.get("/sitemap.xml").content
    judge.must(f"the sitemap's form ({schema.error_log})", schema.validate(etree.fromstring(raw)))
    read = sitemap_from_str(raw.decode())
    urls = [page.url for page in read.all_pages()]
    judge.same("pages that are listed twice", len(urls), len(set(urls)))
    prefix = f"{judge.url}/produto/"
    judge.same("products", sorted(it.removeprefix(prefix) for it in urls if it.startswith(prefix)), sorted(shop))
    judge.must("home", f"{judge.url}/" in urls)
    judge.must("times", all(page.last_modified for page in read.all_pages() if page.url.startswith(prefix)))
    for url in urls:
        judge.get(url)
    robots = judge.get("/robots.txt").text
    judge.must("the sitemap in robots.txt", f"Sitemap: {judge.url}/sitemap.xml" in robots.splitlines())
    return len(urls)


def data_of(judge, path):
    """The page's JSON-LD by type, and its Open Graph."""
    page = judge.get(path).text
    found = extruct.extract(page, base_url=judge.url + path, syntaxes=["json-ld", "opengraph"], errors="strict")
    blocks = [part for block in found["json-ld"] for part in block.get("@graph", [block])]
    graph = dict(found["opengraph"][0]["properties"]) if found["opengraph"] else {}
    return {block["@type"]: block for block in blocks}, graph


def judge_pages(judge, shop):
    for slug, product in shop.items():
        path = f"/produto/{slug}"
        data, graph = data_of(judge, path)
        said = data["Product"]
        judge.same(f"the name in {path}", said["name"], product["name"])
        judge.same(f"the description in {path}", said.get("description", ""), product["description"].strip())
        offers = said["offers"] if isinstance(said["offers"], list) else [said["offers"]]
        sold = product["variants"] or [product]
        judge.same(
            f"the offers in {path}",
            [(it["@type"], it["price"], it["priceCurrency"], it["availability"], it["url"]) for it in offers],
            [
                (
                    "Offer",
                    money(it["price"]).split()[0],
                    "BRL",
                    "https://schema.org/InStock" if it["stock"] > 0 else "https://schema.org/OutOfStock",
                    judge.url + path,
                )
                for it in sold
            ],
        )
        rating = said.get("aggregateRating")
        told = (rating["ratingValue"], rating["reviewCount"]) if rating else None
        rated = (product["averageRating"], product["reviewCount"]) if product["reviewCount"] else None
        judge.same(f"the rating in {path}", told, rated)
        crumbs = data["BreadcrumbList"]["itemListElement"]
        judge.same(f"the crumbs in {path}", [it["position"] for it in crumbs], list(range(1, len(crumbs) + 1)))
        judge.same(f"the last crumb in {path}", crumbs[-1]["item"], judge.url + path)
        judge.same(f"og:url in {path}", graph["og:url"], judge.url + path)
        judge.must(f"og:title in {path}", graph["og:title"].startswith(product["name"]))
    home, graph = data_of(judge, "/")
    judge.same("the types of home", sorted(home), ["Organization", "WebSite"])
    judge.same("og:type of home", graph["og:type"], "website")
    for category in judge.get("/api/categories").json():
        data, _ = data_of(judge, f"/categoria/{category['slug']}")
        judge.same("a category's crumb", data["BreadcrumbList"]["itemListElement"][-1]["name"], category["name"])
    for path in ["/produto/oculta", "/produto/nenhuma", "/categoria/nenhuma"]:
        judge.get(path, 404)
    return len(shop)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with demo_server(sys.argv[1], {}) as (url, _):
        judge = Judge(url)
        prepare(judge)
        shop = products(judge)
        items, urls, pages = judge_feed(judge, shop), judge_sitemap(judge, shop), judge_pages(judge, shop)
    for wrong in judge.wrong:
        print(wrong)
    print(f"{items} items, {urls} addresses, {pages} pages of products; {judge.checks} checks, {len(judge.wrong)} failed")
    sys.exit(bool(judge.wrong))


if __name__ == "__main__":
    main()
