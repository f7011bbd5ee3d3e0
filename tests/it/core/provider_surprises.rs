//! What a provider does of its own accord: it charges an attempt twice, or a bank takes back what
//! was partly given back before; and notices that are late.

use std::time::Duration;

use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::order::Order;
use shop_core::payment::{PaymentAttempt, PaymentStatus};
use shop_core::settlement::ProviderNotice;

use super::fixture::{TestShop, input};
use super::payment::unpaid;
use crate::fakes::mercado_pago::{MercadoPago, PIX_CODE, WEBHOOK_SECRET};
use crate::fakes::provider::Trouble;
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

#[tokio::test]
async fn a_chargeback_after_all_was_given_back_takes_all_of_it_again() {
    let (provider, test, order) = paid().await;
    let whole = input(json!({}));
    test.shop.payments().refund(&Actor::System, &order.id, whole, None).await.expect("given back");
    provider.latest(|payment| payment["status"] = "charged_back".into());
    notice(&provider, &test).await;
    let payment = attempts(&test, &order).await.remove(0);
    assert_eq!((payment.refunded.cents(), payment.charged_back.cents()), (9980, 9980));
    let told = "SELECT count(*) FROM order_note WHERE body LIKE '%retirou R$%99,80'";
    assert_eq!(test.count(told), 1);
    provider.latest(|payment| payment["status_detail"] = "reimbursed".into());
    notice(&provider, &test).await;
    assert_eq!(attempts(&test, &order).await.remove(0).charged_back.cents(), 0);
}

#[tokio::test]
async fn a_code_that_the_first_answer_lacks_is_read_later() {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    let code = async || test.shop.payments().create_pix(&buyer.id, &order.id, None).await;
    provider.books(|ledger| ledger.draws_no_code = true);
    let silent = code().await.expect_err("no code yet");
    assert!(matches!(silent, Error::Provider { .. }), "{silent:?}");
    provider.latest(|payment| {
        payment["point_of_interaction"] = json!({ "transaction_data": { "qr_code": PIX_CODE } });
    });
    assert_eq!(code().await.expect("the code").qr_code_text, PIX_CODE);
    assert_eq!(attempts(&test, &order).await.len(), 1);
}

/// A shop whose provider took an order's PIX payment, and whose answer nobody could read.
async fn unanswered() -> (MercadoPago, TestShop, Order) {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    provider.has(Trouble::Garbage);
    let answered = test.shop.payments().create_pix(&buyer.id, &order.id, None).await;
    assert!(matches!(answered, Err(Error::Provider { .. })), "{answered:?}");
    provider.has(Trouble::None);
    (provider, test, order)
}

#[tokio::test]
async fn a_payment_that_cannot_be_read_hides_no_other() {
    let (provider, test, order) = unanswered().await;
    provider.approve_latest();
    provider.repeat_latest("pending");
    provider.latest(|payment| {
        payment["transaction_amount"] = serde_json::Value::Null;
        payment["metadata"] = json!({});
    });
    test.shop.payments().reconcile(&order.id).await.expect("asked");
    assert_eq!(attempts(&test, &order).await.remove(0).status, PaymentStatus::Paid);
}

#[tokio::test]
async fn an_attempt_whose_payment_cannot_be_read_is_not_given_up() {
    let (provider, test, order) = unanswered().await;
    provider.latest(|payment| payment["transaction_amount"] = serde_json::Value::Null);
    test.clock.advance(Duration::from_secs(10 * 60));
    test.shop.payments().reconcile(&order.id).await.expect("found");
    assert_eq!(attempts(&test, &order).await.remove(0).status, PaymentStatus::Pending);
    provider.latest(|payment| payment["transaction_amount"] = json!(99.8));
    provider.approve_latest();
    test.shop.payments().reconcile(&order.id).await.expect("asked");
    assert_eq!(attempts(&test, &order).await.remove(0).status, PaymentStatus::Paid);
}
