//! Both payment providers, with books of their own that are true: what the shop believes is held
//! against them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use shop_core::clock::{Clock, ManualClock, Timestamp};
use shop_core::config::Secret;
use shop_core::id::RefundId;
use shop_core::money::Money;
use shop_core::payment::{
    Answer, CardRequest, IntentRequest, Intents, PaymentMethod, PaymentProvider, PixAndCards,
    PixRequest, ProviderError, ProviderPayment, ProviderRefund, ProviderRefundStatus,
    ProviderStatus, RefundRequest,
};

/// For how long a code is still settled that has expired, in milliseconds.
const GRACE: i64 = 3 * 24 * 3_600_000;

/// How a provider answers during one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BankMood {
    #[default]
    Answers,
    /// Does what it is asked, and the answer gets lost.
    LosesAnswer,
    /// Does nothing and does not answer.
    IsDown,
    /// Refuses every request that would move money.
    Refuses,
    /// Names neither attempt nor order in its answers.
    IsTerse,
    /// Takes another amount than it was asked for.
    TakesAnotherAmount,
}

impl BankMood {
    pub(crate) const FAULTS: [Self; 5] =
        [Self::LosesAnswer, Self::IsDown, Self::Refuses, Self::IsTerse, Self::TakesAnotherAmount];
}

/// A payment in the books of its provider.
#[derive(Debug, Clone)]
pub(crate) struct Booked {
    /// The shop's attempt.
    pub(crate) key: String,
    pub(crate) payment: ProviderPayment,
    /// Refunds that the shop asked for, each once.
    pub(crate) refunds: Vec<(RefundId, Money)>,
    /// What went back without the shop.
    pub(crate) by_hand: Money,
    pub(crate) charged_back: bool,
    /// Whether the payer of an intent has its secret, which the shop alone hands over.
    is_handed_over: bool,
}

impl Booked {
    /// Whether the money came.
    pub(crate) fn has_money(&self) -> bool {
        use ProviderStatus::{ChargedBack, Paid, Refunded};
        matches!(self.payment.status, Paid | Refunded | ChargedBack)
    }

    pub(crate) fn refunded(&self) -> Money {
        self.refunds.iter().map(|(_, amount)| *amount).sum::<Money>() + self.by_hand
    }

    /// What comes of it when its payer pays now; nothing where that is not possible. The cards of
    /// some intents are declined at first, or for good; some of the PIX that are cancelled are on
    /// their way.
    fn paid(&self, now: Timestamp) -> Option<ProviderStatus> {
        use ProviderStatus::{Cancelled, Failed, Paid, Pending};
        let ProviderPayment { id, status, expires_at, method, .. } = &self.payment;
        // Days of grace: banks settle codes that were paid in the last moment.
        let late = expires_at.is_some_and(|end| end.millis() + GRACE < now.millis());
        match (method, status) {
            _ if late => None,
            (PaymentMethod::PaymentIntent, _) if !self.is_handed_over => None,
            (PaymentMethod::PaymentIntent, Pending) if id.ends_with(['2', '5']) => Some(Failed),
            (PaymentMethod::PaymentIntent, Failed) if id.ends_with('2') => Some(Cancelled),
            (PaymentMethod::PaymentIntent, Failed) => Some(Paid),
            (PaymentMethod::Pix, Cancelled) if id.ends_with(['3', '5', '6', '8']) => Some(Paid),
            (_, status) => (*status == Pending).then_some(Paid),
        }
    }

    fn follow(&mut self) {
        self.payment.refunded = self.refunded();
        if self.charged_back {
            self.payment.status = ProviderStatus::ChargedBack;
        } else if self.payment.refunded >= self.payment.amount {
            self.payment.status = ProviderStatus::Refunded;
        }
    }
}

#[derive(Debug, Default)]
struct Books {
    mood: BankMood,
    booked: Vec<Booked>,
    /// Payments of which the shop was to be told.
    notices: Vec<String>,
}

/// One of the two providers; both write into the same books, and each knows its own payments.
#[derive(Debug, Clone)]
pub(crate) struct Bank {
    books: Arc<Mutex<Books>>,
    clock: ManualClock,
    intents: bool,
}

impl Bank {
    pub(crate) fn new(clock: ManualClock) -> Self {
        Self { books: Arc::default(), clock, intents: false }
    }

    /// The provider of payment intents.
    pub(crate) fn of_intents(&self) -> Self {
        Self { intents: true, ..self.clone() }
    }

    /// Whether a payment is an intent.
    pub(crate) fn is_intent(&self, id: &str) -> bool {
        self.all().iter().any(|it| it.payment.id == id && is_intent(it))
    }

    fn knows(&self, booked: &Booked, id: &str) -> bool {
        booked.payment.id == id && is_intent(booked) == self.intents
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, mood: BankMood) {
        self.books().mood = mood;
    }

    pub(crate) fn all(&self) -> Vec<Booked> {
        self.books().booked.clone()
    }

    /// Payments of which notices were sent, each as often as something happened to it.
    pub(crate) fn notices(&self) -> Vec<String> {
        self.books().notices.clone()
    }

    /// The payer pays, or a card that was looked at is approved: whether something came of it.
    pub(crate) fn pay(&self, id: &str) -> bool {
        let now = self.clock.now();
        self.change(id, |it| {
            let paid = it.paid(now);
            it.payment.status = paid.unwrap_or(it.payment.status);
            paid.is_some()
        })
    }

    /// The provider gives money back without the shop.
    pub(crate) fn refund_by_hand(&self, id: &str, amount: Money) -> bool {
        self.change(id, |it| {
            let possible = it.payment.status == ProviderStatus::Paid
                && it.refunded() + amount <= it.payment.amount;
            if possible {
                it.by_hand += amount;
                it.follow();
            }
            possible
        })
    }

    /// The payer's bank takes back all that is left.
    pub(crate) fn charge_back(&self, id: &str) -> bool {
        self.change(id, |it| {
            let possible = it.payment.status == ProviderStatus::Paid;
            it.charged_back |= possible;
            it.follow();
            possible
        })
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Booked) -> bool) -> bool {
        let mut books = self.books();
        let Some(found) = books.booked.iter_mut().find(|it| it.payment.id == id) else {
            return false;
        };
        let changed = change(found);
        if changed {
            books.notices.push(id.to_owned());
        }
        changed
    }

    /// Books a payment that was asked for, and answers as the provider does now.
    async fn begin(
        &self,
        key: &str,
        order: &str,
        wanted: impl FnOnce(String) -> ProviderPayment + Send,
    ) -> Answer<ProviderPayment> {
        tokio::task::yield_now().await;
        let (mood, payment) = self.book(key, order, wanted)?;
        tokio::task::yield_now().await;
        answer(mood, payment)
    }

    /// The shop has answered an intent to its payer.
    pub(crate) fn hand_over(&self, id: &str) {
        if let Some(booked) = self.books().booked.iter_mut().find(|it| it.payment.id == id) {
            booked.is_handed_over = true;
        }
    }

    /// Books a payment, once for each key.
    fn book(
        &self,
        key: &str,
        order: &str,
        wanted: impl FnOnce(String) -> ProviderPayment,
    ) -> Answer<(BankMood, ProviderPayment)> {
        let mut books = self.books();
        let mood = books.mood;
        match mood {
            BankMood::IsDown => return Err(unclear()),
            BankMood::Refuses => return Err(ProviderError::Refused("simulated".to_owned())),
            _ => {}
        }
        if let Some(known) = books.booked.iter().find(|it| it.key == key) {
            return Ok((mood, known.payment.clone()));
        }
        let mut payment = wanted(format!("b{}", books.booked.len()));
        payment.attempt = Some(key.into());
        payment.reference = Some(order.to_owned());
        if mood == BankMood::TakesAnotherAmount {
            payment.amount += Money::from_cents(1);
        }
        books.booked.push(Booked {
            key: key.to_owned(),
            payment: payment.clone(),
            refunds: Vec::new(),
            by_hand: Money::ZERO,
            charged_back: false,
            is_handed_over: false,
        });
        Ok((mood, payment))
    }

    /// Gives money back, once for each refund.
    fn give_back(&self, request: &RefundRequest) -> Answer<BankMood> {
        let mut books = self.books();
        let mood = books.mood;
        let refused = || ProviderError::Refused("simulated".to_owned());
        if mood == BankMood::IsDown {
            return Err(unclear());
        }
        let found = books.booked.iter_mut().find(|it| self.knows(it, &request.payment));
        let found = found.ok_or_else(refused)?;
        if !found.refunds.iter().any(|(id, _)| *id == request.refund) {
            let fits = found.refunded() + request.amount <= found.payment.amount;
            let open = found.payment.status == ProviderStatus::Paid;
            if mood == BankMood::Refuses || !open || !fits {
                return Err(refused());
            }
            found.refunds.push((request.refund.clone(), request.amount));
            found.follow();
        }
        Ok(mood)
    }
}

fn is_intent(booked: &Booked) -> bool {
    booked.payment.method == PaymentMethod::PaymentIntent
}

fn unclear() -> ProviderError {
    ProviderError::Unclear("simulated".to_owned())
}

fn answer(mood: BankMood, payment: ProviderPayment) -> Answer<ProviderPayment> {
    match mood {
        BankMood::LosesAnswer => Err(unclear()),
        BankMood::IsTerse => {
            let mut terse = payment;
            (terse.attempt, terse.reference) = (None, None);
            Ok(terse)
        }
        _ => Ok(payment),
    }
}

impl PaymentProvider for Bank {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let (mood, found) = {
                let books = self.books();
                let found = books.booked.iter().find(|it| self.knows(it, id));
                (books.mood, found.map(|it| it.payment.clone()))
            };
            match (mood, found) {
                (BankMood::IsDown, _) => Err(unclear()),
                (_, None) => Ok(None),
                (mood, Some(found)) => answer(mood, found).map(Some),
            }
        })
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let mut books = self.books();
            let mood = books.mood;
            let found = books.booked.iter_mut().find(|it| self.knows(it, id));
            let found = found.filter(|_| mood != BankMood::IsDown).ok_or_else(unclear)?;
            let declined = is_intent(found) && found.payment.status == ProviderStatus::Failed;
            if declined || found.payment.status == ProviderStatus::Pending {
                found.payment.status = ProviderStatus::Cancelled;
            }
            answer(mood, found.payment.clone())
        })
    }

    fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let mood = self.give_back(request)?;
            tokio::task::yield_now().await;
            match mood {
                BankMood::LosesAnswer => Err(unclear()),
                _ => Ok(ProviderRefund {
                    id: format!("r-{}", request.refund),
                    status: ProviderRefundStatus::Done,
                }),
            }
        })
    }
}

fn payment(id: String, method: PaymentMethod, amount: Money) -> ProviderPayment {
    ProviderPayment::new(id, method, ProviderStatus::Pending, amount, "BRL")
}

impl PixAndCards for Bank {
    fn create_pix<'a>(&'a self, asked: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(self.begin(asked.payment.as_str(), &asked.order_number, |id| {
            let mut pix = payment(id, PaymentMethod::Pix, asked.amount);
            pix.pix_code = Some("00020126".to_owned());
            pix.expires_at = Some(asked.expires_at);
            pix
        }))
    }

    fn charge_card<'a>(&'a self, asked: &'a CardRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let token = asked.token.reveal();
        if token.starts_with("none") {
            return Box::pin(std::future::ready(Err(ProviderError::InvalidToken)));
        }
        let status = match token {
            good if good.starts_with("good") => ProviderStatus::Paid,
            slow if slow.starts_with("slow") => ProviderStatus::Pending,
            _ => ProviderStatus::Failed,
        };
        Box::pin(self.begin(asked.payment.as_str(), &asked.order_number, move |id| {
            let mut card = payment(id, PaymentMethod::CreditCard, asked.amount);
            card.status = status;
            card
        }))
    }

    fn find<'a>(&'a self, number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let books = self.books();
            if books.mood == BankMood::IsDown {
                return Err(unclear());
            }
            let of_order = books
                .booked
                .iter()
                .filter(|it| it.payment.reference.as_deref() == Some(number) && !is_intent(it));
            Ok(of_order.map(|it| it.payment.clone()).collect())
        })
    }
}

impl Intents for Bank {
    fn create_intent<'a>(
        &'a self,
        asked: &'a IntentRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(self.begin(asked.payment.as_str(), &asked.order_number, |id| {
            let mut intent = payment(id, PaymentMethod::PaymentIntent, asked.amount);
            intent.client_secret = Some(Secret::new("secret"));
            intent
        }))
    }
}
