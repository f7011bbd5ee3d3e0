use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::Value;

use super::{Cli, busy_shop, check, count, plant};

/// Writes a return of a delivered order, in this status and with its money so.
macro_rules! return_of {
    ($status:literal) => {
        concat!(
            "INSERT INTO order_return (id, order_id, order_number, account_id, protocol, kind,
               courtesy, created_at, updated_at, status, refund_status)
             SELECT 'r', id, number, account_id, number || '-D1', 'DEFECT', 0, 0, 0, ",
            $status,
            " FROM orders WHERE id = (SELECT min(id) FROM orders WHERE status = 'DELIVERED');"
        )
    };
}

/// Writes a shipment of an order, in this status, with its label and when it was paid.
macro_rules! shipment_of {
    ($id:literal, $parcel:literal, $status:literal, $label:literal, $paid:literal) => {
        concat!(
            "INSERT INTO shipment (id, order_id, order_number, parcel, status, provider, label_id,
               reference, service, price, declared_value, content, check_at, paid_at, created_at,
               updated_at)
             SELECT '", $id, "', id, number, ", $parcel, ", '", $status, "', 'sandbox', ", $label,
            ", '", $id, "', '1', 1500, 0, '{\"sides\":[1,1,1],\"grams\":1,\"items\":[]}', 0, ",
            $paid, ", 0, 0 FROM orders WHERE id = (SELECT min(id) FROM orders);"
        )
    };
}

/// What is done to a copy, and the checks that must find it. Each check is here.
const DAMAGE: &[(&str, &[&str])] = &[
    (shipment_of!("s", 1, "GENERATED", "'l'", "NULL"), &["shipment-states"]),
    (shipment_of!("s", 1, "DRAFT", "'l'", "NULL"), &["shipment-states"]),
    (
        concat!(
            shipment_of!("s", 1, "GENERATED", "'l'", "1"),
            shipment_of!("t", 2, "GENERATED", "'l'", "1")
        ),
        &["shipment-labels"],
    ),
    (
        concat!(
            shipment_of!("s", 1, "PAYING", "'l'", "NULL"),
            "UPDATE shipment SET check_at = NULL"
        ),
        &["shipment-next"],
    ),
    (
        "INSERT INTO sandbox_label (reference, status, service, price, paper, created_at)
         VALUES ('gone', 'PAID', '1', 1500, '', 0)",
        &["sandbox-labels"],
    ),
    (
        "INSERT INTO order_note (order_id, author, body, created_at) VALUES ('gone', 'x', 'x', 0)",
        &["foreign-keys"],
    ),
    (
        "UPDATE stock SET quantity = quantity + 1
         WHERE item_id = (SELECT min(item_id) FROM stock)",
        &["stock-ledger"],
    ),
    (
        "UPDATE stock SET last_movement = last_movement + 1
         WHERE item_id = (SELECT min(item_id) FROM stock WHERE last_movement IS NOT NULL)",
        &["stock-chain"],
    ),
    (
        "UPDATE stock_movement SET previous = NULL WHERE previous IS NOT NULL",
        &["stock-chain"],
    ),
    (
        "INSERT INTO stock_movement (item_id, delta, reason, source, created_at)
         VALUES ('gone', 1, 'ADJUSTMENT', 'ADMIN', 0)",
        &["stock-gone"],
    ),
    (
        "INSERT INTO stock (item_id, product_pk, is_variant, quantity) VALUES ('none', 1, 0, 0)",
        &["stock-items"],
    ),
    (
        "UPDATE stock SET sold = sold + 1 WHERE item_id = (SELECT min(item_id) FROM stock)",
        &["stock-sold"],
    ),
    (
        "UPDATE stock SET order_lines = order_lines + 1
         WHERE item_id = (SELECT min(item_id) FROM stock WHERE is_variant = 0)",
        &["stock-lines"],
    ),
    (
        "UPDATE order_item SET price = price + 1
         WHERE order_id = (SELECT min(id) FROM orders) AND position = 1",
        &["order-lines"],
    ),
    (
        "UPDATE orders SET shipping = shipping + 1 WHERE id = (SELECT min(id) FROM orders)",
        &["order-totals"],
    ),
    (
        "UPDATE order_item SET quantity = quantity + 1, total = total + price
         WHERE position = 1
           AND order_id = (SELECT min(id) FROM orders WHERE status = 'CANCELLED')",
        &["order-totals"],
    ),
    (
        "INSERT INTO order_history (order_id, status, actor, created_at)
         SELECT min(id), 'PENDING', 'SYSTEM', 0 FROM orders WHERE status = 'DELIVERED'",
        &["order-history"],
    ),
    (
        "UPDATE order_day SET last = last + 1 WHERE day = (SELECT min(day) FROM order_day)",
        &["order-numbers"],
    ),
    (
        "UPDATE order_day SET shipped = shipped + 1 WHERE day = (SELECT min(day) FROM order_day)",
        &["order-days"],
    ),
    (
        "UPDATE order_day SET revenue = revenue + 1 WHERE day = (SELECT max(day) FROM order_day)",
        &["order-days"],
    ),
    (
        "UPDATE product_day SET units = units + 1
         WHERE (day, product_id) = (SELECT day, product_id FROM product_day LIMIT 1)",
        &["product-days"],
    ),
    (
        "UPDATE coupon SET used_count = used_count + 1
         WHERE id = (SELECT min(id) FROM coupon)",
        &["coupon-uses"],
    ),
    (
        "UPDATE coupon SET used_count = used_count + 1 WHERE id = (SELECT min(id) FROM coupon);
         INSERT INTO coupon_use (order_id, coupon_id) SELECT 'gone', min(id) FROM coupon",
        &["coupon-orders"],
    ),
    (
        "UPDATE payment SET captured = captured + 1
         WHERE id = (SELECT min(id) FROM payment WHERE status = 'PAID')",
        &["payment-orders"],
    ),
    (
        "INSERT INTO payment (id, order_id, provider, method, status, amount, captured, created_at,
           updated_at)
         SELECT 'second', order_id, provider, method, status, amount, captured, 0, 0 FROM payment
         WHERE id = (SELECT min(id) FROM payment WHERE status = 'PAID')",
        &["payment-orders"],
    ),
    (
        "UPDATE refund SET amount = amount + 1 WHERE id = (SELECT min(id) FROM refund)",
        &["payment-refunds"],
    ),
    (
        "UPDATE payment SET refunded = captured + 1
         WHERE id = (SELECT min(id) FROM payment WHERE status = 'PAID')",
        &["payment-refunds"],
    ),
    (
        "UPDATE payment SET charged_back = 1
         WHERE id = (SELECT min(id) FROM payment WHERE status = 'PAID')",
        &["payment-disputes"],
    ),
    (
        "INSERT INTO nfe_series (book, cnpj, series, last) VALUES ('SANDBOX', '1', 1, 5)",
        &["nfe-numbers"],
    ),
    (
        "INSERT INTO nfe_series (book, cnpj, series, last) VALUES ('SANDBOX', '1', 1, 1);
         INSERT INTO nfe (id, order_id, book, cnpj, series, number, code, status, attempt, total,
           tries, issued_at, created_at, updated_at)
         SELECT 'nfe', min(id), 'SANDBOX', '1', 1, 1, 1, 'AUTHORIZED', 1, 1, 0, 0, 0, 0 FROM orders",
        &["nfe-documents"],
    ),
    (
        "INSERT INTO nfe_series (book, cnpj, series, last) VALUES ('SANDBOX', '1', 1, 1);
         INSERT INTO nfe (id, kind, order_id, book, cnpj, series, number, code, status, attempt,
           total, tries, issued_at, created_at, updated_at)
         SELECT 'nfe', 'RETURN', min(id), 'SANDBOX', '1', 1, 1, 1, 'NUMBERED', 0, 1, 0, 0, 0, 0
         FROM orders;
         INSERT INTO nfe_return (nfe_id, sale_id, ground, shipping)
         VALUES ('nfe', 'nfe', 'DEFECT', 0);
         INSERT INTO nfe_return_item (nfe_id, order_item_id, quantity, discount)
         SELECT 'nfe', min(id) || '-1', 10001, 0 FROM orders",
        &["nfe-returns"],
    ),
    (
        "INSERT INTO mail (id, kind, recipient, letter, created_at)
         VALUES ('m', 'welcome', 'a@example.com', '{}', 0)",
        &["mails"],
    ),
    (
        "UPDATE mail SET next_try_at = 9000000000000000 WHERE id = (SELECT min(id) FROM mail)",
        &["mails"],
    ),
    ("UPDATE webhook_cursor SET event_id = 1000000000", &["outbox-cursor"]),
    ("DELETE FROM webhook_cursor", &["outbox-cursor"]),
    (
        "INSERT INTO webhook_queue (webhook_id, event_id, next_try_at)
         SELECT 'gone', max(id), 0 FROM event",
        &["outbox-queue"],
    ),
    (
        "INSERT INTO webhook_queue (webhook_id, event_id, next_try_at)
         SELECT min(id), 1000000000, 0 FROM webhook",
        &["outbox-queue"],
    ),
    ("UPDATE webhook SET paused_until = 9000000000000000", &["outbox-receivers"]),
    (
        "UPDATE product SET review_count = review_count + 1
         WHERE pk = (SELECT min(pk) FROM product)",
        &["review-counts"],
    ),
    (
        "UPDATE product_rating SET five = five + 1
         WHERE product_id = (SELECT min(product_id) FROM product_rating)",
        &["review-ratings"],
    ),
    ("DELETE FROM sku WHERE code = (SELECT min(code) FROM sku)", &["skus"]),
    (
        "INSERT INTO product_search (product_search, rowid, name, description)
         SELECT 'delete', pk, name, description FROM product WHERE active = 1 LIMIT 1",
        &["search-index"],
    ),
    (
        "INSERT INTO product_any_name_search (product_any_name_search, rowid, name)
         SELECT 'delete', pk, name FROM product LIMIT 1",
        &["search-admin"],
    ),
    (
        "DELETE FROM search_word WHERE word = (SELECT lower(name) FROM product WHERE slug = 'vela')",
        &["search-words"],
    ),
    (
        "INSERT INTO wishlist_item (id, account_id, product_id, created_at)
         SELECT 'w', min(id), 'gone', 0 FROM account",
        &["leftovers"],
    ),
    (
        "INSERT INTO cart_item (id, owner, product_id, item_id, quantity, created_at)
         SELECT 'c', 'nobody', min(id), min(id), 1, 0 FROM product",
        &["cart-owners"],
    ),
    (
        "INSERT INTO address (id, account_id, label, street, number, district, city, state,
           zip_code, is_default, created_at)
         SELECT 'a', account_id, label, street, number, district, city, state, zip_code, 1, 0
         FROM address WHERE is_default = 1 LIMIT 1",
        &["addresses"],
    ),
    ("UPDATE address SET is_default = 0", &["addresses"]),
    (
        "UPDATE account SET role = 'ADMIN'
         WHERE id = (SELECT min(account_id) FROM customer_entry)",
        &["customers", "customer-counts"],
    ),
    ("UPDATE customer_tally SET customers = customers + 1 WHERE active = 1", &["customer-counts"]),
    (
        "UPDATE order_item SET shelved = 1 WHERE position = 1
           AND order_id = (SELECT min(id) FROM orders WHERE status = 'DELIVERED')",
        &["return-shelf"],
    ),
    (
        "UPDATE order_item SET returned = 1 WHERE position = 1
           AND order_id = (SELECT min(id) FROM orders WHERE status = 'DELIVERED')",
        &["return-units"],
    ),
    (
        concat!(
            return_of!("'RECEIVED', 'NONE'"),
            "INSERT INTO order_return_item (return_id, position, name, quantity, received, released,
               restocked, amount) SELECT 'r', 1, 'Vela', 1, 1, 1, 1, 0;"
        ),
        &["return-ledger"],
    ),
    (return_of!("'REFUNDED', 'NONE'"), &["return-refunds"]),
    (
        "INSERT INTO customer_search (customer_search, rowid, name, email, state)
         SELECT 'delete', e.pk, a.name, a.email, 'active'
         FROM customer_entry e JOIN account a ON a.id = e.account_id LIMIT 1",
        &["search-customers"],
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_damage_is_found_and_nothing_else() {
    let cli = busy_shop().await;
    let whole = check(&cli.database()).await;
    assert!(whole.is_ok(), "{:?}", whole.wrong().collect::<Vec<_>>());
    let mut found_at_all = BTreeSet::from(["integrity"]);
    let copy = cli.dir.path().join("copy.db");
    for (damage, expected) in DAMAGE {
        fs::copy(cli.database(), &copy).expect("a copy");
        plant(&copy, damage);
        let report = check(&copy).await;
        let found: Vec<&str> = report.wrong().map(|check| check.name).collect();
        assert_eq!(&found, expected, "{damage}: {:?}", report.wrong().collect::<Vec<_>>());
        assert!(report.wrong().all(|check| !check.found[0].what.is_empty()), "{report:?}");
        found_at_all.extend(found);
        fs::remove_file(&copy).expect("removed");
        for suffix in ["-wal", "-shm"] {
            drop(fs::remove_file(cli.dir.path().join(format!("copy.db{suffix}"))));
        }
    }
    let all: BTreeSet<&str> = whole.checks.iter().map(|check| check.name).collect();
    assert_eq!(found_at_all, all, "a check that no damage tries");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_told_by_its_id_and_by_the_exit_code() {
    let cli = busy_shop().await;
    let whole = cli.run(&["db", "check"], "");
    assert_eq!(whole.code, Some(0), "{whole:?}");
    assert!(whole.stdout.lines().any(|line| line.starts_with("stock-ledger")), "{whole:?}");
    plant(&cli.database(), "UPDATE orders SET shipping = shipping + 1");
    let wrong = cli.run(&["db", "check", "--format", "json"], "");
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.stderr.contains("1 of "), "{wrong:?}");
    let report: Value = serde_json::from_str(&wrong.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("a list");
    let totals = checks.iter().find(|check| check["name"] == "order-totals").expect("there");
    let orders = count(&cli.database(), "SELECT count(*) FROM orders");
    assert_eq!(totals["wrong"], orders);
    let first = totals["found"][0]["id"].as_str().expect("an id");
    let known = format!("SELECT count(*) FROM orders WHERE id = '{first}'");
    assert_eq!(count(&cli.database(), &known), 1);
    let table = cli.run(&["db", "check"], "");
    let more = format!("and {} more", orders - 20);
    assert!(table.stdout.contains(&more), "{}", table.stdout);
    let none = cli.run_bare(&["db", "check", "--database", "missing.db"], &[], "");
    assert_eq!((none.code, none.stderr.as_str()), (Some(3), "error: missing.db is not there\n"));
    assert!(!cli.dir.path().join("missing.db").exists(), "made by looking at it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_overwritten_is_found_and_not_backed_up() {
    let cli = busy_shop().await;
    overwrite_index(&cli.database(), "notification_account");
    let report = check(&cli.database()).await;
    assert_eq!(report.wrong().map(|check| check.name).collect::<Vec<_>>(), ["integrity"]);
    let backup = cli.run(&["db", "backup", "copy.db"], "");
    assert_eq!(backup.code, Some(1), "{backup:?}");
    assert!(backup.stderr.contains("shop.db: it is damaged, see db check"), "{backup:?}");
    let left =
        fs::read_dir(cli.dir.path()).expect("a folder").map(|it| it.expect("it").file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains("copy")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_damaged_the_report_is_written() {
    for table in ["product_search_data", "customer_search_data", "orders", "stock", "mail"] {
        let cli = busy_shop().await;
        overwrite_index(&cli.database(), table);
        let report = cli.run(&["db", "check"], "");
        assert_eq!(report.code, Some(1), "{table}: {report:?}");
        assert!(report.stdout.lines().any(|line| line.starts_with("stock-ledger")), "{report:?}");
        let backup = cli.run(&["db", "backup", "copy.db"], "");
        assert_eq!(backup.code, Some(1), "{table}: {backup:?}");
        assert!(backup.stderr.contains("shop.db: it is damaged, see db check"), "{backup:?}");
    }
}

#[test]
fn a_file_that_no_check_can_read_is_told_with_the_way_back() {
    let cli = Cli::with_shop_on_file();
    let mut file = OpenOptions::new().write(true).open(cli.database()).expect("the file");
    // Behind the header, where the schema stands.
    file.seek(SeekFrom::Start(100)).expect("there");
    file.write_all(&[0x5a; 900]).expect("written");
    for command in [["db", "check"], ["db", "stats"], ["db", "migrate"]] {
        let ended = cli.run(&command, "");
        assert_eq!(ended.code, Some(1), "{command:?}: {ended:?}");
        for words in ["shop.db", "the file is damaged", "a backup (shop-cli db restore)"] {
            assert!(ended.stderr.contains(words), "{command:?}: {ended:?}");
        }
    }
}

/// Overwrites the first page of an index.
fn overwrite_index(file: &Path, index: &str) {
    let page = count(file, &format!("SELECT rootpage FROM sqlite_schema WHERE name = '{index}'"));
    let size = count(file, "SELECT page_size FROM pragma_page_size");
    let mut file = OpenOptions::new().write(true).open(file).expect("the file");
    let at = u64::try_from((page - 1) * size).expect("a place");
    file.seek(SeekFrom::Start(at)).expect("there");
    file.write_all(&vec![0x5a; usize::try_from(size).expect("a size")]).expect("written");
}
