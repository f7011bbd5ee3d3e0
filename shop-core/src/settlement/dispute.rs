//! Chargebacks: the payer's bank takes money back, for as long as the shop has not won.
//!
//! Each dispute is kept with its amount, so that several of one payment, or one of a part, add up.
//! What they take stands beside what was refunded. A payment of which nothing is left is
//! `CHARGED_BACK`; one that lost a part keeps its status. A dispute that the shop wins gives the
//! payment back the status that it had.

use super::refund;
use crate::context::Work;
use crate::error::Result;
use crate::id::PaymentId;
use crate::money::Money;
use crate::order;
use crate::payment::provider::{
    ProviderDispute, ProviderDisputeStatus as Status, ProviderPayment, ProviderStatus,
};
use crate::payment::store::dispute::{adopt, find, has_any, insert, set_status, taken};
use crate::payment::store::{
    self, Payment, charge_back, set_charged_back, status_before_chargeback,
};
use crate::payment::{PaymentStatus, Provider};
use crate::storage::Tx;

/// Books what a provider's report says of a payment's disputes.
pub(super) fn apply(
    tx: &mut dyn Tx,
    at: &Work,
    payment: &PaymentId,
    report: &ProviderPayment,
) -> Result<()> {
    let payment = store::must_get(tx, payment)?;
    let provider = payment.provider()?;
    let mut changed = false;
    for dispute in reported(&payment, report) {
        changed |= book(tx, at, provider, &payment, &dispute)?;
    }
    if changed { settle(tx, at, &payment.id) } else { Ok(()) }
}

/// The disputes that a report names. A provider that only says that the payment is charged back
/// means all that is left of it, or all of it where nothing is left: the bank takes it a second
/// time. Such a dispute goes by the payment's own id.
fn reported(payment: &Payment, report: &ProviderPayment) -> Vec<ProviderDispute> {
    if report.disputes.is_empty() && report.status == ProviderStatus::ChargedBack {
        let left = payment.captured - payment.refunded.min(payment.captured);
        let amount = if left > Money::ZERO { left } else { report.amount };
        return vec![ProviderDispute { id: report.id.clone(), amount, status: Status::Open }];
    }
    report.disputes.clone()
}

/// Writes a dispute, or how it stands now; false where that is known. One that was won stays so,
/// whatever order the reports come in.
fn book(
    tx: &mut dyn Tx,
    at: &Work,
    provider: Provider,
    payment: &Payment,
    dispute: &ProviderDispute,
) -> Result<bool> {
    let unnamed = payment.provider_payment_id.as_deref();
    if unnamed != Some(dispute.id.as_str()) {
        // The same dispute, reported before without its id.
        unnamed.map(|unnamed| adopt(tx, provider, unnamed, &dispute.id)).transpose()?;
    }
    let was = find(tx, provider, &dispute.id)?;
    match was {
        // Reports without a name add nothing to those that have one.
        None if unnamed == Some(dispute.id.as_str()) && has_any(tx, &payment.id)? => {
            return Ok(false);
        }
        None => insert(tx, at, provider, &payment.id, dispute)?,
        Some(was)
            if was == dispute.status || was == Status::Won || dispute.status == Status::Open =>
        {
            return Ok(false);
        }
        Some(_) => set_status(tx, provider, dispute, at.now())?,
    }
    if was.is_some() || dispute.status != Status::Won {
        order::add_own_note(tx, at, &payment.order_id, &note(payment, dispute))?;
    }
    Ok(true)
}

fn note(payment: &Payment, dispute: &ProviderDispute) -> String {
    let id = payment.provider_payment_id.as_deref().unwrap_or_default();
    let amount = dispute.amount.in_reais();
    match dispute.status {
        Status::Open => {
            format!("Pagamento {id} contestado: o banco do pagador retirou {amount}")
        }
        Status::Won => {
            format!("Contestação do pagamento {id} encerrada a favor da loja: {amount} de volta")
        }
        Status::Lost => {
            format!("Contestação do pagamento {id} encerrada a favor do pagador: {amount} a menos")
        }
    }
}

/// Makes a payment's status agree with what disputes and refunds left of it.
pub(super) fn settle(tx: &mut dyn Tx, at: &Work, id: &PaymentId) -> Result<()> {
    let taken = taken(tx, id)?;
    set_charged_back(tx, id, taken, at.now())?;
    let payment = store::must_get(tx, id)?;
    let gone = taken > Money::ZERO && taken + payment.refunded >= payment.captured;
    match payment.status {
        PaymentStatus::Paid | PaymentStatus::Review if gone => charge_back(tx, &payment, at.now()),
        PaymentStatus::ChargedBack if !gone => {
            restore(tx, at, &payment)?;
            // All of it may have been refunded meanwhile.
            refund::settle(tx, at, id)
        }
        _ => Ok(()),
    }
}

/// Gives a payment back the status that it had before it was charged back. Where the order was paid
/// again meanwhile, a person must look at the second payment.
fn restore(tx: &mut dyn Tx, at: &Work, payment: &Payment) -> Result<()> {
    let before = status_before_chargeback(tx, &payment.id)?.unwrap_or(PaymentStatus::Paid);
    let second = before == PaymentStatus::Paid
        && store::is_paid_otherwise(tx, &payment.order_id, &payment.id)?;
    let to = if second { PaymentStatus::Review } else { before };
    store::set_status(tx, payment, to, None, at.now())?;
    if second {
        let id = payment.provider_payment_id.as_deref().unwrap_or_default();
        let note = format!(
            "Pagamento {id} em revisão: o pedido foi pago de novo enquanto ele estava contestado"
        );
        order::add_own_note(tx, at, &payment.order_id, &note)?;
    }
    Ok(())
}
