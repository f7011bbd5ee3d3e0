//! A proxy between the shop and a provider answers with a page of its own: it says nothing of what
//! became of the call.

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::order::Order;
use shop_core::payment::RefundStatus;
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop, input};
use super::payment::unpaid;
use crate::fakes::mercado_pago::MercadoPago;
use crate::fakes::provider::Trouble;
use crate::fakes::stripe::Stripe;

/// The statuses that a provider's own refusals have.
const REFUSALS: [u16; 2] = [400, 404];

async fn by_pix_or_card() -> (MercadoPago, TestShop, Buyer, Order) {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    (provider, test, buyer, order)
}

#[track_caller]
fn is_unclear<T: std::fmt::Debug>(answered: Result<T>) {
    assert!(matches!(answered, Err(Error::Provider { .. })), "{answered:?}");
}

#[tokio::test]
async fn a_charge_is_asked_for_again_with_its_key() {
    for status in REFUSALS {
        let (provider, test, buyer, order) = by_pix_or_card().await;
        let payments = test.shop.payments();
        let card = || {
            input(json!({ "orderId": order.id, "token": "mp-approved", "paymentMethodId": "visa",
                          "installments": 1, "issuerId": "25" }))
        };
        provider.has(Trouble::Page(status));
        is_unclear(payments.pay_by_card(&buyer.id, card(), None).await);
        provider.has(Trouble::None);
        payments.pay_by_card(&buyer.id, card(), None).await.expect("the first charge");
        assert_eq!(provider.charges(&order.order_number), 1, "{status}");
        test.check_books().await;
    }
}

#[tokio::test]
async fn a_pix_code_is_asked_for_again_with_its_key() {
    let (provider, test, buyer, order) = by_pix_or_card().await;
    let payments = test.shop.payments();
    provider.has(Trouble::Page(400));
    is_unclear(payments.create_pix(&buyer.id, &order.id, None).await);
    provider.has(Trouble::None);
    payments.create_pix(&buyer.id, &order.id, None).await.expect("the code");
    assert_eq!(payments.list_attempts(&order.id).await.expect("a list").len(), 1);
}

#[tokio::test]
async fn a_refund_is_asked_for_again_with_its_key() {
    for status in REFUSALS {
        let (provider, test, buyer, order) = by_pix_or_card().await;
        let payments = test.shop.payments();
        payments.create_pix(&buyer.id, &order.id, None).await.expect("a code");
        provider.approve_latest();
        payments.reconcile(&order.id).await.expect("paid");
        provider.has(Trouble::Page(status));
        let part = input(json!({ "amount": 20 }));
        let asked = payments.refund(&Actor::System, &order.id, part, None).await.expect("kept");
        assert_eq!(asked.status, RefundStatus::Pending, "{status}");
        provider.has(Trouble::None);
        payments.reconcile(&order.id).await.expect("asked");
        let refunds = payments.list_refunds(&order.id).await.expect("a list");
        assert_eq!((refunds.len(), refunds[0].status), (1, RefundStatus::Done));
        provider.latest(|payment| {
            assert_eq!(payment["refunds"].as_array().expect("a list").len(), 1);
        });
        test.check_books().await;
    }
}

#[tokio::test]
async fn an_intent_is_asked_for_again_with_its_key_and_not_given_up() {
    let provider = Stripe::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    let open = async || test.shop.payments().create_intent(&buyer.id, &order.id, None).await;
    provider.has(Trouble::Page(404));
    is_unclear(open().await);
    provider.has(Trouble::None);
    let first = open().await.expect("the intent");
    provider.has(Trouble::Page(404));
    is_unclear(open().await);
    provider.has(Trouble::None);
    assert_eq!(open().await.expect("the intent").payment_intent_id, first.payment_intent_id);
    assert_eq!(provider.intents(), 1);
}

#[tokio::test]
async fn a_notice_is_left_to_be_sent_again() {
    let (provider, test, buyer, order) = by_pix_or_card().await;
    let payments = test.shop.payments();
    payments.create_pix(&buyer.id, &order.id, None).await.expect("a code");
    provider.approve_latest();
    let notice = provider.notice(test.shop.now().seconds());
    provider.has(Trouble::Page(404));
    is_unclear(payments.receive_notice(notice.clone()).await);
    provider.has(Trouble::None);
    payments.receive_notice(notice).await.expect("taken");
    assert!(test.shop.orders().get(&order.id).await.expect("the order").is_paid());
}
