//! What a provider does of its own accord: it charges an attempt twice, or a bank takes back what
//! was partly given back before; and notices that are late.

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::order::Order;
use shop_core::payment::{PaymentAttempt, PaymentStatus};
use shop_core::settlement::ProviderNotice;

use super::fixture::{TestShop, input};
use super::payment::unpaid;
use crate::fakes::mercado_pago::{MercadoPago, WEBHOOK_SECRET};
use crate::fakes::signature;

/// A shop with an order of R$ 99,80 that was paid by PIX.
async fn paid() -> (MercadoPago, TestShop, Order) {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    provider.approve_latest();
    notice(&provider, &test).await;
    (provider, test, order)
}

async fn notice(provider: &MercadoPago, test: &TestShop) {
    let notice = provider.notice(test.shop.now().seconds());
    test.shop.payments().receive_notice(notice).await.expect("taken");
}

async fn attempts(test: &TestShop, order: &Order) -> Vec<PaymentAttempt> {
    test.check_books().await;
    test.shop.payments().list_attempts(&order.id).await.expect("a list")
}

#[tokio::test]
async fn money_that_is_taken_twice_for_one_attempt_is_booked_beside_the_first() {
    let (provider, test, order) = paid().await;
    provider.repeat_latest("pending");
    notice(&provider, &test).await;
    assert_eq!(attempts(&test, &order).await.len(), 1, "without money it is none");
    provider.repeat_latest("approved");
    for _ in 0..2 {
        notice(&provider, &test).await;
        let captured = attempts(&test, &order).await.into_iter().map(|it| it.captured.cents());
        assert_eq!(captured.collect::<Vec<_>>(), [9980, 9980]);
    }
}

#[tokio::test]
async fn a_chargeback_takes_what_was_not_given_back_before() {
    let (provider, test, order) = paid().await;
    let part = input(json!({ "amount": 20 }));
    test.shop.payments().refund(&Actor::System, &order.id, part, None).await.expect("given back");
    provider.latest(|payment| payment["status"] = "charged_back".into());
    notice(&provider, &test).await;
    let payment = attempts(&test, &order).await.remove(0);
    assert_eq!((payment.refunded.cents(), payment.charged_back.cents()), (2000, 7980));
    assert_eq!(payment.status, PaymentStatus::ChargedBack);
}

#[tokio::test]
async fn a_notice_is_taken_for_exactly_as_long_as_is_configured() {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| {
        provider.adapt(config);
        config.payments.provider1.webhook_tolerance_seconds = 60;
    })
    .await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    let now = test.shop.now().seconds();
    for (seconds, is_taken) in [(-61, false), (-60, true), (60, true), (61, false)] {
        let answered = test.shop.payments().receive_notice(provider.notice(now + seconds)).await;
        assert_eq!(answered.is_ok(), is_taken, "{seconds}: {answered:?}");
    }
}

#[tokio::test]
async fn what_went_back_is_all_of_it_where_the_provider_names_no_amount() {
    let (provider, test, order) = paid().await;
    provider.latest(|payment| payment["status"] = "refunded".into());
    notice(&provider, &test).await;
    let payment = attempts(&test, &order).await.remove(0);
    assert_eq!((payment.status, payment.refunded.cents()), (PaymentStatus::Refunded, 9980));
}

#[tokio::test]
async fn a_code_that_expired_at_its_provider_is_expired() {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    provider.latest(|payment| {
        payment["status"] = "cancelled".into();
        payment["status_detail"] = "expired".into();
    });
    notice(&provider, &test).await;
    assert_eq!(attempts(&test, &order).await[0].status, PaymentStatus::Expired);
}

#[tokio::test]
async fn a_notice_about_something_else_is_no_notice_of_a_payment() {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    provider.approve_latest();
    for (kind, status) in
        [("merchant_order", PaymentStatus::Pending), ("payment", PaymentStatus::Paid)]
    {
        let notice = provider.notice(test.shop.now().seconds());
        let notice = ProviderNotice { kind: Some(kind.to_owned()), ..notice };
        test.shop.payments().receive_notice(notice).await.expect("taken");
        assert_eq!(attempts(&test, &order).await[0].status, status, "{kind}");
    }
}

#[tokio::test]
async fn an_id_with_capitals_may_be_signed_in_small_letters_too() {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    for (signed, is_taken) in [("PAY1", true), ("pay1", true), ("pay2", false)] {
        let signed_as = signature::notice(WEBHOOK_SECRET, signed, test.shop.now().seconds());
        let notice = ProviderNotice { data_id: Some("PAY1".to_owned()), ..signed_as };
        let answered = test.shop.payments().receive_notice(notice).await;
        assert_eq!(answered.is_ok(), is_taken, "{signed}: {answered:?}");
    }
}
