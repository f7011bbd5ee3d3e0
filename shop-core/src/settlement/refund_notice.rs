//! Who hears when money goes back: the customer by mail, and receivers of events, once for each
//! refund that is done.

use crate::account;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::event::{self, EventName};
use crate::id::PaymentId;
use crate::order::{self, EventRefund, OrderMail};
use crate::payment::store;
use crate::payment::store::refund::take_untold;
use crate::storage::Tx;

/// Tells what went back of a payment since this was last called.
pub(super) fn send(tx: &mut dyn Tx, at: &Work, id: &PaymentId) -> Result<()> {
    let done = take_untold(tx, id)?;
    if done.is_empty() {
        return Ok(());
    }
    let payment = store::must_get(tx, id)?;
    let order = order::find(tx, &payment.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    for (refund, amount) in done {
        let data = EventRefund::new(&order, refund, amount, payment.refunded);
        event::emit(tx, at, EventName::OrderRefunded, &data)?;
        let (order, method) = (Box::new(order.clone()), payment.method);
        let mail = OrderMail::MoneyRefunded { order, amount, method };
        account::enqueue_mail(tx, at, &data.order.user_id, &mail)?;
    }
    Ok(())
}
