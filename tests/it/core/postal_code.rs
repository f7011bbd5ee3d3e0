//! Postal codes: looked up once, and unknown only when somebody says so.

use std::time::{Duration, Instant};

use shop_core::Error;
use shop_core::error::Refusal;

use super::fixture::TestShop;
use super::shipping::{ask, quote};
use crate::fakes::{Behavior, Carriers};

#[tokio::test]
async fn a_postal_code_is_looked_up_once_in_thirty_days() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let asked = async || {
        let quote = quote(&test).await;
        assert_eq!((quote.state.as_str(), &*quote.city), ("RJ", "Niterói"));
        fakes.via_cep.received()
    };
    let received = asked().await;
    assert_eq!(received[0].line, "GET /ws/24020000/json/");
    assert!(received[0].header("user-agent").starts_with("shop-core/"));
    assert!(asked().await.is_empty());
    test.advance_hours(30 * 24);
    assert_eq!(asked().await.len(), 1);
}

#[tokio::test]
async fn a_code_is_unknown_only_when_somebody_positively_says_so() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    for cep in ["99999-000", "99999001"] {
        let unknown = ask(&test, cep, "10", None).await;
        assert!(matches!(unknown, Err(Error::Refused(Refusal::UnknownCep))), "{unknown:?}");
    }
    for behavior in [
        Behavior::Fails(500),
        Behavior::Fails(404),
        Behavior::Garbage,
        Behavior::OtherJson,
        Behavior::Huge,
    ] {
        let test = fakes.shop().await;
        fakes.via_cep.behaves(behavior);
        let quote = ask(&test, "99999000", "10", None).await.expect("a quote");
        assert_eq!((quote.state.as_str(), &*quote.city), ("RS", ""), "{behavior:?}");
    }
    // No state has this one, whoever can be reached.
    for test in [fakes.shop().await, TestShop::open().await] {
        let unknown = ask(&test, "00000000", "10", None).await;
        assert!(matches!(unknown, Err(Error::Refused(Refusal::UnknownCep))), "{unknown:?}");
    }
}

#[tokio::test]
async fn a_service_that_asks_to_be_left_alone_is_asked_again_when_that_is_over() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    fakes.via_cep.behaves(Behavior::Busy(1));
    for _ in 0..4 {
        assert_eq!(&*quote(&test).await.city, "", "the built-in table answers");
        test.clock.advance(Duration::from_secs(2));
    }
    assert_eq!(fakes.via_cep.received().len(), 4);
    fakes.via_cep.behaves(Behavior::Speaks);
    assert_eq!(&*quote(&test).await.city, "Niterói");
}

#[tokio::test]
async fn an_unknown_code_does_not_wait_for_carriers() {
    let fakes = Carriers::start().await;
    fakes.carriers_behave(Behavior::Silent);
    let test = TestShop::with(|config| {
        fakes.adapt(config);
        config.shipping.timeout_ms = 8000;
    })
    .await;
    let start = Instant::now();
    let unknown = ask(&test, "99999000", "10", None).await;
    assert!(matches!(unknown, Err(Error::Refused(Refusal::UnknownCep))), "{unknown:?}");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}
