"""Judges how the shop speaks with its payment providers, by the providers' own packages.

usage: providers.py SERVER

A server of ours plays both providers and notes what it is asked. The shop pays, calls off and gives
back; then `stripe` and `mercadopago` are told to do the same, and must ask for it in the same words.
Notices and events are signed, and judged, by those packages too: the shop must take what they take.
"""

import http.server
import json
import pathlib
import sys
import threading
import time
import urllib.parse

import mercadopago
import requests
import stripe
from mercadopago.config import RequestOptions
from mercadopago.config.config import Config
from mercadopago.webhook import InvalidWebhookSignatureError, WebhookSignatureValidator, validator

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from demo_server import demo_server  # noqa: E402
from judge import Judge  # noqa: E402

TOKEN, KEY = "TEST-token-of-provider1-0001", "sk_test_key_of_provider2_0001"
SECRET1, SECRET2 = "secret-of-provider1-notices-0001", "whsec_secret_of_provider2_0001"
# What says nothing of the request itself: who sends it, and over which connection.
OWN = ("authorization", "content-type", "idempotency-key", "x-idempotency-key", "stripe-version")


class Provider(http.server.BaseHTTPRequestHandler):
    """Both providers, with the payments that they were asked for."""

    payments, asked = {}, []

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        url = urllib.parse.urlsplit(self.path)
        query = sorted(urllib.parse.parse_qsl(url.query))
        self.asked.append((self.command, url.path, query, body_of(self.headers, body), own_headers(self.headers)))
        status, reply = (stripe_answer if KEY in self.headers["authorization"] else mercado_pago_answer)(
            self.command, url.path, dict(urllib.parse.parse_qsl(body)) if "form" in str(self.headers["content-type"]) else body
        )
        reply = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


def own_headers(headers):
    found = {name.lower(): value for name, value in headers.items() if name.lower() in OWN}
    # Both packages send the type of a body along with requests that have none.
    found["content-type"] = found.get("content-type", "").split(";")[0]
    return found


def body_of(headers, body):
    if "json" in str(headers["content-type"]):
        return json.loads(body) if body else None
    return sorted(urllib.parse.parse_qsl(body))


def stripe_answer(method, path, form):
    parts = path.strip("/").split("/")
    if path == "/v1/refunds":
        intent = Provider.payments[form["payment_intent"]]
        intent["latest_charge"]["amount_refunded"] += int(form["amount"])
        return 200, {"id": f"re_{len(Provider.asked)}", "object": "refund", "status": "succeeded"}
    if path == "/v1/payment_intents":
        metadata = {name[9:-1]: value for name, value in form.items() if name.startswith("metadata[")}
        intent = {
            "id": f"pi_{len(Provider.payments)}", "object": "payment_intent", "status": "requires_payment_method",
            "amount": int(form["amount"]), "amount_received": 0, "currency": form["currency"], "metadata": metadata,
            "client_secret": f"pi_{len(Provider.payments)}_secret_x", "latest_charge": None, "last_payment_error": None,
        }
        Provider.payments[intent["id"]] = intent
        return 200, intent
    intent = Provider.payments.get(parts[2])
    if not intent:
        return 404, {"error": {"type": "invalid_request_error", "code": "resource_missing", "message": "none"}}
    if parts[-1] == "cancel":
        intent["status"] = "canceled"
    return 200, intent


def mercado_pago_answer(method, path, body):
    body = json.loads(body) if body else {}
    parts = path.strip("/").split("/")
    if path == "/v1/payments/search":
        return 200, {"results": [it for it in Provider.payments.values() if "transaction_amount" in it]}
    if path == "/v1/payments":
        number = 1000 + len(Provider.payments)
        pix = {"transaction_data": {"qr_code": "00020126", "qr_code_base64": "aQ=="}}
        payment = {
            "id": number, "status": "pending", "status_detail": "pending_waiting_transfer", "currency_id": "BRL",
            "payment_type_id": "bank_transfer" if body["payment_method_id"] == "pix" else "credit_card",
            "transaction_amount_refunded": 0, "refunds": [], "point_of_interaction": pix,
        } | {name: body[name] for name in ("transaction_amount", "external_reference", "metadata", "payment_method_id")}
        if "token" in body:
            payment |= {"status": "approved", "status_detail": "accredited", "installments": body["installments"]}
        Provider.payments[str(number)] = payment
        return 201, payment
    payment = Provider.payments.get(parts[2])
    if not payment:
        return 404, {"message": "Payment not found", "status": 404, "cause": [{"code": 2000}]}
    if parts[-1] == "refunds":
        payment["transaction_amount_refunded"] += body["amount"]
        return 201, {"id": len(Provider.asked), "status": "approved", "amount": body["amount"]}
    if method == "PUT":
        payment["status"] = body["status"]
    return 200, payment


class Pair(Judge):
    """The shop beside the providers' packages."""

    def __init__(self, url, played):
        super().__init__(url)
        self.played = played

    def status_of(self, order):
        return self.call(self.customer, "GET", f"/api/orders/{order['id']}")["status"]

    def alike(self, what, by_shop, by_package):
        """The shop and the package ask for the same thing: what each asked for must be the same."""
        first = len(Provider.asked)
        by_shop()
        shops = Provider.asked[first:]
        first = len(Provider.asked)
        by_package(shops[0])
        package = Provider.asked[first:]
        self.same(what, shops[0], package[0])


def judge_stripe(judge):
    addresses = {"api": judge.played}
    client = stripe.StripeClient(KEY, base_addresses=addresses, max_network_retries=0)
    order, payment = judge.order(), {}

    def pay():
        payment.update(judge.call(judge.customer, "POST", "/api/payments/provider2", {"orderId": order["id"]}))

    def create(asked):
        params = nested(asked[3])
        client.v1.payment_intents.create(params, {"idempotency_key": asked[4]["idempotency-key"]})

    judge.alike("the request for an intent", pay, create)
    intent = next(it for it in Provider.payments if it.startswith("pi_"))
    judge_events(judge, order, intent)
    full = {"reason": "Não serviu"}
    judge.alike(
        "the request for a refund",
        lambda: judge.call(judge.admin, "POST", f"/api/admin/orders/{order['id']}/refunds", full, 201),
        lambda it: client.v1.refunds.create(nested(it[3]), {"idempotency_key": it[4]["idempotency-key"]}),
    )
    other = judge.order()
    judge.call(judge.customer, "POST", "/api/payments/provider2", {"orderId": other["id"]})
    last = [it for it in Provider.payments if it.startswith("pi_")][-1]
    first = len(Provider.asked)
    judge.call(judge.customer, "POST", f"/api/orders/{other['id']}/cancel")
    calls = [it for it in Provider.asked[first:] if it[0] == "POST"]
    if not calls:
        # The background calls it off, within minutes.
        return
    shops = calls[0]
    client.v1.payment_intents.cancel(
        last, {"cancellation_reason": "abandoned"}, {"idempotency_key": shops[4]["idempotency-key"]}
    )
    judge.same("the request to call an intent off", shops, Provider.asked[-1])


def nested(pairs):
    """Parameters of a form as the package takes them."""
    found = {}
    for name, value in pairs:
        outer, _, inner = name.partition("[")
        value = True if value == "true" else value
        if inner:
            found.setdefault(outer, {})[inner.rstrip("]")] = value
        else:
            found[outer] = value
    return found


def judge_events(judge, order, intent):
    held = Provider.payments[intent]
    held |= {"status": "succeeded", "amount_received": held["amount"]}
    held["latest_charge"] = {"id": "ch_1", "object": "charge", "amount_refunded": 0, "disputed": False}
    event = {
        "id": "evt_1", "object": "event", "type": "payment_intent.succeeded", "api_version": stripe.api_version,
        "created": int(time.time()), "data": {"object": held},
    }
    body, now = json.dumps(event), int(time.time())
    headers = {
        "signed by another secret": stripe.WebhookSignature.generate_signature_header(body, "whsec_other"),
        "too old": stripe.WebhookSignature.generate_signature_header(body, SECRET2, now - 600),
        "without a signature": "",
        "of another scheme": f"t={now},v0=00",
        "signed": stripe.WebhookSignature.generate_signature_header(body, SECRET2),
    }
    for how, header in headers.items():
        try:
            stripe.Webhook.construct_event(body, header, SECRET2)
            taken = True
        except stripe.SignatureVerificationError:
            taken = False
        answer = requests.post(
            f"{judge.url}/api/payments/provider2/webhook", data=body.encode(),
            headers={"stripe-signature": header, "content-type": "application/json"}, timeout=30,
        )
        judge.same(f"whether an event that is {how} counts", answer.status_code == 200, taken)
    judge.same("the order that the intent paid", judge.status_of(order), "PROCESSING")


def judge_mercado_pago(judge):
    # The package's address is a constant of it.
    Config._Config__api_base_url = judge.played
    sdk, order = mercadopago.SDK(TOKEN), judge.order()

    def options(asked):
        return RequestOptions(custom_headers={"x-idempotency-key": asked[4].get("x-idempotency-key", "")})

    judge.alike(
        "the request for a PIX code",
        lambda: judge.call(judge.customer, "POST", "/api/payments/pix", {"orderId": order["id"]}),
        lambda it: sdk.payment().create(it[3], options(it)),
    )
    payment = next(id for id, it in Provider.payments.items() if it.get("payment_method_id") == "pix")
    Provider.payments[payment] |= {"status": "approved", "status_detail": "accredited"}
    judge_notices(judge, payment)
    judge.same("the order that the PIX paid", judge.status_of(order), "PROCESSING")
    judge.alike(
        "the request for a refund of PIX",
        lambda: judge.call(judge.admin, "POST", f"/api/admin/orders/{order['id']}/refunds", {}, 201),
        lambda it: sdk.refund().create(payment, it[3], options(it)),
    )
    carded = judge.order()
    card = {"orderId": carded["id"], "token": "card-token-of-the-browser", "paymentMethodId": "visa", "installments": 2}
    judge.alike(
        "the request for a card",
        lambda: judge.call(judge.customer, "POST", "/api/payments/provider1/card", card),
        lambda it: sdk.payment().create(it[3], options(it)),
    )
    judge.same("the order that the card paid", judge.status_of(carded), "PROCESSING")


def judge_notices(judge, payment):
    """Each notice, with what the package says of it."""
    now = int(time.time())
    cases = [
        ("whole", payment, "request-1", str(now), {}),
        ("in milliseconds", payment, "request-1", str(now * 1000), {}),
        ("without a request id", payment, None, str(now), {}),
        ("of an id in capitals", "ABC123", "request-1", str(now), {}),
        ("of another version besides", payment, "request-1", str(now), {"extra": "v2=00,"}),
        ("with spaces", payment, "request-1", str(now), {"comma": " , "}),
        ("with an empty id", "", "request-1", str(now), {}),
        ("with an empty part", payment, "request-1", str(now), {"extra": ","}),
        ("about another payment", payment, "request-1", str(now), {"signed": "999"}),
        ("of another secret", payment, "request-1", str(now), {"secret": "guessed-secret-of-nobody"}),
        ("without a hash", payment, "request-1", str(now), {"hash": ""}),
    ]
    for how, data_id, request, ts, change in cases:
        manifest = validator._build_manifest(change.get("signed", data_id), request, ts)
        secret = change.get("secret", SECRET1).encode()
        digest = validator.hmac.new(secret, manifest.encode(), "sha256").hexdigest()
        extra, comma = change.get("extra", ""), change.get("comma", ",")
        header = f"ts={ts}{comma}{extra}v1={change.get('hash', digest)}"
        try:
            WebhookSignatureValidator.validate(header, request, data_id, SECRET1)
            taken = True
        except InvalidWebhookSignatureError:
            taken = False
        headers = {"x-signature": header} | ({"x-request-id": request} if request else {})
        query = urllib.parse.urlencode({"data.id": data_id, "type": "payment"})
        answer = requests.post(
            f"{judge.url}/api/payments/provider1/webhook?{query}", json={"action": "payment.updated"},
            headers=headers, timeout=30,
        )
        # One that is taken and names no payment is answered otherwise than one that is not believed.
        judge.same(f"whether a notice {how} counts ({answer.status_code})", answer.status_code != 401, taken)


def main():
    played = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=played.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{played.server_port}"
    settings = {
        "SHOP_SHIPPING__CEP__URL": "offline", "SHOP_ORDERS__MAX_OPEN_UNPAID": "0",
        "SHOP_PAYMENTS__PROVIDER1__URL": address, "SHOP_PAYMENTS__PROVIDER1__ACCESS_TOKEN": TOKEN,
        "SHOP_PAYMENTS__PROVIDER1__WEBHOOK_SECRET": SECRET1,
        "SHOP_PAYMENTS__PROVIDER2__URL": address, "SHOP_PAYMENTS__PROVIDER2__SECRET_KEY": KEY,
        "SHOP_PAYMENTS__PROVIDER2__WEBHOOK_SECRET": SECRET2,
    }
    with demo_server(sys.argv[1], settings) as (url, _):
        judge = Pair(url, address)
        judge_stripe(judge)
        judge_mercado_pago(judge)
    print(f"{judge.checks} checks by stripe {stripe.VERSION} and mercadopago {Config().version}")
    for wrong in judge.wrong:
        print(wrong)
    sys.exit(bool(judge.wrong))


if __name__ == "__main__":
    main()
