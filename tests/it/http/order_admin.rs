//! The back office's orders and dashboard.

use http_body_util::{BodyExt, Empty};
use hyper::header::{COOKIE, HOST};
use hyper::{Method, Request};
use serde_json::{Value, json};
use shop_core::order::Order;
use tokio::net::TcpStream;

use super::TestServer;
use super::client::{Answer, Client};

async fn an_order(server: &TestServer, name: &str) -> Order {
    let buyer = server.test.buyer(name).await;
    let vela = server.test.product(&format!("vela-{name}"), 100, 1990).await;
    server.test.buy(&buyer, &vela, 2).await.expect("placed")
}

async fn patch_seen(admin: &Client, path: &str, change: &Value, seen: &str) -> Answer {
    let headers = [("content-type", "application/json"), ("if-match", seen)];
    admin.send(Method::PATCH, path, &headers, change.to_string()).await
}

#[tokio::test]
async fn staff_list_read_and_change_orders() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (order, other) = (an_order(&server, "ana").await, an_order(&server, "bia").await);
    let page = admin.get("/api/admin/orders?limit=1").await.expect(200);
    assert_eq!(page["pagination"], json!({ "page": 1, "limit": 1, "total": 2, "totalPages": 2 }));
    let row = &page["data"][0];
    assert_eq!((&row["id"], &row["user"]["name"]), (&json!(other.id), &json!("bia")));
    assert_eq!(row["items"][0]["quantity"], 2);
    let found = admin.get("/api/admin/orders?q=ANA&status=PENDING").await.expect(200);
    assert_eq!(
        (&found["pagination"]["total"], &found["data"][0]["id"]),
        (&json!(1), &json!(order.id))
    );
    let path = format!("/api/admin/orders/{}", order.id);
    let read = admin.get(&path).await;
    let tag = read.header("etag").expect("an ETag").to_owned();
    let detail = read.expect(200);
    for field in ["items", "payments", "refunds", "address", "user", "history", "internalNotes"] {
        assert!(!detail[field].is_null(), "{field}: {detail}");
    }
    let shipped = json!({ "status": "SHIPPED", "note": "hoje", "trackingCode": "BR1", "carrier": "Correios" });
    let changed = patch_seen(&admin, &path, &shipped, &tag).await;
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    let changed = changed.expect(200);
    assert_eq!((&changed["status"], &changed["trackingCode"]), (&json!("SHIPPED"), &json!("BR1")));
    assert_eq!(changed["history"][0]["actorName"], "Equipe");
    let stale = patch_seen(&admin, &path, &json!({ "status": "DELIVERED" }), &tag).await;
    assert_eq!(stale.refused(412).1, "changed_meanwhile");
    let cleared = admin.patch(&path, &json!({ "carrier": null })).await.expect(200);
    assert_eq!((&cleared["carrier"], &cleared["trackingCode"]), (&json!(null), &json!("BR1")));
    let note = admin.post(&format!("{path}/notes"), &json!({ "note": "frágil" })).await.expect(201);
    assert_eq!((&note["note"], &note["author"]), (&json!("frágil"), &json!("Equipe")));
    let detail = admin.get(&path).await.expect(200);
    assert_eq!(detail["internalNotes"], json!([note]));
}

#[tokio::test]
async fn what_is_wrong_about_a_change_of_an_order_is_named() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let order = an_order(&server, "ana").await;
    let path = format!("/api/admin/orders/{}", order.id);
    let wrong = json!({ "status": "PAID", "trackingCode": 7 });
    let fields = admin.patch(&path, &wrong).await.wrong_fields();
    assert!(!fields["status"].is_null() && !fields["trackingCode"].is_null(), "{fields}");
    let notes = format!("{path}/notes");
    assert!(!admin.post(&notes, &json!({ "note": "" })).await.wrong_fields()["note"].is_null());
    for query in ["status=PAID", "from=ontem", "page=0"] {
        let refused = admin.get(&format!("/api/admin/orders?{query}")).await;
        assert_eq!(refused.refused(400).1, "invalid_input", "{query}");
    }
    let none = "/api/admin/orders/nenhum";
    for lost in [
        admin.get(none).await,
        admin.patch(none, &json!({ "status": "SHIPPED" })).await,
        admin.post(&format!("{none}/notes"), &json!({ "note": "x" })).await,
    ] {
        assert_eq!(lost.refused(404).1, "order_not_found");
    }
    admin.patch(&path, &json!({ "status": "CANCELLED" })).await.expect(200);
    server.test.raw_sql("UPDATE stock SET quantity = 1");
    let refused = admin.patch(&path, &json!({ "status": "PENDING" })).await;
    assert_eq!(refused.refused(400).1, "insufficient_stock");
}

#[tokio::test]
async fn the_dashboard_tells_how_the_shop_is_doing() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let order = an_order(&server, "ana").await;
    server.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    an_order(&server, "bia").await;
    let overview = admin.get("/api/admin/dashboard").await.expect(200);
    let revenue = json!({ "total": order.total, "change": 100.0 });
    assert_eq!((&overview["period"], &overview["revenue"]), (&json!("30d"), &revenue));
    assert_eq!(overview["orders"], json!({ "total": 2, "change": 100.0 }));
    let top = json!([{ "productId": order.items[0].product_id, "name": "vela-ana",
                       "sales": 2, "revenue": 39.8 }]);
    assert_eq!((&overview["topProducts"], &overview["newCustomers"]), (&top, &json!(2)));
    let stats = admin.get("/api/admin/dashboard/stats").await.expect(200);
    assert_eq!((&stats["totalOrders"], &stats["pendingOrders"]), (&json!(2), &json!(1)));
    assert_eq!((&stats["totalProducts"], &stats["totalCategories"]), (&json!(2), &json!(0)));
    assert_eq!(
        stats["recentOrders"][0]["user"],
        json!({ "name": "bia", "email": "bia@example.com" })
    );
    let week = admin.get("/api/admin/dashboard?period=7d").await.expect(200);
    assert_eq!(week["period"], "7d");
    let refused = admin.get("/api/admin/dashboard?period=1y").await;
    assert_eq!(refused.refused(400).1, "invalid_input");
}

/// More orders than one piece of an export has, made behind the shop's back.
fn multiply(server: &TestServer, order: &Order, copies: usize) {
    server.test.raw_sql(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {copies})
         INSERT INTO orders (id, number, account_id, address_id, address, subtotal, shipping,
           discount, total, status, created_at, updated_at)
         SELECT id || '-' || i, number || '-' || i, account_id, address_id, address, subtotal,
           shipping, discount, total, status, created_at, updated_at
         FROM orders CROSS JOIN n WHERE id = '{}'",
        order.id
    ));
}

fn read_csv(body: &[u8], delimiter: u8) -> Vec<csv::StringRecord> {
    let text = body.strip_prefix("\u{feff}".as_bytes()).expect("a byte order mark");
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(text);
    reader.records().map(|record| record.expect("a row")).collect()
}

#[tokio::test]
async fn an_export_has_every_order_and_no_formulas() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (ana, bia) = (an_order(&server, "ana").await, an_order(&server, "bia").await);
    server.test.raw_sql("UPDATE account SET name = '=HYPERLINK(\"x\");a' WHERE name = 'ana'");
    multiply(&server, &bia, 1100);
    let export = admin.get("/api/admin/orders/export").await;
    assert_eq!(export.header("content-type"), Some("text/csv; charset=utf-8"));
    let saved = "attachment; filename=pedidos-2026-11-21.csv";
    assert_eq!(export.header("content-disposition"), Some(saved));
    let rows = read_csv(&export.body, b';');
    assert_eq!(rows.len(), 1 + 2 + 1100);
    assert_eq!((&rows[0][0], &rows[0][1]), ("Pedido", "Data"));
    let anas = rows.iter().find(|row| row[0] == ana.order_number).expect("a row");
    assert_eq!((&anas[1], &anas[2]), ("2026-11-21 12:00:00", "PENDING"));
    assert_eq!((&anas[3], &anas[6], &anas[7]), ("'=HYPERLINK(\"x\");a", "2", "39,80"));
    assert_eq!((&rows[0][18], &anas[18]), ("Devolvido", "0,00"));
    let numbers: std::collections::HashSet<&str> = rows.iter().map(|row| &row[0]).collect();
    assert_eq!(numbers.len(), rows.len());
    let none = admin.get("/api/admin/orders/export?status=SHIPPED").await;
    assert_eq!(read_csv(&none.body, b';').len(), 1);
    let later = format!("/api/admin/orders/export?status=PENDING&from={}", ana.created_at);
    assert_eq!(read_csv(&admin.get(&later).await.body, b';').len(), rows.len());
    let before = format!("/api/admin/orders/export?to={}", ana.created_at);
    assert_eq!(read_csv(&admin.get(&before).await.body, b';').len(), 1);
    let log = admin.get("/api/admin/audit?action=order.export").await.expect(200);
    assert_eq!(log["data"].as_array().map(Vec::len), Some(4), "who took the orders along: {log}");
    let of = json!({ "status": null, "from": null, "to": ana.created_at });
    assert_eq!(
        (&log["data"][0]["actor"]["kind"], &log["data"][0]["after"]),
        (&"ADMIN".into(), &of)
    );
    assert_eq!(
        admin.get("/api/admin/orders/export?status=X").await.refused(400).1,
        "invalid_input"
    );
}

#[tokio::test]
async fn an_export_says_what_went_back_of_an_order() {
    let server = TestServer::start().await;
    let (admin, order) = (server.admin().await, an_order(&server, "ana").await);
    let path = |of: &str| format!("/api/admin/orders/{}/{of}", order.id);
    admin.post(&path("payments"), &json!({ "method": "CASH" })).await.expect(201);
    admin.post(&path("refunds"), &json!({ "amount": 5.5 })).await.expect(201);
    let rows = read_csv(&admin.get("/api/admin/orders/export").await.body, b';');
    let (total, back) = (&rows[1][10], &rows[1][18]);
    assert_eq!((total, back), (&*order.total.to_string().replace('.', ","), "5,50"));
}

/// The status of an export, and its body or why it could not be read to its end.
async fn broken_export(server: &TestServer, admin: &Client) -> (u16, Result<usize, hyper::Error>) {
    let stream = TcpStream::connect(server.address).await.expect("connects");
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(io).await.expect("shakes hands");
    tokio::spawn(connection);
    let cookie = format!("token={}", admin.token().expect("a session"));
    let request = Request::get("/api/admin/orders/export")
        .header(HOST, "shop")
        .header(COOKIE, cookie)
        .body(Empty::<bytes::Bytes>::new())
        .expect("a request");
    let answer = sender.send_request(request).await.expect("a head");
    let status = answer.status().as_u16();
    (status, answer.into_body().collect().await.map(|body| body.to_bytes().len()))
}

#[tokio::test]
async fn an_export_that_fails_half_way_is_broken_off_and_never_ends_short() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let order = an_order(&server, "ana").await;
    multiply(&server, &order, 1100);
    let (status, whole) = broken_export(&server, &admin).await;
    assert!(status == 200 && whole.is_ok(), "{whole:?}");
    server
        .test
        .raw_sql(&format!("UPDATE orders SET address = 'broken' WHERE id = '{}-999'", order.id));
    let (status, broken) = broken_export(&server, &admin).await;
    assert!(status == 200 && broken.is_err(), "{broken:?}");
}

#[tokio::test]
async fn money_that_came_another_way_is_recorded() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let order = an_order(&server, "ana").await;
    let path = format!("/api/admin/orders/{}/payments", order.id);
    let shown = admin.get(&format!("/api/admin/orders/{}", order.id)).await.expect(200);
    assert_eq!(shown["payment"], json!({ "method": null, "status": "PENDING" }));
    // Staff may move it; it stays unpaid, and an invoice says so.
    let of_order = format!("/api/admin/orders/{}", order.id);
    admin.patch(&of_order, &json!({ "status": "SHIPPED" })).await.expect(200);
    let invoice = admin.post(&format!("{of_order}/nfe/emitir"), &json!({})).await;
    assert_eq!(
        invoice.refused(400),
        ("O pedido não está pago".to_owned(), "order_not_paid".into())
    );
    let wrong = admin.post(&path, &json!({ "method": "PIX" })).await;
    assert!(wrong.wrong_fields()["method"].is_array());
    let json = ("content-type", "application/json");
    let send = async |body: Value| {
        let headers = [json, ("idempotency-key", "k-1")];
        admin.send(Method::POST, &path, &headers, body.to_string()).await
    };
    let first = send(json!({ "method": "TRANSFER", "note": "TED" })).await;
    let paid = first.expect(201);
    assert_eq!((&paid["method"], &paid["status"]), (&json!("TRANSFER"), &json!("PAID")));
    assert_eq!((&paid["captured"], &paid["amount"]), (&json!(order.total), &json!(order.total)));
    assert_eq!(send(json!({ "method": "TRANSFER", "note": "TED" })).await.body, first.body);
    assert_eq!(
        admin.post(&path, &json!({ "method": "CASH" })).await.refused(400).1,
        "already_paid"
    );
    let shown = admin.get(&of_order).await.expect(200);
    assert_eq!(shown["payment"], json!({ "method": "TRANSFER", "status": "PAID" }));
    let issued = admin.post(&format!("{of_order}/nfe/emitir"), &json!({})).await.expect(200);
    assert_eq!(issued["status"], "autorizada");
    let other = an_order(&server, "bia").await;
    let path = format!("/api/admin/orders/{}/payments", other.id);
    admin
        .patch(&format!("/api/admin/orders/{}", other.id), &json!({ "status": "CANCELLED" }))
        .await;
    assert_eq!(
        admin.post(&path, &json!({ "method": "CASH" })).await.refused(400).1,
        "order_closed"
    );
    let nowhere = admin.post("/api/admin/orders/none/payments", &json!({ "method": "CASH" })).await;
    assert_eq!(nowhere.refused(404).1, "order_not_found");
}
