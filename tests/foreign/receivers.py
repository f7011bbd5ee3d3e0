"""Judges what the shop sends and gives out, by those who receive it: `standardwebhooks` and `svix`
verify its deliveries, `aiosmtpd` takes its mails, `promtool` reads its metrics, spreadsheets its CSV.

usage: receivers.py SERVER
"""

import csv
import email.policy
import http.server
import io
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import aiosmtpd
import requests
import standardwebhooks
import svix.webhooks
from aiosmtpd.controller import Controller
from prometheus_client.openmetrics.parser import text_string_to_metric_families

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from demo_server import ADMIN, demo_server  # noqa: E402

# Words that a spreadsheet would take for a formula, a separator, a quote or an end of a line.
HOSTILE = '=1+1;"Vela", \'azul\'\t ação'
# To the demonstration's own addresses no mail is sent.
BUYER = {"name": "José Ação", "email": "jose@exemplo.com.br", "password": "lavanda-e-mel-64"}
SECRET, NEW_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps the deliveries of each path."""

    got = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.got.append((self.path, list(self.headers.items()), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Mailbox:
    """An SMTP server's handler that keeps what it is handed."""

    def __init__(self):
        self.got = []

    async def handle_DATA(self, _server, _session, envelope):
        self.got.append(envelope)
        return "250 OK"


class Judge:
    def __init__(self, url):
        self.url, self.wrong, self.checks = url, [], 0
        self.admin, self.customer = requests.Session(), requests.Session()

    def must(self, what, holds):
        self.checks += 1
        if not holds:
            self.wrong.append(what)

    def same(self, what, found, expected):
        self.must(f"{what} is {found!r}, must be {expected!r}", found == expected)

    def call(self, session, method, path, body=None, status=200):
        answer = session.request(method, self.url + path, json=body, timeout=30)
        if answer.status_code != status:
            sys.exit(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer

    def until(self, what, holds):
        """Waits for what happens in the background."""
        for _ in range(300):
            if holds():
                return
            time.sleep(0.1)
        self.must(f"within 30 seconds: {what}", False)


def trade(judge):
    """A product with a hostile name, an order of it and its payment."""
    new = {"name": HOSTILE, "slug": "hostil", "price": 1234.5, "stock": 9, "sku": "H-1"}
    product = judge.call(judge.admin, "POST", "/api/admin/products", new, 201)
    home = {"label": "Casa", "street": HOSTILE, "number": "123", "district": "Centro"}
    home |= {"city": "São Paulo", "state": "SP", "zipCode": "01001000"}
    address = judge.call(judge.customer, "POST", "/api/user/addresses", home, 201)["id"]
    line = {"productId": product["id"], "quantity": 1}
    order = {"addressId": address, "cartItems": [line]}
    return judge.call(judge.customer, "POST", "/api/orders", order, 201)


def judge_deliveries(judge, port):
    receiver = {"url": f"http://127.0.0.1:{port}/own", "secret": SECRET, "events": ["order.created"]}
    made = judge.call(judge.admin, "POST", "/api/admin/webhooks", receiver, 201)
    order = trade(judge)
    judge.until("a delivery", lambda: Receiver.got)
    verify(judge, Receiver.got[-1], [SECRET], order)
    path = f"/api/admin/webhooks/{made['id']}"
    judge.call(judge.admin, "PATCH", path, {"secret": NEW_SECRET})
    count = len(Receiver.got)
    judge.call(judge.admin, "POST", f"{path}/test", {})
    judge.until("a test", lambda: len(Receiver.got) > count)
    # For a day both secrets sign.
    verify(judge, Receiver.got[-1], [SECRET, NEW_SECRET], None)


def verify(judge, delivery, secrets, order):
    _, headers, body = delivery
    headers = {name.lower(): value for name, value in headers}
    for package in (standardwebhooks, svix.webhooks):
        for secret in secrets:
            try:
                package.Webhook(secret).verify(body, headers)
                holds = True
            except Exception as error:  # Each package has errors of its own.
                holds = repr(error)
            judge.same(f"a delivery to {package.__name__}", holds, True)
        for what, changed, secret in [
            ("a changed body", (body + b" ", headers), secrets[0]),
            ("another id", (body, headers | {"webhook-id": "other"}), secrets[0]),
            ("an old time", (body, headers | {"webhook-timestamp": "1700000000"}), secrets[0]),
            ("another secret", (body, headers), "whsec_" + "A" * 32),
        ]:
            try:
                package.Webhook(secret).verify(*changed)
                holds = True
            except Exception:
                holds = False
            judge.same(f"{what} to {package.__name__}", holds, False)
    if order:
        judge.same("the order told", json.loads(body)["data"]["id"], order["id"])


def judge_mails(judge, mailbox):
    judge.until("two mails", lambda: len(mailbox.got) >= 2)
    for envelope in mailbox.got:
        mail = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        parts = list(mail.walk())
        defects = [str(it) for part in parts for it in part.defects]
        defects += [str(it) for name in mail.keys() for it in mail[name].defects]
        judge.same(f"defects of {mail['subject']!r}", defects, [])
        judge.same("the receiver", envelope.rcpt_tos, [str(it.addr_spec) for it in mail["to"].addresses])
        for name in ("date", "message-id", "from", "subject"):
            judge.same(f"headers {name}", len(mail.get_all(name, [])), 1)
        lines = envelope.original_content.split(b"\r\n")
        judge.must("a line of a mail is longer than 998 bytes", max(map(len, lines)) <= 998)
        judge.must("a mail has bare ends of lines", b"\n" not in b"".join(lines))
        texts = [part for part in parts if part.get_content_type() == "text/plain"]
        judge.must("a mail has no text", texts and texts[0].get_content().strip())
    subjects = [email.message_from_bytes(it.original_content, policy=email.policy.default)["subject"] for it in mailbox.got]
    judge.must(f"accents survive: {subjects}", not any("=?" in it or "\ufffd" in it for it in subjects))


def judge_tables(judge):
    for what in ("orders", "customers"):
        answer = judge.call(judge.admin, "GET", f"/api/admin/{what}/export")
        text = answer.content.decode("utf-8-sig")
        judge.must(f"{what} say that they are UTF-8 to a spreadsheet", answer.content.startswith(b"\xef\xbb\xbf"))
        dialect = csv.Sniffer().sniff(text.splitlines()[0], ";,\t")
        rows = list(csv.reader(io.StringIO(text), dialect, strict=True))
        judge.must(f"{what} have rows", len(rows) > 1)
        judge.same(f"columns of {what}", {len(row) for row in rows}, {len(rows[0])})
        formulas = [cell for row in rows for cell in row if cell[:1] in "=@+-\t\r" and cell and not number(cell)]
        judge.same(f"cells of {what} that a spreadsheet would run", formulas, [])
        if shutil.which("soffice"):
            judge_office(judge, what, answer.content, rows, dialect.delimiter)
        else:
            print("left out: there is no LibreOffice here to open CSV with")


def number(cell):
    try:
        float(cell.replace(",", "."))
        return True
    except ValueError:
        return False


def judge_office(judge, what, content, rows, delimiter):
    """What LibreOffice makes of it, as a person who opens it sees it."""
    import openpyxl

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / f"{what}.csv").write_bytes(content)
        # Separator, quotes, UTF-8, from the first line.
        filter_ = f"CSV:{ord(delimiter)},34,76,1"
        command = ["soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile", "--convert-to", "xlsx"]
        command += [f"--infilter={filter_}", "--outdir", str(folder), str(folder / f"{what}.csv")]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        sheet = openpyxl.load_workbook(folder / f"{what}.xlsx").active
        judge.same(f"rows of {what} in LibreOffice", sheet.max_row, len(rows))
        judge.same(f"columns of {what} in LibreOffice", sheet.max_column, len(rows[0]))
        formulas = [cell.value for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
        judge.same(f"formulas of {what} in LibreOffice", formulas, [])


def judge_metrics(judge):
    found = judge.call(requests.Session(), "GET", "/metrics").content
    families = list(text_string_to_metric_families(found.decode()))
    judge.must("families of metrics by prometheus_client", len(families) > 5)
    if not shutil.which("promtool"):
        print("left out: there is no promtool here")
        return
    judged = subprocess.run(["promtool", "check", "metrics"], input=found, capture_output=True, check=False)
    # It knows only the older format, in which the help of a counter names it with its ending.
    lines = [it for it in judged.stderr.decode().splitlines() if it and not it.endswith("_total no help text")]
    judge.same("what promtool says", lines, [])


def main():
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    mailbox = Mailbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    smtp = Controller(mailbox, hostname="127.0.0.1", port=port)
    smtp.start()
    settings = {
        "SHOP_SHIPPING__CEP__URL": "offline", "SHOP_WEBHOOKS__ALLOW_INSECURE": "true",
        "SHOP_MAIL__SMTP_URL": f"smtp://127.0.0.1:{port}",
    }
    with demo_server(sys.argv[1], settings) as (url, _):
        judge = Judge(url)
        judge.call(judge.admin, "POST", "/api/auth/login", ADMIN)
        judge.call(judge.customer, "POST", "/api/auth/register", BUYER, 201)
        judge_deliveries(judge, receiver.server_port)
        judge.call(requests.Session(), "POST", "/api/auth/forgot-password", {"email": BUYER["email"]})
        judge_mails(judge, mailbox)
        judge_tables(judge)
        judge_metrics(judge)
    smtp.stop()
    print(f"{judge.checks} checks by standardwebhooks, svix, aiosmtpd {aiosmtpd.__version__} and others")
    for wrong in judge.wrong:
        print(wrong)
    sys.exit(bool(judge.wrong))


if __name__ == "__main__":
    main()
