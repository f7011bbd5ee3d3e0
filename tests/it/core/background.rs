//! Background work goes on where one of its steps fails.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use serde_json::json;
use shop_core::Shop;
use shop_core::cart::GuestToken;
use shop_core::clock::{Clock, Timestamp};
use shop_core::order::OrderStatus;

use super::fixture::{TestShop, input};
use crate::fakes::mercado_pago::MercadoPago;

/// How many orders a round looks at.
const ROUND: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_whose_provider_cannot_be_asked_do_not_keep_later_ones_from_being_cancelled() {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 1000, 4990).await);
    let pix = async |_| {
        let order = test.buy(&buyer, &vela, 1).await.expect("placed");
        test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    };
    // Some at a time, since each waits for the disk.
    stream::iter(0..ROUND).for_each_concurrent(20, pix).await;
    test.clock.advance(Duration::from_secs(60));
    let last = test.buy(&buyer, &vela, 1).await.expect("placed");
    test.advance_hours(73);
    // From here on nobody answers at the provider's address.
    let mut config = test.shop.config().clone();
    "http://127.0.0.1:1".clone_into(&mut config.payments.provider1.url);
    let shop = Shop::builder(config).clock(test.clock.clone()).open().await.expect("opens");
    let status =
        async || shop.orders().get_for_customer(&buyer.id, &last.id).await.expect("there").status;
    let done = shop.run_due().await.expect("done");
    assert_eq!((done.orders_cancelled, status().await), (0, OrderStatus::Pending));
    let failed = shop.background_failures();
    assert!(failed.contains(&("cancel_order", 200)), "{failed:?}");
    test.clock.advance(Duration::from_secs(30));
    let done = shop.run_due().await.expect("done");
    assert_eq!((done.orders_cancelled, status().await), (1, OrderStatus::Cancelled));
    // Once the provider is back, all the others go too, each when it is tried again.
    test.advance_hours(6);
    let back = test.open_again().await;
    assert_eq!(back.run_due().await.expect("done").orders_cancelled, ROUND);
    test.check_ledger();
}

/// A clock that goes on by a second whenever it is looked at.
struct Ticking(AtomicI64);

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1000, Ordering::Relaxed))
    }
}

#[tokio::test]
async fn an_order_that_stays_is_put_off_from_when_it_was_tried_and_not_from_the_rounds_beginning() {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 9, 4990).await);
    for _ in 0..2 {
        let order = test.buy(&buyer, &vela, 1).await.expect("placed");
        test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    }
    test.advance_hours(73);
    let mut config = test.shop.config().clone();
    "http://127.0.0.1:1".clone_into(&mut config.payments.provider1.url);
    let clock = Ticking(test.shop.now().millis().into());
    let shop = Shop::builder(config).clock(clock).open().await.expect("opens");
    assert_eq!(shop.run_due().await.expect("done").orders_cancelled, 0);
    assert_eq!(test.count("SELECT count(DISTINCT sweep_at) FROM orders WHERE sweep_at > 0"), 2);
}

#[tokio::test]
async fn a_purge_that_fails_stops_neither_the_others_nor_the_sweep() {
    let test = TestShop::open().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 9, 4990).await);
    test.buy(&buyer, &vela, 1).await.expect("placed");
    let guest = GuestToken::generate().expect("a token");
    let item = input(json!({ "productId": vela, "quantity": 1 }));
    test.shop.carts().add(&guest, item).await.expect("added");
    test.advance_hours(31 * 24);
    test.raw_sql("ALTER TABLE idempotency RENAME TO elsewhere");
    let done = test.shop.run_due().await.expect("done");
    assert_eq!((done.orders_cancelled, done.guest_carts_purged, done.failures), (1, 1, 1));
    assert_eq!(test.shop.background_failures(), [("purge_idempotency_keys", 1)]);
    test.raw_sql("ALTER TABLE elsewhere RENAME TO idempotency");
    assert_eq!(test.shop.run_due().await.expect("done").failures, 0);
}
