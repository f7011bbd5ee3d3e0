//! Returns as customers ask for them and staff work on them: where orders, payments and stock meet.
//!
//! Each act is one transaction with all that is told about it. Only a refund takes more: it goes
//! the way of every refund (`settlement/refund.rs`), and a return follows what becomes of its
//! refund in the transaction that books it.

mod act;
mod open;
mod receive;
mod refund;

pub use self::act::{ApproveReturn, CancelReturn, RejectReturn, SendReturn};
pub use self::open::{OpenReturn, RequestReturn, ReturnUnits};
pub use self::receive::{ArrivedUnits, ReceiveReturn, RestockReturn};
pub use self::refund::RefundReturn;
use crate::actor::Actor;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, OrderId, ReturnId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::order_return::{self, OrderReturn};
use crate::revision::Revision;
use crate::settlement::Settlement;
use crate::storage::Tx;

/// Returns: [`Shop::returns`](crate::Shop::returns).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::order_return::ReturnStatus;
/// use shop_core::returning::{ReceiveReturn, RefundReturn, RequestReturn};
///
/// let order = shop.order().await?;
/// shop.sandbox().pay(&order.order_number).await?;
///
/// // The customer withdraws from the purchase, which is a right.
/// let asked = RequestReturn::default();
/// let back = shop.returns().request(&order.user_id, &order.id, asked, None).await?;
/// assert_eq!(back.status, ReturnStatus::Approved);
///
/// let arrived = ReceiveReturn::default();
/// shop.returns().receive(&Actor::System, &back.id, arrived, None, None).await?;
/// let money = RefundReturn::default();
/// let back = shop.returns().refund(&Actor::System, &back.id, money, None, None).await?;
/// assert_eq!((back.status, back.refund.amount), (ReturnStatus::Refunded, Some(order.total)));
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Returns<'a> {
    pub(crate) settlement: &'a Settlement,
}

impl<'a> Returns<'a> {
    pub(crate) fn new(settlement: &'a Settlement) -> Self {
        Self { settlement }
    }

    /// A customer asks to return goods of an order. A withdrawal in its term is approved by itself.
    /// The customer is told at once, in the same transaction. With a key, a repeat gives the first
    /// answer again.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an order that is not the customer's;
    /// [`Refusal::OrderNotReturnable`](crate::error::Refusal::OrderNotReturnable);
    /// [`Refusal::ReturnTooLate`](crate::error::Refusal::ReturnTooLate);
    /// [`Conflict::UnitsReturned`](crate::error::Conflict::UnitsReturned) for units that are part
    /// of another return; [`Error::Invalid`] for lines that the order does not have, and for a
    /// defect without a reason.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn request(
        &self,
        customer: &AccountId,
        order: &OrderId,
        input: RequestReturn,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let asked = (order, &input);
        let request = IdempotentRequest::new(key, customer.as_str(), "return.request", &asked)?;
        let (customer, order) = (customer.clone(), order.clone());
        let config = self.settlement.context().config().returns;
        self.write("return.request", request, move |tx, at| {
            open::by_customer(tx, at, &customer, &order, &input, &config)
        })
        .await
    }

    /// Staff open a return for a customer, also after its term, as a courtesy. It is approved by
    /// it.
    ///
    /// # Errors
    /// As [`Returns::request`], but for the term.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn open(
        &self,
        by: &Actor,
        input: OpenReturn,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let request = IdempotentRequest::by(key, by, "return.open", &input)?;
        let by = by.clone();
        let config = self.settlement.context().config().returns;
        self.write("return.open", request, move |tx, at| {
            open::by_staff(tx, at, &by, &input, &config)
        })
        .await
    }

    /// The returns of one of the customer's orders, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for another customer's order.
    ///
    /// Cancel safe: reads only.
    pub async fn list_for_customer(
        &self,
        customer: &AccountId,
        order: &OrderId,
    ) -> Result<Vec<OrderReturn>> {
        let (customer, order) = (customer.clone(), order.clone());
        let job = move |tx: &mut dyn Tx| {
            crate::order::owned(tx, &customer, &order)?.ok_or(Error::NotFound(Entity::Order))?;
            order_return::of_order(tx, &order)
        };
        self.settlement.context().db().lookup("return.of_order", job).await
    }

    /// A return by the number that people use, for staff.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_by_protocol(&self, protocol: &str) -> Result<OrderReturn> {
        let protocol = protocol.trim().to_uppercase();
        let job = move |tx: &mut dyn Tx| order_return::by_protocol(tx, &protocol);
        let found = self.settlement.context().db().lookup("return.by_protocol", job).await?;
        found.ok_or(Error::NotFound(Entity::Return))
    }

    /// One transaction that may be a repeat, and the mails that it wrote.
    async fn write(
        &self,
        name: &'static str,
        request: IdempotentRequest,
        mut act: impl FnMut(&mut dyn Tx, &Work) -> Result<OrderReturn> + Send + 'static,
    ) -> Result<OrderReturn> {
        let cx = self.settlement.context();
        let at = cx.work();
        let job = move |tx: &mut dyn Tx| {
            if let Some(first) = request.stored_answer(tx, at.now())? {
                return Ok(first);
            }
            let done = act(tx, &at)?;
            request.store_answer(tx, at.now(), &done)?;
            Ok(done)
        };
        let done = cx.db().write(lane::ORDERS, name, job).await?;
        cx.mail_written();
        Ok(done)
    }
}

/// A return as the caller saw it.
///
/// # Errors
/// [`Error::NotFound`]; [`crate::error::Conflict::Changed`].
fn in_state(tx: &mut dyn Tx, id: &ReturnId, expected: Option<&Revision>) -> Result<OrderReturn> {
    let of = order_return::by_id(tx, id)?.ok_or(Error::NotFound(Entity::Return))?;
    of.revision()?.check(expected)?;
    Ok(of)
}
