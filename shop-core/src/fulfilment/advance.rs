//! Going on with a shipment, one call of the provider after the other.
//!
//! Whoever goes on with a shipment has claimed it by `check_at`. A claim saves work, it does not
//! make it right: what is done next follows from the row alone, a label is paid only by the one
//! that moved its row to `PAYING`, and answers are booked for what they say.

use std::time::Duration;

use tokio::time::Instant;

use super::book::{self, After};
use super::buy::is_shippable;
use super::call::{Call, StoredAt};
use super::parcels::live;
use super::service::in_time;
use super::{CLAIM, Fulfilment, parcels, price, request};
use crate::config::Config;
use crate::context::Work;
use crate::detached;
use crate::error::{Error, Result};
use crate::id::ShipmentId;
use crate::lane;
use crate::order;
use crate::shipment::{
    self, ShipmentProblem, ShipmentProblemKind as Problem, ShipmentStatus as Status, Stored,
};
use crate::storage::Tx;

/// How many calls one shipment may take at a time; the background work goes on after that.
const CALLS: usize = 12;

/// How one shipment was left.
#[derive(PartialEq)]
enum Left {
    /// It asks nothing for now.
    Ready,
    /// The provider did not answer, or is to be asked later.
    Waiting,
}

/// Goes on with claimed shipments as far as they go now, and begins with none after so long a time.
/// The prices of an order's labels are compared when the last of them is in the cart, so the others
/// are taken up once more after it.
pub(super) async fn all(
    fulfilment: Fulfilment,
    mut ids: Vec<ShipmentId>,
    time: Duration,
) -> Result<()> {
    let start = Instant::now();
    let rounds = if ids.len() > 1 { 2 } else { 1 };
    for _ in 0..rounds {
        let mut ready = Vec::new();
        for id in ids {
            if start.elapsed() >= time {
                return Ok(());
            }
            let left = detached::to_its_end(one(fulfilment.clone(), id.clone())).await?;
            ready.extend((left == Left::Ready).then_some(id));
        }
        ids = ready;
    }
    Ok(())
}

/// Goes on with one claimed shipment as far as it goes now.
async fn one(fulfilment: Fulfilment, id: ShipmentId) -> Result<Left> {
    let provider = fulfilment.provider()?;
    for _ in 0..CALLS {
        let (cx, at, of) = (fulfilment.cx.clone(), fulfilment.cx.work(), id.clone());
        let (stored, name) = (StoredAt::new(&cx, at.now()), provider.name());
        let job = move |tx: &mut dyn Tx| next(tx, &at, cx.config(), name, &of);
        let next = fulfilment.cx.db().write(lane::INTEGRATIONS, "shipment.next", job).await?;
        let Some(call) = next else { return Ok(Left::Ready) };
        let answer = call.ask(&*provider, &stored).await;
        let (at, of, asked_at) = (fulfilment.cx.work(), id.clone(), stored.at);
        let job = move |tx: &mut dyn Tx| book::answer(tx, &at, &of, asked_at, &answer);
        let after = fulfilment.cx.write_events(lane::INTEGRATIONS, "shipment.book", job).await?;
        match after {
            After::GoOn => {}
            After::Wait => return Ok(Left::Waiting),
            After::Drop(label) => {
                // It costs nothing, and runs out where it cannot be dropped.
                let _ = in_time(provider.remove_from_cart(&label)).await;
                return Ok(Left::Waiting);
            }
        }
    }
    Ok(Left::Waiting)
}

/// Job 1: what is to be asked next, stored before it is.
fn next(
    tx: &mut dyn Tx,
    at: &Work,
    config: &Config,
    provider: &str,
    id: &ShipmentId,
) -> Result<Option<Call>> {
    let Some(was) = shipment::by_id(tx, id)? else { return Ok(None) };
    let mut of = was.clone();
    if of.shipment.status.is_moving() && of.shipment.provider != provider {
        book::leave_to_other(tx, at, &was, book::LONGEST_PAUSE)?;
        return Ok(None);
    }
    close_with_order(tx, &mut of)?;
    let call = match of.shipment.status {
        Status::Draft => to_cart(tx, config, &mut of)?,
        Status::InCart => pay(tx, at, &mut of)?,
        Status::Paying => label(&of).map(|label| Call::Ask { label }),
        Status::Paid => label(&of).map(|label| Call::Generate { label }),
        Status::Cancelling => Some(give_back(&of)),
        _ => return Ok(None),
    };
    if call.is_some() {
        of.attempts += 1;
        of.check_at = Some(at.now().plus(CLAIM));
    }
    book::keep(tx, at, &was, of)?;
    Ok(call)
}

fn label(of: &Stored) -> Option<String> {
    of.shipment.label_id.clone()
}

/// A label that is not paid is given up with its order, and with the units that are in it.
fn close_with_order(tx: &mut dyn Tx, of: &mut Stored) -> Result<()> {
    if !of.shipment.status.is_unpaid() {
        return Ok(());
    }
    let order = order::find(tx, &of.shipment.order_id)?.filter(is_shippable);
    let has_goods = match &order {
        Some(order) => parcels::has_goods(tx, order, of)?,
        None => false,
    };
    if !has_goods {
        of.shipment.status = Status::Cancelling;
        of.shipment.problem = Some(ShipmentProblem::of(Problem::OrderClosed));
    }
    Ok(())
}

fn to_cart(tx: &mut dyn Tx, config: &Config, of: &mut Stored) -> Result<Option<Call>> {
    match request::of(tx, config, &of.shipment) {
        Ok(request) if of.attempts == 0 => Ok(Some(Call::Add(Box::new(request)))),
        Ok(request) => Ok(Some(Call::FindOrAdd(Box::new(request)))),
        Err(Error::Invalid(missing)) => {
            let fields: Vec<&str> = missing.field_errors.keys().map(String::as_str).collect();
            let problem = ShipmentProblem::said(Problem::MissingData, &fields.join(", "));
            (of.shipment.problem, of.check_at) = (Some(problem), None);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The one way to a payment: the row is `PAYING` before the provider is called, which is asked for
/// the price once more before it is paid.
fn pay(tx: &mut dyn Tx, at: &Work, of: &mut Stored) -> Result<Option<Call>> {
    if !of.price_accepted {
        let of_order = live(tx, &of.shipment.order_id)?;
        for decided in price::compare(&of_order, at.now()) {
            if decided.shipment.id == of.shipment.id {
                *of = decided;
            } else if let Some(was) =
                of_order.iter().find(|it| it.shipment.id == decided.shipment.id)
            {
                book::keep(tx, at, was, decided)?;
            }
        }
    }
    match label(of) {
        Some(label) if of.price_accepted => {
            of.shipment.status = Status::Paying;
            of.shipment.problem = None;
            of.paying_at = Some(at.now());
            Ok(Some(Call::Pay { label, price: of.shipment.price }))
        }
        _ => Ok(None),
    }
}

fn give_back(of: &Stored) -> Call {
    match label(of) {
        None => Call::DropAll { reference: of.shipment.reference.clone() },
        Some(label) if of.shipment.paid_at.is_none() => Call::Remove { label },
        Some(label) => Call::Cancel { label },
    }
}
