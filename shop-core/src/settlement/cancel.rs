//! Cancelling an order that is not paid, as its customer may.

use super::{Payments, Settlement};
use crate::detached;
use crate::error::{Conflict, Entity, Error, Refusal, Result};
use crate::id::{AccountId, OrderId};
use crate::lane;
use crate::order::{self, Change, MovedBy, Order, OrderStatus};
use crate::payment::store;
use crate::storage::Tx;

impl Payments<'_> {
    /// Cancels one of the customer's orders that awaits payment: its units and the use of its
    /// coupon go back. The providers are asked first, because the money may be there and only its
    /// notice lost; an attempt that could still be paid is called off afterwards, in the
    /// background. Of an order that is cancelled already nothing changes.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an order that is not the customer's; [`Refusal::AlreadyPaid`];
    /// [`Refusal::OrderClosed`] when it was refunded; [`Conflict::NotCancellable`] when staff moved
    /// it on; [`Conflict::PaymentInProcess`] while it is not known what became of a
    /// card or of an intent in process, or staff have to decide on money that was not what was due;
    /// [`Error::Provider`] when a provider cannot be asked.
    ///
    /// Dropping the future does not stop it: the questions and the cancelling run to their end.
    #[tracing::instrument(name = "order.cancel", level = "debug", skip_all)]
    pub async fn cancel_order(&self, customer: &AccountId, order: &OrderId) -> Result<Order> {
        let (settlement, customer) = (self.settlement.clone(), customer.clone());
        detached::to_its_end(cancel(settlement, customer, order.clone())).await
    }
}

async fn cancel(settlement: Settlement, customer: AccountId, id: OrderId) -> Result<Order> {
    let (owner, wanted) = (customer.clone(), id.clone());
    let find = move |tx: &mut dyn Tx| awaiting(tx, &owner, &wanted);
    let order = settlement.cx.db().lookup("order.to_cancel", find).await?;
    if order.status == OrderStatus::Cancelled {
        return Ok(order);
    }
    Payments::new(&settlement).reconcile(&id).await?;
    let at = settlement.cx.work();
    let job = move |tx: &mut dyn Tx| {
        let order = awaiting(tx, &customer, &id)?;
        Conflict::PaymentInProcess.unless(!store::is_held_open(tx, &id)?)?;
        let change = Change { to: OrderStatus::Cancelled, by: MovedBy::Customer, note: None };
        order::change_status(tx, &at, &order, &change)
    };
    let cancelled = settlement.cx.db().write(lane::ORDERS, "order.cancel", job).await?;
    settlement.cx.mail_written();
    Ok(cancelled)
}

/// The customer's order, if it awaits payment or was cancelled.
fn awaiting(tx: &mut dyn Tx, customer: &AccountId, id: &OrderId) -> Result<Order> {
    let order = order::owned(tx, customer, id)?.ok_or(Error::NotFound(Entity::Order))?;
    match order.status {
        OrderStatus::Cancelled => Ok(order),
        OrderStatus::Refunded => Err(Error::Refused(Refusal::OrderClosed)),
        _ if order.is_paid() => Err(Error::Refused(Refusal::AlreadyPaid)),
        OrderStatus::Pending => Ok(order),
        _ => Err(Error::Conflict(Conflict::NotCancellable)),
    }
}
