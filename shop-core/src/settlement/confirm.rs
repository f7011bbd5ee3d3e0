//! What a provider says about a payment, applied to the books.
//!
//! [`apply`] is the one function for it: webhook, answer to a call, reconciliation and the CLI all
//! end here. A payment only moves forward, and everything that happens hangs on that move and not
//! on the notice, so however often, in whatever order and in however many threads a provider
//! repeats itself, the order is paid once. A report that tells more than one step
//! ("refunded", of a payment whose confirmation never came) is taken step by step.

use super::{Settlement, dispute, refund};
use crate::account;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::event::{self, EventName};
use crate::lane;
use crate::money::Money;
use crate::order::{self, Change, EventOrder, MovedBy, Order, OrderMail, OrderStatus};
use crate::payment::provider::{ProviderError, ProviderPayment, ProviderStatus};
use crate::payment::store::{self, NewAttempt, Payment};
use crate::payment::{PaymentStatus, Provider};
use crate::reviewing;
use crate::storage::Tx;

/// The only currency the shop takes.
pub(super) const CURRENCY: &str = "BRL";

/// Reads a payment from its provider and applies what it says. False where the provider does not
/// know it.
pub(super) async fn fetch_and_apply(
    settlement: &Settlement,
    provider: Provider,
    id: &str,
) -> Result<bool> {
    let report =
        settlement.providers.get(provider)?.fetch(id).await.map_err(|error| error.of(provider))?;
    let is_known = report.is_some();
    let why = match report {
        Some(report) => match apply_now(settlement, provider, report).await? {
            Some(_) => return Ok(is_known),
            None => "it belongs to no order of this shop",
        },
        None => "the provider does not know it",
    };
    tracing::warn!(payment = id, provider = provider.as_str(), why, "a payment is passed over");
    Ok(is_known)
}

/// Reads a payment that its provider told of. One that the provider then does not know, and the
/// shop does, must be told again: nothing else would say what became of its money.
pub(super) async fn fetch_told(
    settlement: &Settlement,
    provider: Provider,
    id: &str,
) -> Result<()> {
    if fetch_and_apply(settlement, provider, id).await? {
        return Ok(());
    }
    let told = id.to_owned();
    let job = move |tx: &mut dyn Tx| store::by_provider_id(tx, provider, &told);
    match settlement.cx.db().lookup("payment.told", job).await? {
        Some(_) => {
            let unknown = "it does not know the payment that it told of";
            Err(ProviderError::Unclear(unknown.to_owned()).of(provider))
        }
        None => Ok(()),
    }
}

/// Applies what a provider says about a payment, in a transaction of its own.
pub(super) async fn apply_now(
    settlement: &Settlement,
    provider: Provider,
    report: ProviderPayment,
) -> Result<Option<Payment>> {
    let at = settlement.cx.work();
    let job = move |tx: &mut dyn Tx| apply(tx, &at, provider, &report);
    let payment = settlement.cx.db().write(lane::ORDERS, "payment.apply", job).await?;
    settlement.cx.mail_written();
    Ok(payment)
}

/// Applies what a provider answered to the shop's own call for an attempt, and returns the attempt
/// as it is then. The answer need not say which attempt it is for: the shop knows.
pub(super) async fn apply_answer(
    settlement: &Settlement,
    attempt: &Payment,
    mut report: ProviderPayment,
) -> Result<Payment> {
    report.attempt.get_or_insert_with(|| attempt.id.clone());
    apply_now(settlement, attempt.provider()?, report).await?;
    let id = attempt.id.clone();
    settlement.cx.db().lookup("payment.get", move |tx| store::must_get(tx, &id)).await
}

/// Applies what a provider says about a payment, and returns it as it is then. Payments that are
/// not ours are passed over.
pub(super) fn apply(
    tx: &mut dyn Tx,
    at: &Work,
    provider: Provider,
    report: &ProviderPayment,
) -> Result<Option<Payment>> {
    let Some(payment) = find(tx, at, provider, report)? else { return Ok(None) };
    store::complete(tx, &payment.id, report, at.now())?;
    store::set_in_process(tx, &payment.id, report.status == ProviderStatus::InProcess)?;
    advance(tx, at, &payment, report)?;
    store::get(tx, &payment.id)
}

/// Moves a payment as far as a report says.
pub(super) fn advance(
    tx: &mut dyn Tx,
    at: &Work,
    payment: &Payment,
    report: &ProviderPayment,
) -> Result<()> {
    if let Some(to) = step(payment.status, report.status) {
        match to {
            PaymentStatus::Paid => receive_money(tx, at, payment, report)?,
            to => store::set_status(tx, payment, to, report.failure_code.as_deref(), at.now())?,
        }
    }
    if report.refunded > Money::ZERO || report.status == ProviderStatus::Refunded {
        let captured = store::must_get(tx, &payment.id)?.captured;
        let all = report.status == ProviderStatus::Refunded;
        let refunded = if all { captured } else { report.refunded.min(captured) };
        store::raise_refunded(tx, &payment.id, refunded, at.now())?;
        refund::settle(tx, at, &payment.id)?;
    }
    dispute::apply(tx, at, &payment.id, report)
}

/// The attempt that a provider's payment belongs to.
fn find(
    tx: &mut dyn Tx,
    at: &Work,
    provider: Provider,
    report: &ProviderPayment,
) -> Result<Option<Payment>> {
    if let Some(payment) = store::by_provider_id(tx, provider, &report.id)? {
        return Ok(Some(payment));
    }
    // The answer to the call got lost: the attempt is there, but not yet the provider's id.
    match (&report.attempt, &report.reference) {
        (Some(attempt), _) => match store::get(tx, attempt)? {
            Some(attempt) if is_answered_by(&attempt, provider)? => Ok(Some(attempt)),
            Some(attempt) => beside(tx, at, &attempt, provider, report),
            None => Ok(None),
        },
        (None, Some(order_number)) => match order::find_by_number(tx, order_number)? {
            Some(order) => store::unanswered(tx, provider, &order.id, report),
            None => Ok(None),
        },
        (None, None) => Ok(None),
    }
}

/// Whether an attempt waits for the answer of this provider.
fn is_answered_by(attempt: &Payment, provider: Provider) -> Result<bool> {
    Ok(attempt.provider_payment_id.is_none() && attempt.provider()? == provider)
}

/// Money for an attempt that has a payment already, as from a provider that did not keep to its
/// idempotency keys. It is not dropped, but booked beside the first.
fn beside(
    tx: &mut dyn Tx,
    at: &Work,
    first: &Payment,
    provider: Provider,
    report: &ProviderPayment,
) -> Result<Option<Payment>> {
    if !has_money(report.status) {
        return Ok(None);
    }
    let new = NewAttempt::new(&first.order_id, provider, report.method, report.amount);
    // The place among those that wait may be taken.
    store::insert_as(tx, at, &new, PaymentStatus::Cancelled).map(Some)
}

pub(super) fn has_money(report: ProviderStatus) -> bool {
    use ProviderStatus as Reported;
    matches!(report, Reported::Paid | Reported::Refunded | Reported::ChargedBack)
}

/// Where a payment moves at its provider's report; `None` is to stay, for it never moves back. That
/// it was refunded or charged back is no step here: it follows from the amounts.
fn step(from: PaymentStatus, report: ProviderStatus) -> Option<PaymentStatus> {
    use PaymentStatus as To;
    let unpaid = matches!(from, To::Pending | To::Failed | To::Expired | To::Cancelled);
    match report {
        ProviderStatus::Failed if from == To::Pending => Some(To::Failed),
        ProviderStatus::Expired if from == To::Pending => Some(To::Expired),
        ProviderStatus::Cancelled if matches!(from, To::Pending | To::Failed) => {
            Some(To::Cancelled)
        }
        // Money that arrived counts, whatever we thought of the attempt before.
        ProviderStatus::Paid | ProviderStatus::Refunded | ProviderStatus::ChargedBack if unpaid => {
            Some(To::Paid)
        }
        _ => None,
    }
}

fn receive_money(
    tx: &mut dyn Tx,
    at: &Work,
    payment: &Payment,
    report: &ProviderPayment,
) -> Result<()> {
    let mut order = order::find(tx, &payment.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    store::set_captured(tx, &payment.id, report.amount)?;
    if let Some(doubt) = doubt(tx, &order, payment, report)? {
        store::set_status(tx, payment, PaymentStatus::Review, None, at.now())?;
        let note = format!("Pagamento {} recebido, em revisão: {doubt}", report.id);
        return order::add_own_note(tx, at, &order.id, &note);
    }
    store::set_status(tx, payment, PaymentStatus::Paid, None, at.now())?;
    store::check_soon(tx, &order.id, at.now())?;
    // The order was read before: its events must say that it is paid.
    order.payment.follow(payment.method, PaymentStatus::Paid);
    announce_paid(tx, at, &order)
}

/// What happens once an order is paid.
fn announce_paid(tx: &mut dyn Tx, at: &Work, order: &Order) -> Result<()> {
    let id = &order.id;
    reviewing::verify_purchases(tx, order)?;
    if matches!(order.status, OrderStatus::Pending | OrderStatus::Cancelled) {
        move_order(tx, at, order, OrderStatus::Processing)?;
    }
    // Else staff moved it on before the money came.
    let paid = order::find(tx, id)?.ok_or(Error::NotFound(Entity::Order))?;
    event::emit(tx, at, EventName::OrderPaid, &EventOrder::from(&paid))?;
    let (customer, mail) =
        (paid.user_id.clone(), OrderMail::PaymentReceived { order: paid.into() });
    account::enqueue_mail(tx, at, &customer, &mail)
}

/// An order of nothing needs no payment: it is paid as soon as it is placed. Any other stays as it
/// is.
pub(crate) fn pay_nothing(tx: &mut dyn Tx, at: &Work, order: Order) -> Result<Order> {
    if order.total > Money::ZERO {
        return Ok(order);
    }
    announce_paid(tx, at, &order)?;
    order::find(tx, &order.id)?.ok_or(Error::NotFound(Entity::Order))
}

/// Moves an order because of its money.
pub(super) fn move_order(tx: &mut dyn Tx, at: &Work, order: &Order, to: OrderStatus) -> Result<()> {
    let change = Change { to, by: MovedBy::Payment, note: None };
    order::change_status(tx, at, order, &change).map(drop)
}

/// Why money that arrived must not make the order paid by itself, in the words of the internal
/// note (docs/decisions.md, "Paid too late or wrongly").
fn doubt(
    tx: &mut dyn Tx,
    order: &Order,
    payment: &Payment,
    report: &ProviderPayment,
) -> Result<Option<String>> {
    if report.currency != CURRENCY {
        return Ok(Some(format!("moeda {} em vez de {CURRENCY}", report.currency)));
    }
    if report.amount != order.total {
        return Ok(Some(format!(
            "valor de {} em vez de {}",
            report.amount.in_reais(),
            order.total.in_reais()
        )));
    }
    if let Some(reference) = report.reference.as_ref().filter(|it| **it != order.order_number) {
        return Ok(Some(format!("o provedor o recebeu para outro pedido: {reference}")));
    }
    if store::is_paid_otherwise(tx, &order.id, &payment.id)? {
        return Ok(Some("o pedido já estava pago".to_owned()));
    }
    match order.status {
        OrderStatus::Refunded => Ok(Some("o pedido já foi reembolsado".to_owned())),
        OrderStatus::Cancelled if !order::cancelled_by_sweeper(tx, &order.id)? => {
            Ok(Some("o pedido já tinha sido cancelado".to_owned()))
        }
        OrderStatus::Cancelled if !order::stock_suffices(tx, &order.id)? => {
            Ok(Some("o pedido expirou e não há mais estoque para reativá-lo".to_owned()))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payment_never_moves_back() {
        use PaymentStatus as At;
        use ProviderStatus as Reported;
        let reports = [
            Reported::Pending,
            Reported::InProcess,
            Reported::Paid,
            Reported::Failed,
            Reported::Expired,
            Reported::Cancelled,
            Reported::Refunded,
            Reported::ChargedBack,
        ];
        for settled in [At::Refunded, At::ChargedBack] {
            for report in reports {
                assert!(step(settled, report).is_none(), "{settled:?} {report:?}");
            }
        }
        for from in At::ALL {
            assert!(reports.iter().all(|report| step(from, *report) != Some(At::Pending)));
            assert!(step(from, Reported::Pending).is_none());
            if matches!(from, At::Paid | At::Review) {
                assert!(step(from, Reported::Cancelled).is_none());
                assert!(step(from, Reported::Paid).is_none());
            }
        }
    }
}
