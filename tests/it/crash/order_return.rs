//! The real server, killed between every two steps of a return: each step is there or not, and sent
//! again with its key it is there once.

use std::time::Duration;

use serde_json::{Value, json};
use shop_core::fiscal::InvoiceStatus;
use shop_core::order::{Order, OrderStatus};

use crate::binary::{self, Server};
use crate::core::fixture::{Buyer, TestShop, input};
use crate::core::nfe::emit;
use crate::fakes::mercado_pago::MercadoPago;
use crate::fakes::provider::Trouble;
use crate::http::PASSWORD;

/// How often the server is killed in each step, each time a little later.
const KILLS: u64 = 4;

/// A shop on a file with a provider, a customer and staff; the server is started and killed at
/// will.
struct Crashing {
    test: TestShop,
    mercado_pago: MercadoPago,
    ana: Buyer,
    customer: String,
    staff: String,
}

impl Crashing {
    async fn new() -> Self {
        let test = TestShop::with_machine_clock().await;
        let ana = test.buyer("ana").await;
        let staff =
            json!({ "name": "Equipe", "email": "equipe@example.com", "password": PASSWORD });
        test.shop.accounts().create_admin(input(staff)).await.expect("an admin");
        let (customer, staff) = (test.log_in("ana").await, test.log_in("equipe").await);
        Self { test, mercado_pago: MercadoPago::start().await, ana, customer, staff }
    }

    async fn server(&self) -> Server {
        let (database, environment) = (self.test.database(), self.mercado_pago.environment());
        let started = move || Server::start_with(&database, environment);
        tokio::task::spawn_blocking(started).await.expect("a server")
    }

    /// An order of two units that was paid by card and has arrived.
    async fn delivered(&self, name: &str) -> Order {
        let vela = self.test.product(name, 100, 4990).await;
        let order = self.test.buy(&self.ana, &vela, 2).await.expect("placed");
        let server = self.server().await;
        let card = json!({ "orderId": order.id, "token": format!("mp-approved.{}", order.id),
                           "paymentMethodId": "visa", "installments": 1 });
        let path = "/api/payments/provider1/card".to_owned();
        let paid = Self::send(&server, &self.customer, order.id.as_str(), path, &card);
        assert_eq!(paid.await.expect("a task").expect("an answer").0, 200);
        server.kill();
        let orders = self.test.shop.orders();
        orders.set_status(&order.id, OrderStatus::Delivered, None).await.expect("set").clone()
    }

    /// A request on its way; its answer, unless the server dies before it.
    fn send(
        server: &Server,
        token: &str,
        key: &str,
        path: String,
        body: &Value,
    ) -> tokio::task::JoinHandle<Option<(u16, Value)>> {
        let (address, cookie) = (server.address.clone(), format!("token={token}"));
        let (key, body) = (key.to_owned(), body.to_string());
        tokio::task::spawn_blocking(move || {
            let headers = [("cookie", cookie.as_str()), ("idempotency-key", key.as_str())];
            binary::post(&address, &path, &headers, &body)
        })
    }

    /// Sends a step, kills the server some milliseconds later, and sends the step again.
    async fn step(
        &self,
        token: &str,
        key: &str,
        path: String,
        body: &Value,
        after: Duration,
    ) -> Value {
        let server = self.server().await;
        let first = Self::send(&server, token, key, path.clone(), body);
        tokio::time::sleep(after).await;
        server.kill();
        let first = first.await.expect("a task");
        let server = self.server().await;
        let again = Self::send(&server, token, key, path, body).await.expect("a task");
        let (status, body) = again.expect("an answer");
        assert!((200..300).contains(&status), "{key}: {first:?}, then {status} {body}");
        if let Some((_, first)) = first {
            assert_eq!(first["id"], body["id"], "{key}");
        }
        server.kill();
        body
    }

    fn count(&self, sql: &str) -> i64 {
        self.test.count(sql)
    }

    /// The return has one invoice, which comes to what went back.
    async fn check_invoice(&self, order: &Order, id: &str, when: &str) {
        let of = self.test.shop.returns().get_detail(&id.into()).await.expect("there").returned;
        let [one] = of.invoices.as_slice() else { panic!("{when}: {:?}", of.invoices) };
        assert_eq!((one.status, of.refund.amount), (InvoiceStatus::Authorized, Some(one.total)));
        let documents = format!("SELECT count(*) FROM nfe WHERE order_id = '{}'", order.id);
        assert_eq!(self.count(&documents), 2, "the sale's and the return's, {when}");
    }

    /// Every step was taken once.
    async fn check(&self, order: &Order, of: &Value, when: &str) {
        let id = of["id"].as_str().expect("an id");
        let steps: Vec<String> = {
            let detail = self.test.shop.returns().get_detail(&id.into()).await.expect("there");
            detail.history.iter().map(|it| it.step.status.to_string()).collect()
        };
        let expected = ["REQUESTED", "APPROVED", "IN_TRANSIT", "RECEIVED", "REFUNDED"];
        assert_eq!(steps, expected, "{when}");
        let returns = format!("SELECT count(*) FROM order_return WHERE order_id = '{}'", order.id);
        assert_eq!(self.count(&returns), 1, "{when}");
        let shelf = format!(
            "SELECT sum(delta) FROM stock_movement WHERE source = 'RETURN' AND reference = '{id}'"
        );
        assert_eq!(self.count(&shelf), 2, "{when}");
        for event in ["return.requested", "return.received", "return.refunded"] {
            let told = format!(
                "SELECT count(*) FROM event WHERE name = '{event}' AND payload LIKE '%\"{id}\"%'"
            );
            assert_eq!(self.count(&told), 1, "{event} {when}");
        }
        let mails = format!(
            "SELECT count(*) FROM mail WHERE order_id = '{}' AND kind IN ('return-requested',
               'return-approved', 'return-in-transit', 'return-received', 'money-refunded')",
            order.id
        );
        assert_eq!(self.count(&mails), 5, "{when}");
        let refunds = format!(
            "SELECT count(*) FROM refund WHERE order_id = '{}' AND status = 'DONE'",
            order.id
        );
        assert_eq!(self.count(&refunds), 1, "{when}");
        self.mercado_pago.latest(|payment| {
            let total = json!(order.total.to_string().parse::<f64>().expect("a number"));
            assert_eq!(payment["transaction_amount_refunded"], total, "{when}");
        });
        self.test.check_books().await;
        self.mercado_pago.asked();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_step_of_a_return_is_taken_once_whenever_the_server_dies() {
    let crashing = Crashing::new().await;
    for round in 0..KILLS {
        let after = Duration::from_millis(round * 5);
        let order = crashing.delivered(&format!("vela-{round}")).await;
        emit(&crashing.test.shop, &order).await.expect("issued");
        let (customer, staff) = (&crashing.customer, &crashing.staff);
        let path = format!("/api/orders/{}/returns", order.id);
        let what = json!({ "kind": "DEFECT", "reason": "Trincou" });
        let key = |step: &str| format!("{step}-{round}");
        let of = crashing.step(customer, &key("ask"), path, &what, after).await;
        let id = of["id"].as_str().expect("an id").to_owned();
        let units = json!([{ "orderItemId": order.items[0].id, "quantity": 2 }]);
        for (act, body) in [
            ("approve", json!({})),
            ("in-transit", json!({ "trackingCode": "AA1BR" })),
            ("receive", json!({})),
            ("restock", json!({ "items": units })),
            ("refund", json!({})),
        ] {
            let path = format!("/api/admin/returns/{id}/{act}");
            crashing.step(staff, &key(act), path, &body, after).await;
            if act == "receive" {
                let invoice = format!("/api/admin/orders/{}/nfe/devolucao", order.id);
                let of = json!({ "returnId": id });
                crashing.step(staff, &key("invoice"), invoice, &of, after).await;
            }
        }
        crashing.check_invoice(&order, &id, &format!("round {round}")).await;
        crashing.check(&order, &of, &format!("round {round}")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_money_of_a_return_goes_back_once_whether_the_server_dies_before_or_after_it_went() {
    let crashing = Crashing::new().await;
    for trouble in [Trouble::StallsBefore, Trouble::StallsAfter] {
        let when = format!("{trouble:?}");
        let order = crashing.delivered(&format!("vela-{when}").to_lowercase()).await;
        let what = input(json!({ "kind": "DEFECT", "reason": "Trincou" }));
        let returns = crashing.test.shop.returns();
        let of = returns.request(&crashing.ana.id, &order.id, what, None).await.expect("asked");
        let (by, nothing) = (shop_core::actor::Actor::System, || json!({}));
        returns.approve(&by, &of.id, input(nothing()), None, None).await.expect("yes");
        returns.mark_in_transit(&by, &of.id, input(nothing()), None, None).await.expect("sent");
        let all = json!({ "items": [
            { "orderItemId": order.items[0].id, "quantity": 2, "restock": 2 }
        ]});
        returns.receive(&by, &of.id, input(all), None, None).await.expect("here");
        let server = crashing.server().await;
        crashing.mercado_pago.asked();
        crashing.mercado_pago.has(trouble);
        let path = format!("/api/admin/returns/{}/refund", of.id);
        let lost = Crashing::send(
            &server,
            &crashing.staff,
            &format!("first-{when}"),
            path.clone(),
            &nothing(),
        );
        crashing.mercado_pago.is_asked().await;
        server.kill();
        assert_eq!(lost.await.expect("a task"), None, "{when}");
        let open = returns.get_detail(&of.id).await.expect("there").returned;
        assert_eq!((open.status.as_str(), open.refund.status.as_str()), ("RECEIVED", "PENDING"));
        crashing.mercado_pago.has(Trouble::None);
        // Another member of staff tries again, without the key of the first.
        let server = crashing.server().await;
        let again =
            Crashing::send(&server, &crashing.staff, &format!("second-{when}"), path, &nothing());
        let (status, body) = again.await.expect("a task").expect("an answer");
        assert_eq!((status, &body["status"]), (200, &json!("REFUNDED")), "{when}: {body}");
        server.kill();
        crashing.check(&order, &body, &when).await;
    }
}
