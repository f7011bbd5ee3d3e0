//! Customers and staff who change what is sent, or where, while carriers are asked what it costs.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::clock::Timestamp;
use shop_core::id::ProductId;
use shop_core::money::Money;
use shop_core::order::Order;
use shop_core::shipping::{CarrierError, CarrierOption, CarrierQuotes, Parcel};
use shop_core::{Config, Error, Result, Shop};
use tokio::sync::Notify;

use super::fixture::{Buyer, TestShop, input};

/// A courier that thinks for as long as a test wants. A gram costs a cent, and R$ 100,00 more
/// outside São Paulo.
#[derive(Default)]
struct Courier {
    asked: Notify,
    may_answer: Notify,
}

impl CarrierQuotes for Courier {
    fn name(&self) -> &'static str {
        "Motoboy"
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        _: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        let far = if parcel.to.as_str().starts_with('0') { 0 } else { 10_000 };
        let price = Money::from_cents(parcel.weight.grams() + far);
        let (id, name) = ("moto-1".to_owned(), "Motoboy".to_owned());
        Box::pin(async move {
            self.asked.notify_one();
            self.may_answer.notified().await;
            Ok(vec![CarrierOption { id, name, price, estimated_days: 1 }])
        })
    }
}

/// A shop with such a courier, and a buyer with one candle of 0.25 kg in the cart.
struct Bench {
    test: TestShop,
    shop: Shop,
    courier: Arc<Courier>,
    ana: Buyer,
    vela: Value,
}

impl Bench {
    async fn open() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(adapt: impl FnOnce(&mut Config)) -> Self {
        let patient = |config: &mut Config| {
            config.shipping.timeout_ms = 60_000;
            adapt(config);
        };
        let test = TestShop::with(patient).await;
        let courier = Arc::<Courier>::default();
        let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
        let builder = builder.carriers(vec![Arc::clone(&courier) as _]);
        let shop = builder.open().await.expect("opens");
        let ana = test.buyer("ana").await;
        let vela = json!(test.product("vela", 50, 1000).await);
        let bench = Self { test, shop, courier, ana, vela };
        bench.add(1).await;
        bench
    }

    async fn add(&self, units: i64) {
        let line = input(json!({ "productId": self.vela, "quantity": units }));
        self.test.shop.carts().add(&self.ana.id, line).await.expect("in the cart");
    }

    async fn place(&self) -> Result<Order> {
        let order = input(json!({ "addressId": self.ana.address }));
        self.shop.orders().place(&self.ana.id, order, None).await.map(|placed| placed.order)
    }

    /// Places an order, and changes something while its courier thinks.
    async fn place_while(&self, change: impl Future<Output = ()>) -> Result<Order> {
        let meanwhile = async {
            self.courier.asked.notified().await;
            change.await;
            self.courier.may_answer.notify_one();
        };
        tokio::join!(self.place(), meanwhile).0
    }
}

#[tokio::test]
async fn a_cart_that_grows_is_not_sent_for_the_price_of_what_was_in_it() {
    let bench = Bench::open().await;
    let refused = bench.place_while(bench.add(5)).await;
    assert!(matches!(refused, Err(Error::Busy { .. })), "{refused:?}");
    assert_eq!(bench.test.stock(bench.vela.as_str().expect("an id")), 50);
    // The cart is still there, and costs what all of it costs.
    bench.courier.may_answer.notify_one();
    let placed = bench.place().await.expect("placed");
    assert_eq!((placed.items[0].quantity, placed.shipping.cents()), (6, 1500));
}

#[tokio::test]
async fn an_order_that_moves_is_not_sent_for_the_price_of_another_place() {
    let bench = Bench::open().await;
    let to_manaus = async {
        let there = input(json!({ "city": "Manaus", "state": "AM", "zipCode": "69005000" }));
        let addresses = bench.test.shop.addresses();
        addresses.update(&bench.ana.id, &bench.ana.address, there).await.expect("moved");
    };
    let refused = bench.place_while(to_manaus).await;
    assert!(matches!(refused, Err(Error::Busy { .. })), "{refused:?}");
    bench.courier.may_answer.notify_one();
    let placed = bench.place().await.expect("placed");
    assert_eq!((&*placed.address.city, placed.shipping.cents()), ("Manaus", 10_250));
}

#[tokio::test]
async fn what_does_not_change_the_parcel_stops_no_order() {
    let bench = Bench::open().await;
    let rename = async {
        let new = input(json!({ "label": "Trabalho", "number": "7" }));
        let addresses = bench.test.shop.addresses();
        addresses.update(&bench.ana.id, &bench.ana.address, new).await.expect("renamed");
    };
    let placed = bench.place_while(rename).await.expect("placed");
    assert_eq!((&*placed.address.number, placed.shipping.cents()), ("7", 250));
}

#[tokio::test]
async fn what_gets_heavier_or_dearer_is_not_sent_for_the_price_of_what_was_quoted() {
    let bench = Bench::open().await;
    let vela: ProductId = bench.vela.as_str().expect("an id").into();
    for change in [json!({ "weight": 1 }), json!({ "price": 12 })] {
        let change = async {
            let products = bench.test.shop.products();
            products.update(&Actor::System, &vela, input(change), None).await.expect("changed");
        };
        let refused = bench.place_while(change).await;
        assert!(matches!(refused, Err(Error::Busy { .. })), "{refused:?}");
        assert_eq!(bench.test.stock(vela.as_str()), 50);
    }
    bench.courier.may_answer.notify_one();
    let placed = bench.place().await.expect("placed");
    assert_eq!((placed.subtotal.cents(), placed.shipping.cents()), (1200, 1000));
}

#[tokio::test]
async fn an_order_that_gets_too_small_for_free_shipping_is_asked_about_again() {
    let bench =
        Bench::with(|config| config.shipping.free_from = Some(Money::from_cents(1000))).await;
    let vela: ProductId = bench.vela.as_str().expect("an id").into();
    let placed = bench.place().await.expect("placed, and nobody was asked");
    assert_eq!(placed.shipping.cents(), 0);
    bench.add(1).await;
    let cheaper = input(json!({ "price": 9 }));
    let products = bench.test.shop.products();
    products.update(&Actor::System, &vela, cheaper, None).await.expect("changed");
    let dearer = async {
        let change = input(json!({ "price": 10 }));
        products.update(&Actor::System, &vela, change, None).await.expect("changed");
    };
    let refused = bench.place_while(dearer).await;
    assert!(matches!(refused, Err(Error::Busy { .. })), "{refused:?}");
    assert_eq!(bench.place().await.expect("placed").shipping.cents(), 0);
}
