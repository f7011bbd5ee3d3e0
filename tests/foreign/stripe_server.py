"""A whole shop against `localstripe`, a server that plays Stripe and that nobody here wrote.

usage: stripe_server.py SERVER

A payer pays, is declined and pays again by Stripe's own package; localstripe signs and sends its
events; money goes back through the shop. Afterwards both must have the same books.
"""

import json
import pathlib
import socket
import subprocess
import sys
import time

import requests
import stripe

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from demo_server import demo_server  # noqa: E402
from judge import Judge  # noqa: E402

KEY, SECRET = "sk_test_key_of_the_shop_0001", "whsec_secret_of_the_shop_0001"
GOOD, DECLINED = "4242424242424242", "4000000000000341"
# What Stripe takes and localstripe does not know.
UNKNOWN = {"PaymentIntent": ["automatic_payment_methods", "description"], "Refund": ["reason"]}


def play(port):
    from localstripe import resources

    def without(cls, names):
        create = cls._api_create.__func__
        cls._api_create = classmethod(
            lambda own, **data: create(own, **{name: it for name, it in data.items() if name not in names})
        )

    for name, unknown in UNKNOWN.items():
        without(getattr(resources, name), unknown)
    intent = resources.PaymentIntent
    # Its routes hold what was there when it was loaded.
    cancel = intent._api_cancel
    resources.extra_apis = [
        (method, path, (lambda id, cancellation_reason=None: cancel(id)) if call == cancel else call)
        for method, path, call in resources.extra_apis
    ]
    # Stripe tells it; localstripe takes all or nothing.
    intent.amount_received = property(lambda own: own.amount if own.status == "succeeded" else 0)
    update = intent._api_update.__func__

    def forget_decline(own, id, **data):
        found = update(own, id, **data)
        if found.latest_charge and found.latest_charge.status == "failed":
            found.latest_charge = None
        return found

    # As Stripe does, which takes another card after one that was declined.
    intent._api_update = classmethod(forget_decline)
    from localstripe import server

    sys.argv = ["localstripe", "--port", str(port), "--from-scratch"]
    server.start()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def until(what, holds, patience=60):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.2)
    sys.exit(f"after {patience} s: {what}")


class Payer(Judge):
    """A customer who pays through Stripe."""

    def __init__(self, url, client):
        super().__init__(url)
        self.client = client

    def begin(self):
        order = self.order()
        return order, self.intent(order)

    def intent(self, order):
        made = self.call(self.customer, "POST", "/api/payments/provider2", {"orderId": order["id"]})
        return made["clientSecret"].split("_secret_")[0]

    def seen(self, order):
        return self.call(self.customer, "GET", f"/api/orders/{order['id']}")

    def pay(self, intent, number):
        """As the page of a shop does, with the package's words."""
        card = {"number": number, "exp_month": 12, "exp_year": 2040, "cvc": "123"}
        method = self.client.v1.payment_methods.create({"type": "card", "card": card})
        self.client.v1.payment_intents.update(intent, {"payment_method": method.id})
        try:
            self.client.v1.payment_intents.confirm(intent)
        except stripe.CardError as declined:
            return declined.code
        return None

    def charged(self, intent):
        held = self.client.v1.payment_intents.retrieve(intent, {"expand": ["latest_charge"]})
        return held.amount, held.latest_charge.amount_refunded

    def refund(self, order, amount):
        self.call(self.admin, "POST", f"/api/admin/orders/{order['id']}/refunds", amount, 201)


def cents(amount):
    return round(amount * 100)


def judge_payment(judge):
    order, intent = judge.begin()
    judge.same("a card that is good", judge.pay(intent, GOOD), None)
    until("the event of a payment moves its order", lambda: judge.seen(order)["status"] == "PROCESSING")
    judge.same("what Stripe took", judge.charged(intent), (cents(order["total"]), 0))
    judge.refund(order, {"amount": 5, "reason": "Chegou amassada"})
    judge.same("what went back in part", judge.charged(intent), (cents(order["total"]), 500))
    judge.refund(order, {})
    judge.same("what went back in all", judge.charged(intent), (cents(order["total"]),) * 2)
    judge.same("the order whose money went back", judge.seen(order)["status"], "REFUNDED")


def judge_declined(judge):
    order, intent = judge.begin()
    judge.same("a card that is declined", judge.pay(intent, DECLINED), "card_declined")
    until("the shop hears of it", lambda: judge.seen(order)["payment"]["status"] == "FAILED")
    judge.same("the order of a declined card", judge.seen(order)["status"], "PENDING")
    judge.same("the intent after it", judge.intent(order), intent)
    judge.same("the card after it", judge.pay(intent, GOOD), None)
    until("the second card pays", lambda: judge.seen(order)["status"] == "PROCESSING")


def judge_cancelled(judge):
    order, intent = judge.begin()
    judge.call(judge.customer, "POST", f"/api/orders/{order['id']}/cancel")

    def is_off():
        return judge.client.v1.payment_intents.retrieve(intent).status == "canceled"

    until("an order that is called off takes its intent with it", is_off, 180)
    judge.checks += 1


def main():
    if sys.argv[1] == "play":
        return play(int(sys.argv[2]))
    port = free_port()
    played = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([sys.executable, __file__, "play", str(port)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        settings = {
            "SHOP_SHIPPING__CEP__URL": "offline", "SHOP_ORDERS__MAX_OPEN_UNPAID": "0",
            "SHOP_PAYMENTS__PROVIDER2__URL": played, "SHOP_PAYMENTS__PROVIDER2__SECRET_KEY": KEY,
            "SHOP_PAYMENTS__PROVIDER2__WEBHOOK_SECRET": SECRET,
        }
        with demo_server(sys.argv[1], settings) as (url, _):
            hook = {"url": f"{url}/api/payments/provider2/webhook", "secret": SECRET}
            until("localstripe listens", lambda: registers(played, hook))
            client = stripe.StripeClient(KEY, base_addresses={"api": played}, max_network_retries=0)
            judge = Payer(url, client)
            judge_payment(judge)
            judge_declined(judge)
            judge_cancelled(judge)
    finally:
        server.terminate()
        server.wait()
    print(f"{judge.checks} checks by a shop that pays through localstripe, with stripe {stripe.VERSION}")
    for wrong in judge.wrong:
        print(wrong)
    return 1 if judge.wrong else 0


def registers(played, hook):
    try:
        return requests.post(f"{played}/_config/webhooks/shop", data=json.dumps(hook), timeout=5, headers={"content-type": "application/json"}).ok
    except requests.ConnectionError:
        return False


if __name__ == "__main__":
    sys.exit(main())
