"""A customer and staff of a running shop, and what is found wrong with it."""

import sys

import requests
from demo_server import ADMIN, CUSTOMER


class Judge:
    def __init__(self, url):
        self.url, self.wrong, self.checks = url, [], 0
        self.customer, self.admin = requests.Session(), requests.Session()
        self.call(self.admin, "POST", "/api/auth/login", ADMIN)
        self.call(self.customer, "POST", "/api/auth/login", CUSTOMER)
        home = {"label": "Casa", "street": "Rua das Flores", "number": "123", "district": "Centro"}
        home |= {"city": "São Paulo", "state": "SP", "zipCode": "01001000"}
        self.address = self.call(self.customer, "POST", "/api/user/addresses", home, 201)["id"]
        found = self.call(self.customer, "GET", "/api/products?inStock=true&limit=50")["data"]
        self.product = next(it["id"] for it in found if it["stock"] > 5 and not it.get("hasVariants"))

    def same(self, what, found, expected):
        self.checks += 1
        if found != expected:
            self.wrong.append(f"{what} is\n    {found!r}, must be\n    {expected!r}")

    def call(self, session, method, path, body=None, status=200, **options):
        answer = session.request(method, self.url + path, json=body, timeout=30, **options)
        if answer.status_code != status:
            sys.exit(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def order(self):
        lines = [{"productId": self.product, "quantity": 1}]
        return self.call(self.customer, "POST", "/api/orders", {"addressId": self.address, "cartItems": lines}, 201)
