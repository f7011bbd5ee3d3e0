//! What the back office's first page shows over HTTP: the days of a period, and what waits for
//! staff.

use serde_json::{Value, json};
use shop_core::order::Order;

use super::TestServer;
use super::client::Client;
use crate::core::fixture::input;

const TASKS: &str = "/api/admin/dashboard/tasks";

/// An order that was paid, and one that was not.
async fn orders(server: &TestServer) -> (Order, Order) {
    let test = &server.test;
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let paid = test.buy(&ana, &vela, 1).await.expect("an order");
    test.shop.payments().create_pix(&ana.id, &paid.id, None).await.expect("a code");
    test.shop.sandbox().pay(&paid.order_number).await.expect("paid");
    (paid, test.buy(&ana, &vela, 2).await.expect("an order"))
}

/// The server sends mails by itself; here it has sent all that were written.
async fn until_mails_left(server: &TestServer) {
    while server.test.count("SELECT count(*) FROM mail WHERE sent_at IS NULL") > 0 {
        server.test.shop.run_due().await.expect("mails leave");
    }
}

async fn tasks(admin: &Client) -> Value {
    admin.get(TASKS).await.expect(200)
}

#[tokio::test]
async fn a_period_has_each_of_its_local_days_also_those_without_an_order() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (paid, _) = orders(&server).await;
    for (period, days, first) in
        [("7d", 7, "2026-11-15"), ("30d", 30, "2026-10-23"), ("90d", 90, "2026-08-24")]
    {
        let path = format!("/api/admin/dashboard?period={period}");
        let overview = admin.get(&path).await.expect(200);
        let shown = overview["days"].as_array().expect("days");
        assert_eq!(shown.len(), days);
        assert_eq!(shown[0], json!({ "date": first, "orders": 0, "revenue": 0.0 }));
        let today = json!({ "date": "2026-11-21", "orders": 2, "revenue": paid.total });
        assert_eq!(shown[days - 1], today);
        assert_eq!(overview["orders"]["total"], 2);
    }
    // One minute before midnight in São Paulo is still the same day, one after the next.
    server.test.clock.advance(std::time::Duration::from_secs(11 * 3600 + 59 * 60));
    let last = async || {
        let overview = admin.get("/api/admin/dashboard?period=7d").await.expect(200);
        overview["days"][6].clone()
    };
    assert_eq!(last().await["orders"], 2);
    server.test.clock.advance(std::time::Duration::from_secs(2 * 60));
    assert_eq!(last().await, json!({ "date": "2026-11-22", "orders": 0, "revenue": 0.0 }));
}

#[tokio::test]
async fn a_shop_without_work_has_no_tasks() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let tasks = tasks(&admin).await;
    let kinds = tasks.as_object().expect("kinds");
    assert_eq!(kinds.len(), 10);
    for (kind, waiting) in kinds {
        assert_eq!(*waiting, json!({ "count": 0, "first": [] }), "{kind}");
    }
}

#[tokio::test]
async fn orders_to_send_are_paid_and_not_sent_yet() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (paid, unpaid) = orders(&server).await;
    // Staff may prepare an order that is not paid; it is not to be sent for that.
    let preparing = json!({ "status": "PROCESSING" });
    let of = |order: &Order| format!("/api/admin/orders/{}", order.id);
    admin.patch(&of(&unpaid), &preparing).await.expect(200);
    let to_send = tasks(&admin).await["ordersToSend"].clone();
    let shown = json!({
        "id": paid.id, "orderNumber": paid.order_number, "total": paid.total,
        "createdAt": paid.created_at
    });
    assert_eq!(to_send, json!({ "count": 1, "first": [shown] }));
    admin.patch(&of(&paid), &json!({ "status": "SHIPPED" })).await.expect(200);
    assert_eq!(tasks(&admin).await["ordersToSend"]["count"], 0);
}

#[tokio::test]
async fn an_order_that_was_withdrawn_from_as_a_whole_is_not_to_be_sent() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (paid, _) = orders(&server).await;
    assert_eq!(tasks(&admin).await["ordersToSend"]["count"], 1);
    let returns = server.test.shop.returns();
    let asked = returns.request(&paid.user_id, &paid.id, input(json!({})), None).await;
    asked.expect("withdrawn");
    assert_eq!(tasks(&admin).await["ordersToSend"], json!({ "count": 0, "first": [] }));
}

#[tokio::test]
async fn of_each_kind_the_first_five_or_as_many_as_asked_for_are_shown_and_all_counted() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    for n in 0..7 {
        server.test.product(&format!("vela-{n}"), 7 - n, 1000).await;
    }
    server.test.raw_sql("UPDATE product SET active = 0 WHERE slug = 'vela-6'");
    let low = tasks(&admin).await["lowStock"].clone();
    assert_eq!(low["count"], 4, "five units or fewer, of products on sale");
    let stocks: Vec<i64> = low["first"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|item| item["stock"].as_i64().expect("units"))
        .collect();
    assert_eq!(stocks, [2, 3, 4, 5]);
    server.test.raw_sql("UPDATE product SET active = 1");
    server.test.raw_sql("UPDATE stock SET quantity = 0");
    let low = tasks(&admin).await["lowStock"].clone();
    assert_eq!((&low["count"], low["first"].as_array().map(Vec::len)), (&json!(7), Some(5)));
    for (limit, shown) in [(1, 1), (7, 7), (101, 7)] {
        let tasks = admin.get(&format!("{TASKS}?limit={limit}")).await.expect(200);
        let first = tasks["lowStock"]["first"].as_array().expect("a list");
        assert_eq!(first.len(), shown, "{limit}");
    }
    assert!(admin.get(&format!("{TASKS}?limit=0")).await.wrong_fields()["limit"].is_array());
}

#[tokio::test]
async fn reviews_payments_invoices_webhooks_and_mails_that_need_staff_are_named() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (paid, unpaid) = orders(&server).await;
    until_mails_left(&server).await;
    let secret = "a-secret-of-enough-characters-for-this";
    let endpoint = json!({
        "url": "https://erp.example/hook", "events": ["order.paid"], "secret": secret
    });
    admin.post("/api/admin/webhooks", &endpoint).await.expect(201);
    server.test.raw_sql(&format!(
        "INSERT INTO review (id, product_id, account_id, rating, body, author, status, created_at)
         SELECT 'r1', p.id, a.id, 4, 'Boa', 'Ana', 'pending', 1000 FROM product p, account a
         WHERE a.role = 'CUSTOMER';
         UPDATE webhook SET failing_since = 2000;
         UPDATE payment SET status = 'REVIEW' WHERE order_id = '{}';
         UPDATE mail SET sent_at = NULL, next_try_at = 9000000000000, last_error = 'SMTP 421'
         WHERE kind = 'payment-received';",
        paid.id
    ));
    for (id, order, status) in
        [("n1", &unpaid.id, "REJECTED"), ("n2", &paid.id, "DENIED"), ("n3", &paid.id, "AUTHORIZED")]
    {
        server.test.raw_sql(&format!(
            "INSERT INTO nfe (id, order_id, book, cnpj, series, number, code, status, attempt, total,
               answer, tries, issued_at, created_at, updated_at)
             VALUES ('{id}', '{order}', 'SANDBOX', '1', 1, {}, 1, '{status}', 1, 1,
               'Rejeicao: NCM', 0, 3000, 3000, 3000)",
            &id[1..]
        ));
    }
    let tasks = tasks(&admin).await;
    let only = |kind: &str| {
        assert_eq!(tasks[kind]["count"], 1, "{kind}: {tasks}");
        tasks[kind]["first"][0].clone()
    };
    let review = only("reviewsToModerate");
    assert_eq!((&review["productName"], &review["rating"]), (&json!("vela"), &json!(4)));
    let webhook = only("failingWebhooks");
    assert_eq!((&webhook["url"], &webhook["active"]), (&endpoint["url"], &json!(true)));
    let payment = only("paymentsInReview");
    assert_eq!(payment["orderNumber"], json!(paid.order_number));
    let invoice = only("refusedInvoices");
    assert_eq!(invoice["orderNumber"], json!(unpaid.order_number));
    assert_eq!(invoice["answer"], "Rejeicao: NCM");
    let mail = only("failingMails");
    assert_eq!(
        (&mail["recipient"], &mail["error"]),
        (&json!("ana@example.com"), &json!("SMTP 421"))
    );
}

#[tokio::test]
async fn staff_sees_what_a_customer_was_told_about_an_order() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (paid, unpaid) = orders(&server).await;
    let path = format!("/api/admin/orders/{}/mails", paid.id);
    until_mails_left(&server).await;
    let mut mails = admin.get(&path).await.expect(200);
    let ids: Vec<Value> =
        mails.as_array_mut().expect("a list").iter_mut().map(|mail| mail["id"].take()).collect();
    let number = &paid.order_number;
    let at = json!(server.test.shop.now());
    let mail = |kind: &str, subject: String| {
        json!({
            "id": null, "kind": kind, "subject": subject, "recipient": "ana@example.com",
            "createdAt": at, "state": "SENT", "sentAt": at, "error": null
        })
    };
    let expected = [
        mail("order-placed", format!("Recebemos seu pedido {number}")),
        mail("payment-received", format!("Pagamento confirmado: pedido {number}")),
    ];
    assert_eq!(mails, json!(expected));
    server.test.raw_sql("UPDATE mail SET sent_at = NULL, next_try_at = 9000000000000");
    let waiting = admin.get(&path).await.expect(200);
    assert_eq!((&waiting[0]["state"], &waiting[0]["sentAt"]), (&json!("WAITING"), &Value::Null));
    server.test.raw_sql(
        "UPDATE mail SET sent_at = NULL, next_try_at = NULL, last_error = 'SMTP 550'
         WHERE kind = 'order-placed';
         UPDATE mail SET sent_at = NULL, last_error = 'SMTP 421', next_try_at = 9000000000000
         WHERE kind = 'payment-received'",
    );
    let failing = admin.get(&path).await.expect(200);
    assert_eq!(
        (&failing[0]["state"], &failing[0]["error"]),
        (&json!("GIVEN_UP"), &json!("SMTP 550"))
    );
    assert_eq!(
        (&failing[1]["state"], &failing[1]["error"]),
        (&json!("FAILING"), &json!("SMTP 421"))
    );
    let resend = "/api/admin/mails/resend";
    let queued = admin.post(resend, &json!({ "ids": ids })).await.expect(200);
    assert_eq!(queued, json!({ "queued": 1 }));
    let again = admin.get(&path).await.expect(200);
    assert_eq!((&again[0]["id"], &again[0]["state"]), (&ids[0], &json!("FAILING")));
    for wrong in [json!([]), json!([""]), json!(vec!["x"; 101]), json!("x"), Value::Null] {
        let refused = admin.post(resend, &json!({ "ids": wrong })).await.wrong_fields();
        assert!(refused.to_string().contains("\"ids"), "{wrong}: {refused}");
    }
    let other = admin.get(&format!("/api/admin/orders/{}/mails", unpaid.id)).await.expect(200);
    assert_eq!(other.as_array().map(Vec::len), Some(1));
    let unknown = admin.get("/api/admin/orders/none/mails").await;
    assert_eq!(unknown.refused(404).1, "order_not_found");
}
