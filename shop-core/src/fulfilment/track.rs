//! What a carrier says of a parcel: the shipment, and the order that follows it.
//!
//! Forward only: notices come late, twice and in any order, so what a label was is never taken for
//! what it is. An order follows the moment in which a parcel gets further, so what staff say of the
//! order afterwards stays.

use std::collections::{BTreeMap, HashMap};

use super::{book, notice};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::OrderId;
use crate::order::{self, Change, MovedBy, Order, OrderStatus};
use crate::shipment::{
    self, ProviderLabel, ProviderLabelStatus, Shipment, ShipmentProblemKind as Problem,
    ShipmentStatus, Stored,
};
use crate::shipping;
use crate::storage::Tx;
use crate::value::holiday::working_days_after;

/// Where a shipment that is under way is after its provider said how far its label has come.
fn after(now: ShipmentStatus, said: ProviderLabelStatus) -> ShipmentStatus {
    use ProviderLabelStatus as Label;
    use ShipmentStatus::{Cancelled, Delivered, Expired, Generated, Posted, Returning};
    match (now, said) {
        (Generated, Label::Posted) => Posted,
        (Generated | Posted, Label::Undelivered) => Returning,
        (Generated | Posted | Returning, Label::Delivered) => Delivered,
        (Generated, Label::Cancelled) => Cancelled,
        (Generated, Label::Expired) => Expired,
        (now, _) => now,
    }
}

/// A shipment that is under way, with what its provider says of the label. Times that are to come
/// are taken for now: a provider's clock may be ahead.
pub(super) fn learn(
    before: &Stored,
    label: &ProviderLabel,
    urls: &BTreeMap<String, String>,
    now: Timestamp,
) -> Stored {
    use ShipmentStatus::{Cancelled, Delivered, Expired, Posted, Returning};
    let mut of = before.clone();
    book::take(&mut of, label);
    of.attempts = 0;
    let it = &mut of.shipment;
    it.status = after(before.shipment.status, label.status);
    let moved = it.status != before.shipment.status;
    it.problem = it.problem.take().filter(|it| it.kind == Problem::Refused && !moved);
    if label.tracking_url.is_none()
        && (it.tracking_url.is_none() || it.tracking_code != before.shipment.tracking_code)
    {
        let code = it.tracking_code.as_deref();
        it.tracking_url =
            code.and_then(|code| shipping::tracking_url(urls, it.service_name.as_deref(), code));
    }
    if matches!(it.status, Posted | Returning | Delivered) {
        let posted = it.posted_at.or(label.posted_at).unwrap_or(now).min(now);
        it.posted_at = Some(posted);
        it.expected_at = it.expected_at.or_else(|| expected(posted, it.delivery_days?));
    }
    match it.status {
        Delivered => it.delivered_at = Some(label.delivered_at.unwrap_or(now).min(now)),
        Cancelled | Expired => it.cancelled_at = Some(now),
        _ => {}
    }
    of
}

/// The beginning of the day by whose end a parcel should be there.
fn expected(posted: Timestamp, working_days: i64) -> Option<Timestamp> {
    let days = u16::try_from(working_days).ok()?;
    Some(Timestamp::start_of(working_days_after(posted.local_day(), days)))
}

/// Moves the order along with its parcel, in the transaction that keeps it.
pub(super) fn follow(tx: &mut dyn Tx, at: &Work, before: &Shipment, now: &Shipment) -> Result<()> {
    let said = |it: &Shipment| (it.posted_at, it.delivered_at, it.tracking_code.clone());
    if now.posted_at.is_none() || said(before) == said(now) {
        return Ok(());
    }
    let Some(order) = order::find(tx, &now.order_id)? else { return Ok(()) };
    let mut order = take_code(tx, at, order, before, now)?;
    if before.posted_at.is_none() {
        notice::tell_customer(tx, at, &order, now)?;
        order = advance(tx, at, order, OrderStatus::Shipped)?;
    }
    let arrived = before.delivered_at.is_none() && now.delivered_at.is_some();
    if arrived && has_arrived(tx, &order.id)? {
        advance(tx, at, order, OrderStatus::Delivered)?;
    }
    Ok(())
}

/// An order shows the code of its first parcel that was posted, until staff enter another.
fn take_code(
    tx: &mut dyn Tx,
    at: &Work,
    order: Order,
    before: &Shipment,
    now: &Shipment,
) -> Result<Order> {
    let is_own = order.tracking_code.is_none() || order.tracking_code == before.tracking_code;
    if !is_own || now.tracking_code.is_none() || order.tracking_code == now.tracking_code {
        return Ok(order);
    }
    let (code, carrier) = (now.tracking_code.clone(), now.service_name.clone());
    order::set_tracking(tx, &order.id, code.as_deref(), carrier.as_deref(), at.now())?;
    Ok(Order { tracking_code: code, carrier, updated_at: at.now(), ..order })
}

/// Moves an order forward; one that is as far, or was closed, stays.
fn advance(tx: &mut dyn Tx, at: &Work, order: Order, to: OrderStatus) -> Result<Order> {
    let may = match order.status {
        OrderStatus::Pending | OrderStatus::Processing => true,
        OrderStatus::Shipped => to == OrderStatus::Delivered,
        OrderStatus::Delivered | OrderStatus::Cancelled | OrderStatus::Refunded => false,
    };
    if !may {
        return Ok(order);
    }
    let change = Change { to, by: MovedBy::Carrier, note: None };
    order::change_status(tx, at, &order, &change)
}

/// Whether every unit of an order that the customer did not give back is in a parcel that was
/// delivered.
fn has_arrived(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    let mut parcels = shipment::of_order(tx, order)?;
    parcels.retain(|it| it.shipment.status.is_live());
    if parcels.iter().any(|it| it.shipment.status != ShipmentStatus::Delivered) {
        return Ok(false);
    }
    let mut units: HashMap<&str, i64> = HashMap::new();
    for item in parcels.iter().flat_map(|it| &it.shipment.items) {
        let of = item.variant_id.as_ref().map_or(item.product_id.as_str(), |it| it.as_str());
        *units.entry(of).or_default() += item.quantity;
    }
    let mut wanted: HashMap<String, i64> = HashMap::new();
    for line in order::stock_lines(tx, order)? {
        *wanted.entry(line.item_id).or_default() += line.quantity - line.returned;
    }
    Ok(wanted.iter().all(|(item, count)| units.get(item.as_str()).unwrap_or(&0) >= count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statuses of a shipment that is under way, and those that it may come to, in their order.
    const COURSE: [ShipmentStatus; 4] = [
        ShipmentStatus::Generated,
        ShipmentStatus::Posted,
        ShipmentStatus::Returning,
        ShipmentStatus::Delivered,
    ];

    const SAID: [ProviderLabelStatus; 8] = [
        ProviderLabelStatus::InCart,
        ProviderLabelStatus::Paid,
        ProviderLabelStatus::Generated,
        ProviderLabelStatus::Posted,
        ProviderLabelStatus::Undelivered,
        ProviderLabelStatus::Delivered,
        ProviderLabelStatus::Cancelled,
        ProviderLabelStatus::Expired,
    ];

    #[test]
    fn nothing_that_a_provider_says_moves_a_parcel_back() {
        let place = |status| COURSE.iter().position(|it| *it == status);
        for (number, now) in COURSE.into_iter().enumerate() {
            for said in SAID {
                match after(now, said) {
                    ShipmentStatus::Cancelled | ShipmentStatus::Expired => {
                        assert_eq!(now, ShipmentStatus::Generated, "{said:?}");
                    }
                    then => assert!(place(then) >= Some(number), "{now} after {said:?}: {then}"),
                }
            }
        }
    }

    #[test]
    fn what_is_over_or_not_made_yet_is_not_moved() {
        for now in ShipmentStatus::ALL {
            if COURSE[..3].contains(&now) {
                continue;
            }
            for said in SAID {
                assert_eq!(after(now, said), now, "{said:?}");
            }
        }
    }

    #[test]
    fn a_parcel_is_expected_so_many_working_days_after_it_was_posted() {
        // A Saturday at noon in São Paulo; two working days later it is Tuesday.
        let posted: Timestamp = "2026-11-21T12:00:00-03:00".parse().expect("an instant");
        let tuesday: Timestamp = "2026-11-24T00:00:00-03:00".parse().expect("an instant");
        assert_eq!(expected(posted, 2), Some(tuesday));
        assert_eq!((expected(posted, -1), expected(posted, i64::MAX)), (None, None));
    }
}
