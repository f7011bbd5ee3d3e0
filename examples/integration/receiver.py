#!/usr/bin/env python3
"""Receives the shop's webhooks, and believes none that the shop did not sign. Needs Python only.

    SHOP_SECRET=.. receiver.py [port]

Writes one line for each event. In production a proxy with a certificate stands in front of it, for
the shop sends to `https` addresses only unless `webhooks.allow_insecure` is set.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# How old a delivery may be, in seconds.
TOLERANCE = 300
MAX_BODY = 1_000_000
# Events that were dealt with; a real receiver keeps them in its database.
seen = set()


def key_of(secret):
    """What `whsec_` and base64 stand for; any other secret is its own key, as text."""
    try:
        if secret.startswith("whsec_"):
            return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        pass
    return secret.encode()


def is_signed(secret, headers, body):
    """Standard Webhooks: the signature covers the id, the time and the very bytes of the body."""
    try:
        age = time.time() - int(headers["webhook-timestamp"])
    except (TypeError, ValueError):
        return False
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    own = b"v1," + base64.b64encode(hmac.new(key_of(secret), signed, hashlib.sha256).digest())
    # As bytes: texts are compared as long as they are ASCII only, and a forger may send others.
    entries = (headers["webhook-signature"] or "").encode().split()
    return abs(age) <= TOLERANCE and any(hmac.compare_digest(own, entry) for entry in entries)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        if length > MAX_BODY:
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_signed(os.environ["SHOP_SECRET"], self.headers, body):
            return self.answer(401)
        # Answered before anything slow is done; the same event may come twice.
        self.answer(204)
        event_id = self.headers["webhook-id"]
        if event_id not in seen:
            seen.add(event_id)
            event = json.loads(body)
            print(event["event"], event["id"], flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
    ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
