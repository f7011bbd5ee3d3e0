//! The real server with real wire formats, killed between every two steps of a payment; and what is
//! left of cards and secrets in its files and its log, which must be nothing.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use shop_core::id::ProductId;
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::RefundStatus;
use shop_tests::repeats;

use crate::binary::{self, Server};
use crate::core::fixture::{Buyer, TestShop};
use crate::fakes::mercado_pago::{self, MercadoPago};
use crate::fakes::provider::Trouble;
use crate::fakes::signature;
use crate::fakes::stripe::{self, Stripe};
use crate::http::PASSWORD;

/// A shop on a file, both providers, and a customer; the server is started and killed at will.
struct Crashing {
    test: TestShop,
    mercado_pago: MercadoPago,
    stripe: Stripe,
    buyer: Buyer,
    vela: ProductId,
    token: String,
}

impl Crashing {
    async fn new() -> Self {
        let test = TestShop::with_machine_clock().await;
        let buyer = test.buyer("ana").await;
        let vela = test.product("vela", 1_000_000, 4990).await;
        let token = test.log_in("ana").await;
        let (mercado_pago, stripe) = (MercadoPago::start().await, Stripe::start().await);
        Self { test, mercado_pago, stripe, buyer, vela, token }
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        [self.mercado_pago.environment(), self.stripe.environment()].concat()
    }

    async fn server(&self) -> Server {
        let (database, environment) = (self.test.database(), self.environment());
        let started = move || Server::start_with(&database, environment);
        tokio::task::spawn_blocking(started).await.expect("a server")
    }

    async fn order(&self) -> Order {
        self.test.buy(&self.buyer, &self.vela, 2).await.expect("placed")
    }

    /// A request of the customer, on its way; its answer, unless the server dies before it.
    fn send(
        &self,
        server: &Server,
        path: &'static str,
        body: &Value,
    ) -> tokio::task::JoinHandle<Option<(u16, Value)>> {
        let (address, cookie) = (server.address.clone(), format!("token={}", self.token));
        let body = body.to_string();
        tokio::task::spawn_blocking(move || {
            binary::post(&address, path, &[("cookie", &cookie)], &body)
        })
    }

    /// `shop-cli payments reconcile`, as somebody who has the machine.
    async fn reconcile(&self, order: &Order) {
        let mut command = Command::new(binary::path("shop-cli"));
        command.args(["payments", "reconcile", "--order", &order.order_number, "--database"]);
        command.arg(self.test.database()).env_clear().envs(self.environment());
        let ended = tokio::task::spawn_blocking(move || command.output()).await.expect("a task");
        let ended = ended.expect("runs");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }

    /// The order is paid, once.
    async fn check_paid(&self, order: &Order, when: &str) {
        let now = self
            .test
            .shop
            .orders()
            .get_for_customer(&self.buyer.id, &order.id)
            .await
            .expect("there");
        assert_eq!(now.status, OrderStatus::Processing, "{when}");
        let events = format!(
            "SELECT count(*) FROM event WHERE name = 'order.paid' AND payload LIKE '%{}%'",
            order.id
        );
        assert_eq!(self.test.count(&events), 1, "{when}");
        let paid = format!(
            "SELECT count(*) FROM payment WHERE order_id = '{}' AND status = 'PAID'",
            order.id
        );
        assert_eq!(self.test.count(&paid), 1, "{when}");
        assert_eq!(self.test.count("SELECT count(*) FROM payment WHERE status = 'REVIEW'"), 0);
        self.mercado_pago.asked();
        self.stripe.asked();
    }
}

const CARD: &str = "/api/payments/provider1/card";

fn card(order: &Order) -> Value {
    // A token of its own for each order: the provider takes none twice.
    json!({ "orderId": order.id, "token": format!("mp-approved.{}", order.id),
            "paymentMethodId": "visa", "installments": 1 })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_card_is_charged_once_whether_the_server_dies_before_or_after_the_charge() {
    let crashing = Crashing::new().await;
    for trouble in [Trouble::StallsBefore, Trouble::StallsAfter] {
        for by_hand in [true, false] {
            let when = format!("{trouble:?}, by hand: {by_hand}");
            let (order, server) = (crashing.order().await, crashing.server().await);
            crashing.mercado_pago.has(trouble);
            let answer = crashing.send(&server, CARD, &card(&order));
            crashing.mercado_pago.is_asked().await;
            server.kill();
            assert_eq!(answer.await.expect("a task"), None, "{when}");
            crashing.mercado_pago.has(Trouble::None);
            let server = crashing.server().await;
            if by_hand {
                crashing.reconcile(&order).await;
            }
            // The customer tries once more: charged now, or told that it was.
            let (status, body) = crashing
                .send(&server, CARD, &card(&order))
                .await
                .expect("a task")
                .expect("an answer");
            let was_found = by_hand && trouble == Trouble::StallsAfter;
            let expected = if was_found { (400, "already_paid") } else { (200, "approved") };
            let told = body["code"].as_str().or(body["status"].as_str()).unwrap_or_default();
            assert_eq!((status, told), expected, "{when}");
            server.kill();
            assert_eq!(crashing.mercado_pago.charges(&order.order_number), 1, "{when}");
            crashing.check_paid(&order, &when).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_card_is_charged_once_whenever_the_server_dies() {
    // Each time a little later, so far as a charge lasts.
    let (crashing, kills) = (Crashing::new().await, repeats(5, 12));
    for round in 0..kills {
        let (order, server) = (crashing.order().await, crashing.server().await);
        let answer = crashing.send(&server, CARD, &card(&order));
        tokio::time::sleep(Duration::from_millis(round * 48 / kills)).await;
        server.kill();
        let answered = answer.await.expect("a task");
        crashing.reconcile(&order).await;
        let server = crashing.server().await;
        let again = crashing.send(&server, CARD, &card(&order)).await.expect("a task");
        let (status, body) = again.expect("an answer");
        let found = status == 400 && body["code"] == "already_paid";
        assert!(found || status == 200, "{round}: {answered:?}, then {status} {body}");
        server.kill();
        assert_eq!(crashing.mercado_pago.charges(&order.order_number), 1, "{round}");
        crashing.check_paid(&order, &format!("round {round}: {answered:?}")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_code_and_an_intent_are_made_once_and_their_notices_count_whenever_the_server_dies() {
    let crashing = Crashing::new().await;
    let secret = stripe::WEBHOOK_SECRET;
    for (round, trouble) in [Trouble::StallsBefore, Trouble::StallsAfter].into_iter().enumerate() {
        for path in ["/api/payments/pix", "/api/payments/provider2"] {
            let (order, server) = (crashing.order().await, crashing.server().await);
            let before = crashing.stripe.intents();
            crashing.mercado_pago.has(trouble);
            crashing.stripe.has(trouble);
            let pay = json!({ "orderId": order.id });
            let answer = crashing.send(&server, path, &pay);
            if path.ends_with("pix") {
                crashing.mercado_pago.is_asked().await;
            } else {
                crashing.stripe.is_asked().await;
            }
            server.kill();
            assert_eq!(answer.await.expect("a task"), None);
            crashing.mercado_pago.has(Trouble::None);
            crashing.stripe.has(Trouble::None);
            let server = crashing.server().await;
            let again = crashing.send(&server, path, &pay).await.expect("a task");
            assert_eq!(again.expect("an answer").0, 200);
            let seconds = crashing.test.shop.now().seconds();
            let (hook, headers, body) = if path.ends_with("pix") {
                crashing.mercado_pago.approve_latest();
                let notice = crashing.mercado_pago.notice(seconds);
                let id = notice.data_id.expect("an id");
                let hook = format!("/api/payments/provider1/webhook?data.id={id}&type=payment");
                let headers = vec![
                    ("x-request-id", notice.request_id.expect("named")),
                    ("x-signature", notice.signature.expect("signed")),
                ];
                (hook, headers, "{}".to_owned())
            } else {
                assert_eq!(crashing.stripe.intents(), before + 1);
                let event = crashing.stripe.complete_latest(&format!("evt_{round}")).to_string();
                let signed = signature::event_signature(secret, event.as_bytes(), seconds);
                let hook = "/api/payments/provider2/webhook".to_owned();
                (hook, vec![("stripe-signature", signed)], event)
            };
            let deliver = |server: &Server| {
                let (address, hook, headers) =
                    (server.address.clone(), hook.clone(), headers.clone());
                let body = body.clone();
                tokio::task::spawn_blocking(move || {
                    let headers: Vec<_> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
                    binary::post(&address, &hook, &headers, &body)
                })
            };
            // The server dies while it handles the notice, which comes once more.
            let lost = deliver(&server);
            tokio::time::sleep(Duration::from_millis(4 * u64::try_from(round).expect("a number")))
                .await;
            server.kill();
            lost.await.expect("a task");
            let server = crashing.server().await;
            let taken = deliver(&server).await.expect("a task").expect("an answer");
            assert_eq!(taken, (200, json!({ "received": true })));
            server.kill();
            crashing.check_paid(&order, &format!("{path} {trouble:?}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_refund_is_made_once_whether_the_server_dies_before_or_after_it() {
    let crashing = Crashing::new().await;
    let staff = json!({ "name": "Equipe", "email": "equipe@example.com", "password": PASSWORD });
    let staff = crate::core::fixture::input(staff);
    crashing.test.shop.accounts().create_admin(staff).await.expect("an admin");
    let cookie = format!("token={}", crashing.test.log_in("equipe").await);
    for trouble in [Trouble::StallsBefore, Trouble::StallsAfter] {
        let (order, server) = (crashing.order().await, crashing.server().await);
        let paid = crashing.send(&server, CARD, &card(&order)).await.expect("a task");
        assert_eq!(paid.expect("an answer").0, 200);
        crashing.mercado_pago.asked();
        crashing.mercado_pago.has(trouble);
        let (address, cookie) = (server.address.clone(), cookie.clone());
        let path = format!("/api/admin/orders/{}/refunds", order.id);
        let answer = tokio::task::spawn_blocking(move || {
            binary::post(&address, &path, &[("cookie", &cookie)], "{\"amount\": 40}")
        });
        crashing.mercado_pago.is_asked().await;
        server.kill();
        assert_eq!(answer.await.expect("a task"), None);
        crashing.mercado_pago.has(Trouble::None);
        crashing.reconcile(&order).await;
        let refunds = crashing.test.shop.payments().list_refunds(&order.id).await.expect("a list");
        let [refund] = &refunds[..] else { panic!("{refunds:?}") };
        assert_eq!((refund.status, refund.amount.cents()), (RefundStatus::Done, 4000));
        crashing.mercado_pago.latest(|payment| {
            assert_eq!(payment["transaction_amount_refunded"], json!(40.0), "{trouble:?}");
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cards_tokens_and_secrets_are_in_no_file_no_log_and_no_error() {
    let crashing = Crashing::new().await;
    let mut environment = crashing.environment();
    environment.push(("SHOP_LOG", "trace".to_owned()));
    environment.push(("SHOP_PAYMENTS__TIMEOUT_MS", "300".to_owned()));
    let database = crashing.test.database();
    let start = move || Server::start_with(&database, environment);
    let server = tokio::task::spawn_blocking(start).await.expect("a server");
    let mut told = String::new();
    let order = crashing.order().await;
    let tokens = ["hush-made-up", "mp-cc_rejected_high_risk.hush", "mp-approved.hush-9"];
    for trouble in [Trouble::None, Trouble::Fails(500), Trouble::StallsAfter, Trouble::None] {
        crashing.mercado_pago.has(trouble);
        for token in tokens {
            let mut body = card(&order);
            body["token"] = token.into();
            let answer = crashing.send(&server, CARD, &body).await.expect("a task");
            told.extend([format!("{answer:?}")]);
        }
        let other = crashing.order().await;
        let pay = json!({ "orderId": other.id });
        let answer = crashing.send(&server, "/api/payments/provider2", &pay).await.expect("a task");
        assert!(answer.expect("an answer").1["clientSecret"].is_string());
    }
    let event = crashing.stripe.complete_latest("evt_1").to_string();
    for secret in [stripe::WEBHOOK_SECRET, "hush-forged"] {
        let seconds = crashing.test.shop.now().seconds();
        let signed = signature::event_signature(secret, event.as_bytes(), seconds);
        let (address, event) = (server.address.clone(), event.clone());
        let taken = tokio::task::spawn_blocking(move || {
            let hook = "/api/payments/provider2/webhook";
            binary::post(&address, hook, &[("stripe-signature", &signed)], &event)
        });
        told.extend([format!("{:?}", taken.await.expect("a task"))]);
    }
    assert!(told.contains("card_high_risk") && told.contains("approved"), "{told}");
    assert!(told.contains("invalid_card_token") && told.contains("invalid_signature"), "{told}");
    let log = server.log();
    assert!(log.contains(CARD), "the log is there: {log}");
    let mut places =
        vec![("the log".to_owned(), log.into_bytes()), ("errors".to_owned(), told.into())];
    places.push(("the database".to_owned(), crashing.test.data.everything()));
    for file in std::fs::read_dir(crashing.test.dir.path()).expect("the folder") {
        let path = file.expect("a file").path();
        if path.is_file() {
            places.push((path.display().to_string(), std::fs::read(&path).expect("bytes")));
        }
    }
    assert!(places[2].1.len() > 1000, "the database");
    server.kill();
    let secrets = [
        "hush-made-up",
        "high_risk.hush",
        "hush-9",
        "hush-forged",
        "_secret_hush",
        "503143",
        mercado_pago::ACCESS_TOKEN,
        mercado_pago::WEBHOOK_SECRET,
        stripe::SECRET_KEY,
        stripe::WEBHOOK_SECRET,
    ];
    for (place, bytes) in &places {
        for secret in secrets {
            let there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!there, "{secret} is in {place}");
        }
    }
}
