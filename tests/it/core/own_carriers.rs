//! Carriers that a program brings along.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::{BoxFuture, ready};
use serde_json::json;
use shop_core::Result;
use shop_core::Shop;
use shop_core::clock::Timestamp;
use shop_core::money::Money;
use shop_core::shipping::{
    CarrierError, CarrierOption, CarrierQuotes, Parcel, Place, PostalCodes, QuoteSource,
};
use shop_core::value::Cep;

use super::fixture::{TestShop, input};
use super::shipping::shown;

/// A program's own courier, and its own list of postal codes.
struct Courier;

impl CarrierQuotes for Courier {
    fn name(&self) -> &'static str {
        "Motoboy"
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        _: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        let price = Money::from_cents(parcel.weight.grams());
        let (id, name) = ("moto-1".to_owned(), "Motoboy".to_owned());
        Box::pin(ready(Ok(vec![CarrierOption { id, name, price, estimated_days: 1 }])))
    }
}

impl PostalCodes for Courier {
    fn find<'a>(&'a self, _: &'a Cep) -> BoxFuture<'a, Result<Option<Place>, CarrierError>> {
        let place = Place::new("SP".parse().expect("a state"), "Santos".to_owned());
        Box::pin(ready(Ok(Some(place))))
    }
}

#[tokio::test]
async fn a_program_may_bring_its_own_carriers() {
    let test = TestShop::open().await;
    let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let builder = builder.carriers(vec![std::sync::Arc::new(Courier)]).postal_codes(Courier);
    let shop = builder.open().await.expect("opens");
    let wanted = json!({ "cep": "11010000", "subtotal": "10", "weight": "0.4" });
    let quote = shop.shipping().calculate(input(wanted)).await.expect("a quote");
    assert_eq!(shown(&quote), [("moto-1", "Motoboy", 400, 1)]);
    assert_eq!((quote.source, &*quote.city), (QuoteSource::Api, "Santos"));
}

/// A program's own code with a defect in it. How often it was asked.
#[derive(Clone, Default)]
struct Clumsy(Arc<AtomicUsize>);

impl CarrierQuotes for Clumsy {
    fn name(&self) -> &'static str {
        "Clumsy"
    }

    fn quote<'a>(
        &'a self,
        _: &'a Parcel,
        _: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        let count = self.0.fetch_add(1, Ordering::Relaxed);
        assert_ne!(count % 2, 0, "before there is a future");
        Box::pin(async { panic!("while it is awaited") })
    }
}

impl PostalCodes for Clumsy {
    fn find<'a>(&'a self, _: &'a Cep) -> BoxFuture<'a, Result<Option<Place>, CarrierError>> {
        panic!("no list of postal codes");
    }
}

#[tokio::test]
async fn a_carrier_that_panics_has_failed_and_orders_go_on() {
    let clumsy = Clumsy::default();
    let shop = shop_core::testing::TestShop::with(|builder| {
        builder.carriers(vec![Arc::new(clumsy.clone())]).postal_codes(clumsy.clone())
    });
    let shop = shop.await.expect("opens");
    for _ in 0..5 {
        shop.order().await.expect("placed");
    }
    assert_eq!(clumsy.0.load(Ordering::Relaxed), 3, "it is left alone after three failures");
    let found = clumsy.0.load(Ordering::Relaxed);
    let states = shop.shipping().list_carriers().await;
    assert_eq!(states.len(), clumsy.0.load(Ordering::Relaxed) - found, "{states:?}");
}
