//! Carriers on their bench: those of the shop played by fakes, and a courier with faults.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use shop_core::clock::Timestamp;
use shop_core::money::Money;
use shop_core::shipping::{CarrierError, CarrierOption, CarrierQuotes, Parcel};
use shop_core::testing::conformance::{CARRIER_CHECKS, CarrierBench, carrier, carriers_of};

use super::{hold, wait};
use crate::core::fixture::START;
use crate::fakes::Carriers;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    OffersNothing,
    FailsElsewhere,
    HasOneIdForAll,
    NamesAnew,
    PaysTheSender,
    SaysThatItCannot,
}

/// A courier of the city of São Paulo.
#[derive(Default)]
struct Courier {
    fault: Option<Fault>,
    asked: AtomicUsize,
}

impl Courier {
    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn answer(&self, parcel: &Parcel) -> Result<Vec<CarrierOption>, CarrierError> {
        let serves = parcel.to.as_str().starts_with("01");
        if !serves && self.has(Fault::FailsElsewhere) {
            return Err(CarrierError::Status(404));
        }
        if !serves || self.has(Fault::OffersNothing) {
            return Ok(Vec::new());
        }
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let anew = if self.has(Fault::NamesAnew) { asked } else { 0 };
        let cents = if self.has(Fault::PaysTheSender) { -990 } else { 990 };
        let option = |n: usize| CarrierOption {
            id: format!("bike-{}", if self.has(Fault::HasOneIdForAll) { 0 } else { n + anew }),
            name: "Bicicleta".to_owned(),
            price: Money::from_cents(cents),
            estimated_days: 1,
        };
        Ok(vec![option(1), option(2)])
    }
}

impl CarrierQuotes for Courier {
    fn name(&self) -> &'static str {
        "Bike"
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        _: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        async { self.answer(parcel) }.boxed()
    }

    fn probe(&self, _: Timestamp) -> BoxFuture<'_, Result<(), CarrierError>> {
        let fails = self.has(Fault::SaysThatItCannot);
        async move { if fails { Err(CarrierError::NoOffer) } else { Ok(()) } }.boxed()
    }
}

fn bench() -> CarrierBench {
    let cep = |text: &str| text.parse().expect("a CEP");
    CarrierBench::new(START, cep("01001-000")).not_serving(cep("69900-000"))
}

#[test]
fn a_carrier_with_each_planted_fault_is_caught() {
    let planted = [
        (Fault::OffersNothing, "a_place_that_is_served_has_an_option"),
        (Fault::FailsElsewhere, "a_place_that_is_not_served_has_none_and_is_no_error"),
        (Fault::HasOneIdForAll, "options_are_told_apart_by_their_ids"),
        (Fault::NamesAnew, "the_same_parcel_has_the_same_options"),
        (Fault::PaysTheSender, "an_option_has_a_name_a_price_and_a_time"),
        (Fault::SaysThatItCannot, "the_carrier_says_that_it_can_carry"),
    ];
    hold(CARRIER_CHECKS, &planted, |fault| {
        wait(carrier(&Courier { fault, ..Courier::default() }, &bench()))
    });
}

#[tokio::test]
async fn the_shops_own_carriers_keep_to_their_port() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let carriers = carriers_of(test.shop.config()).expect("usable settings");
    assert_eq!(carriers.len(), 3);
    // The fakes serve every place.
    let bench = CarrierBench::new(START, "01001-000".parse().expect("a CEP"));
    for port in carriers {
        assert_eq!(carrier(&*port, &bench).await, Ok(()), "{}", port.name());
    }
}
