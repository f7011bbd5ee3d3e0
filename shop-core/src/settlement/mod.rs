//! Settlement: how an order's money arrives and goes back.
//!
//! An attempt is written, with its idempotency key, before the provider is called and completed
//! after it; a crash in between repeats the call with the same key. Whatever a provider reports
//! goes through one function (`confirm.rs`), which moves the payment and its order together.

mod cancel;
mod card;
mod confirm;
mod dispute;
mod intent;
mod notice;
mod pix;
mod reconcile;
mod record;
mod refund;
mod refund_check;
mod refund_notice;
mod sandbox;
mod service;
mod signed_event;

pub use self::card::{CardCharge, CardStatus, PayByCard};
pub(crate) use self::confirm::pay_nothing;
pub use self::intent::{ClientSecret, IntentCharge};
pub use self::notice::ProviderNotice;
pub use self::pix::PixCharge;
pub use self::reconcile::Reconciled;
pub(crate) use self::reconcile::{purge_events, purge_pictures};
pub use self::record::{RecordPayment, RecordedMethod};
pub use self::refund::RefundPayment;
pub(crate) use self::refund::{ask as ask_refund, begin_refund, left_to_refund};
pub(crate) use self::refund_check::reconcile as reconcile_refund;
pub use self::sandbox::Sandbox;
pub(crate) use self::service::Settlement;
pub use self::signed_event::SignedEvent;
use crate::account;
use crate::actor::Actor;
use crate::detached;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{AccountId, OrderId};
use crate::idempotency::IdempotencyKey;
use crate::lane;
use crate::order::{self, Order, OrderStatus};
use crate::payment::store::{self, Payment};
use crate::payment::{Payer, PaymentAttempt, PaymentStatus, ProviderError, Refund};
use crate::storage::Tx;

/// Payments.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// let order = shop.order().await?;
/// let pix = shop.payments().create_pix(&order.user_id, &order.id, None).await?;
/// assert_eq!(pix.amount, order.total);
/// assert!(pix.qr_code_text.contains("br.gov.bcb.pix"));
///
/// // The payer pays; the provider tells the shop with a signed notice.
/// let notice = shop.sandbox().settle(&pix.payment_id).await?;
/// shop.payments().receive_notice(notice).await?;
/// let attempts = shop.payments().list_attempts(&order.id).await?;
/// assert_eq!(attempts[0].status, shop_core::payment::PaymentStatus::Paid);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Payments<'a> {
    settlement: &'a Settlement,
}

impl<'a> Payments<'a> {
    pub(crate) fn new(settlement: &'a Settlement) -> Self {
        Self { settlement }
    }

    /// A PIX code for one of the customer's orders: the one that still waits to be paid, else a
    /// new one that lives for 30 minutes. Two calls at once get the same code.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] for an order that is not the customer's;
    /// [`crate::Error::Refused`] when it is paid already or closed; [`crate::Error::Provider`],
    /// after which the same call may be made again.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "payment.create_pix", level = "debug", skip_all)]
    pub async fn create_pix(
        &self,
        customer: &AccountId,
        order: &OrderId,
        key: Option<IdempotencyKey>,
    ) -> Result<PixCharge> {
        let (settlement, customer) = (self.settlement.clone(), customer.clone());
        detached::to_its_end(pix::create(settlement, customer, order.clone(), key)).await
    }

    /// Every attempt to pay an order, oldest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list_attempts(&self, order: &OrderId) -> Result<Vec<PaymentAttempt>> {
        let order = order.clone();
        self.settlement
            .cx
            .db()
            .read("payment.attempts", move |tx| store::of_order(tx, &order))
            .await
    }

    /// Every refund of an order's payments, oldest first.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] when there is no such order.
    ///
    /// Cancel safe: reads only.
    pub async fn list_refunds(&self, order: &OrderId) -> Result<Vec<Refund>> {
        let order = order.clone();
        let job = move |tx: &mut dyn Tx| {
            order::must_exist(tx, &order)?;
            store::refund::of_order(tx, &order)
        };
        self.settlement.cx.db().read("payment.refunds", job).await
    }

    /// Pays one of the customer's orders by card. The same request again, as long as the outcome
    /// of the first is unknown, is the same payment; with a key, a repeat gives the first answer
    /// again.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] for an order that is not the customer's;
    /// [`crate::Error::Refused`] when it is paid already or closed, when the token does not hold,
    /// and with [`Refusal::CardRejected`] when the card's issuer says no;
    /// [`crate::error::Conflict::PaymentInProcess`] while it is not known what became of another
    /// card; [`crate::Error::Provider`], after which the same call may be made again.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "payment.pay_by_card", level = "debug", skip_all)]
    pub async fn pay_by_card(
        &self,
        customer: &AccountId,
        input: PayByCard,
        key: Option<IdempotencyKey>,
    ) -> Result<CardCharge> {
        let (settlement, customer) = (self.settlement.clone(), customer.clone());
        detached::to_its_end(card::pay(settlement, customer, input, key)).await
    }

    /// A payment intent of provider2 for one of the customer's orders: the one that can still be
    /// completed, else a new one.
    ///
    /// # Errors
    /// As [`Payments::create_pix`].
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "payment.create_intent", level = "debug", skip_all)]
    pub async fn create_intent(
        &self,
        customer: &AccountId,
        order: &OrderId,
        key: Option<IdempotencyKey>,
    ) -> Result<IntentCharge> {
        let (settlement, customer) = (self.settlement.clone(), customer.clone());
        detached::to_its_end(intent::create(settlement, customer, order.clone(), key)).await
    }

    /// Gives back what an order's payment brought, or a part of it. A refund that the provider does
    /// not answer stays PENDING and is asked for again in the background, with the same key. The
    /// refund of a payment that staff recorded is booked at once: staff give that money back.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`]; [`Refusal::NothingToRefund`]; [`Refusal::RefundTooLarge`], also
    /// when others refund at the same time; [`Refusal::RefundDeclined`] when the provider says no.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "payment.refund", level = "debug", skip_all)]
    pub async fn refund(
        &self,
        by: &Actor,
        order: &OrderId,
        input: RefundPayment,
        key: Option<IdempotencyKey>,
    ) -> Result<Refund> {
        let (settlement, by, order) = (self.settlement.clone(), by.clone(), order.clone());
        detached::to_its_end(refund::create(settlement, by, order, input, key)).await
    }
}

/// An order can be paid as long as no payment has paid it, whatever its status, unless it is
/// closed.
fn check_payable(order: &Order) -> Result<()> {
    match order.status {
        OrderStatus::Cancelled | OrderStatus::Refunded => Err(Error::Refused(Refusal::OrderClosed)),
        _ if order.is_paid() => Err(Error::Refused(Refusal::AlreadyPaid)),
        _ => Ok(()),
    }
}

/// The customer as a provider wants to know one.
fn payer(tx: &mut dyn Tx, customer: &AccountId) -> Result<Payer> {
    let account = account::get(tx, customer)?.ok_or(Error::NotFound(Entity::Account))?;
    Ok(Payer { name: account.name, email: account.email, cpf: account.cpf })
}

/// After a call that failed: an attempt whose request the provider refused is over, any other
/// stays open. Returns the error as the shop's own.
async fn fail_refused(
    settlement: &Settlement,
    attempt: &Payment,
    error: ProviderError,
) -> Result<Error> {
    if let ProviderError::Refused(code) = &error {
        let (id, code, at) = (attempt.id.clone(), code.clone(), settlement.cx.work());
        let job = move |tx: &mut dyn Tx| match store::get(tx, &id)? {
            Some(payment) if reconcile::is_unanswered(&payment) => {
                store::set_status(tx, &payment, PaymentStatus::Failed, Some(&code), at.now())
            }
            _ => Ok(()),
        };
        settlement.cx.db().write(lane::ORDERS, "payment.refused", job).await?;
    }
    Ok(error.of(attempt.provider()?))
}
