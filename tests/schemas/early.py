"""Makes the files of the schemas of before the first release, 0004.db.gz to 0055.db.gz.

    pip install apsw && python tests/schemas/early.py

No program of then was built for it. Each schema is made by the migrations as they stood in the commit
that is named here, read out of the history, one after the other on the same shop; the rows are
`../it/cli/db/earlier.sql` and, for what came later, those below, with the counters as that version
would have kept them. apsw has a SQLite that is new enough for the full-text indexes.
"""

import gzip
import pathlib
import subprocess
import tempfile

import apsw

HERE = pathlib.Path(__file__).parent
ROWS = HERE.parent / "it/cli/db/earlier.sql"

# The last migration, and a commit in which the migrations went so far without a gap.
STATIONS = {4: "8647458c", 13: "575516bf", 44: "24b36255", 48: "714a3831", 55: "fe92addb"}

LATER = {
    4: """
INSERT INTO mail (id, kind, recipient, recipient_name, letter, created_at, sent_at)
VALUES ('m1', 'welcome', 'Ana@example.com', 'Ana', '{}', 1, 2);
INSERT INTO newsletter_reader (email_key, email, subscribed_at) VALUES ('leo@example.com', 'leo@example.com', 1);
INSERT INTO guest_cart (owner, touched_at) VALUES ('guest:1', 1767279600000);
""",
    13: """
UPDATE payment SET captured = amount WHERE status IN ('PAID', 'REFUNDED');
INSERT INTO refund (id, payment_id, order_id, amount, status, origin, check_at, created_at, updated_at)
SELECT 'f-' || id, id, order_id, amount, 'DONE', 'SHOP', 2, 2, 2 FROM payment WHERE status = 'REFUNDED';
INSERT INTO audit (actor, actor_id, action, resource_id, old_values, new_values, created_at)
VALUES ('ADMIN', 'root', 'product.update', 'vela', '{"price":19.9}', '{"price":29.9}', 1);
INSERT INTO api_key (id, name, key_hash, key_prefix, scopes, created_at)
VALUES ('k1', 'ERP', 'h', 'shop_abc', 'orders:read stock:write', 1);
INSERT INTO webhook (id, url, events, secret, created_at, updated_at)
VALUES ('w1', 'https://erp.example/hook', ',order.created,', 'um-segredo-de-mais-de-32-caracteres-aqui', 1, 1);
INSERT INTO product_fiscal (product_id, ncm, csosn, updated_at) VALUES ('vela', '34060000', '102', 1);
INSERT INTO site_setting (key, value, revision, updated_at) VALUES ('site.name', '"Velas"', 'r1', 1);
""",
    44: """
INSERT INTO orders (id, number, account_id, address_id, address, subtotal, shipping, discount, total,
  status, cancelled_by, created_at, updated_at)
SELECT 'sent', 'PED-20260102-0001', account_id, address_id, address, 2990, 0, 0, 2990, 'DELIVERED', NULL,
  1767366000000, 1767366000000 FROM orders WHERE id = 'open';
INSERT INTO order_item (order_id, position, product_id, item_id, quantity, price, total, name, weight_grams)
VALUES ('sent', 1, 'vela', 'vela', 1, 2990, 2990, 'Vela de Maçã', 300);
INSERT INTO order_history (order_id, status, actor, created_at)
VALUES ('sent', 'PROCESSING', 'STAFF', 3), ('sent', 'SHIPPED', 'STAFF', 4), ('sent', 'DELIVERED', 'STAFF', 5);
INSERT INTO payment (id, order_id, provider, method, status, amount, captured, created_at, updated_at)
VALUES ('p4', 'sent', 'recorded', 'CASH', 'PAID', 2990, 2990, 3, 3);
INSERT INTO stock_movement (item_id, delta, reason, source, reference, created_at)
VALUES ('vela', 1, 'ADJUSTMENT', 'ADMIN', NULL, 3), ('vela', -1, 'PURCHASE', 'ORDER', 'sent', 3);
UPDATE stock SET sold = sold + 1, order_lines = order_lines + 1 WHERE item_id = 'vela';
INSERT INTO order_day (day, last, delivered, revenue) VALUES ('20260102', 1, 1, 2990);
INSERT INTO staff_session (id, account_id, token_hash, created_at, last_used_at, expires_at)
VALUES ('s1', 'root', 't', 3, 3, 4);
INSERT INTO mail (id, kind, recipient, letter, created_at, sent_at, account_id, order_id)
VALUES ('m2', 'order-shipped', 'Ana@example.com', '{}', 3, 4, 'ana', 'sent');
""",
    48: """
INSERT INTO external_account (external_id, account_id, created_at) VALUES ('crm-7', 'ana', 5);
""",
    55: """
UPDATE account SET cnpj = '11222333000181', company_name = 'Bia Velas Ltda' WHERE id = 'bia';
INSERT INTO order_return (id, order_id, order_number, account_id, protocol, kind, status, courtesy,
  refund_status, created_at, updated_at)
VALUES ('d1', 'sent', 'PED-20260102-0001', 'ana', 'PED-20260102-0001-D1', 'WITHDRAWAL', 'REQUESTED', 0,
  'NONE', 6, 6);
INSERT INTO order_return_item (return_id, position, name, quantity, amount)
VALUES ('d1', 1, 'Vela de Maçã', 1, 2990);
UPDATE order_item SET returned = 1 WHERE order_id = 'sent';
INSERT INTO order_return_history (return_id, status, actor, created_at) VALUES ('d1', 'REQUESTED', 'CUSTOMER', 6);
INSERT INTO category (id, name, slug, created_at) VALUES ('c', 'Velas', 'velas', 6);
INSERT INTO category_fiscal (category_id, ncm, updated_at) VALUES ('c', '34060000', 6);
""",
}


def git(*words):
    return subprocess.run(["git", *words], cwd=HERE, check=True, capture_output=True, text=True).stdout


def migrations(commit):
    """Number, topic and text of each file, in the order in which they run."""
    folder = "shop-core/migrations/"
    names = git("ls-tree", "--full-tree", "--name-only", commit, folder).split()
    for path in sorted(names, key=lambda path: (path.split("_")[0], path.count("."))):
        name = path.removeprefix(folder).removesuffix(".sql")
        if not name.endswith(".postgres"):
            number, topic = name.removesuffix(".sqlite").split("_", 1)
            yield int(number), topic, git("show", f"{commit}:{path}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "shop.db"
        shop = apsw.Connection(str(file))
        shop.execute("CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
        done = 0
        for station, commit in STATIONS.items():
            for number, topic, text in migrations(commit):
                if done < number <= station:
                    for placeholder, word in ("int", "INTEGER"), ("end", "STRICT"), ("serial", "INTEGER PRIMARY KEY"):
                        text = text.replace("{%s}" % placeholder, word)
                    shop.execute(text)
                    shop.execute("INSERT INTO schema_migration VALUES (?, ?) ON CONFLICT DO NOTHING", (number, topic))
            if not done:
                shop.execute(ROWS.read_text())
            shop.execute(LATER[station])
            done = station
            shop.execute("VACUUM")
            kept = HERE / f"{station:04}.db.gz"
            kept.write_bytes(gzip.compress(file.read_bytes(), mtime=0))
            print(kept.name, kept.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
