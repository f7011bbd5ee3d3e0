"""What schemathesis does besides what it does by itself."""

import itertools

import schemathesis

_address = itertools.count(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Each request comes from an address of its own, so that no limit by address is reached."""
    number = next(_address)
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
