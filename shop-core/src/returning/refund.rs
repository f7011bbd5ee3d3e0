//! The money: an act of its own, by the way of every refund, once.

use serde::Serialize;

use super::act::{Audited, allow, repeatable, words};
use super::receive::reckon;
use super::{Returns, in_state};
use crate::actor::Actor;
use crate::audit;
use crate::config::RefundFreight;
use crate::context::Work;
use crate::detached;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{OrderId, RefundId, ReturnId};
use crate::idempotency::{self, IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::money::Money;
use crate::order::{self, Change, MovedBy, OrderStatus};
use crate::order_return::{
    self, OrderReturn, ReturnBy, ReturnItem, ReturnRefundStatus, ReturnStatus,
};
use crate::payment::{Refund, RefundStatus};
use crate::revision::Revision;
use crate::settlement::{self, RefundPayment, Settlement};
use crate::storage::Tx;
use crate::value::{InvalidValue, OptionalText};

/// Money of a return to be given back.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct RefundReturn {
    /// How much; where it is left out what the return comes to, freight included where it goes
    /// back, and no more than is left of what was paid. 0 closes the return without money.
    #[cfg_attr(feature = "schema", schemars(extend("x-emptyText" = "refused")))]
    pub amount: Option<Money>,
    /// Why, for the shop's own memory.
    pub note: Option<OptionalText<500>>,
}

/// What the first job found or stored.
enum RefundStart {
    /// The first answer of a repeat, or a return that needs no call.
    Answered(Box<OrderReturn>),
    /// A new refund that the provider must be asked for.
    Asked(RefundId),
    /// A refund that was begun before, of which nobody knows what became.
    Unknown(RefundId),
}

type Remembered = idempotency::Remembered<RefundId, Box<OrderReturn>>;

impl Returns<'_> {
    /// Gives the money of a return back, whole or in part, before or after the goods came. A refund
    /// that the provider does not answer stays PENDING and is asked for again, by this call and in
    /// the background, always with the same key. One that it declines can be tried again with
    /// another `key`, or without one: for a day, the same `key` gives the same refusal. However
    /// many ask at once, and however often, money goes back once.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`crate::error::Conflict::Changed`] where it is not as the caller saw
    /// it; [`crate::error::Conflict::ReturnState`] for a return that was not approved or is closed;
    /// [`Refusal::NothingToRefund`]; [`Refusal::RefundTooLarge`]; [`Refusal::RefundDeclined`].
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    pub async fn refund(
        &self,
        by: &Actor,
        id: &ReturnId,
        input: RefundReturn,
        expected: Option<Revision>,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        if input.amount.is_some_and(|amount| amount < Money::ZERO) {
            return Err(Error::field("amount", InvalidValue::AtLeast { least: 0 }));
        }
        let request = repeatable(by, id, key, "return.refund", &input)?;
        let (settlement, by, id) = (self.settlement.clone(), by.clone(), id.clone());
        let wanted = Wanted { by, id, input, expected, request };
        detached::to_its_end(refund(settlement, wanted)).await
    }
}

/// A refund that staff ask for.
struct Wanted {
    by: Actor,
    id: ReturnId,
    input: RefundReturn,
    expected: Option<Revision>,
    request: IdempotentRequest,
}

async fn refund(settlement: Settlement, wanted: Wanted) -> Result<OrderReturn> {
    let cx = settlement.context();
    let (id, request) = (wanted.id.clone(), wanted.request.clone());
    let begun = {
        let (at, rule) = (cx.work(), cx.config().returns.refund_freight);
        let job = move |tx: &mut dyn Tx| wanted.begin_or_repeat(tx, &at, rule);
        cx.db().write(lane::ORDERS, "return.begin_refund", job).await?
    };
    cx.mail_written();
    let status = match begun {
        RefundStart::Answered(first) => return Ok(*first),
        RefundStart::Asked(refund) => settlement::ask_refund(&settlement, &refund).await?.status,
        RefundStart::Unknown(refund) => settlement::reconcile_refund(&settlement, &refund).await?,
    };
    if status == RefundStatus::Failed {
        return Err(Error::Refused(Refusal::RefundDeclined));
    }
    let now = cx.now();
    let job = move |tx: &mut dyn Tx| {
        let of = order_return::must_get(tx, &id)?;
        request.store_answer(tx, now, &Remembered::Answered(Box::new(of.clone())))?;
        Ok(of)
    };
    cx.db().write(lane::ORDERS, "return.keep_refund", job).await
}

impl Wanted {
    /// Job 1: the first answer again, the refund that is under way, or a new one.
    fn begin_or_repeat(
        &self,
        tx: &mut dyn Tx,
        at: &Work,
        rule: RefundFreight,
    ) -> Result<RefundStart> {
        match self.request.stored_answer(tx, at.now())? {
            Some(Remembered::Answered(first)) => return Ok(RefundStart::Answered(first)),
            Some(Remembered::Begun(first)) => return Ok(RefundStart::Unknown(first)),
            None => {}
        }
        let of = in_state(tx, &self.id, self.expected.as_ref())?;
        if let (ReturnRefundStatus::Pending, Some(refund)) =
            (of.refund.status, &of.refund.refund_id)
        {
            return Ok(RefundStart::Unknown(refund.clone()));
        }
        let accepted = of.status.is_open() && of.status != ReturnStatus::Requested;
        allow(accepted && !of.has_refund())?;
        let refund = self.begin(tx, at, &of, rule)?;
        let now = order_return::must_get(tx, &of.id)?;
        let (before, after) = (Audited::of(&of), Audited::of(&now));
        audit::record(tx, at, &self.by, "return.refund", of.id.as_str(), &before, &after)?;
        let begun = match refund.filter(|refund| refund.status == RefundStatus::Pending) {
            Some(refund) => RefundStart::Asked(refund.id),
            None => RefundStart::Answered(Box::new(now)),
        };
        let kept = match &begun {
            RefundStart::Asked(id) | RefundStart::Unknown(id) => Remembered::Begun(id.clone()),
            RefundStart::Answered(of) => Remembered::Answered(of.clone()),
        };
        self.request.store_answer(tx, at.now(), &kept)?;
        Ok(begun)
    }

    /// Reserves the money and notes which refund is the return's; none where no money goes back,
    /// which closes the return.
    fn begin(
        &self,
        tx: &mut dyn Tx,
        at: &Work,
        of: &OrderReturn,
        rule: RefundFreight,
    ) -> Result<Option<Refund>> {
        let of = reckon(tx, at, of, rule)?;
        let note = words(self.input.note.as_ref());
        let amount = match self.input.amount {
            Some(amount) => amount,
            // Goods that cost nothing have no payment to ask about.
            None if of.amount + of.freight == Money::ZERO => Money::ZERO,
            None => (of.amount + of.freight).min(settlement::left_to_refund(tx, &of.order_id)?),
        };
        if amount == Money::ZERO {
            allow(order_return::begin_refund(tx, &of.id, None, amount, at.now())?)?;
            order_return::finish(tx, at, &of, ReturnBy::Staff(&self.by), note)?;
            end_order_of_nothing(tx, at, &of.order_id)?;
            return Ok(None);
        }
        let reason = Some(reason(&of, note)?);
        let asked = RefundPayment { amount: Some(amount), reason, payment_id: None };
        let refund = settlement::begin_refund(tx, at, &self.by, &of.order_id, &asked)?;
        allow(order_return::begin_refund(tx, &of.id, Some(&refund.id), amount, at.now())?)?;
        order_return::follow_refunds(tx, at, &of.order_id)?;
        Ok(Some(refund))
    }
}

/// Ends an order of R$ 0,00 once all its units are in returns that are closed: there is no payment
/// whose refund would.
fn end_order_of_nothing(tx: &mut dyn Tx, at: &Work, id: &OrderId) -> Result<()> {
    let order = order::find(tx, id)?.ok_or(Error::NotFound(Entity::Order))?;
    let returns = order_return::of_order(tx, id)?;
    let closed = returns.iter().filter(|it| it.status == ReturnStatus::Refunded);
    let back: i64 = closed.flat_map(|it| &it.items).map(ReturnItem::units).sum();
    let units: i64 = order.items.iter().map(|item| item.quantity).sum();
    if order.total > Money::ZERO || back < units || !order.status.holds_stock() {
        return Ok(());
    }
    let change = Change { to: OrderStatus::Refunded, by: MovedBy::Payment, note: None };
    order::change_status(tx, at, &order, &change).map(drop)
}

/// What the refund says of itself.
fn reason(of: &OrderReturn, note: Option<&str>) -> Result<OptionalText<500>> {
    let protocol = &of.protocol;
    let text = match note {
        Some(note) => format!("Devolução {protocol}: {note}"),
        None => format!("Devolução {protocol}"),
    };
    let short: String = text.chars().take(500).collect();
    short.parse().map_err(Error::from_source)
}
