//! Giving money back.
//!
//! A refund is written, and its amount reserved, before the provider is called: the guard in the
//! statement holds however many ask at once. What the provider did not answer is asked again with
//! the same key. Refunds that somebody made at the provider itself are booked beside ours.

use serde::Serialize;

use super::{Settlement, confirm, dispute, refund_notice};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{OrderId, PaymentId, RefundId};
use crate::idempotency::{self, IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::money::Money;
use crate::order::{self, OrderStatus};
use crate::order_return;
use crate::payment::provider::{
    Answer, ProviderError, ProviderPayment, ProviderRefund, ProviderRefundStatus, RefundRequest,
};
use crate::payment::store::refund::{self, NewRefund, finish, insert, sum};
use crate::payment::store::{self, Payment, release, reserve, reserve_gone};
use crate::payment::{PaymentStatus, Provider, Refund, RefundOrigin, RefundStatus};
use crate::storage::Tx;
use crate::value::{InvalidValue, OptionalText};

/// Money to be given back.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct RefundPayment {
    /// How much; all that is left where it is left out.
    #[cfg_attr(feature = "schema", schemars(extend("x-emptyText" = "refused")))]
    pub amount: Option<Money>,
    /// Why, for the shop's own memory.
    pub reason: Option<OptionalText<500>>,
    /// Which of the order's payments; the one that paid it where it is left out.
    pub payment_id: Option<PaymentId>,
}

/// What the first job found or stored.
enum RefundStart {
    /// The first answer of a repeat.
    Answered(Refund),
    /// A refund that the provider must be asked for.
    Asked(RefundId),
}

pub(super) async fn create(
    settlement: Settlement,
    by: Actor,
    order: OrderId,
    input: RefundPayment,
    key: Option<IdempotencyKey>,
) -> Result<Refund> {
    check(&input)?;
    let request = IdempotentRequest::by(key, &by, "payment.refund", &(&order, &input))?;
    let begun = {
        let at = settlement.cx.work();
        let request = request.clone();
        let job = move |tx: &mut dyn Tx| begin(tx, &at, &by, &order, &input, &request);
        let begun = settlement.cx.db().write(lane::ORDERS, "payment.begin_refund", job).await?;
        settlement.cx.mail_written();
        begun
    };
    let answered = match begun {
        RefundStart::Answered(first) => first,
        RefundStart::Asked(id) => {
            let answered = ask(&settlement, &id).await?;
            if request.has_key() {
                keep_answer(&settlement, request, answered.clone()).await?;
            }
            answered
        }
    };
    match answered.status {
        RefundStatus::Failed => Err(Error::Refused(Refusal::RefundDeclined)),
        RefundStatus::Pending | RefundStatus::Done => Ok(answered),
    }
}

async fn keep_answer(
    settlement: &Settlement,
    request: IdempotentRequest,
    answer: Refund,
) -> Result<()> {
    let (now, answer) = (settlement.cx.now(), Remembered::Answered(answer));
    let job = move |tx: &mut dyn Tx| request.store_answer(tx, now, &answer);
    settlement.cx.db().write(lane::ORDERS, "payment.keep_refund", job).await
}

type Remembered = idempotency::Remembered<RefundId, Refund>;

fn check(input: &RefundPayment) -> Result<()> {
    match input.amount {
        Some(amount) if amount <= Money::ZERO => {
            Err(Error::field("amount", InvalidValue::NotPositive))
        }
        _ => Ok(()),
    }
}

/// Job 1: writes the refund and reserves its amount.
fn begin(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    order: &OrderId,
    input: &RefundPayment,
    request: &IdempotentRequest,
) -> Result<RefundStart> {
    match request.stored_answer(tx, at.now())? {
        Some(Remembered::Answered(first)) => return Ok(RefundStart::Answered(first)),
        Some(Remembered::Begun(first)) => return Ok(RefundStart::Asked(first)),
        None => {}
    }
    let refund = begin_refund(tx, at, by, order, input)?;
    let kept = match refund.status {
        RefundStatus::Pending => Remembered::Begun(refund.id.clone()),
        RefundStatus::Done | RefundStatus::Failed => Remembered::Answered(refund.clone()),
    };
    request.store_answer(tx, at.now(), &kept)?;
    Ok(match kept {
        Remembered::Begun(id) => RefundStart::Asked(id),
        Remembered::Answered(refund) => RefundStart::Answered(refund),
    })
}

/// Writes a refund and reserves its amount, in the caller's transaction. One that is PENDING then
/// is to be asked for by [`ask`], or is by the background work; one of money that staff recorded is
/// done.
///
/// # Errors
/// As [`super::Payments::refund`].
pub(crate) fn begin_refund(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    order: &OrderId,
    input: &RefundPayment,
) -> Result<Refund> {
    order::must_exist(tx, order)?;
    let (payment, left) = refundable(tx, order, input.payment_id.as_ref())?;
    let amount = input.amount.unwrap_or(left);
    if !reserve(tx, &payment, amount)? {
        return Err(Error::Refused(Refusal::RefundTooLarge { left }));
    }
    let reason = input.reason.as_ref().map(OptionalText::as_str).filter(|text| !text.is_empty());
    let id: RefundId = at.id();
    let new = NewRefund {
        id: &id,
        payment: &payment,
        order,
        amount,
        status: RefundStatus::Pending,
        origin: RefundOrigin::Shop,
        reason,
    };
    insert(tx, at, &new)?;
    let slim = serde_json::json!({ "refundId": id, "paymentId": payment, "amount": amount });
    audit::record(tx, at, by, "order.refund", order.as_str(), &(), &slim)?;
    book_recorded(tx, at, &id)
}

/// How much can be given back of an order's money by one refund that names no payment.
///
/// # Errors
/// [`Refusal::NothingToRefund`].
pub(crate) fn left_to_refund(tx: &mut dyn Tx, order: &OrderId) -> Result<Money> {
    refundable(tx, order, None).map(|(_, left)| left)
}

/// Books the refund of a payment that staff recorded: they give the money back themselves, so there
/// is no provider to ask. Any other stays as it is.
fn book_recorded(tx: &mut dyn Tx, at: &Work, id: &RefundId) -> Result<Refund> {
    let (refund, payment) = refund_and_payment(tx, id)?;
    if payment.provider()? != Provider::Staff {
        return Ok(refund);
    }
    finish(tx, id, RefundStatus::Done, None, None, at.now())?;
    settle(tx, at, &payment.id)?;
    refund_and_payment(tx, id).map(|(refund, _)| refund)
}

/// The payment that is given back, and how much of it can be: the one that paid the order before
/// money that is under review.
fn refundable(
    tx: &mut dyn Tx,
    order: &OrderId,
    wanted: Option<&PaymentId>,
) -> Result<(PaymentId, Money)> {
    if let Some(wanted) = wanted {
        let payment = store::get(tx, wanted)?.filter(|it| it.order_id == *order);
        payment.ok_or(Error::NotFound(Entity::Payment))?;
    }
    let mut found = store::refundable(tx, order)?.into_iter();
    let found = match wanted {
        Some(wanted) => found.find(|(id, _)| id == wanted),
        None => found.next(),
    };
    found.ok_or(Error::Refused(Refusal::NothingToRefund))
}

/// The call, and job 2: what the provider says of it is written.
pub(crate) async fn ask(settlement: &Settlement, id: &RefundId) -> Result<Refund> {
    let id = id.clone();
    let find = move |tx: &mut dyn Tx| refund_and_payment(tx, &id);
    let (refund, payment) = settlement.cx.db().lookup("payment.refund", find).await?;
    let provider = payment.provider()?;
    let (Some(of), RefundStatus::Pending) = (&payment.provider_payment_id, refund.status) else {
        return Ok(refund);
    };
    let request =
        RefundRequest { refund: refund.id.clone(), payment: of.clone(), amount: refund.amount };
    let port = settlement.providers.get(provider)?;
    let (answer, mut report) = (port.refund(&request).await, None);
    // Looked at after the answer: a notice of this refund may have come before it. One that is
    // refused may have been made at the provider itself, and its notice lost.
    let is_refused = matches!(answer, Err(ProviderError::Refused(_)));
    if is_refused || (answer.is_ok() && needs_report(settlement, &payment.id).await?) {
        match port.fetch(of).await {
            Ok(found) => report = found,
            Err(error) => {
                tracing::warn!(refund = %refund.id, %error, "cannot ask how much is back");
            }
        }
    }
    if let Err(error) = &answer {
        tracing::warn!(refund = %refund.id, ?provider, %error, "a refund was not answered");
    }
    let at = settlement.cx.work();
    let job = move |tx: &mut dyn Tx| conclude(tx, &at, &request.refund, &answer, report.as_ref());
    let refund = settlement.cx.db().write(lane::ORDERS, "payment.conclude_refund", job).await?;
    settlement.cx.mail_written();
    Ok(refund)
}

async fn needs_report(settlement: &Settlement, payment: &PaymentId) -> Result<bool> {
    let id = payment.clone();
    let job = move |tx: &mut dyn Tx| {
        let payment = store::must_get(tx, &id)?;
        is_unexplained(tx, &payment)
    };
    settlement.cx.db().lookup("payment.unexplained", job).await
}

/// Whether more went back of a payment than its refunds that are done. Once the open one is done,
/// too, only the provider can tell whether that was all.
fn is_unexplained(tx: &mut dyn Tx, payment: &Payment) -> Result<bool> {
    Ok(payment.refunded > sum(tx, &payment.id, RefundStatus::Done)?)
}

/// A refund, and the payment of which it gives money back.
pub(super) fn refund_and_payment(tx: &mut dyn Tx, id: &RefundId) -> Result<(Refund, Payment)> {
    let refund = refund::get(tx, id)?.ok_or(Error::NotFound(Entity::Payment))?;
    let payment = store::must_get(tx, &refund.payment_id)?;
    Ok((refund, payment))
}

/// Books the provider's answer. One that says neither yes nor no leaves the refund PENDING, and so
/// does any other where it is not known how much went back besides: the refund is asked about by
/// its id soon.
pub(super) fn conclude(
    tx: &mut dyn Tx,
    at: &Work,
    id: &RefundId,
    answer: &Answer<ProviderRefund>,
    report: Option<&ProviderPayment>,
) -> Result<Refund> {
    let (now, done) = (at.now(), RefundStatus::Done);
    let (refund, payment) = refund_and_payment(tx, id)?;
    if let (Ok(said), None, true) = (answer, report, is_unexplained(tx, &payment)?) {
        finish(tx, id, RefundStatus::Pending, Some(&said.id), None, now)?;
        refund::check_soon(tx, id, now)?;
        return Ok(refund);
    }
    match answer {
        Ok(report) => {
            let name = Some(report.id.as_str());
            match report.status {
                ProviderRefundStatus::Done => finish(tx, id, done, name, None, now)?,
                ProviderRefundStatus::Pending => {
                    finish(tx, id, RefundStatus::Pending, name, None, now)?;
                }
                ProviderRefundStatus::Failed => fail(tx, at, id, name, "failed")?,
            }
        }
        Err(ProviderError::Refused(code)) => fail(tx, at, id, None, code)?,
        Err(_) => {}
    }
    if let Some(report) = report {
        // A provider may have counted a refund as gone that failed later.
        let done = sum(tx, &payment.id, done)?;
        store::set_refunded(tx, &payment.id, done, now)?;
        confirm::advance(tx, at, &payment, report)?;
    }
    settle(tx, at, &payment.id)?;
    refund_and_payment(tx, id).map(|(refund, _)| refund)
}

/// Ends a refund, whose amount can be given back again. Where the provider had taken it first,
/// nobody waits for the answer, so staff is told.
fn fail(
    tx: &mut dyn Tx,
    at: &Work,
    id: &RefundId,
    provider_refund_id: Option<&str>,
    code: &str,
) -> Result<()> {
    let (refund, payment) = refund_and_payment(tx, id)?;
    if refund.status != RefundStatus::Pending {
        return Ok(());
    }
    release(tx, &payment.id, refund.amount)?;
    finish(tx, id, RefundStatus::Failed, provider_refund_id, Some(code), at.now())?;
    if refund.provider_refund_id.is_some() {
        let amount = refund.amount.in_reais();
        let note = format!("Reembolso de {amount} recusado pelo provedor de pagamento");
        order::add_own_note(tx, at, &payment.order_id, &note)?;
    }
    Ok(())
}

/// Makes the books of a payment agree with what went back of it: refunds that are not ours are
/// booked once none of ours is open, and when all is back, payment and order are refunded. Then the
/// customer is told of refunds that are done, and the order's returns follow their refunds.
pub(super) fn settle(tx: &mut dyn Tx, at: &Work, id: &PaymentId) -> Result<()> {
    book(tx, at, id)?;
    refund_notice::send(tx, at, id)?;
    let payment = store::must_get(tx, id)?;
    order_return::follow_refunds(tx, at, &payment.order_id)
}

fn book(tx: &mut dyn Tx, at: &Work, id: &PaymentId) -> Result<()> {
    let done = sum(tx, id, RefundStatus::Done)?;
    store::raise_refunded(tx, id, done, at.now())?;
    let payment = store::must_get(tx, id)?;
    if payment.refunded > done && sum(tx, id, RefundStatus::Pending)? == Money::ZERO {
        book_providers_refund(tx, at, &payment, payment.refunded - done)?;
    }
    // A refund that is open may still fail, though the provider counts it already.
    let whole = payment.captured > Money::ZERO
        && payment.refunded >= payment.captured
        && sum(tx, id, RefundStatus::Pending)? == Money::ZERO;
    let was = payment.status;
    match was {
        PaymentStatus::Paid | PaymentStatus::Review if whole => {}
        // What disputes left of it may be gone now, or there again.
        PaymentStatus::Paid | PaymentStatus::Review | PaymentStatus::ChargedBack => {
            return dispute::settle(tx, at, id);
        }
        _ => return Ok(()),
    }
    store::set_status(tx, &payment, PaymentStatus::Refunded, None, at.now())?;
    let order = order::find(tx, &payment.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    if was == PaymentStatus::Paid && order.status != OrderStatus::Refunded {
        confirm::move_order(tx, at, &order, OrderStatus::Refunded)?;
    }
    Ok(())
}

/// A refund that was made at the provider.
fn book_providers_refund(
    tx: &mut dyn Tx,
    at: &Work,
    payment: &Payment,
    amount: Money,
) -> Result<()> {
    if !reserve_gone(tx, &payment.id, amount)? {
        return Ok(());
    }
    let new = NewRefund {
        id: &at.id(),
        payment: &payment.id,
        order: &payment.order_id,
        amount,
        status: RefundStatus::Done,
        origin: RefundOrigin::Provider,
        reason: None,
    };
    insert(tx, at, &new)?;
    let note =
        format!("Reembolso de {} feito diretamente no provedor de pagamento", amount.in_reais());
    order::add_own_note(tx, at, &payment.order_id, &note)
}
