//! Payment providers on their bench: the sandbox, Mercado Pago and Stripe played by fakes, and a
//! bank with faults.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use shop_core::config::Secret;
use shop_core::id::RefundId;
use shop_core::money::Money;
use shop_core::payment::{
    Answer, CardRequest, IntentRequest, Intents, PaymentMethod, PaymentProvider, PixAndCards,
    PixRequest, ProviderError, ProviderPayment, ProviderRefund, ProviderRefundStatus,
    ProviderStatus, RefundRequest,
};
use shop_core::testing::conformance::{
    CARD_CHECKS, Card, INTENT_CHECKS, PAYMENT_CHECKS, PIX_CHECKS, ProviderBench, intents,
    pix_and_cards, providers_of,
};

use super::{hold, wait};
use crate::core::fixture::{START, TestShop};
use crate::fakes::mercado_pago::MercadoPago;
use crate::fakes::stripe::Stripe;

/// What is wrong with the bank.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    FailsOnUnknown,
    SaysAnotherAmount,
    SaysAnotherOrder,
    ForgetsKeys,
    NeverGetsMoney,
    CancelsNothing,
    CancelsPaid,
    RefundsNothing,
    RefundsAgain,
    RefundsTooMuch,
    HasNoCode,
    EndsEarly,
    FindsEverything,
    ChargesAgain,
    FailsOnRefusal,
    RefusesUnknownToken,
    HasNoSecret,
}

/// A bank that keeps its books in memory.
#[derive(Clone, Default)]
struct Bank {
    fault: Option<Fault>,
    books: Arc<Mutex<Vec<Booked>>>,
}

#[derive(Clone)]
struct Booked {
    key: String,
    order: String,
    payment: ProviderPayment,
    refunds: Vec<RefundId>,
}

impl Bank {
    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn book(&self, key: &str, order: &str, mut payment: ProviderPayment) -> ProviderPayment {
        let mut books = self.books.lock().expect("whole");
        let forgets = match payment.method {
            PaymentMethod::CreditCard => self.has(Fault::ChargesAgain),
            _ => self.has(Fault::ForgetsKeys),
        };
        if let Some(known) = books.iter().find(|it| it.key == key && !forgets) {
            return known.payment.clone();
        }
        payment.id = format!("b{}", books.len());
        payment.attempt = Some(key.into());
        payment.reference = Some(order.to_owned());
        if self.has(Fault::SaysAnotherOrder) {
            payment.reference = Some("PED-1".to_owned());
        }
        if self.has(Fault::SaysAnotherAmount) {
            payment.amount = payment.amount * 100;
        }
        let (key, order) = (key.to_owned(), order.to_owned());
        books.push(Booked { key, order, payment: payment.clone(), refunds: Vec::new() });
        payment
    }

    fn at<T>(&self, id: &str, change: impl FnOnce(&mut Booked) -> Answer<T>) -> Answer<T> {
        let mut books = self.books.lock().expect("whole");
        let found = books.iter_mut().find(|it| it.payment.id == id);
        change(found.ok_or_else(|| ProviderError::Refused("unknown".to_owned()))?)
    }

    fn pay(&self, id: &str) {
        let status = if self.has(Fault::NeverGetsMoney) {
            ProviderStatus::Pending
        } else {
            ProviderStatus::Paid
        };
        let paid = self.at(id, |it| {
            it.payment.status = status;
            Ok(())
        });
        paid.expect("a payment");
    }

    fn bench(&self) -> ProviderBench {
        let bank = self.clone();
        let card = |card| match card {
            Card::Approved => "good".parse().ok(),
            Card::Refused => "bad".parse().ok(),
            _ => "none".parse().ok(),
        };
        let pay = move |id: String| {
            bank.pay(&id);
            async {}.boxed()
        };
        ProviderBench::new(START).paying(pay).with_cards(card)
    }
}

impl PaymentProvider for Bank {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        let found = self.at(id, |it| Ok(it.payment.clone())).ok();
        async move {
            match found {
                None if self.has(Fault::FailsOnUnknown) => {
                    Err(ProviderError::Unclear("404".to_owned()))
                }
                found => Ok(found),
            }
        }
        .boxed()
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let cancelled = self.at(id, |it| {
            let is_open = it.payment.status == ProviderStatus::Pending;
            if is_open && !self.has(Fault::CancelsNothing) || self.has(Fault::CancelsPaid) {
                it.payment.status = ProviderStatus::Cancelled;
            }
            Ok(it.payment.clone())
        });
        async { cancelled }.boxed()
    }

    fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        let refunded = self.at(&request.payment, |it| {
            let known = it.refunds.iter().position(|id| *id == request.refund);
            if let Some(known) = known.filter(|_| !self.has(Fault::RefundsAgain)) {
                return Ok(known);
            }
            let back = it.payment.refunded + request.amount;
            if back > it.payment.amount && !self.has(Fault::RefundsTooMuch) {
                return Err(ProviderError::Refused("too much".to_owned()));
            }
            if !self.has(Fault::RefundsNothing) {
                it.payment.refunded = back;
            }
            it.refunds.push(request.refund.clone());
            Ok(it.refunds.len() - 1)
        });
        let answer = |place: usize| ProviderRefund {
            id: format!("r{place}"),
            status: ProviderRefundStatus::Done,
        };
        async move { refunded.map(answer) }.boxed()
    }
}

fn payment(method: PaymentMethod, status: ProviderStatus, amount: Money) -> ProviderPayment {
    ProviderPayment::new("", method, status, amount, "BRL")
}

impl PixAndCards for Bank {
    fn create_pix<'a>(&'a self, asked: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let mut pix = payment(PaymentMethod::Pix, ProviderStatus::Pending, asked.amount);
        pix.pix_code = Some("00020126".to_owned()).filter(|_| !self.has(Fault::HasNoCode));
        let early = Duration::from_secs(60);
        let ends = asked.expires_at;
        pix.expires_at = Some(if self.has(Fault::EndsEarly) { ends.minus(early) } else { ends });
        let booked = self.book(asked.payment.as_str(), &asked.order_number, pix);
        async { Ok(booked) }.boxed()
    }

    fn charge_card<'a>(&'a self, asked: &'a CardRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let charge = |status| {
            let card = payment(PaymentMethod::CreditCard, status, asked.amount);
            Ok(self.book(asked.payment.as_str(), &asked.order_number, card))
        };
        let refused = || Err(ProviderError::Refused("no".to_owned()));
        let answer = match asked.token.reveal() {
            "good" => charge(ProviderStatus::Paid),
            "bad" if self.has(Fault::FailsOnRefusal) => refused(),
            "bad" => charge(ProviderStatus::Failed),
            _ if self.has(Fault::RefusesUnknownToken) => refused(),
            _ => Err(ProviderError::InvalidToken),
        };
        async { answer }.boxed()
    }

    fn find<'a>(&'a self, number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        let books = self.books.lock().expect("whole").clone();
        let all = self.has(Fault::FindsEverything);
        let found = books.into_iter().filter(|it| all || it.order == number);
        let found = found.map(|it| it.payment).collect();
        async { Ok(found) }.boxed()
    }
}

impl Intents for Bank {
    fn create_intent<'a>(
        &'a self,
        asked: &'a IntentRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let (method, pending) = (PaymentMethod::PaymentIntent, ProviderStatus::Pending);
        let mut intent = payment(method, pending, asked.amount);
        let secret = Secret::new("secret");
        intent.client_secret = Some(secret).filter(|_| !self.has(Fault::HasNoSecret));
        let booked = self.book(asked.payment.as_str(), &asked.order_number, intent);
        async { Ok(booked) }.boxed()
    }
}

/// The faults that providers of both kinds may have.
const OF_BOTH: &[(Fault, &str)] = &[
    (Fault::FailsOnUnknown, "a_payment_that_is_not_there_is_none_and_no_error"),
    (Fault::SaysAnotherAmount, "a_payment_is_fetched_as_it_was_begun"),
    (Fault::SaysAnotherOrder, "an_answer_names_no_other_attempt_or_order"),
    (Fault::ForgetsKeys, "a_key_that_comes_again_is_the_same_payment"),
    (Fault::NeverGetsMoney, "a_payment_that_was_paid_is_reported_as_paid"),
    (Fault::CancelsNothing, "a_payment_that_was_cancelled_is_reported_as_cancelled"),
    (Fault::CancelsPaid, "a_paid_payment_is_not_cancelled"),
    (Fault::RefundsNothing, "a_refund_goes_back_as_far_as_it_was_asked_for"),
    (Fault::RefundsAgain, "a_refund_that_comes_again_goes_back_once"),
    (Fault::RefundsTooMuch, "no_more_goes_back_than_there_is"),
];

const OF_PIX_AND_CARDS: &[(Fault, &str)] = &[
    (Fault::HasNoCode, "a_pix_code_comes_with_its_text"),
    (Fault::EndsEarly, "a_pix_code_lives_as_long_as_it_was_asked_for"),
    (Fault::FindsEverything, "an_orders_payments_are_found_and_no_others"),
    (Fault::ChargesAgain, "a_card_is_charged_once_for_one_key"),
    (Fault::FailsOnRefusal, "a_card_that_is_refused_is_an_answer"),
    (Fault::RefusesUnknownToken, "a_token_that_does_not_hold_is_said_so"),
];

#[test]
fn a_provider_of_pix_and_cards_with_each_planted_fault_is_caught() {
    let checks = [PAYMENT_CHECKS, PIX_CHECKS, CARD_CHECKS].concat();
    hold(&checks, &[OF_BOTH, OF_PIX_AND_CARDS].concat(), |fault| {
        let bank = Bank { fault, ..Bank::default() };
        wait(pix_and_cards(&bank, &bank.bench()))
    });
}

#[test]
fn a_provider_of_intents_with_each_planted_fault_is_caught() {
    let checks = [PAYMENT_CHECKS, INTENT_CHECKS].concat();
    let of_intents = [(Fault::HasNoSecret, "an_intent_comes_with_its_secret")];
    hold(&checks, &[OF_BOTH, &of_intents].concat(), |fault| {
        let bank = Bank { fault, ..Bank::default() };
        wait(intents(&bank, &bank.bench()))
    });
}

#[tokio::test]
async fn the_sandbox_keeps_to_its_ports() {
    let test = Arc::new(TestShop::open().await);
    let (provider1, provider2) = providers_of(&test.shop);
    let bench = || {
        let books = Arc::clone(&test);
        let pay = move |id: String| {
            let number = id.trim_start_matches("pi_sandbox_");
            let paid =
                format!("UPDATE sandbox_payment SET status = 'approved' WHERE id = {number}");
            books.raw_sql(&paid);
            async {}.boxed()
        };
        ProviderBench::new(START).paying(pay).with_cards(|card| match card {
            Card::Approved => "tok_approved".parse().ok(),
            Card::Refused => "tok_cc_rejected_high_risk".parse().ok(),
            _ => "none".parse().ok(),
        })
    };
    assert_eq!(pix_and_cards(&*provider1, &bench()).await, Ok(()));
    assert_eq!(intents(&*provider2, &bench()).await, Ok(()));
}

#[tokio::test]
async fn mercado_pago_and_stripe_keep_to_their_ports() {
    let (mercado_pago, stripe) = (MercadoPago::start().await, Stripe::start().await);
    let test = TestShop::with(|config| {
        mercado_pago.adapt(config);
        stripe.adapt(config);
    })
    .await;
    let (provider1, provider2) = providers_of(&test.shop);
    let used = AtomicUsize::new(0);
    let card = move |card| {
        let n = used.fetch_add(1, Ordering::Relaxed);
        match card {
            Card::Approved => format!("mp-approved.{n}").parse().ok(),
            Card::Refused => format!("mp-cc_rejected_high_risk.{n}").parse().ok(),
            _ => "none".parse().ok(),
        }
    };
    // Nothing is begun between a payment and its payer's part, so it is the latest.
    let bench = ProviderBench::new(START).with_cards(card).paying(move |_| {
        mercado_pago.approve_latest();
        async {}.boxed()
    });
    assert_eq!(pix_and_cards(&*provider1, &bench).await, Ok(()));
    let bench = ProviderBench::new(START).paying(move |_| {
        stripe.complete_latest("evt_1");
        async {}.boxed()
    });
    assert_eq!(intents(&*provider2, &bench).await, Ok(()));
}
