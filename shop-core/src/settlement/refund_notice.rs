//! What a customer hears when money goes back: one mail for each refund that is done.

use crate::account;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::order;
use crate::order::OrderMail;
use crate::payment::store::Payment;
use crate::payment::store::refund::take_unmailed;
use crate::storage::Tx;

/// Mails the customer about what went back of a payment since this was last called.
pub(super) fn send(tx: &mut dyn Tx, at: &Work, payment: &Payment) -> Result<()> {
    let amounts = take_unmailed(tx, &payment.id)?;
    if amounts.is_empty() {
        return Ok(());
    }
    let order = order::find(tx, &payment.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    for amount in amounts {
        let method = payment.method;
        let mail = OrderMail::MoneyRefunded { order: Box::new(order.clone()), amount, method };
        account::enqueue_mail(tx, at, &order.user_id, &mail)?;
    }
    Ok(())
}
