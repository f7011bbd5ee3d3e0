//! How a return moves from state to state, with all that is told about it.

use super::{
    OrderReturn, ReturnActor, ReturnMail, ReturnRefundStatus, ReturnStatus, event, mail, store,
};
use crate::account;
use crate::actor::Actor;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::event::{EventName, emit};
use crate::id::{OrderId, OrderItemId, ReturnId};
use crate::notification::{self, Message};
use crate::order;
use crate::payment::RefundStatus;
use crate::payment::store::refund;
use crate::stock::{self, StockLine};
use crate::storage::Tx;

/// Who moves a return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReturnBy<'a> {
    /// The customer.
    Customer,
    /// A person or a program of the shop.
    Staff(&'a Actor),
    /// A refund that is done.
    Payment,
}

impl<'a> ReturnBy<'a> {
    pub(super) fn actor(self) -> ReturnActor {
        match self {
            Self::Customer => ReturnActor::Customer,
            Self::Staff(Actor::Admin(_)) => ReturnActor::Staff,
            Self::Staff(Actor::Key(_)) => ReturnActor::Key,
            Self::Staff(Actor::Host(_) | Actor::System) => ReturnActor::System,
            Self::Payment => ReturnActor::Payment,
        }
    }

    /// The id of the person or program of the shop.
    pub(super) fn id(self) -> Option<&'a str> {
        match self {
            Self::Staff(actor) => actor.id(),
            Self::Customer | Self::Payment => None,
        }
    }
}

/// A move of a return.
#[derive(Clone, Copy)]
pub(crate) struct Move<'a> {
    pub(crate) to: ReturnStatus,
    pub(crate) by: ReturnBy<'a>,
    pub(crate) note: Option<&'a str>,
}

/// Writes a new return, which has its first state already, and tells of it.
pub(crate) fn begin(
    tx: &mut dyn Tx,
    at: &Work,
    new: &OrderReturn,
    by: ReturnBy<'_>,
    goods_left: bool,
) -> Result<()> {
    store::insert(tx, new)?;
    let requested = Move { to: ReturnStatus::Requested, by, note: None };
    store::insert_history(tx, at, &new.id, &requested)?;
    if new.status != ReturnStatus::Requested {
        store::insert_history(tx, at, &new.id, &Move { to: new.status, ..requested })?;
    }
    emit(tx, at, EventName::ReturnRequested, &event::EventReturn::from(new))?;
    let mail = ReturnMail::ReturnRequested { of: Box::new(new.clone()), goods_left };
    account::enqueue_mail(tx, at, &new.user_id, &mail)?;
    let body = format!("Recebemos o pedido de devolução {}.", new.protocol);
    notify(tx, at, new, "Devolução registrada", &body)
}

/// Moves a return, with its history, its event, its mail and its notification, all in the caller's
/// transaction. A return that ends without its goods gives up its units ([`release`]).
///
/// # Errors
/// [`Conflict::ReturnState`] when another transaction moved it meanwhile.
pub(crate) fn transition(
    tx: &mut dyn Tx,
    at: &Work,
    was: &OrderReturn,
    change: &Move<'_>,
) -> Result<OrderReturn> {
    Conflict::ReturnState.unless(store::set_status(tx, was, change.to, at.now())?)?;
    store::insert_history(tx, at, &was.id, change)?;
    if was.status.holds_units() && !change.to.holds_units() {
        let all = was.items.iter().map(|item| (&item.order_item_id, item.units()));
        release(tx, at, was, &all.collect::<Vec<_>>())?;
    }
    let now = must_get(tx, &was.id)?;
    match change.to {
        ReturnStatus::Received => received(tx, at, &now)?,
        ReturnStatus::Refunded => {
            emit(tx, at, EventName::ReturnRefunded, &event::EventReturn::from(&now))?;
        }
        _ => {}
    }
    tell(tx, at, was, &now)?;
    Ok(now)
}

/// Takes units of lines out of a return that ends without them: the customer has them, or the
/// shelf, where their order was closed before it was sent.
pub(crate) fn release(
    tx: &mut dyn Tx,
    at: &Work,
    was: &OrderReturn,
    units: &[(&OrderItemId, i64)],
) -> Result<()> {
    let of = order::find(tx, &was.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    let never_left = !of.status.holds_stock() && !order::was_sent(tx, &of.id)?;
    let lines = order::stock_lines(tx, &of.id)?;
    let mut changes = Vec::new();
    for (item, units) in units {
        let position = order::position_of(&of.id, item);
        order::release_units(tx, &of.id, position, *units)?;
        let line = lines.iter().find(|line| line.position == position);
        if let Some(line) = line.filter(|_| never_left) {
            // The order counts as sold no more already.
            let line = StockLine { quantity: 0, ..line.moving(*units) };
            changes.extend(stock::give_back(tx, at, &line, &of.id)?);
        }
    }
    if never_left {
        order::shelve(tx, &of.id)?;
    }
    stock::announce(tx, at, &changes)
}

/// Tells receivers of events that the goods arrived; of a return whose money went back before, too.
pub(crate) fn received(tx: &mut dyn Tx, at: &Work, of: &OrderReturn) -> Result<()> {
    emit(tx, at, EventName::ReturnReceived, &event::EventReturn::from(of))
}

/// Tells the customer the state that the return has now. That money went back is told by the
/// refund's own mail; here only that a return was closed without any. Goods that never left the
/// shop do not arrive there, and of a parcel that was told with this code and carrier there is no
/// more to say.
fn tell(tx: &mut dyn Tx, at: &Work, was: &OrderReturn, of: &OrderReturn) -> Result<()> {
    if of.status == ReturnStatus::Received && !order::was_sent(tx, &of.order_id)? {
        return Ok(());
    }
    let parcel = |it: &OrderReturn| (it.status, it.tracking_code.clone(), it.carrier.clone());
    if of.status == ReturnStatus::InTransit && parcel(was) == parcel(of) {
        return Ok(());
    }
    let returned = Box::new(of.clone());
    let without_money = of.refund.refund_id.is_none();
    let mail = match of.status {
        ReturnStatus::Approved => Some(ReturnMail::ReturnApproved { of: returned }),
        ReturnStatus::InTransit => {
            let corrected = was.tracking_code.is_some();
            Some(ReturnMail::ReturnInTransit { of: returned, corrected })
        }
        ReturnStatus::Received => Some(ReturnMail::ReturnReceived { of: returned }),
        ReturnStatus::Rejected => Some(ReturnMail::ReturnRejected { of: returned }),
        ReturnStatus::Cancelled => Some(ReturnMail::ReturnCancelled { of: returned }),
        ReturnStatus::Refunded if without_money => Some(ReturnMail::ReturnClosed { of: returned }),
        ReturnStatus::Refunded | ReturnStatus::Requested => None,
    };
    if let Some(mail) = mail {
        account::enqueue_mail(tx, at, &of.user_id, &mail)?;
    }
    let (title, body) = notice(of);
    notify(tx, at, of, title, &body)
}

/// What a notification says of the state that a return has.
fn notice(of: &OrderReturn) -> (&'static str, String) {
    if let (ReturnStatus::InTransit, Some(code)) = (of.status, &of.tracking_code) {
        let body = format!("Devolução {}: {}.", of.protocol, mail::post_at(of, code));
        return ("Poste os produtos da devolução", body);
    }
    let (title, text) = match of.status {
        ReturnStatus::Requested => ("Devolução registrada", "foi registrada."),
        ReturnStatus::Approved => ("Devolução aprovada", "foi aprovada."),
        ReturnStatus::InTransit => ("Devolução a caminho", "está a caminho da loja."),
        ReturnStatus::Received => ("Devolução recebida", "chegou à loja."),
        ReturnStatus::Refunded if of.refund.refund_id.is_none() => {
            ("Devolução concluída", "foi concluída.")
        }
        ReturnStatus::Refunded => ("Devolução reembolsada", "foi reembolsada."),
        ReturnStatus::Rejected => ("Devolução recusada", "não foi aceita."),
        ReturnStatus::Cancelled => ("Devolução cancelada", "foi cancelada."),
    };
    (title, format!("A devolução {} {text}", of.protocol))
}

fn notify(tx: &mut dyn Tx, at: &Work, of: &OrderReturn, title: &str, body: &str) -> Result<()> {
    let link = notification::order_link(&of.order_id);
    let message = Message { kind: "RETURN_STATUS", title, body, link: &link };
    notification::notify(tx, at, &of.user_id, &message)
}

/// Makes an order's returns agree with what became of their refunds: called in each transaction
/// that moves a refund of the order, whoever began it.
pub(crate) fn follow_refunds(tx: &mut dyn Tx, at: &Work, order: &OrderId) -> Result<()> {
    for of in store::of_order(tx, order)? {
        let (ReturnRefundStatus::Pending, Some(id)) = (of.refund.status, &of.refund.refund_id)
        else {
            continue;
        };
        match refund::get(tx, id)?.map(|refund| refund.status) {
            Some(RefundStatus::Done) => finish(tx, at, &of, ReturnBy::Payment, None)?,
            Some(RefundStatus::Failed) => {
                store::end_refund(tx, &of.id, ReturnRefundStatus::Failed, at.now())?;
            }
            Some(RefundStatus::Pending) | None => {}
        }
    }
    Ok(())
}

/// Closes a return whose money went back, or that has none.
pub(crate) fn finish(
    tx: &mut dyn Tx,
    at: &Work,
    of: &OrderReturn,
    by: ReturnBy<'_>,
    note: Option<&str>,
) -> Result<()> {
    store::end_refund(tx, &of.id, ReturnRefundStatus::Done, at.now())?;
    let of = must_get(tx, &of.id)?;
    transition(tx, at, &of, &Move { to: ReturnStatus::Refunded, by, note }).map(drop)
}

/// A return that must be there.
pub(crate) fn must_get(tx: &mut dyn Tx, id: &ReturnId) -> Result<OrderReturn> {
    store::by_id(tx, id)?.ok_or(Error::NotFound(Entity::Return))
}
