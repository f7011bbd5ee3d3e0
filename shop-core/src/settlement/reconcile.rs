//! Asking providers about what they did not tell: answers and notices get lost.

use std::time::Duration;

use tokio::time::Instant;

use super::intent::UNKNOWN;
use super::{Payments, Settlement, confirm, refund_check};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{OrderId, PaymentId};
use crate::lane;
use crate::order;
use crate::payment::provider::ProviderPayment;
use crate::payment::store::{self, Payment, refund};
use crate::payment::{PaymentMethod, PaymentStatus, Provider, RefundStatus};
use crate::storage::Tx;

/// How many attempts, and how many refunds, one round asks about.
const ROUND: i64 = 50;
/// How long a round starts questions about attempts, and as long about refunds: a slow provider
/// must not hold up the rest of the background work.
const ROUND_TIME: Duration = Duration::from_secs(30);
/// After which an attempt that its provider does not know was never made there. A call is given up
/// long before, and by then it can be found.
const LOST_AFTER: Duration = Duration::from_secs(5 * 60);
/// After which a payment intent whose secret reached no browser is given up.
const INTENT_LOST_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// How long events and pictures of PIX codes are kept.
const KEEP_EVENTS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const KEEP_PICTURES: Duration = Duration::from_secs(24 * 60 * 60);

/// What one look at open attempts and refunds did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Reconciled {
    /// Attempts that the provider was asked about.
    pub asked: usize,
    /// Of these, attempts that have another status since.
    pub decided: usize,
    /// Refunds that are decided since.
    pub refunds_decided: usize,
    /// Questions that a provider did not answer.
    pub failed: usize,
}

impl Payments<'_> {
    /// Asks the providers about every attempt of an order that still waits, every open refund and
    /// all money that arrived, of which some may have gone back since, and applies the answers. For
    /// answers and notices that got lost. One that cannot be asked about does not keep the others
    /// from it; the first error is returned in the end.
    ///
    /// # Errors
    /// [`crate::Error::Provider`] when a provider cannot be asked.
    ///
    /// Cancel safe: each answer is booked in one transaction, and a repeat asks about the rest.
    #[tracing::instrument(name = "payment.reconcile", level = "debug", skip_all)]
    pub async fn reconcile(&self, order: &OrderId) -> Result<Reconciled> {
        let (settlement, id) = (self.settlement, order.clone());
        let job = move |tx: &mut dyn Tx| Ok((store::with_news(tx, &id)?, refund::open(tx, &id)?));
        let (payments, refunds) = settlement.cx.db().lookup("payment.waiting", job).await?;
        let mut done = Reconciled::default();
        let mut failed = None;
        for payment in payments {
            done.asked += 1;
            match reconcile(settlement, &payment).await {
                Ok(status) => done.decided += usize::from(status != payment.status),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        for id in refunds {
            match refund_check::reconcile(settlement, &id).await {
                Ok(status) => done.refunds_decided += usize::from(status != RefundStatus::Pending),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(done), Err)
    }

    /// Asks the providers about attempts and refunds that have been open for some minutes, each at
    /// growing gaps. Part of the background's work.
    ///
    /// # Errors
    /// When the database fails; what a provider does not answer is left for a later round.
    ///
    /// Cancel safe: each answer is booked in one transaction, and a later round asks about the
    /// rest.
    pub async fn reconcile_due(&self) -> Result<Reconciled> {
        let mut done = Reconciled::default();
        self.payments_due(&mut done).await?;
        self.refunds_due(&mut done).await?;
        Ok(done)
    }

    async fn payments_due(&self, done: &mut Reconciled) -> Result<()> {
        let Self { settlement } = self;
        let (db, now, start) = (settlement.cx.db(), settlement.cx.now(), Instant::now());
        let due = move |tx: &mut dyn Tx| store::to_check(tx, now, ROUND);
        for payment in db.read("payment.to_check", due).await? {
            if start.elapsed() >= ROUND_TIME {
                break;
            }
            let (due, at) = (payment.clone(), settlement.cx.now());
            let take = move |tx: &mut dyn Tx| store::take_check(tx, &due, at);
            if !db.write(lane::INTEGRATIONS, "payment.take_check", take).await? {
                continue;
            }
            done.asked += 1;
            match reconcile(settlement, &payment).await {
                Ok(status) => done.decided += usize::from(status != payment.status),
                Err(error) => {
                    done.failed += 1;
                    tracing::warn!(payment = %payment.id, %error, "cannot ask about a payment");
                }
            }
        }
        Ok(())
    }

    async fn refunds_due(&self, done: &mut Reconciled) -> Result<()> {
        let Self { settlement } = self;
        let (db, now, start) = (settlement.cx.db(), settlement.cx.now(), Instant::now());
        let due = move |tx: &mut dyn Tx| refund::to_check(tx, now, ROUND);
        for id in db.read("payment.refunds_to_check", due).await? {
            if start.elapsed() >= ROUND_TIME {
                break;
            }
            let (due, at) = (id.clone(), settlement.cx.now());
            let take = move |tx: &mut dyn Tx| refund::take_check(tx, &due, at);
            if !db.write(lane::INTEGRATIONS, "payment.take_refund_check", take).await? {
                continue;
            }
            match refund_check::reconcile(settlement, &id).await {
                Ok(status) => done.refunds_decided += usize::from(status != RefundStatus::Pending),
                Err(error) => {
                    done.failed += 1;
                    tracing::warn!(refund = %id, %error, "cannot ask about a refund");
                }
            }
        }
        Ok(())
    }
}

/// Finds out what became of an attempt, books it, and tells how it stands then.
pub(super) async fn reconcile(settlement: &Settlement, payment: &Payment) -> Result<PaymentStatus> {
    let provider = payment.provider()?;
    match &payment.provider_payment_id {
        Some(id) => {
            if confirm::fetch_and_apply(settlement, provider, id).await? {
                cancel_at_provider(settlement, payment, id).await?;
            } else {
                give_up(settlement, payment, settlement.cx.now().minus(LOST_AFTER)).await?;
            }
        }
        None if payment.method == PaymentMethod::PaymentIntent => {
            give_up(settlement, payment, settlement.cx.now().minus(INTENT_LOST_AFTER)).await?;
        }
        None => find(settlement, payment).await?,
    }
    let (id, before) = (payment.id.clone(), payment.status);
    let now = settlement.cx.db().lookup("payment.get", move |tx| store::get(tx, &id)).await?;
    Ok(now.map_or(before, |payment| payment.status))
}

/// Looks for an attempt whose answer got lost among what was begun for its order.
async fn find(settlement: &Settlement, payment: &Payment) -> Result<()> {
    let order = payment.order_id.clone();
    let number = settlement.cx.db().lookup("order.number", move |tx| order::number_of(tx, &order));
    let found = settlement.providers.provider1.find(&number.await?).await;
    let found = found.map_err(|error| error.of(Provider::Provider1))?;
    let (same, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| may_be(payment, it));
    for mut report in same.into_iter().chain(others) {
        // The provider was asked by the order's number and need not say more: money that does not
        // fit the attempt is kept for review.
        if may_be(payment, &report) || confirm::has_money(report.status) {
            report.attempt.get_or_insert_with(|| payment.id.clone());
        }
        confirm::apply_now(settlement, Provider::Provider1, report).await?;
    }
    give_up(settlement, payment, settlement.cx.now().minus(LOST_AFTER)).await
}

/// Whether a payment that was found for an order may be the attempt whose answer got lost.
fn may_be(payment: &Payment, report: &ProviderPayment) -> bool {
    match &report.attempt {
        Some(attempt) => *attempt == payment.id,
        None => report.method == payment.method && report.amount == payment.amount,
    }
}

/// An attempt that its provider does not know although it is older than this never was made there.
/// Should its money arrive all the same, it counts (`confirm.rs`).
async fn give_up(settlement: &Settlement, payment: &Payment, before: Timestamp) -> Result<()> {
    if payment.created_at > before {
        return Ok(());
    }
    let (asked, at) = (payment.clone(), settlement.cx.work());
    let (to, why) = unknown_end(payment);
    let job = move |tx: &mut dyn Tx| match store::get(tx, &asked.id)? {
        Some(now) if now.is_open() && now.provider_payment_id == asked.provider_payment_id => {
            store::set_status(tx, &now, to, Some(why), at.now())
        }
        _ => Ok(()),
    };
    settlement.cx.db().write(lane::ORDERS, "payment.give_up", job).await
}

/// How an attempt ends that its provider does not know.
fn unknown_end(payment: &Payment) -> (PaymentStatus, &'static str) {
    match (&payment.provider_payment_id, payment.method) {
        (None, _) => (PaymentStatus::Failed, "no_answer"),
        // One that failed could still be completed, and would be asked about for ever.
        (_, PaymentMethod::PaymentIntent) => (PaymentStatus::Cancelled, UNKNOWN),
        // A code that is over is asked about once more before its order is cancelled.
        (_, PaymentMethod::Pix) => (PaymentStatus::Expired, UNKNOWN),
        _ => (PaymentStatus::Failed, UNKNOWN),
    }
}

pub(super) fn is_unanswered(payment: &Payment) -> bool {
    payment.status == PaymentStatus::Pending && payment.provider_payment_id.is_none()
}

/// Calls an attempt off that could still be paid although its order is paid or closed.
async fn cancel_at_provider(
    settlement: &Settlement,
    payment: &Payment,
    provider_id: &str,
) -> Result<()> {
    let (id, order) = (payment.id.clone(), payment.order_id.clone());
    let job = move |tx: &mut dyn Tx| is_superfluous(tx, &id, &order);
    if !settlement.cx.db().read("payment.is_superfluous", job).await? {
        return Ok(());
    }
    let provider = payment.provider()?;
    let report = settlement.providers.get(provider)?.cancel(provider_id).await;
    let report = report.map_err(|error| error.of(provider))?;
    confirm::apply_now(settlement, provider, report).await.map(drop)
}

fn is_superfluous(tx: &mut dyn Tx, id: &PaymentId, order: &OrderId) -> Result<bool> {
    let open = store::get(tx, id)?.is_some_and(|it| it.is_open());
    let order = order::find(tx, order)?;
    Ok(open && order.is_some_and(|order| order.is_paid() || !order.status.holds_stock()))
}

/// Forgets some of the events that are past their time, and counts them.
pub(crate) fn purge_events(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    store::event::purge(tx, now.minus(KEEP_EVENTS))
}

/// Forgets some of the pictures of PIX codes that are past their time, and counts them.
pub(crate) fn purge_pictures(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    store::forget_pictures(tx, now.minus(KEEP_PICTURES))
}
