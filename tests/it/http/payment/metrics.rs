//! What `/metrics` tells of payments and of calls of their providers.

#![expect(clippy::float_cmp, reason = "what is counted is whole")]

use super::{Counter, paid};
use crate::fakes::provider::Trouble;

fn payments(status: &str) -> String {
    format!("shop_payments_total{{provider=\"provider1\",status=\"{status}\"}}")
}

fn calls(outcome: &str) -> String {
    format!("shop_provider_calls_total{{provider=\"provider1\",outcome=\"{outcome}\"}}")
}

#[tokio::test]
async fn payments_are_counted_by_outcome() {
    let counter = Counter::open().await;
    let server = &counter.server;
    counter.pay_by_card("mp-cc_rejected_other_reason").await.refused(422);
    assert_eq!(server.told(&payments("FAILED")).await, 1.0);
    counter.pay_by_pix().await.expect(200);
    counter.mercado_pago.approve_latest();
    counter.notify().await.expect(200);
    assert_eq!(counter.status().await, paid());
    for _ in 0..2 {
        // The same notice again moves nothing.
        counter.notify().await.expect(200);
        assert_eq!(server.told(&payments("PAID")).await, 1.0);
    }
    assert_eq!(server.told(&payments("PENDING")).await, 2.0, "a card and a code");
    assert_eq!(server.told(&payments("REVIEW")).await, 0.0);
    counter.mercado_pago.latest(|payment| payment["status"] = "charged_back".into());
    counter.notify().await.expect(200);
    assert_eq!(server.told(&payments("CHARGED_BACK")).await, 1.0);
}

#[tokio::test]
async fn payments_in_review_are_told_until_somebody_looks() {
    let counter = Counter::open().await;
    let server = &counter.server;
    assert_eq!(server.told("shop_payments_in_review").await, 0.0);
    counter.pay_by_pix().await.expect(200);
    counter.mercado_pago.approve_latest();
    counter.mercado_pago.latest(|payment| payment["transaction_amount"] = 99.79.into());
    counter.notify().await.expect(200);
    assert_eq!(server.told(&payments("REVIEW")).await, 1.0);
    server.tells("shop_payments_in_review", |count| count == 1.0).await;
}

#[tokio::test]
async fn calls_of_a_provider_are_counted_by_how_they_ended() {
    let counter = Counter::open().await;
    let server = &counter.server;
    counter.mercado_pago.has(Trouble::Fails(503));
    counter.pay_by_pix().await.refused(500);
    assert!(server.told(&calls("failed")).await >= 1.0);
    counter.mercado_pago.has(Trouble::StallsBefore);
    counter.pay_by_pix().await.refused(500);
    assert!(server.told(&calls("timeout")).await >= 1.0);
    counter.mercado_pago.has(Trouble::None);
    let before = server.told(&calls("answered")).await;
    counter.pay_by_pix().await.expect(200);
    assert!(server.told(&calls("answered")).await > before);
    let times = r#"shop_provider_call_seconds_count{provider="provider1"}"#;
    assert!(server.told(times).await >= 3.0);
    assert_eq!(server.told(r#"shop_provider_call_seconds_count{provider="sefaz"}"#).await, 0.0);
}
