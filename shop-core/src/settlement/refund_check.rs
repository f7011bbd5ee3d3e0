//! Finding out what became of refunds that are open, or that failed after they were done.

use std::time::Duration;

use super::refund::{ask, conclude, refund_and_payment, settle};
use super::{Settlement, confirm};
use crate::context::Work;
use crate::error::Result;
use crate::id::RefundId;
use crate::lane;
use crate::order;
use crate::payment::provider::{ProviderRefund, ProviderRefundStatus};
use crate::payment::store::refund::{self, check_later, finish, sum};
use crate::payment::store::{self, Payment};
use crate::payment::{Provider, Refund, RefundStatus};
use crate::storage::Tx;

/// How long a request for a refund is sent again by its idempotency key, which answers what became
/// of it: providers forget keys after a day.
const KEY_HOLDS: Duration = Duration::from_secs(20 * 60 * 60);

/// Asks about an open refund, and returns the state that it has then. The provider is asked about
/// the refund itself where its id is known; else it is asked for again, for as long as its key
/// tells a repeat from another refund. After that the refund is done when more went back than the
/// shop's other refunds explain, and is asked for anew when the provider did not take it.
pub(crate) async fn reconcile(settlement: &Settlement, id: &RefundId) -> Result<RefundStatus> {
    let (refund, payment) = {
        let id = id.clone();
        settlement.cx.db().lookup("payment.refund", move |tx| refund_and_payment(tx, &id)).await?
    };
    let (Some(of), RefundStatus::Pending) = (&payment.provider_payment_id, refund.status) else {
        return Ok(refund.status);
    };
    if let Some(said) = fetch(settlement, &refund, &payment).await? {
        return apply(settlement, refund, &payment, said).await;
    }
    confirm::fetch_and_apply(settlement, payment.provider()?, of).await?;
    let has_name = refund.provider_refund_id.is_some();
    if !has_name && settlement.cx.now() < refund.created_at.plus(KEY_HOLDS) {
        return Ok(ask(settlement, &refund.id).await?.status);
    }
    let at = settlement.cx.work();
    let id = refund.id;
    let job = move |tx: &mut dyn Tx| compare(tx, &at, &id);
    let refund = settlement.cx.db().write(lane::ORDERS, "payment.check_refund", job).await?;
    settlement.cx.mail_written();
    if refund.status == RefundStatus::Pending && refund.provider_refund_id.is_none() {
        return Ok(ask(settlement, &refund.id).await?.status);
    }
    Ok(refund.status)
}

/// What the provider says of a refund that it took; `None` where it cannot be asked.
async fn fetch(
    settlement: &Settlement,
    refund: &Refund,
    payment: &Payment,
) -> Result<Option<ProviderRefund>> {
    let (Some(of), Some(name)) = (&payment.provider_payment_id, &refund.provider_refund_id) else {
        return Ok(None);
    };
    let provider = payment.provider()?;
    let port = settlement.providers.get(provider)?;
    port.fetch_refund(of, name).await.map_err(|error| error.of(provider))
}

/// Books what the provider says of a refund, with how its payment stands by now.
async fn apply(
    settlement: &Settlement,
    refund: Refund,
    payment: &Payment,
    said: ProviderRefund,
) -> Result<RefundStatus> {
    let provider = payment.provider()?;
    let of = payment.provider_payment_id.as_deref().unwrap_or_default();
    let report = match said.status {
        ProviderRefundStatus::Pending => None,
        ProviderRefundStatus::Done | ProviderRefundStatus::Failed => {
            let port = settlement.providers.get(provider)?;
            port.fetch(of).await.map_err(|error| error.of(provider))?
        }
    };
    let (at, answer) = (settlement.cx.work(), Ok(said));
    let job = move |tx: &mut dyn Tx| {
        check_later(tx, &refund, at.now())?;
        conclude(tx, &at, &refund.id, &answer, report.as_ref())
    };
    let refund = settlement.cx.db().write(lane::ORDERS, "payment.apply_refund", job).await?;
    settlement.cx.mail_written();
    Ok(refund.status)
}

/// Ends a refund that more money went back than the others explain.
fn compare(tx: &mut dyn Tx, at: &Work, id: &RefundId) -> Result<Refund> {
    let (refund, payment) = refund_and_payment(tx, id)?;
    check_later(tx, &refund, at.now())?;
    // Of two that are open one could not tell which of them it was.
    let alone = sum(tx, &payment.id, RefundStatus::Pending)? == refund.amount;
    let done = sum(tx, &payment.id, RefundStatus::Done)?;
    let explained = payment.refunded >= done + refund.amount;
    if refund.status == RefundStatus::Pending && alone && explained {
        finish(tx, id, RefundStatus::Done, None, None, at.now())?;
        settle(tx, at, &payment.id)?;
    }
    refund_and_payment(tx, id).map(|(refund, _)| refund)
}

/// Takes the provider's word that a refund failed. An open one is asked about soon. The books of
/// one that was done stay, since its money is with the provider and goes back in another way, which
/// only people can find: staff is told. False where it is no refund of the shop's.
pub(super) fn failed(
    tx: &mut dyn Tx,
    at: &Work,
    provider: Provider,
    payment: &str,
    refund: &str,
) -> Result<bool> {
    let Some(payment) = store::by_provider_id(tx, provider, payment)? else { return Ok(false) };
    let all = refund::of_order(tx, &payment.order_id)?;
    let named = |it: &Refund| it.provider_refund_id.as_deref() == Some(refund);
    let Some(refund) = all.into_iter().find(named) else { return Ok(false) };
    match refund.status {
        RefundStatus::Pending => refund::check_soon(tx, &refund.id, at.now())?,
        RefundStatus::Done => {
            let note = format!(
                "O reembolso de {} falhou depois de feito: o dinheiro voltou para a conta da loja \
                 no provedor de pagamento. Combine com o cliente outra forma de devolver.",
                refund.amount.in_reais()
            );
            order::add_own_note(tx, at, &payment.order_id, &note)?;
        }
        RefundStatus::Failed => {}
    }
    Ok(true)
}
