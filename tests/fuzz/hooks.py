"""What schemathesis does here besides what it does by itself: each request comes from an address of
its own, and half of those that should succeed are about things that there are.

`FUZZ_SEEN` names the file that is told which operations answered with which status.
"""

import atexit
import collections
import itertools
import json
import os
import random
import urllib.error
import urllib.parse
import urllib.request

import schemathesis
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode

# A head of 32 KB is answered with 431.
LONGEST_QUERY = 16_000

_addresses = itertools.count(1)
_dice = random.Random(1)
_seen = collections.defaultdict(collections.Counter)
_known = {}

# Where the ids in bodies come from.
LISTS = {
    "addressId": "/api/user/addresses",
    "categoryId": "/api/categories",
    "orderId": "/api/orders",
    "productId": "/api/products",
    "sku": "/api/v1/products",
}


def cpf(nine):
    """A taxpayer's number with its two check digits."""
    digits = [int(digit) for digit in f"{nine:09}"]
    for _ in range(2):
        weighted = sum(digit * (len(digits) + 1 - at) for at, digit in enumerate(digits))
        digits.append(0 if weighted % 11 < 2 else 11 - weighted % 11)
    return "".join(map(str, digits))


def texts(pattern):
    return st.from_regex(pattern, fullmatch=True)


# What the document's own formats are, so that what should be taken is.
FORMATS = {
    "analytics-id": texts("[A-Za-z0-9_.:-]{0,20}"),
    "cep": texts("[0-9]{5}-?[0-9]{3}"),
    "cest": texts("[0-9]{7}"),
    "cpf": st.integers(1, 999_999_998).map(cpf),
    "csosn": st.sampled_from(["102", "103", "300", "400", "500"]),
    "compare-price": texts("[0-9]{1,5}([.][0-9]{1,2})?"),
    "date-or-time": texts("20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])(T([01][0-9]|2[0-3]):[0-5][0-9]Z?)?"),
    "email": texts("[a-z]{1,12}[0-9]{1,6}@example[.](com|org)"),
    "event-id": st.integers(1, 1_000_000).map(str),
    "fiscal-unit": texts("[A-Z]{2,6}"),
    "month": texts("20[0-9]{2}-(0[1-9]|1[0-2])"),
    "ncm": texts("[0-9]{8}"),
    "picture-url": texts("/uploads/[a-z]{1,12}[.]jpg"),
    "price": texts("[1-9][0-9]{0,4}([.][0-9]{1,2})?"),
    "product-facets": texts("(category|price|inStock)(,(category|price|inStock)){0,2}"),
    "quoted-items": texts("[0-9a-f]{8}(/[0-9a-f]{8})?:[1-9](,[0-9a-f]{8}:[1-9]){0,3}"),
    "slug": texts("[a-z0-9]{2,12}([-_][a-z0-9]{1,9}){0,2}"),
    "uf": st.sampled_from(["AC", "BA", "MG", "PA", "RS", "SP"]),
    "webhook-url": texts("https://[a-z]{1,12}[.]example/[a-z]{0,9}"),
}
for name, strategy in FORMATS.items():
    schemathesis.openapi.format(name, strategy)


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(_addresses)
    # Each request comes from an address of its own, so that no limit by address is reached.
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    positive = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if positive and _dice.random() < 0.5:
        aim(case)


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what HTTP itself refuses, and what is wrong only by the document's letter: a field
    without a value counts as absent, as forms send it, and blanks around a text as nothing. Of an
    object as a parameter's value only the keys are sent, each as a value, and that may be a right one."""
    if len(urllib.parse.urlencode(case.query or {})) > LONGEST_QUERY:
        return False
    negative = case.meta is not None and case.meta.generation.mode == GenerationMode.NEGATIVE
    keys_only = any(isinstance(value, dict) for value in (case.query or {}).values())
    return not (negative and (keys_only or any(lenient(fields) for fields in (case.query, case.body))))


def lenient(fields):
    return has_empty(fields) or has_padded(fields)


def has_padded(fields):
    texts = fields.values() if isinstance(fields, dict) else []
    return any(isinstance(text, str) and text.strip() != text for text in texts)


def has_empty(fields):
    return isinstance(fields, dict) and any(is_empty(value) for value in fields.values())


def is_empty(value):
    return all(map(is_empty, value)) if isinstance(value, list) else value in ("", None)


@schemathesis.hook
def after_call(context, case, response):
    _seen[case.operation.definition.raw["operationId"]][response.status_code] += 1


@atexit.register
def tell():
    path = os.environ.get("FUZZ_SEEN")
    if path and _seen:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(_seen, file)


def aim(case):
    """Puts ids of things that there are where ids are wanted."""
    base, headers = case.operation.base_url, dict(case.headers or {})
    path = case.operation.path
    for name in case.path_parameters or {}:
        collection = path.split("{" + name + "}")[0].rstrip("/")
        for other, value in (case.path_parameters or {}).items():
            collection = collection.replace("{" + other + "}", str(value))
        found = known(base, collection, "slug" if name == "slug" else "id", headers)
        if found:
            case.path_parameters[name] = _dice.choice(found)
    fill(case.body, base, headers)


def fill(body, base, headers):
    if isinstance(body, list):
        for one in body:
            fill(one, base, headers)
    if isinstance(body, dict):
        for name, value in body.items():
            found = known(base, LISTS[name], "sku" if name == "sku" else "id", headers) if name in LISTS and isinstance(value, str) else []
            if found:
                body[name] = _dice.choice(found)
            else:
                fill(value, base, headers)


def known(base, path, field, headers):
    """The ids that a list has; asked for anew now and then, because things come and go."""
    found, uses = _known.get((path, field), ([], 0))
    if uses % 20 == 0:
        url = base.rstrip("/") + urllib.request.quote(path)
        sent = {name: str(value) for name, value in headers.items() if name.lower() in ("authorization", "x-forwarded-for")}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=sent), timeout=10) as answer:
                found = ids(json.load(answer), field)
        except (OSError, ValueError):
            found = []
    _known[path, field] = (found, uses + 1)
    return found


def ids(answer, field):
    items = answer.get("data", answer.get("items", [])) if isinstance(answer, dict) else answer
    wanted = [one.get(field, one.get("productId")) for one in items if isinstance(one, dict)] if isinstance(items, list) else []
    return [one for one in wanted if isinstance(one, str)]
