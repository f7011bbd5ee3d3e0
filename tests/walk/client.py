"""A caller of the service, and the shapes that answers are held against.

A shape is a type (`float` takes every number), a pattern for texts, a dictionary of shapes by field
(other fields may stand beside them), a list of one shape (which wants at least one element),
`maybe(shape)` for what may be null, or a value, which must be equal.
"""

import itertools
import json
import re

import requests

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
DECIMAL = re.compile(r"\d+\.\d\d")
PAGINATION = {"page": int, "limit": int, "total": int, "totalPages": int}


class maybe:
    """What may be null."""

    def __init__(self, shape):
        self.shape = shape


def page_of(shape):
    return {"data": [shape], "pagination": PAGINATION}


def field_errors(*names):
    """The body of a 400 that names these fields."""
    return {"error": "Dados inválidos", "details": {"fieldErrors": {name: [str] for name in names}}}


def mismatches(shape, value, at="body"):
    """Where a value has not the shape."""
    if isinstance(shape, maybe):
        return [] if value is None else mismatches(shape.shape, value, at)
    if isinstance(shape, type):
        number = shape is float and isinstance(value, int)
        fits = (isinstance(value, shape) or number) and (shape is bool) == isinstance(value, bool)
        return [] if fits or shape is object else [f"{at}: {value!r} is no {shape.__name__}"]
    if isinstance(shape, re.Pattern):
        fits = isinstance(value, str) and shape.fullmatch(value)
        return [] if fits else [f"{at}: {value!r} is not like {shape.pattern}"]
    if isinstance(shape, dict) and isinstance(value, dict):
        missing = [f"{at}.{name} is missing" for name in shape if name not in value]
        present = [(name, inner) for name, inner in shape.items() if name in value]
        found = [mismatches(inner, value[name], f"{at}.{name}") for name, inner in present]
        return missing + list(itertools.chain(*found))
    if isinstance(shape, list) and isinstance(value, list):
        if not value:
            return [f"{at}: the list is empty"]
        found = [mismatches(shape[0], each, f"{at}[{at_}]") for at_, each in enumerate(value)]
        return list(itertools.chain(*found))
    return [] if shape == value else [f"{at}: {value!r} instead of {shape!r}"]


class Walk:
    """Counts what was asked, and keeps what was not answered as specified."""

    def __init__(self, url):
        self.url = url
        self.asked = 0
        self.failed = []
        self.addresses = (f"198.51.100.{number}" for number in itertools.count(1))

    def caller(self, **headers):
        """A caller with an address and cookies of its own."""
        return Caller(self, {"x-forwarded-for": next(self.addresses), **headers})


class Caller:
    def __init__(self, walk, headers):
        self.walk = walk
        self.session = requests.Session()
        self.session.headers.update(headers)

    def ask(self, method, path, body=None, *, gives=200, like=None, holds=None, **options):
        """Sends one request, and holds its answer against status, shape and a condition."""
        if body is not None:
            options["json"] = body
        url = self.walk.url + path
        answer = self.session.request(method, url, allow_redirects=False, timeout=30, **options)
        value = json_of(answer)
        self.walk.asked += 1
        problems = problems_of(answer, value, gives, like, holds)
        if problems:
            self.walk.failed.append(f"{method} {path}")
            print(f"{method} {path} {json.dumps(body)[:200] if body is not None else ''}")
            print("".join(f"    {problem}\n" for problem in problems[:10]), end="")
        return value if value is not None else answer

    def get(self, path, **expected):
        return self.ask("GET", path, **expected)

    def post(self, path, body=None, **expected):
        return self.ask("POST", path, body, **expected)

    def put(self, path, body, **expected):
        return self.ask("PUT", path, body, **expected)

    def patch(self, path, body=None, **expected):
        return self.ask("PATCH", path, body, **expected)

    def delete(self, path, **expected):
        return self.ask("DELETE", path, **expected)


def json_of(answer):
    try:
        return answer.json()
    except ValueError:
        return None


def problems_of(answer, value, gives, like, holds):
    if answer.status_code != gives:
        return [f"{answer.status_code} instead of {gives}: {answer.text[:300]}"]
    if answer.status_code >= 400:
        like = {"error": str, **(like or {})}
    problems = mismatches(like, value) if like is not None else []
    if not problems and holds is not None and not holds(answer, value):
        problems.append(f"the condition does not hold: {dict(answer.headers)} {answer.text[:300]}")
    return problems
