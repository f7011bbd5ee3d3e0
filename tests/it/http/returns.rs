//! Returns over HTTP: what a customer and staff send and get.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::order::{Order, OrderStatus};

use super::TestServer;
use super::client::{Answer, Client};

const JSON: (&str, &str) = ("content-type", "application/json");

/// A server with a customer whose order of two units has arrived.
struct Counter {
    server: TestServer,
    ana: Client,
    admin: Client,
    order: Order,
}

impl Counter {
    async fn open() -> Self {
        let server = TestServer::start().await;
        let ana = server.customer("ana").await;
        let admin = server.admin().await;
        let vela = server.test.product("vela", 10, 4990).await;
        let order = server.test.buy(ana.buyer(), &vela, 2).await.expect("placed");
        server.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
        let orders = server.test.shop.orders();
        orders.set_status(&order.id, OrderStatus::Delivered, None).await.expect("set");
        Self { server, ana, admin, order }
    }

    fn path(&self) -> String {
        format!("/api/orders/{}/returns", self.order.id)
    }

    fn units(&self, units: i64) -> Value {
        json!([{ "orderItemId": self.order.items[0].id, "quantity": units }])
    }

    async fn ask(&self, what: Value) -> Value {
        self.ana.post(&self.path(), &what).await.expect(201)
    }

    async fn act(&self, of: &Value, act: &str, what: Value) -> Answer {
        self.admin.post(&staff_path(of, act), &what).await
    }
}

fn staff_path(of: &Value, act: &str) -> String {
    let id = of["id"].as_str().expect("an id");
    format!("/api/admin/returns/{id}{}{act}", if act.is_empty() { "" } else { "/" })
}

#[tokio::test]
async fn a_customer_withdraws_and_staff_receive_restock_and_refund() {
    let counter = Counter::open().await;
    let asked = counter.ask(json!({ "items": counter.units(1), "reason": "Mudei de ideia" })).await;
    let protocol = format!("{}-D1", counter.order.order_number);
    assert_eq!((&asked["protocol"], &asked["status"]), (&json!(protocol), &json!("APPROVED")));
    assert_eq!((&asked["kind"], &asked["amount"]), (&json!("WITHDRAWAL"), &json!(49.9)));
    assert_eq!(asked["termEndsAt"], "2026-12-01T03:00:00.000Z");
    let list = counter.ana.get(&counter.path()).await.expect(200);
    assert_eq!(list, json!([asked]));
    let order = counter.ana.get(&format!("/api/orders/{}", counter.order.id)).await.expect(200);
    assert_eq!(order["returns"], list);
    let code = json!({ "trackingCode": "AA1BR", "carrier": "Correios" });
    let sent = counter.act(&asked, "in-transit", code).await;
    assert_eq!(sent.expect(200)["status"], "IN_TRANSIT");
    let received = counter.act(&asked, "receive", json!({})).await.expect(200);
    assert_eq!(
        (&received["status"], &received["items"][0]["received"]),
        (&json!("RECEIVED"), &json!(1))
    );
    let shelf = counter.act(&asked, "restock", json!({ "items": counter.units(1) })).await;
    assert_eq!(shelf.expect(200)["items"][0]["restocked"], 1);
    let back = counter.act(&asked, "refund", json!({})).await.expect(200);
    assert_eq!((&back["status"], &back["refund"]["status"]), (&json!("REFUNDED"), &json!("DONE")));
    assert_eq!(back["refund"]["amount"], 49.9);
    let path = format!("/api/admin/orders/{}", counter.order.id);
    let detail = counter.admin.get(&path).await.expect(200);
    assert_eq!(detail["returns"][0]["protocol"], json!(protocol));
    assert_eq!(detail["refunds"][0]["reason"], format!("Devolução {protocol}"));
    let staff = counter.admin.get(&staff_path(&asked, "")).await.expect(200);
    assert_eq!(
        (&staff["user"]["name"], staff["history"].as_array().map(Vec::len)),
        (&json!("ana"), Some(5))
    );
    let found = counter.admin.get(&format!("/api/admin/returns?q={protocol}")).await.expect(200);
    assert_eq!((&found["pagination"]["total"], &found["data"][0]["id"]), (&json!(1), &asked["id"]));
    counter.server.test.check_books().await;
}

#[tokio::test]
async fn without_a_body_the_whole_order_comes_back() {
    let counter = Counter::open().await;
    let asked = counter.ana.send(Method::POST, &counter.path(), &[], "").await.expect(201);
    assert_eq!((&asked["items"][0]["quantity"], &asked["amount"]), (&json!(2), &json!(99.8)));
    let again = counter.ana.post(&counter.path(), &json!({ "items": [] })).await.refused(409);
    assert_eq!(
        again,
        ("Estes itens já estão em outra devolução".to_owned(), "units_returned".to_owned())
    );
    let received = counter.admin.send(Method::POST, &staff_path(&asked, "receive"), &[], "").await;
    assert_eq!(received.expect(200)["items"][0]["received"], 2);
    let back = counter.admin.send(Method::POST, &staff_path(&asked, "refund"), &[], "").await;
    assert_eq!(back.expect(200)["status"], "REFUNDED");
}

#[tokio::test]
async fn refusals_have_their_status_code_and_text() {
    let counter = Counter::open().await;
    let eve = counter.server.customer("eve").await;
    let path = counter.path();
    assert_eq!(eve.post(&path, &json!({})).await.refused(404).1, "order_not_found");
    assert_eq!(eve.get(&path).await.refused(404).1, "order_not_found");
    let wrong = json!({ "items": [{ "orderItemId": "x", "quantity": 1 }] });
    let fields = counter.ana.post(&path, &wrong).await.wrong_fields();
    assert_eq!(fields["items[0].orderItemId"], json!(["O pedido não tem este item"]));
    let unreasoned = counter.ana.post(&path, &json!({ "kind": "DEFECT" })).await.wrong_fields();
    assert!(unreasoned["reason"].is_array(), "{unreasoned}");
    let too_many = json!({ "items": counter.units(3) });
    let fields = counter.ana.post(&path, &too_many).await.wrong_fields();
    assert!(fields["items[0].quantity"].is_array(), "{fields}");
    let asked = counter.ask(json!({})).await;
    assert_eq!(counter.act(&asked, "approve", json!({})).await.refused(409).1, "return_state");
    assert!(counter.act(&asked, "reject", json!({})).await.wrong_fields()["reason"].is_array());
    let no = counter.act(&asked, "reject", json!({ "reason": "Não" })).await.refused(409);
    assert_eq!(no.1, "withdrawal_stands");
    let nowhere = "/api/admin/returns/nothing";
    assert_eq!(counter.admin.get(nowhere).await.refused(404).1, "return_not_found");
    let cancel = format!("{path}/{}/cancel", asked["id"].as_str().expect("an id"));
    assert_eq!(eve.post(&cancel, &json!({})).await.refused(404).1, "return_not_found");
    assert_eq!(counter.ana.post(&cancel, &json!({})).await.expect(200)["status"], "CANCELLED");
    counter.server.test.advance_hours(24 * 11);
    // Both sessions are over by then.
    let again = async |name: &str| {
        let token = counter.server.test.log_in(name).await;
        counter.server.anonymous().with_token(token)
    };
    let (ana, admin) = (again("ana").await, again("equipe").await);
    let (text, code) = ana.post(&path, &json!({})).await.refused(400);
    assert_eq!(
        (text.as_str(), code.as_str()),
        ("O prazo para esta devolução terminou em 30/11/2026", "return_too_late")
    );
    let open = json!({ "orderId": counter.order.id });
    let courtesy = admin.post("/api/admin/returns", &open).await.expect(201);
    assert_eq!((&courtesy["courtesy"], &courtesy["status"]), (&json!(true), &json!("APPROVED")));
}

#[tokio::test]
async fn an_act_on_a_return_that_changed_since_it_was_read_is_refused() {
    let counter = Counter::open().await;
    let asked = counter.ask(json!({ "kind": "DEFECT", "reason": "Trincou" })).await;
    let seen = counter.admin.get(&staff_path(&asked, "")).await;
    let tag = seen.header("etag").expect("a tag").to_owned();
    let headers = [JSON, ("if-match", tag.as_str())];
    let approve = staff_path(&asked, "approve");
    let first = counter.admin.send(Method::POST, &approve, &headers, "{}".to_owned()).await;
    assert_ne!(first.header("etag"), Some(tag.as_str()));
    assert_eq!(first.expect(200)["status"], "APPROVED");
    let reject = staff_path(&asked, "reject");
    let late = json!({ "reason": "Não" }).to_string();
    let second = counter.admin.send(Method::POST, &reject, &headers, late).await;
    assert_eq!(second.refused(412).1, "changed_meanwhile");
}

#[tokio::test]
async fn staff_say_no_to_a_defect_and_call_a_return_off() {
    let counter = Counter::open().await;
    let defect = json!({ "kind": "DEFECT", "reason": "Trincou", "items": counter.units(1) });
    let asked = counter.ask(defect.clone()).await;
    let no = counter.act(&asked, "reject", json!({ "reason": "A foto mostra outra vela" })).await;
    let no = no.expect(200);
    assert_eq!(
        (&no["status"], &no["rejectionReason"]),
        (&json!("REJECTED"), &json!("A foto mostra outra vela"))
    );
    let again = counter.ask(defect).await;
    let off = counter.act(&again, "cancel", json!({})).await.expect(200);
    assert_eq!(off["status"], "CANCELLED");
    counter.server.test.check_books().await;
}

#[tokio::test]
async fn a_request_that_is_sent_twice_with_its_key_is_one_return() {
    let counter = Counter::open().await;
    let headers = [JSON, ("idempotency-key", "k")];
    let body = json!({ "items": counter.units(1) }).to_string();
    let path = counter.path();
    let send = || counter.ana.send(Method::POST, &path, &headers, body.clone());
    let first = send().await.expect(201);
    assert_eq!(send().await.expect(201), first);
    let list = counter.ana.get(&counter.path()).await.expect(200);
    assert_eq!(list.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn one_address_asks_for_so_many_returns_in_an_hour() {
    let adapt = |config: &mut shop_core::Config| config.orders.max_per_hour_per_ip = 2;
    let server = TestServer::start_with(adapt, shop_server::ServeOptions::default()).await;
    let ana = server.customer("ana").await;
    let path = "/api/orders/nothing/returns";
    for _ in 0..2 {
        assert_eq!(ana.post(path, &json!({})).await.refused(404).1, "order_not_found");
    }
    assert_eq!(ana.post(path, &json!({})).await.refused(429).1, "rate_limited");
}

#[tokio::test]
async fn the_copy_of_ones_data_has_ones_returns_and_an_open_one_keeps_the_account() {
    let counter = Counter::open().await;
    let asked = counter.ask(json!({ "reason": "Mudei de ideia" })).await;
    let copy = counter.ana.get("/api/user/export").await.expect(200);
    assert_eq!(copy["returns"], json!([asked]));
    let body = json!({ "password": super::PASSWORD }).to_string();
    let erase = || counter.ana.send(Method::DELETE, "/api/auth/me", &[JSON], body.clone());
    assert_eq!(erase().await.refused(409).1, "open_orders");
    counter.act(&asked, "refund", json!({})).await.expect(200);
    erase().await.expect(200);
}
