#!/usr/bin/env python3
"""Brings the shop's stock in line with a CSV file of a warehouse (`sku,stock`).

    pip install requests
    SHOP_KEY=svc_live_.. stock_sync.py https://loja.example warehouse.csv

The key needs the scopes products:read and stock:write. Only what differs is sent, in pieces; each
piece has a key of its own, so that a try that lost its answer is not done twice.
"""

import csv
import os
import sys
import time
import uuid

import requests

# Items of one call; the shop takes up to 20,000.
PIECE = 1000
TRIES = 5


class Shop:
    def __init__(self, url, key):
        self.url = url.rstrip("/")
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {key}"

    def call(self, method, path, **options):
        """The JSON of an answer. Asks again where the shop cannot be reached or says to come later."""
        for tried in range(1, TRIES + 1):
            try:
                answer = self.session.request(method, self.url + path, timeout=30, **options)
            except (requests.ConnectionError, requests.Timeout):
                if tried == TRIES:
                    raise
                time.sleep(2**tried / 4)
                continue
            if answer.status_code in (429, 503) and tried < TRIES:
                time.sleep(float(answer.headers.get("Retry-After", 1)))
                continue
            if not answer.ok:
                # Programs go by `code`, people read `error`; `requestId` finds it in the shop's log.
                refused = answer.json()
                raise SystemExit(f"{refused['code']}: {refused['error']} ({refused['requestId']})")
            return answer.json()
        raise AssertionError("the last try returns or raises")

    def products(self):
        """All products, page by page."""
        page, pages = 1, 1
        while page <= pages:
            listed = self.call("GET", "/api/v1/products", params={"page": page, "limit": 100})
            yield from listed["data"]
            page, pages = page + 1, listed["pagination"]["totalPages"]

    def set_stock(self, items):
        """Tells the shop how many units there are: its count of those that it has now."""
        done = self.call(
            "POST",
            "/api/webhooks/stock",
            json={"type": "sync", "items": items},
            headers={"Idempotency-Key": str(uuid.uuid4())},
        )
        for error in done["errors"]:
            print(f"not in the shop: {error}", file=sys.stderr)
        return done["updated"]


def read(file):
    """The units of each SKU. Spreadsheet programs begin a file with a mark, and in Brazil put `;` between cells."""
    counted = {}
    with open(file, newline="", encoding="utf-8-sig") as rows:
        head = rows.readline()
        rows.seek(0)
        table = csv.DictReader(rows, delimiter=";" if ";" in head else ",")
        if not {"sku", "stock"} <= set(table.fieldnames or []):
            raise SystemExit(f"{file}: the first line must name the columns sku and stock")
        for row in table:
            sku, units = row["sku"], (row["stock"] or "").strip()
            if not units.isdecimal():
                raise SystemExit(f"{file}, line {table.line_num}: {units!r} is no number of units")
            if sku in counted:
                raise SystemExit(f"{file}, line {table.line_num}: {sku} was counted in a line above")
            counted[sku] = int(units)
    return counted


def main():
    url, file = sys.argv[1:]
    shop = Shop(url, os.environ["SHOP_KEY"])
    counted = read(file)
    known = {}
    for product in shop.products():
        for item in [product, *product.get("variants", [])]:
            if item["sku"]:
                known[item["sku"]] = item["stock"]
    items = [{"sku": sku, "stock": units} for sku, units in counted.items() if known.get(sku) != units]
    updated = sum(shop.set_stock(items[at : at + PIECE]) for at in range(0, len(items), PIECE))
    print(f"{len(counted)} counted, {len(items)} differ, {updated} set")


if __name__ == "__main__":
    main()
