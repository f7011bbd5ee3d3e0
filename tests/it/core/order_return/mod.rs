//! Returns: whose right it is and until when, what goes back, and what happens at once.

mod books;
mod goods;
mod invoice;
mod mails;
mod money;
mod races;
mod rules;
mod terms;
mod withdrawn;

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::clock::Timestamp;
use shop_core::id::ProductId;
use shop_core::money::Money;
use shop_core::order::{Order, OrderStatus};
use shop_core::order_return::OrderReturn;
use shop_core::{Config, Result};

use super::fixture::{Buyer, START, TestShop, input, order_of};

/// A shop with a buyer and a product of R$ 49,90, where sending costs R$ 12,50.
struct Bench {
    test: TestShop,
    ana: Buyer,
    vela: ProductId,
}

impl Bench {
    async fn open() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(adapt: impl FnOnce(&mut Config)) -> Self {
        Self::at(START, adapt).await
    }

    async fn at(start: Timestamp, adapt: impl FnOnce(&mut Config)) -> Self {
        let freight = |config: &mut Config| {
            config.shipping.free_from = None;
            config.shipping.fallback_price = Money::from_cents(1250);
            adapt(config);
        };
        let test = TestShop::at(start, freight).await;
        test.raw_sql("DELETE FROM shipping_tariff");
        let ana = test.buyer("ana").await;
        let vela = test.product("vela", 100, 4990).await;
        Self { test, ana, vela }
    }

    /// A paid order of so many units.
    async fn paid(&self, units: i64) -> Order {
        let order = self.test.buy(&self.ana, &self.vela, units).await.expect("placed");
        self.test.shop.sandbox().pay(&order.order_number).await.expect("paid")
    }

    /// An order of so many units that a coupon pays for whole.
    async fn of_nothing(&self, units: i64) -> Order {
        let all = json!({ "code": "TUDO", "type": "PERCENT", "value": 100, "active": true });
        self.test.shop.coupons().create(&Actor::System, input(all)).await.expect("a coupon");
        let lines = json!([{ "productId": self.vela, "quantity": units }]);
        let mut order = order_of(&self.ana, lines);
        order.coupon_code = Some("TUDO".parse().expect("a code"));
        self.test.place_order(&self.ana, order, None).await.expect("placed").order
    }

    /// A paid order that arrived now.
    async fn delivered(&self, units: i64) -> Order {
        let order = self.paid(units).await;
        self.set(&order, OrderStatus::Delivered).await
    }

    async fn set(&self, order: &Order, status: OrderStatus) -> Order {
        self.test.shop.orders().set_status(&order.id, status, None).await.expect("set")
    }

    async fn order(&self, order: &Order) -> Order {
        self.test.shop.orders().get(&order.id).await.expect("there")
    }

    async fn ask(&self, order: &Order, what: Value) -> Result<OrderReturn> {
        self.test.shop.returns().request(&self.ana.id, &order.id, input(what), None).await
    }

    /// A return of so many units of the order's first line.
    async fn ask_units(&self, order: &Order, units: i64) -> Result<OrderReturn> {
        self.ask(order, json!({ "items": units_of(order, units) })).await
    }

    async fn now(&self, of: &OrderReturn) -> OrderReturn {
        self.test.shop.returns().get_detail(&of.id).await.expect("there").returned
    }

    async fn receive(&self, of: &OrderReturn, what: Value) -> Result<OrderReturn> {
        self.test.shop.returns().receive(&Actor::System, &of.id, input(what), None, None).await
    }

    async fn refund(&self, of: &OrderReturn, what: Value) -> Result<OrderReturn> {
        self.test.shop.returns().refund(&Actor::System, &of.id, input(what), None, None).await
    }

    async fn approve(&self, of: &OrderReturn) -> Result<OrderReturn> {
        let nothing = input(json!({}));
        self.test.shop.returns().approve(&Actor::System, &of.id, nothing, None, None).await
    }

    async fn reject(&self, of: &OrderReturn) -> Result<OrderReturn> {
        let reason = input(json!({ "reason": "O produto foi usado" }));
        self.test.shop.returns().reject(&Actor::System, &of.id, reason, None, None).await
    }

    async fn cancel(&self, of: &OrderReturn) -> Result<OrderReturn> {
        let returns = self.test.shop.returns();
        returns.cancel_by_customer(&self.ana.id, &of.order_id, &of.id, None).await
    }

    fn stock(&self) -> i64 {
        self.test.stock(self.vela.as_str())
    }

    /// What the provider gave back, in cents.
    fn went_back(&self) -> i64 {
        self.test.count("SELECT coalesce(sum(refunded), 0) FROM sandbox_payment")
    }

    fn events(&self, name: &str) -> i64 {
        self.test.count(&format!("SELECT count(*) FROM event WHERE name = '{name}'"))
    }

    fn mails(&self, kind: &str) -> i64 {
        self.test.count(&format!("SELECT count(*) FROM mail WHERE kind = '{kind}'"))
    }
}

/// So many units of the order's first line.
fn units_of(order: &Order, units: i64) -> Value {
    json!([{ "orderItemId": order.items[0].id, "quantity": units }])
}
