//! A payment provider of a program's own that names neither the attempt nor the order in its
//! answers, as the types allow: no money is lost by it.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::config::Secret;
use shop_core::error::{Error, Refusal};
use shop_core::money::Money;
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::{
    Answer, CardRequest, PaymentMethod, PaymentProvider, PaymentStatus, PixAndCards, PixRequest,
    ProviderDispute, ProviderDisputeStatus, ProviderError, ProviderPayment, ProviderRefund,
    ProviderRefundStatus, ProviderStatus, RefundOrigin, RefundRequest,
};
use shop_core::settlement::PayByCard;
use shop_core::{Config, Result, Shop};

use super::fixture::{Buyer, TestShop, input};
use super::payment::{now, unpaid};
use crate::fakes::signature;

/// What the provider answers, and what it knows.
#[derive(Clone, Default)]
struct Terse {
    /// The answer to each call that begins a payment; none is a lost answer.
    answer: Arc<Mutex<Option<ProviderPayment>>>,
    /// The payments that it finds for any order.
    found: Arc<Mutex<Vec<ProviderPayment>>>,
    /// Whether it gives money back: not at all, or only when it is asked again.
    gives_back: Arc<Mutex<GivesBack>>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum GivesBack {
    #[default]
    Never,
    NextTime,
    Now,
}

impl Terse {
    fn answering(payment: ProviderPayment) -> Self {
        let terse = Self::default();
        *terse.answer.lock().expect("whole") = Some(payment);
        terse
    }

    fn finding(payment: ProviderPayment) -> Self {
        let terse = Self::default();
        terse.found.lock().expect("whole").push(payment);
        terse
    }

    fn give_back(&self, amount: Money) -> Answer<ProviderRefund> {
        let mut gives = self.gives_back.lock().expect("whole");
        match *gives {
            GivesBack::Never => Err(ProviderError::Refused("no refunds".to_owned())),
            GivesBack::NextTime => {
                *gives = GivesBack::Now;
                Err(ProviderError::Unclear("no answer".to_owned()))
            }
            GivesBack::Now => {
                self.found.lock().expect("whole")[0].refunded += amount;
                Ok(ProviderRefund { id: "r1".to_owned(), status: ProviderRefundStatus::Done })
            }
        }
    }

    fn reply(&self) -> Answer<ProviderPayment> {
        let answer = self.answer.lock().expect("whole").clone();
        answer.ok_or_else(|| ProviderError::Unclear("the answer got lost".to_owned()))
    }
}

impl PaymentProvider for Terse {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        let known = self.found.lock().expect("whole").iter().find(|it| it.id == id).cloned();
        async { Ok(known) }.boxed()
    }

    fn cancel<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        async { self.reply() }.boxed()
    }

    fn refund<'a>(&'a self, asked: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        async { self.give_back(asked.amount) }.boxed()
    }
}

impl PixAndCards for Terse {
    fn create_pix<'a>(&'a self, _: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        async { self.reply() }.boxed()
    }

    fn charge_card<'a>(&'a self, _: &'a CardRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        async { self.reply() }.boxed()
    }

    fn find<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        async { Ok(self.found.lock().expect("whole").clone()) }.boxed()
    }
}

fn payment(method: PaymentMethod, status: ProviderStatus, amount: Money) -> ProviderPayment {
    ProviderPayment::new("terse-1", method, status, amount, "BRL")
}

/// The shop of a test once more, with this provider.
async fn shop_with(test: &TestShop, provider: &Terse) -> Shop {
    let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    builder.pix_and_cards(provider.clone()).open().await.expect("opens")
}

fn card(order: &Order) -> PayByCard {
    input(
        json!({ "orderId": order.id, "token": "t", "paymentMethodId": "visa", "installments": 1 }),
    )
}

/// Pays by a card whose answer gets lost, and lets an hour of background work pass.
async fn lose_the_answer(test: &TestShop, shop: &Shop, buyer: &Buyer, order: &Order) {
    let lost = shop.payments().pay_by_card(&buyer.id, card(order), None).await;
    assert!(matches!(lost, Err(Error::Provider { .. })), "{lost:?}");
    for _ in 0..12 {
        test.clock.advance(std::time::Duration::from_secs(5 * 60));
        shop.run_due().await.expect("done");
    }
}

async fn statuses(shop: &Shop, order: &Order) -> Vec<PaymentStatus> {
    let attempts = shop.payments().list_attempts(&order.id).await.expect("read");
    attempts.iter().map(|attempt| attempt.status).collect()
}

#[tokio::test]
async fn a_charge_is_booked_for_the_attempt_that_it_was_asked_for() -> Result<()> {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let paid = payment(PaymentMethod::CreditCard, ProviderStatus::Paid, order.total);
    let shop = shop_with(&test, &Terse::answering(paid)).await;
    let charge = shop.payments().pay_by_card(&buyer.id, card(&order), None).await?;
    assert_eq!(charge.payment_id, "terse-1");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    test.check_books().await;
    Ok(())
}

#[tokio::test]
async fn a_charge_of_another_amount_is_kept_for_review() -> Result<()> {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let less = payment(PaymentMethod::CreditCard, ProviderStatus::Paid, Money::from_cents(100));
    let shop = shop_with(&test, &Terse::answering(less)).await;
    shop.payments().pay_by_card(&buyer.id, card(&order), None).await?;
    assert_eq!(statuses(&shop, &order).await, [PaymentStatus::Review]);
    test.check_books().await;
    Ok(())
}

#[tokio::test]
async fn a_pix_code_is_answered_and_one_paid_at_once_is_a_paid_order() -> Result<()> {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let mut waiting = payment(PaymentMethod::Pix, ProviderStatus::Pending, order.total);
    waiting.pix_code = Some("00020126".to_owned());
    let terse = Terse::answering(waiting);
    let shop = shop_with(&test, &terse).await;
    let pix = shop.payments().create_pix(&buyer.id, &order.id, None).await?;
    assert_eq!(pix.qr_code_text, "00020126");

    let second = test.buy(&buyer, &test.product("other", 10, 1000).await, 1).await?;
    let mut paid = payment(PaymentMethod::Pix, ProviderStatus::Paid, second.total);
    paid.id = "terse-2".to_owned();
    *terse.answer.lock().expect("whole") = Some(paid);
    let at_once = shop.payments().create_pix(&buyer.id, &second.id, None).await;
    assert!(matches!(at_once, Err(Error::Refused(Refusal::AlreadyPaid))), "{at_once:?}");
    assert_eq!(now(&test, &buyer, &second).await.1, PaymentStatus::Paid);
    test.check_books().await;
    Ok(())
}

#[tokio::test]
async fn a_pix_answer_without_a_code_is_the_providers_fault() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let silent = payment(PaymentMethod::Pix, ProviderStatus::Pending, order.total);
    let shop = shop_with(&test, &Terse::answering(silent)).await;
    let without = shop.payments().create_pix(&buyer.id, &order.id, None).await;
    assert!(matches!(without, Err(Error::Provider { .. })), "{without:?}");
}

#[tokio::test]
async fn a_payment_found_later_is_booked_although_its_answer_got_lost() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let paid = payment(PaymentMethod::CreditCard, ProviderStatus::Paid, order.total);
    let shop = shop_with(&test, &Terse::finding(paid)).await;
    lose_the_answer(&test, &shop, &buyer, &order).await;
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    test.check_books().await;
}

#[tokio::test]
async fn a_payment_without_money_is_the_lost_attempt_only_where_method_and_amount_are() {
    for (method, cents, is_the_attempt) in [
        (PaymentMethod::CreditCard, 9980, true),
        (PaymentMethod::CreditCard, 100, false),
        (PaymentMethod::Pix, 9980, false),
    ] {
        let test = TestShop::open().await;
        let (buyer, order) = unpaid(&test).await;
        let waiting = payment(method, ProviderStatus::Pending, Money::from_cents(cents));
        let shop = shop_with(&test, &Terse::finding(waiting)).await;
        lose_the_answer(&test, &shop, &buyer, &order).await;
        let attempts = shop.payments().list_attempts(&order.id).await.expect("read");
        let found = attempts[0].provider_payment_id.as_deref() == Some("terse-1");
        assert_eq!(found, is_the_attempt, "{method:?} {cents}");
    }
}

#[tokio::test]
async fn a_payment_found_later_that_does_not_fit_is_kept_for_review() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let less = payment(PaymentMethod::CreditCard, ProviderStatus::Paid, Money::from_cents(100));
    let shop = shop_with(&test, &Terse::finding(less)).await;
    lose_the_answer(&test, &shop, &buyer, &order).await;
    assert!(statuses(&shop, &order).await.contains(&PaymentStatus::Review));
    assert_eq!(now(&test, &buyer, &order).await.0, OrderStatus::Pending);
    test.check_books().await;
}

#[tokio::test]
async fn what_went_back_elsewhere_while_a_refund_was_open_stays_booked() -> Result<()> {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let paid = payment(PaymentMethod::CreditCard, ProviderStatus::Paid, order.total);
    let terse = Terse::answering(paid.clone());
    terse.found.lock().expect("whole").push(paid);
    let shop = shop_with(&test, &terse).await;
    shop.payments().pay_by_card(&buyer.id, card(&order), None).await?;
    *terse.gives_back.lock().expect("whole") = GivesBack::NextTime;
    let part = input(json!({ "amount": 10 }));
    shop.payments().refund(&Actor::System, &order.id, part, None).await?;

    terse.found.lock().expect("whole")[0].refunded = Money::from_cents(117);
    shop.payments().reconcile(&order.id).await?;
    let attempt = shop.payments().list_attempts(&order.id).await?.remove(0);
    assert_eq!(attempt.refunded, Money::from_cents(1117));
    let refunds = shop.payments().list_refunds(&order.id).await?;
    let booked: Vec<_> = refunds.iter().map(|it| (it.origin, it.amount.cents())).collect();
    assert_eq!(booked, [(RefundOrigin::Shop, 1000), (RefundOrigin::Provider, 117)]);
    test.check_books().await;
    Ok(())
}

#[tokio::test]
async fn a_chargeback_that_gets_its_name_later_is_one_chargeback() -> Result<()> {
    let secret = |config: &mut Config| {
        config.payments.provider1.webhook_secret = Some(Secret::new("hush"));
    };
    let test = TestShop::with(secret).await;
    let (buyer, order) = unpaid(&test).await;
    let paid = payment(PaymentMethod::CreditCard, ProviderStatus::Paid, order.total);
    let terse = Terse::answering(paid.clone());
    let shop = shop_with(&test, &terse).await;
    shop.payments().pay_by_card(&buyer.id, card(&order), None).await?;

    let mut unnamed = paid;
    unnamed.status = ProviderStatus::ChargedBack;
    let (id, amount, status) = ("dispute-1".to_owned(), order.total, ProviderDisputeStatus::Open);
    let mut named = unnamed.clone();
    named.disputes = vec![ProviderDispute { id, amount, status }];
    for report in [unnamed.clone(), named, unnamed] {
        *terse.found.lock().expect("whole") = vec![report];
        let notice = signature::notice("hush", "terse-1", shop.now().seconds());
        shop.payments().receive_notice(notice).await?;
        let attempt = shop.payments().list_attempts(&order.id).await?.remove(0);
        assert_eq!((attempt.status, attempt.charged_back), (PaymentStatus::ChargedBack, amount));
        test.check_books().await;
    }
    Ok(())
}
