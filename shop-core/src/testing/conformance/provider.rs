//! The bench on which a payment provider is tried: a test account of it.

use futures_util::future::BoxFuture;

use super::payments::{CARDS, INTENTS, PAYMENTS, PIX};
use super::{Broken, run, verdict};
use crate::clock::Timestamp;
use crate::context::{IdSource, Work};
use crate::id::PaymentId;
use crate::money::Money;
use crate::payment::{
    Answer, CardRequest, CardToken, IntentRequest, Intents, Payer, PaymentProvider, PixAndCards,
    PixRequest, ProviderPayment,
};

/// What a test account can do besides the port: the payers' part.
///
/// ```no_run
/// # async fn try_it(bank: &dyn shop_core::payment::PixAndCards)
/// #     -> Result<(), Box<dyn std::error::Error>> {
/// use shop_core::clock::{Clock, SystemClock};
/// use shop_core::testing::conformance::{self, Card, ProviderBench};
///
/// let account = ProviderBench::new(SystemClock.now())
///     .paying(|id| Box::pin(async move { println!("as a payer, pay {id}") }))
///     .with_cards(|card| match card {
///         Card::Approved => "tok_visa".parse().ok(),
///         Card::Refused => "tok_chargeDeclined".parse().ok(),
///         Card::Unknown => "tok_none".parse().ok(),
///         _ => None,
///     });
/// conformance::pix_and_cards(bank, &account).await?;
/// # Ok(())
/// # }
/// ```
pub struct ProviderBench {
    pub(super) now: Timestamp,
    pub(super) amount: Money,
    pay: Option<Pay>,
    cards: Option<Cards>,
    ids: IdSource,
}

type Pay = Box<dyn Fn(String) -> BoxFuture<'static, ()> + Send + Sync>;
type Cards = Box<dyn Fn(Card) -> Option<CardToken> + Send + Sync>;

/// A card that a test account knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Card {
    /// One that is charged.
    Approved,
    /// One that its issuer refuses.
    Refused,
    /// A token that the provider never gave out.
    Unknown,
}

opaque! { ProviderBench; }

impl ProviderBench {
    /// A test account at this time of the provider's clock. Payments are of R$ 59,70.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        let (amount, ids) = (Money::from_cents(5970), IdSource::default());
        Self { now, amount, pay: None, cards: None, ids }
    }

    /// Has a payer pay the payment of an id of the provider's. Without it nothing that needs a paid
    /// payment is tried.
    #[must_use]
    pub fn paying(
        self,
        pay: impl Fn(String) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        Self { pay: Some(Box::new(pay)), ..self }
    }

    /// Gives tokens of cards, each time another one; `None` for a card that the account does not
    /// know, with which nothing is tried.
    #[must_use]
    pub fn with_cards(
        self,
        cards: impl Fn(Card) -> Option<CardToken> + Send + Sync + 'static,
    ) -> Self {
        Self { cards: Some(Box::new(cards)), ..self }
    }
}

/// A provider of either kind on the bench.
pub(super) struct Tried<'a> {
    pub(super) port: Port<'a>,
    pub(super) bench: &'a ProviderBench,
}

#[derive(Clone, Copy)]
pub(super) enum Port<'a> {
    PixAndCards(&'a dyn PixAndCards),
    Intents(&'a dyn Intents),
}

/// An attempt to pay, as the shop would make it.
#[derive(Clone)]
pub(super) struct Attempt {
    pub(super) id: PaymentId,
    pub(super) order_number: String,
}

impl Tried<'_> {
    pub(super) fn provider(&self) -> &dyn PaymentProvider {
        match self.port {
            Port::PixAndCards(port) => port,
            Port::Intents(port) => port,
        }
    }

    pub(super) fn attempt(&self) -> Attempt {
        let id = self.id();
        Attempt { order_number: format!("TESTE-{id}"), id: id.as_str().into() }
    }

    pub(super) fn id(&self) -> String {
        Work::at(self.bench.now, &self.bench.ids, 0).id()
    }

    /// Begins a payment of the kind that every provider of the port has.
    pub(super) async fn begin(&self, attempt: &Attempt) -> Answer<ProviderPayment> {
        let (payment, amount) = (attempt.id.clone(), self.bench.amount);
        let order_number = attempt.order_number.clone();
        match self.port {
            Port::PixAndCards(port) => port.create_pix(&self.pix(attempt)).await,
            Port::Intents(port) => {
                let order_id = attempt.id.to_string();
                port.create_intent(&IntentRequest { payment, amount, order_id, order_number }).await
            }
        }
    }

    /// A payment that is begun, and paid where the account can; `None` where it cannot.
    pub(super) async fn paid(&self) -> Result<Option<ProviderPayment>, String> {
        let Some(pay) = &self.bench.pay else { return Ok(None) };
        let begun = self.begin(&self.attempt()).await.map_err(|error| error.to_string())?;
        pay(begun.id.clone()).await;
        Ok(Some(begun))
    }

    pub(super) fn pix(&self, attempt: &Attempt) -> PixRequest {
        PixRequest {
            payment: attempt.id.clone(),
            amount: self.bench.amount,
            order_number: attempt.order_number.clone(),
            expires_at: self.bench.now.plus(std::time::Duration::from_secs(30 * 60)),
            payer: payer(),
        }
    }

    /// The charge of a card that the account knows; `None` of one that it does not.
    pub(super) fn charge(&self, card: Card, attempt: &Attempt) -> Option<CardRequest> {
        let token = self.bench.cards.as_ref()?(card)?;
        Some(CardRequest {
            payment: attempt.id.clone(),
            amount: self.bench.amount,
            order_number: attempt.order_number.clone(),
            token,
            payment_method_id: "visa".to_owned(),
            installments: 1,
            issuer_id: None,
            payer: payer(),
        })
    }
}

fn payer() -> Payer {
    let email = crate::value::Email::known("ana@example.com");
    Payer { name: "Ana Souza".to_owned(), email, cpf: None }
}

/// Holds a provider of PIX and cards to its ports ([`PaymentProvider`], [`PixAndCards`]).
///
/// # Errors
/// [`Broken`] names every rule that it breaks.
///
/// Dropped half-way, it leaves payments at the test account.
pub async fn pix_and_cards(port: &dyn PixAndCards, bench: &ProviderBench) -> Result<(), Broken> {
    let (tried, mut broken) = (Tried { port: Port::PixAndCards(port), bench }, Vec::new());
    for list in [PAYMENTS, PIX, CARDS] {
        run::<Tried<'_>>(list, &tried, &mut broken).await;
    }
    verdict(broken)
}

/// Holds a provider of payment intents to its ports ([`PaymentProvider`], [`Intents`]).
///
/// # Errors
/// [`Broken`] names every rule that it breaks.
///
/// Dropped half-way, it leaves payments at the test account.
pub async fn intents(port: &dyn Intents, bench: &ProviderBench) -> Result<(), Broken> {
    let (tried, mut broken) = (Tried { port: Port::Intents(port), bench }, Vec::new());
    for list in [PAYMENTS, INTENTS] {
        run::<Tried<'_>>(list, &tried, &mut broken).await;
    }
    verdict(broken)
}
