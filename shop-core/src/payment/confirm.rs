//! What a provider says about a payment, applied to the books.
//!
//! [`apply`] is the one function for it: webhook, answer to a call, reconciliation and the CLI all
//! end here. A payment only moves forward, and everything that happens hangs on that move and not
//! on the notice, so however often and in however many threads a provider repeats itself, the
//! order is paid once (decisions 1 and 2).

use super::PaymentStatus;
use super::provider::{ProviderPayment, ProviderStatus};
use super::store::{self, Payment};
use crate::catalog;
use crate::error::{Entity, Error, Result};
use crate::event::payload::EventOrder;
use crate::event::{self, EventName};
use crate::id::{Moment, OrderId};
use crate::mail::{self, Letter};
use crate::order::{self, Change, MovedBy, NoteAuthor, Order, OrderStatus};
use crate::shop::{PROVIDER1, Shop};
use crate::storage::Tx;

/// The only currency the shop takes.
const CURRENCY: &str = "BRL";

/// Reads a payment from provider1 and applies what it says.
pub(super) async fn fetch_and_apply(shop: &Shop, provider_payment_id: &str) -> Result<()> {
    let Some(payment) = shop.provider1().fetch(provider_payment_id).await? else {
        tracing::warn!(payment = provider_payment_id, "a notice about a payment nobody knows");
        return Ok(());
    };
    let (at, low_threshold) = (shop.moment(), shop.config().stock.low_threshold);
    let job = move |tx: &mut dyn Tx| apply(tx, &at, PROVIDER1, &payment, low_threshold);
    shop.db().write("payment.apply", job).await?;
    shop.mail_written();
    Ok(())
}

/// Asks provider1 about every attempt of an order that it knows of and that still waits.
pub(super) async fn reconcile(shop: &Shop, order: &OrderId) -> Result<()> {
    let order = order.clone();
    let waiting = shop.db().lookup("payment.waiting", move |tx| store::waiting(tx, &order)).await?;
    for id in waiting.into_iter().filter_map(|payment| payment.provider_payment_id) {
        fetch_and_apply(shop, &id).await?;
    }
    Ok(())
}

/// Applies what a provider says about a payment. Payments that are not ours are passed over.
pub(super) fn apply(
    tx: &mut dyn Tx,
    at: &Moment,
    provider: &str,
    word: &ProviderPayment,
    low_threshold: i64,
) -> Result<()> {
    let Some(payment) = store::find(tx, provider, word)? else {
        tracing::warn!(payment = word.id, "a payment that belongs to no attempt of ours");
        return Ok(());
    };
    let Some(to) = next_status(payment.status, word.status) else { return Ok(()) };
    if to == PaymentStatus::Paid {
        return receive_money(tx, at, &payment, word, low_threshold);
    }
    move_payment(tx, at, &payment, word, to)
}

/// Where a payment moves at its provider's word; `None` is to stay, for it never moves back.
fn next_status(from: PaymentStatus, word: ProviderStatus) -> Option<PaymentStatus> {
    use PaymentStatus as To;
    match (from, word) {
        // Money that arrived counts, whatever we thought of the attempt before.
        (To::Pending | To::Failed | To::Expired | To::Cancelled, ProviderStatus::Paid) => {
            Some(To::Paid)
        }
        (To::Pending, ProviderStatus::Failed) => Some(To::Failed),
        (To::Pending, ProviderStatus::Expired) => Some(To::Expired),
        (To::Pending, ProviderStatus::Cancelled) => Some(To::Cancelled),
        _ => None,
    }
}

fn move_payment(
    tx: &mut dyn Tx,
    at: &Moment,
    payment: &Payment,
    word: &ProviderPayment,
    to: PaymentStatus,
) -> Result<()> {
    if store::set_status(tx, payment, Some(&word.id), to, at.now())? {
        Ok(())
    } else {
        Err(Error::Busy { retry_after: std::time::Duration::from_secs(1) })
    }
}

fn receive_money(
    tx: &mut dyn Tx,
    at: &Moment,
    payment: &Payment,
    word: &ProviderPayment,
    low_threshold: i64,
) -> Result<()> {
    let order = order::find(tx, &payment.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    if let Some(doubt) = doubt(tx, &order, payment, word)? {
        move_payment(tx, at, payment, word, PaymentStatus::Review)?;
        let note = format!("Pagamento {} recebido, em revisão: {doubt}", word.id);
        return order::add_note(tx, at, &order.id, NoteAuthor::System, &note);
    }
    move_payment(tx, at, payment, word, PaymentStatus::Paid)?;
    catalog::verify_purchases(tx, &order.id)?;
    let paid = match order.status {
        OrderStatus::Pending | OrderStatus::Cancelled => {
            let change = Change {
                to: OrderStatus::Processing,
                by: MovedBy::Payment,
                note: None,
                low_threshold,
            };
            order::change_status(tx, at, &order, &change)?
        }
        // Staff moved it on before the money came.
        _ => order,
    };
    let paid = order::find(tx, &paid.id)?.ok_or(Error::NotFound(Entity::Order))?;
    event::emit(tx, at, EventName::OrderPaid, &EventOrder::from(&paid))?;
    let (customer, letter) = (paid.user_id.clone(), Letter::PaymentReceived { order: paid.into() });
    mail::post_to_account(tx, at, &customer, &letter)
}

/// Why money that arrived must not make the order paid by itself (decision 2), in the words of
/// the internal note.
fn doubt(
    tx: &mut dyn Tx,
    order: &Order,
    payment: &Payment,
    word: &ProviderPayment,
) -> Result<Option<String>> {
    if word.currency != CURRENCY {
        return Ok(Some(format!("moeda {} em vez de {CURRENCY}", word.currency)));
    }
    if word.amount != order.total {
        return Ok(Some(format!("valor {} em vez de {}", word.amount, order.total)));
    }
    if store::is_paid_otherwise(tx, &order.id, &payment.id)? {
        return Ok(Some("o pedido já estava pago".to_owned()));
    }
    match order.status {
        OrderStatus::Refunded => Ok(Some("o pedido já foi reembolsado".to_owned())),
        OrderStatus::Cancelled if !order::cancelled_by_sweeper(tx, &order.id)? => {
            Ok(Some("o pedido foi cancelado pela loja".to_owned()))
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
        let words = [
            ProviderStatus::Pending,
            ProviderStatus::Paid,
            ProviderStatus::Failed,
            ProviderStatus::Expired,
            ProviderStatus::Cancelled,
        ];
        for settled in [At::Paid, At::Refunded, At::ChargedBack, At::Review] {
            for word in words {
                assert_eq!(next_status(settled, word), None, "{settled:?} {word:?}");
            }
        }
        for from in At::ALL {
            assert_ne!(next_status(from, ProviderStatus::Paid), Some(At::Pending));
            assert_eq!(next_status(from, ProviderStatus::Pending), None);
        }
    }
}
