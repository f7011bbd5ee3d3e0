//! The real server, killed at every step of buying a label from a Melhor Envio whose wallet really
//! loses money: each label is paid once, and none that is paid is lost.

use std::time::Duration;

use serde_json::{Value, json};
use shop_core::Shop;
use shop_core::order::Order;
use shop_tests::repeats;

use crate::binary::{self, Server};
use crate::core::fixture::{Buyer, TestShop, input};
use crate::core::label_histories::{adapt, environment};
use crate::core::melhor_envio::connect;
use crate::core::shipment::recipient;
use crate::fakes::melhor_envio::{Books, Fault, MelhorEnvio, WALLET};
use crate::http::PASSWORD;

/// A shop on a file that is connected with Melhor Envio; the server is started and killed at will.
struct Crashing {
    test: TestShop,
    fake: MelhorEnvio,
    ana: Buyer,
    vela: shop_core::id::ProductId,
    staff: String,
}

impl Crashing {
    async fn new() -> Self {
        let fake = MelhorEnvio::start().await;
        let test = TestShop::with(|config| {
            fake.adapt(config);
            adapt(config);
        })
        .await;
        // Processes have no other clock than the machine's.
        let shop = Shop::open(test.shop.config().clone()).await.expect("opens");
        let test = TestShop { shop, ..test };
        test.raw_sql("DELETE FROM shipping_tariff");
        connect(&test.shop, &fake).await;
        let ana = recipient(&test).await;
        let vela = test.product("vela", 1_000_000, 4_990).await;
        let staff =
            json!({ "name": "Equipe", "email": "equipe@example.com", "password": PASSWORD });
        test.shop.accounts().create_admin(input(staff)).await.expect("an admin");
        let staff = test.log_in("equipe").await;
        Self { test, fake, ana, vela, staff }
    }

    async fn server(&self) -> Server {
        let database = self.test.database();
        let environment = [self.fake.environment(), environment()].concat();
        let started = move || Server::start_with(&database, environment);
        tokio::task::spawn_blocking(started).await.expect("a server")
    }

    async fn paid(&self) -> Order {
        let order = self.test.buy(&self.ana, &self.vela, 1).await.expect("placed");
        self.test.shop.sandbox().pay(&order.order_number).await.expect("paid")
    }

    /// Staff buy the label of an order; the answer, unless the server dies before it.
    fn buy(&self, server: &Server, order: &Order) -> tokio::task::JoinHandle<Option<(u16, Value)>> {
        let (address, token) = (server.address.clone(), self.staff.clone());
        let path = format!("/api/admin/orders/{}/shipments", order.id);
        tokio::task::spawn_blocking(move || {
            let cookie = format!("token={token}");
            binary::post(&address, &path, &[("cookie", &cookie)], "{}")
        })
    }

    /// Another server goes on, a while later.
    async fn goes_on(&self, order: &Order, when: &str) {
        self.fake.is_well();
        self.fake.books(|books| books.generation_takes = 0);
        // What a server that died had for itself, another one may have after a while. Nothing runs.
        self.test.raw_sql(
            "UPDATE lease SET until = 0;
             UPDATE shipment SET check_at = 0 WHERE check_at IS NOT NULL;
             UPDATE shipment SET paying_at = 0 WHERE paying_at IS NOT NULL",
        );
        let made = format!(
            "SELECT count(*) FROM shipment WHERE order_id = '{}' AND status = 'GENERATED'",
            order.id
        );
        let server = self.server().await;
        for _ in 0..600 {
            // A label that is being made is looked at again after some seconds.
            self.test.raw_sql("UPDATE shipment SET check_at = 0 WHERE status = 'PAID'");
            let run = self.test.shop.shipments().advance_due().await;
            run.expect("a round beside the server's");
            if self.test.count(&made) == 1 {
                server.kill();
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let shipments = self.test.shop.shipments().list_for_order(&order.id).await;
        panic!("{when}: {shipments:?}\n{}", server.log());
    }

    /// Each label that was paid is the shop's, and was paid once.
    fn check(&self, orders: i64, when: &str) {
        let (spent, paid) = self.fake.books(|books| {
            for label in books.labels() {
                let id = label["id"].as_str().expect("an id");
                let payments = books.movements.iter().filter(|(of, _)| of == id).count();
                assert!(payments <= 1, "{when}: {id} was paid {payments} times");
            }
            let paid = books.labels().iter().filter(|label| Books::is_paid(label)).count();
            (WALLET - books.wallet, i64::try_from(paid).expect("small"))
        });
        assert_eq!(paid, orders, "{when}");
        let count = |what: &str| {
            let of = format!("SELECT {what} FROM shipment WHERE status = 'GENERATED'");
            self.test.count(&of)
        };
        assert_eq!(count("count(DISTINCT label_id)"), orders, "{when}");
        assert_eq!(count("CAST(sum(price) AS BIGINT)"), spent, "{when}");
        self.fake.asked();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_label_is_paid_once_at_whatever_call_the_server_dies() {
    let crashing = Crashing::new().await;
    let mut orders = 0;
    for path in ["/me/cart", "/shipment/checkout", "/shipment/generate"] {
        for fault in [Fault::StallsBefore, Fault::StallsAfter] {
            let when = format!("{path} {fault:?}");
            let (order, server) = (crashing.paid().await, crashing.server().await);
            crashing.fake.next(path, fault);
            let answer = crashing.buy(&server, &order);
            crashing.fake.is_asked(path).await;
            server.kill();
            assert_eq!(answer.await.expect("a task"), None, "{when}");
            crashing.goes_on(&order, &when).await;
            orders += 1;
            crashing.check(orders, &when);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_label_is_paid_once_whenever_the_server_dies() {
    // Each time a little later, so far as a purchase lasts.
    let (crashing, kills) = (Crashing::new().await, repeats(4, 10));
    for round in 0..kills {
        crashing.fake.books(|books| books.generation_takes = 1);
        let (order, server) = (crashing.paid().await, crashing.server().await);
        let answer = crashing.buy(&server, &order);
        tokio::time::sleep(Duration::from_millis(round * 50 / kills)).await;
        server.kill();
        let answered = answer.await.expect("a task");
        let again = crashing.server().await;
        // Staff try again: begun now, or the parcel has its label already.
        let (status, body) =
            crashing.buy(&again, &order).await.expect("a task").expect("an answer");
        assert!([201, 409].contains(&status), "{round}: {answered:?}, then {status} {body}");
        again.kill();
        crashing.goes_on(&order, &format!("round {round}")).await;
        crashing.check(i64::try_from(round + 1).expect("small"), &format!("round {round}"));
    }
}
