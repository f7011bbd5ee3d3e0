//! What this program brings along: a bank, a courier, a mailer and a clock.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use shop_core::BoxFuture;
use shop_core::clock::{Clock, SystemClock, Timestamp};
use shop_core::mail::{FolderMailer, Mailer, NotSent, OutgoingMail};
use shop_core::money::Money;
use shop_core::payment::{
    Answer, CardRequest, PaymentMethod, PaymentProvider, PixAndCards, PixRequest, ProviderError,
    ProviderPayment, ProviderRefund, ProviderRefundStatus, ProviderStatus, RefundRequest,
};
use shop_core::shipping::{CarrierError, CarrierOption, CarrierQuotes, Parcel};

/// What the program knows of its parts.
#[derive(Clone, Default)]
pub struct Parts {
    pub bank: Bank,
    /// Keeps the subjects of mails here instead of sending them.
    pub sent: Option<Arc<Mutex<Vec<String>>>>,
    pub ahead: Duration,
}

impl Parts {
    /// Chosen while the program runs: the builder takes a boxed part like any other.
    pub fn mailer(&self) -> Box<dyn Mailer> {
        match &self.sent {
            Some(sent) => Box::new(Kept(Arc::clone(sent))),
            None => Box::new(FolderMailer::new("outbox")),
        }
    }
}

/// A bank with its books in memory.
#[derive(Clone, Default)]
pub struct Bank(Arc<Mutex<Vec<ProviderPayment>>>);

impl Bank {
    /// A customer pays.
    pub fn receive(&self, payment: &str) -> Answer<ProviderPayment> {
        self.change(payment, |payment| payment.status = ProviderStatus::Paid)
    }

    /// The number of the order that a payment is for.
    pub fn order_of(&self, payment: &str) -> Option<String> {
        self.books(|books| books.iter().find(|it| it.id == payment)?.reference.clone())
    }

    fn books<T>(&self, look: impl FnOnce(&mut Vec<ProviderPayment>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(
        &self,
        id: &str,
        change: impl FnOnce(&mut ProviderPayment),
    ) -> Answer<ProviderPayment> {
        self.books(|books| {
            let payment = books.iter_mut().find(|payment| payment.id == id);
            let payment = payment.ok_or_else(|| ProviderError::Refused("unknown".to_owned()))?;
            change(payment);
            Ok(payment.clone())
        })
    }
}

impl PaymentProvider for Bank {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        let found = self.books(|books| books.iter().find(|it| it.id == id).cloned());
        Box::pin(async move { Ok(found) })
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(async move { self.change(id, |it| it.status = ProviderStatus::Cancelled) })
    }

    fn refund<'a>(&'a self, asked: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        Box::pin(async move {
            self.change(&asked.payment, |it| it.refunded += asked.amount)?;
            let status = ProviderRefundStatus::Done;
            Ok(ProviderRefund { id: asked.refund.to_string(), status })
        })
    }
}

impl PixAndCards for Bank {
    fn create_pix<'a>(&'a self, asked: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let (id, pending) = (asked.payment.to_string(), ProviderStatus::Pending);
        let mut new = ProviderPayment::new(&id, PaymentMethod::Pix, pending, asked.amount, "BRL");
        new.attempt = Some(asked.payment.clone());
        new.reference = Some(asked.order_number.clone());
        new.pix_code = Some(format!("pix:{}", asked.order_number));
        new.expires_at = Some(asked.expires_at);
        // The same attempt again is the same payment.
        let payment = self.books(|books| match books.iter().find(|it| it.id == id) {
            Some(known) => known.clone(),
            None => {
                books.push(new.clone());
                new
            }
        });
        Box::pin(async move { Ok(payment) })
    }

    fn charge_card<'a>(&'a self, _: &'a CardRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(async { Err(ProviderError::Refused("no cards".to_owned())) })
    }

    fn find<'a>(&'a self, number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        let of_order = |it: &&ProviderPayment| it.reference.as_deref() == Some(number);
        let found = self.books(|books| books.iter().filter(of_order).cloned().collect());
        Box::pin(async move { Ok(found) })
    }
}

/// Rides through the centre of São Paulo.
pub struct Courier;

impl CarrierQuotes for Courier {
    fn name(&self) -> &'static str {
        "Entregas do Bairro"
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        _: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        let bike = CarrierOption {
            id: "bairro-1".to_owned(),
            name: "Bicicleta, no mesmo dia".to_owned(),
            price: Money::from_cents(690),
            estimated_days: 0,
        };
        let offered = if parcel.to.as_str().starts_with("01") { vec![bike] } else { Vec::new() };
        Box::pin(async move { Ok(offered) })
    }
}

/// Keeps the subjects of mails.
struct Kept(Arc<Mutex<Vec<String>>>);

impl Mailer for Kept {
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(mail.subject.clone());
        Box::pin(async { Ok(()) })
    }
}

/// The machine's clock, so much ahead.
pub struct Ahead(pub Duration);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus(self.0)
    }
}
