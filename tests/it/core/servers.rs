//! Several servers on one database: they share the background's work, none of it is done twice, and
//! what one was at when it died is taken over.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::background::DueWork;
use shop_core::order::{Order, OrderStatus};
use shop_core::settlement::Reconciled;
use tokio::sync::oneshot;

use super::fixture::{Buyer, TestShop, input};
use super::webhook::wait_until;
use crate::fakes::mercado_pago::MercadoPago;
use crate::fakes::provider::Trouble;

/// How long a lease lasts after its holder was last heard of, and a little more.
const TERM: Duration = Duration::from_secs(91);
/// How long a question may take in these tests.
const PATIENCE: u64 = 500;

/// A provider, a shop that uses it, and a second one on the same database.
struct Servers {
    provider: MercadoPago,
    test: TestShop,
    other: Shop,
    buyer: Buyer,
    orders: Vec<Order>,
}

impl Servers {
    /// With so many orders that were begun to be paid by PIX.
    async fn with_orders(count: usize) -> Self {
        let provider = MercadoPago::start().await;
        let test = TestShop::with(|config| {
            provider.adapt(config);
            config.payments.timeout_ms = PATIENCE;
        })
        .await;
        let (other, buyer) = (test.open_again().await, test.buyer("ana").await);
        let vela = test.product("vela", 1000, 4990).await;
        let mut orders = Vec::new();
        for _ in 0..count {
            let order = test.buy(&buyer, &vela, 2).await.expect("placed");
            let payments = test.shop.payments();
            payments.create_pix(&buyer.id, &order.id, None).await.expect("a code");
            orders.push(order);
        }
        provider.asked();
        Self { provider, test, other, buyer, orders }
    }

    /// The orders are due to be cancelled, and nothing is to be asked besides.
    async fn let_time_pass(&self) {
        self.test.advance_hours(72);
        self.test.shop.payments().reconcile_due().await.expect("asked");
        self.provider.asked();
    }

    fn cancelled(&self) -> i64 {
        self.test.count("SELECT count(*) FROM orders WHERE status = 'CANCELLED'")
    }

    /// Every order is cancelled, each of them once.
    fn check_cancelled_once(&self) {
        let count = i64::try_from(self.orders.len()).expect("a count");
        assert_eq!(self.cancelled(), count);
        let told = "SELECT count(*) FROM event WHERE name = 'order.status_changed'";
        assert_eq!(self.test.count(told), count);
        let units = "SELECT count(*) FROM stock_movement WHERE delta > 0 AND reason = 'RETURN'";
        assert_eq!(self.test.count(units), count);
        self.test.check_ledger();
    }
}

async fn round(shop: &Shop) -> DueWork {
    shop.run_due().await.expect("done")
}

async fn ask(shop: &Shop) -> Reconciled {
    shop.payments().reconcile_due().await.expect("asked")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_share_the_questions_to_a_provider_and_ask_none_twice() {
    let servers = Servers::with_orders(4).await;
    // Both have time to take their share while the provider keeps them waiting.
    servers.provider.has(Trouble::StallsReading);
    servers.test.clock.advance(Duration::from_secs(240));
    let (one, two) = tokio::join!(ask(&servers.test.shop), ask(&servers.other));
    assert_eq!((one.asked + two.asked, one.failed + two.failed), (4, 4));
    assert!(one.asked > 0 && two.asked > 0, "{one:?} {two:?}");
    let asked = servers.provider.asked();
    let paths: std::collections::HashSet<_> = asked.iter().map(|asked| &asked.path).collect();
    assert_eq!((asked.len(), paths.len()), (4, 4), "{paths:?}");
    // Nobody's answer is lost: each is asked about again when its time has come.
    servers.provider.has(Trouble::None);
    assert_eq!(ask(&servers.other).await, Reconciled::default());
    servers.test.clock.advance(Duration::from_secs(240));
    let (one, two) = tokio::join!(ask(&servers.test.shop), ask(&servers.other));
    assert_eq!((one.asked + two.asked, one.failed + two.failed), (4, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_without_an_answer_is_asked_for_again_by_one_server() {
    let servers = Servers::with_orders(1).await;
    let payments = servers.test.shop.payments();
    servers.provider.approve_latest();
    let order = &servers.orders[0].id;
    assert_eq!(payments.reconcile(order).await.expect("asked").decided, 1);
    servers.provider.has(Trouble::StallsBefore);
    let whole = input(json!({}));
    let refund = payments.refund(&Actor::System, order, whole, None).await.expect("begun");
    servers.provider.has(Trouble::None);
    servers.provider.asked();
    servers.test.clock.advance(Duration::from_secs(240));
    let (one, two) = tokio::join!(ask(&servers.test.shop), ask(&servers.other));
    assert_eq!(one.refunds_decided + two.refunds_decided, 1);
    let posts = servers.provider.asked().into_iter().filter(|asked| asked.method == "POST");
    assert_eq!(posts.count(), 1);
    let now = payments.list_refunds(order).await.expect("a list");
    assert_eq!((now.len(), now[0].amount), (1, refund.amount));
    servers.provider.latest(|payment| {
        assert_eq!(payment["transaction_amount_refunded"], payment["transaction_amount"]);
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_servers_that_sweep_at_once_one_cancels_what_nobody_paid() {
    let servers = Servers::with_orders(12).await;
    let third = servers.test.open_again().await;
    servers.let_time_pass().await;
    let shops = [&servers.test.shop, &servers.other, &third];
    let rounds = join_all(shops.map(round)).await;
    assert_eq!(rounds.iter().map(|done| done.orders_cancelled).sum::<usize>(), 12);
    let asked = servers.provider.asked().into_iter().filter(|asked| asked.method == "GET");
    assert_eq!(asked.count(), 12, "the provider was asked twice");
    servers.check_cancelled_once();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_work_of_a_server_that_died_is_taken_over_when_its_lease_has_run_out() {
    let servers = Servers::with_orders(3).await;
    servers.let_time_pass().await;
    servers.provider.has(Trouble::StallsReading);
    let dying = servers.test.open_again().await;
    let sweeping = tokio::spawn(async move { dying.run_due().await });
    servers.provider.is_asked().await;
    // Without a goodbye.
    sweeping.abort();
    assert!(sweeping.await.expect_err("it was at it").is_cancelled());
    servers.provider.has(Trouble::None);
    assert_eq!(round(&servers.other).await.orders_cancelled, 0);
    servers.test.clock.advance(TERM);
    assert_eq!(round(&servers.other).await.orders_cancelled, 3);
    servers.check_cancelled_once();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_was_set_back_keeps_no_work_waiting() {
    let servers = Servers::with_orders(3).await;
    servers.let_time_pass().await;
    let month = Duration::from_secs(30 * 24 * 3600);
    let until = servers.test.shop.now().plus(month).millis();
    for name in ["sweep", "webhook"] {
        let lease =
            format!("INSERT INTO lease (name, holder, until) VALUES ('{name}', 'x', {until})");
        servers.test.raw_sql(&lease);
    }
    assert_eq!(round(&servers.other).await.orders_cancelled, 3);
    servers.test.raw_sql(&format!(
        "INSERT INTO product_import (slot, id, actor, keep_stock, decided, until, products, variants,
           updated, left_out) VALUES (1, 'x', 'SYSTEM', 0, 0, {until}, 0, 0, 0, '[]')"
    ));
    let name = input(json!({ "name": "Outra" }));
    let vela = servers.orders[0].items[0].product_id.clone();
    let by = Actor::System;
    servers.test.shop.products().update(&by, &vela, name, None).await.expect("no import stands");
    // One that was decided is finished.
    servers.test.raw_sql(&format!(
        "INSERT INTO product_import (slot, id, actor, keep_stock, decided, until, products, variants,
           updated, left_out) VALUES (1, 'x', 'SYSTEM', 0, 1, {until}, 0, 0, 0, '[]')"
    ));
    assert_eq!(round(&servers.other).await.imports_finished, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_held_up_does_nothing_twice_when_it_goes_on() {
    let servers = Servers::with_orders(3).await;
    servers.let_time_pass().await;
    servers.provider.has(Trouble::StallsReading);
    let slow = servers.test.open_again().await;
    let sweeping = tokio::spawn(async move { round(&slow).await });
    servers.provider.is_asked().await;
    servers.provider.has(Trouble::None);
    servers.test.clock.advance(TERM);
    assert_eq!(round(&servers.other).await.orders_cancelled, 3);
    // The question that it was at fails, and then it finds that all is done.
    assert_eq!(sweeping.await.expect("no panic").orders_cancelled, 0);
    servers.check_cancelled_once();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_gives_its_work_back_at_once() {
    let servers = Servers::with_orders(2).await;
    let (stop, stopped) = oneshot::channel::<()>();
    let first = servers.test.open_again().await;
    let running = tokio::spawn(async move {
        first.run_background(async { drop(stopped.await) }).await;
    });
    let held = || servers.test.count("SELECT count(*) FROM lease") == 1;
    wait_until(Duration::from_secs(20), held).await;
    stop.send(()).expect("it runs");
    running.await.expect("no panic");
    assert_eq!(servers.test.count("SELECT count(*) FROM lease"), 0);
    servers.let_time_pass().await;
    assert_eq!(round(&servers.other).await.orders_cancelled, 2);
    servers.check_cancelled_once();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_that_reaches_every_server_pays_an_order_once() {
    let servers = Servers::with_orders(1).await;
    let third = servers.test.open_again().await;
    servers.provider.approve_latest();
    let notice = servers.provider.notice(servers.test.shop.now().seconds());
    let shops = [&servers.test.shop, &servers.other, &third];
    let taken = (0..30).map(|n| {
        let (shop, notice) = (shops[n % 3], notice.clone());
        async move { shop.payments().receive_notice(notice).await }
    });
    for taken in join_all(taken).await {
        taken.expect("every repeat is taken");
    }
    let order =
        servers.test.shop.orders().get_for_customer(&servers.buyer.id, &servers.orders[0].id).await;
    assert_eq!(order.expect("there").status, OrderStatus::Processing);
    let told = "SELECT count(*) FROM event WHERE name = 'order.paid'";
    assert_eq!(servers.test.count(told), 1);
    assert_eq!(servers.test.count("SELECT count(*) FROM payment WHERE status = 'PAID'"), 1);
    assert_eq!(servers.test.count("SELECT count(*) FROM notification"), 1);
}
