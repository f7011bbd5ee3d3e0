//! What two years leave behind beside products, customers and orders: entries of the audit log,
//! mails, notifications, reviews that wait, readers of the newsletter, coupons, deliveries of a
//! webhook, and invoices. One SQL text for both engines, each statement over the rows of others.

use std::sync::{Arc, Mutex};

use shop_core::storage::{Lane, Postgres, Sqlite, Storage, Tx};

/// The webhook whose deliveries are listed.
pub(crate) const WEBHOOK: &str = "bench-webhook";
/// The administrator who did what the audit log tells.
pub(crate) const ADMIN: &str = "bench-admin";

/// So many milliseconds before the latest order: mails are kept for 90 days, deliveries for fewer.
const RECENT: &str = "(SELECT max(created_at) FROM orders) - 7776000000";

/// Fills the tables that the demonstration's trade leaves empty, once.
pub(crate) async fn fill(database: &str) {
    let url = database.to_owned();
    let opened = tokio::task::spawn_blocking(move || open(&url)).await.expect("opens");
    let filled = Arc::new(Mutex::new(false));
    let seen = Arc::clone(&filled);
    let look = move |tx: &mut dyn Tx| {
        let readers: i64 = tx.value("SELECT count(*) FROM newsletter_reader", &[])?;
        *seen.lock().expect("a lock") = readers > 0;
        Ok(())
    };
    opened.write(Lane::new(0), "bench.look", Box::new(look)).await.expect("read");
    if *filled.lock().expect("a lock") {
        return;
    }
    for sql in statements() {
        let job = move |tx: &mut dyn Tx| tx.execute(&sql, &[]).map(drop);
        opened.write(Lane::new(0), "bench.fill", Box::new(job)).await.expect("filled");
    }
}

fn open(database: &str) -> Arc<dyn Storage> {
    if database.starts_with("postgres") {
        Arc::new(Postgres::open(database).expect("opens"))
    } else {
        Arc::new(Sqlite::open(database).expect("opens"))
    }
}

/// An invoice as long as a real one of two items.
fn statements() -> Vec<String> {
    let xml = "<nfeProc/>".repeat(400);
    vec![
        format!(
            "INSERT INTO audit (actor, actor_id, action, resource_id, old_values, new_values,
               created_at)
             SELECT 'ADMIN', '{ADMIN}', CASE status WHEN 'CANCELLED' THEN 'order.cancel'
               ELSE 'order.update' END, id, '{{\"status\":\"PENDING\"}}',
               '{{\"status\":\"PROCESSING\"}}', created_at
             FROM orders ORDER BY created_at"
        ),
        format!(
            "INSERT INTO mail (id, kind, recipient, letter, created_at, attempts, sent_at,
               last_error, account_id, order_id)
             SELECT id, 'order-placed', 'ana@example.com', '{{}}', created_at, 1,
               CASE WHEN number LIKE '%00' THEN NULL ELSE created_at END,
               CASE WHEN number LIKE '%00' THEN 'no such mailbox' END, account_id, id
             FROM orders WHERE created_at > {RECENT}"
        ),
        "INSERT INTO notification (id, account_id, type, title, body, created_at)
         SELECT id, account_id, 'ORDER_STATUS', 'Pedido enviado', number, created_at FROM orders"
            .to_owned(),
        "UPDATE review SET status = 'pending' WHERE id LIKE '%77'".to_owned(),
        "INSERT INTO newsletter_reader (email_key, email, name, subscribed_at, unsubscribed_at)
         SELECT email_key, email, name, created_at,
           CASE WHEN id LIKE '%7' THEN created_at END FROM account"
            .to_owned(),
        "INSERT INTO coupon (id, code, code_key, type, value, used_count, active, created_at)
         SELECT id, upper(slug), slug, 'PERCENT', 1000, 0, 1, created_at FROM product
         ORDER BY pk LIMIT 2000"
            .to_owned(),
        format!(
            "INSERT INTO webhook (id, url, events, secret, created_at, updated_at)
             VALUES ('{WEBHOOK}', 'https://example.com/hook', ',order.created,', 'whsec_x', 0, 0)"
        ),
        format!(
            "INSERT INTO webhook_delivery (id, webhook_id, event_id, event, attempt, response_code,
               response_body, success, duration_ms, created_at)
             SELECT id, '{WEBHOOK}', 1, CASE status WHEN 'CANCELLED' THEN 'order.status_changed'
               ELSE 'order.created' END, 1, 200, 'ok', CASE WHEN number LIKE '%00' THEN 0 ELSE 1 END,
               20, created_at FROM orders WHERE created_at > {RECENT}"
        ),
        format!(
            "INSERT INTO nfe (id, order_id, book, cnpj, series, number, code, status, attempt, total,
               tries, proc_xml, issued_at, authorized_at, created_at, updated_at)
             SELECT id, id, 'SANDBOX', '11222333000181', 1, row_number() OVER (ORDER BY created_at),
               1, CASE WHEN number LIKE '%00' THEN 'REJECTED' ELSE 'AUTHORIZED' END, 1, total, 0,
               '{xml}', created_at, created_at, created_at, created_at
             FROM orders WHERE created_at > {RECENT}"
        ),
    ]
}
