//! Which mails an order's course writes: what was sent, once, and only while it is true.

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::config::Secret;
use shop_core::order::{Order, OrderStatus};

use super::fixture::{Buyer, TestShop, input};
use crate::fakes::smtp::{SmtpBehaviour, SmtpServer};

struct Counter {
    test: TestShop,
    ana: Buyer,
    order: Order,
}

impl Counter {
    /// A paid order of three units.
    async fn open() -> Self {
        let test = TestShop::open().await;
        let ana = test.buyer("ana").await;
        let vela = test.product("vela", 100, 4990).await;
        let order = test.buy(&ana, &vela, 3).await.expect("placed");
        let order = test.shop.sandbox().pay(&order.order_number).await.expect("paid");
        Self { test, ana, order }
    }

    async fn set(&self, status: OrderStatus) {
        self.test.shop.orders().set_status(&self.order.id, status, None).await.expect("set");
    }

    async fn send_with(&self, code: &str) {
        let change = json!({ "status": "SHIPPED", "trackingCode": code, "carrier": "Correios" });
        let orders = self.test.shop.orders();
        orders.update(&Actor::System, &self.order.id, input(change), None).await.expect("sent");
    }

    /// Has everything leave that waits.
    async fn post(&self) {
        self.test.shop.run_due().await.expect("done");
    }

    /// How many mails say that the order was sent, that it arrived, and that it was cancelled; and
    /// how many notifications say the first two.
    fn told(&self) -> [i64; 5] {
        let mail = |kind| format!("SELECT count(*) FROM mail WHERE kind = 'order-{kind}'");
        let note = |title| format!("SELECT count(*) FROM notification WHERE title = '{title}'");
        [
            mail("shipped"),
            mail("delivered"),
            mail("cancelled"),
            note("Pedido enviado"),
            note("Pedido entregue"),
        ]
        .map(|sql| self.test.count(&sql))
    }

    async fn withdraw(&self, units: i64) {
        let items = json!([{ "orderItemId": self.order.items[0].id, "quantity": units }]);
        let what = input(json!({ "items": items }));
        let returns = self.test.shop.returns();
        returns.request(&self.ana.id, &self.order.id, what, None).await.expect("asked");
    }

    /// The units that the mail of the delivery lists.
    fn delivered_units(&self) -> i64 {
        let rows = self.test.data.rows("SELECT letter FROM mail WHERE kind = 'order-delivered'");
        let letter = rows[0][0].as_deref().expect("a letter");
        let letter: serde_json::Value = serde_json::from_str(letter).expect("JSON");
        let items = letter["order-delivered"]["order"]["items"].as_array().expect("items").clone();
        let cents = |it: &serde_json::Value| it["total"].to_string();
        assert!(items.iter().all(|it| cents(it) != "149.7" || it["quantity"] == 3), "{items:?}");
        items.iter().filter_map(|it| it["quantity"].as_i64()).sum()
    }
}

#[tokio::test]
async fn what_was_told_of_an_orders_way_is_not_told_again() {
    let counter = Counter::open().await;
    counter.send_with("AA111111111BR").await;
    counter.post().await;
    counter.set(OrderStatus::Delivered).await;
    counter.post().await;
    assert_eq!(counter.told(), [1, 1, 0, 1, 1]);
    // "Desfazer", back and forth.
    counter.set(OrderStatus::Shipped).await;
    counter.set(OrderStatus::Processing).await;
    counter.set(OrderStatus::Shipped).await;
    counter.set(OrderStatus::Delivered).await;
    counter.post().await;
    assert_eq!(counter.told(), [1, 1, 0, 1, 1]);
    // Another code is news.
    counter.set(OrderStatus::Processing).await;
    counter.send_with("BB222222222BR").await;
    assert_eq!(counter.told(), [2, 1, 0, 2, 1]);
    // So is an end, after what went on in between.
    counter.set(OrderStatus::Cancelled).await;
    counter.post().await;
    counter.set(OrderStatus::Processing).await;
    counter.set(OrderStatus::Cancelled).await;
    assert_eq!(counter.told()[2], 2);
    counter.test.check_books().await;
}

#[tokio::test]
async fn a_mail_that_has_not_left_is_taken_back_with_what_it_says() {
    let counter = Counter::open().await;
    counter.set(OrderStatus::Shipped).await;
    counter.set(OrderStatus::Delivered).await;
    assert_eq!(counter.told()[..2], [1, 1]);
    counter.set(OrderStatus::Shipped).await;
    assert_eq!(counter.told()[..2], [1, 0]);
    counter.set(OrderStatus::Processing).await;
    assert_eq!(counter.told()[..2], [0, 0]);
    counter.set(OrderStatus::Cancelled).await;
    counter.set(OrderStatus::Shipped).await;
    // The confirmation and the payment stay.
    assert_eq!(counter.told()[..3], [1, 0, 0]);
    assert_eq!(counter.test.count("SELECT count(*) FROM mail WHERE order_id IS NOT NULL"), 3);
}

#[tokio::test]
async fn the_mail_of_a_delivery_lists_what_was_sent() {
    let counter = Counter::open().await;
    counter.withdraw(1).await;
    counter.test.advance_hours(1);
    counter.set(OrderStatus::Shipped).await;
    counter.test.advance_hours(1);
    // This unit is on its way already, and arrives.
    counter.withdraw(1).await;
    counter.test.advance_hours(1);
    counter.set(OrderStatus::Delivered).await;
    assert_eq!(counter.delivered_units(), 2);
}

#[tokio::test]
async fn what_was_only_marked_as_sent_was_not_sent() {
    let counter = Counter::open().await;
    counter.set(OrderStatus::Shipped).await;
    counter.set(OrderStatus::Processing).await;
    counter.test.advance_hours(1);
    counter.withdraw(2).await;
    counter.test.advance_hours(1);
    counter.set(OrderStatus::Delivered).await;
    assert_eq!(counter.delivered_units(), 1);
}

#[tokio::test]
async fn the_link_of_an_order_is_not_kept_when_a_mail_server_repeats_it() {
    let server = SmtpServer::start(SmtpBehaviour::RefusesAndRepeats).await;
    let url = Secret::new(server.url());
    let test = TestShop::with(|config| {
        config.mail.smtp_url = Some(url);
        config.mail.per_address_per_hour = 2;
    })
    .await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 100, 4990).await);
    for _ in 0..4 {
        test.buy(&ana, &vela, 1).await.expect("placed");
    }
    for _ in 0..2 {
        test.shop.run_due().await.expect("done");
        test.advance_hours(1);
    }
    let sent = server.received();
    assert!(sent.iter().any(|mail| mail.text().contains("?t=")), "they have links");
    let failed = |kind| format!("SELECT count(*) FROM mail WHERE kind = '{kind}' AND last_error");
    for kind in ["order-placed", "digest"] {
        assert!(test.count(&format!("{} = 'SMTP 554'", failed(kind))) > 0, "{kind} is refused");
        assert_eq!(test.count(&format!("{} <> 'SMTP 554'", failed(kind))), 0, "{kind}");
    }
}

#[tokio::test]
async fn freight_that_is_agreed_later_is_not_called_free() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = server.url();
    let test = TestShop::with(|config| config.mail.smtp_url = Some(Secret::new(url))).await;
    test.raw_sql("DELETE FROM shipping_tariff");
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 9, 4990).await;
    for (units, freight) in [(1, "Frete: A combinar"), (4, "Frete: Grátis")] {
        test.buy(&buyer, &candle, units).await.expect("an order");
        test.shop.run_due().await.expect("done");
        let text = server.received().last().expect("a mail").text();
        assert!(text.contains(freight), "{units}: {text}");
    }
}
