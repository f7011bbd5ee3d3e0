//! What staff and customers decide about a return, and the parcel in which it comes.

use serde::Serialize;

use super::{Returns, in_state};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{AccountId, OrderId, ReturnId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::order_return::{self, Move, OrderReturn, ReturnBy, ReturnStatus, transition};
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::{OptionalText, Text};

/// Staff accept a return.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct ApproveReturn {
    /// Kept with the move, for staff only.
    pub note: Option<OptionalText<1000>>,
}

/// Staff do not accept a return.
#[apply(input!)]
#[derive(Serialize)]
pub struct RejectReturn {
    /// Why; the customer reads it.
    pub reason: Text<1, 1000>,
}

/// The goods are on their way back.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct SendReturn {
    /// By which the carrier finds the parcel, or the customer hands it in.
    pub tracking_code: Option<OptionalText<60>>,
    /// Who carries it.
    pub carrier: Option<OptionalText<60>>,
    /// Kept with the move, for staff only.
    pub note: Option<OptionalText<1000>>,
}

/// Staff call a return off.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct CancelReturn {
    /// Kept with the move, for staff only.
    pub note: Option<OptionalText<1000>>,
}

impl Returns<'_> {
    /// Accepts a return that was asked for. With a key, a repeat gives the first answer again, as
    /// with every act of staff.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict::Changed`] where it is not as the caller saw it;
    /// [`Conflict::ReturnState`] where it awaits no decision.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn approve(
        &self,
        by: &Actor,
        id: &ReturnId,
        input: ApproveReturn,
        expected: Option<Revision>,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let request = repeatable(by, id, key, "return.approve", &input)?;
        self.act(by, id, expected, request, "return.approve", move |tx, at, by, of| {
            allow(of.status == ReturnStatus::Requested)?;
            let note = words(input.note.as_ref());
            transition(tx, at, of, &Move { to: ReturnStatus::Approved, by, note })
        })
        .await
    }

    /// Says no to a return, with a reason that the customer reads. A withdrawal in its term is a
    /// right and cannot be rejected, and nothing can whose money went back or whose goods are on
    /// the shelf again.
    ///
    /// # Errors
    /// As [`Returns::approve`]; [`Conflict::WithdrawalStands`]; [`Conflict::ReturnInvoiced`] while
    /// an invoice says that the goods came back.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn reject(
        &self,
        by: &Actor,
        id: &ReturnId,
        input: RejectReturn,
        expected: Option<Revision>,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let request = repeatable(by, id, key, "return.reject", &input)?;
        self.act(by, id, expected, request, "return.reject", move |tx, at, by, of| {
            allow(of.status.is_open() && !of.has_refund() && of.is_off_shelf())?;
            Conflict::WithdrawalStands.unless(!of.is_of_right())?;
            Conflict::ReturnInvoiced.unless(!of.is_invoiced())?;
            order_return::set_rejection(tx, &of.id, input.reason.as_str())?;
            transition(tx, at, of, &Move { to: ReturnStatus::Rejected, by, note: None })
        })
        .await
    }

    /// Notes that the goods are on their way back, or by which code the customer hands them in.
    /// What is left out stays. A repeat that says nothing new changes nothing.
    ///
    /// # Errors
    /// As [`Returns::approve`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn mark_in_transit(
        &self,
        by: &Actor,
        id: &ReturnId,
        input: SendReturn,
        expected: Option<Revision>,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let request = repeatable(by, id, key, "return.mark_in_transit", &input)?;
        self.act(by, id, expected, request, "return.in_transit", move |tx, at, by, of| {
            allow(matches!(of.status, ReturnStatus::Approved | ReturnStatus::InTransit))?;
            let code = words(input.tracking_code.as_ref()).or(of.tracking_code.as_deref());
            let carrier = words(input.carrier.as_ref()).or(of.carrier.as_deref());
            let note = words(input.note.as_ref());
            let known = (code, carrier) == (of.tracking_code.as_deref(), of.carrier.as_deref());
            if of.status == ReturnStatus::InTransit && known && note.is_none() {
                return Ok(of.clone());
            }
            order_return::set_parcel(tx, &of.id, code, carrier)?;
            transition(tx, at, of, &Move { to: ReturnStatus::InTransit, by, note })
        })
        .await
    }

    /// Calls a return off for the customer, before the goods came and before money went back.
    ///
    /// # Errors
    /// As [`Returns::approve`]; [`Conflict::ReturnInvoiced`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn cancel(
        &self,
        by: &Actor,
        id: &ReturnId,
        input: CancelReturn,
        expected: Option<Revision>,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let request = repeatable(by, id, key, "return.cancel", &input)?;
        self.act(by, id, expected, request, "return.cancel", move |tx, at, by, of| {
            let waits = of.status.is_open() && of.status != ReturnStatus::Received;
            allow(waits && !of.has_refund())?;
            Conflict::ReturnInvoiced.unless(!of.is_invoiced())?;
            let note = words(input.note.as_ref());
            transition(tx, at, of, &Move { to: ReturnStatus::Cancelled, by, note })
        })
        .await
    }

    /// A customer calls a return off, until the goods are on their way back or money went back.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for another customer's; [`Conflict::ReturnState`];
    /// [`Conflict::ReturnInvoiced`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn cancel_by_customer(
        &self,
        customer: &AccountId,
        order: &OrderId,
        id: &ReturnId,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let request =
            IdempotentRequest::new(key, customer.as_str(), "return.cancel", &(order, id))?;
        let (customer, order, id) = (customer.clone(), order.clone(), id.clone());
        self.write("return.cancel_by_customer", request, move |tx, at| {
            let of = order_return::owned(tx, &customer, &order, &id)?;
            let of = of.ok_or(Error::NotFound(Entity::Return))?;
            let waits = matches!(of.status, ReturnStatus::Requested | ReturnStatus::Approved);
            allow(waits && !of.has_refund())?;
            Conflict::ReturnInvoiced.unless(!of.is_invoiced())?;
            let change = Move { to: ReturnStatus::Cancelled, by: ReturnBy::Customer, note: None };
            transition(tx, at, &of, &change)
        })
        .await
    }

    /// An act of staff: in one transaction, with its line in the audit log.
    pub(super) async fn act(
        &self,
        by: &Actor,
        id: &ReturnId,
        expected: Option<Revision>,
        request: IdempotentRequest,
        action: &'static str,
        act: impl Fn(&mut dyn Tx, &Work, ReturnBy<'_>, &OrderReturn) -> Result<OrderReturn>
        + Send
        + 'static,
    ) -> Result<OrderReturn> {
        let (by, id) = (by.clone(), id.clone());
        self.write(action, request, move |tx, at| {
            let of = in_state(tx, &id, expected.as_ref())?;
            let now = act(tx, at, ReturnBy::Staff(&by), &of)?;
            if now != of {
                let (before, after) = (Audited::of(&of), Audited::of(&now));
                audit::record(tx, at, &by, action, id.as_str(), &before, &after)?;
            }
            Ok(now)
        })
        .await
    }
}

/// A request of staff about a return, which may carry a key.
pub(super) fn repeatable(
    by: &Actor,
    id: &ReturnId,
    key: Option<IdempotencyKey>,
    operation: &str,
    input: &impl Serialize,
) -> Result<IdempotentRequest> {
    IdempotentRequest::by(key, by, operation, &(id, input))
}

/// What the audit log keeps of a return: nothing that the customer wrote.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Audited<'a> {
    status: ReturnStatus,
    tracking_code: Option<String>,
    carrier: Option<&'a str>,
    received: i64,
    restocked: i64,
}

impl<'a> Audited<'a> {
    pub(super) fn of(of: &'a OrderReturn) -> Self {
        Self {
            status: of.status,
            tracking_code: of.tracking_code.as_deref().map(audit::end_of_code),
            carrier: of.carrier.as_deref(),
            received: of.items.iter().filter_map(|item| item.received).sum(),
            restocked: of.items.iter().map(|item| item.restocked).sum(),
        }
    }
}

/// Refuses an act that the return's state does not allow.
pub(super) fn allow(allowed: bool) -> Result<()> {
    Conflict::ReturnState.unless(allowed)
}

/// A text that says something.
pub(super) fn words<const MAX: usize>(text: Option<&OptionalText<MAX>>) -> Option<&str> {
    text.map(OptionalText::as_str).filter(|text| !text.is_empty())
}
