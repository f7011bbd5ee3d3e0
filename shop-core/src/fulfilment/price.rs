//! What labels may cost: what the customer was quoted, and a little more.

use crate::config::LabelsConfig;
use crate::error::Result;
use crate::money::{Money, apportion};
use crate::order::Order;
use crate::shipment::{ShipmentProblem, ShipmentProblemKind, ShipmentStatus, Stored};
use crate::shipping::packing;
use crate::storage::Tx;
use crate::value::Weight;

/// What was quoted for an order before any free shipping, without what its other labels have of it;
/// none where nothing was quoted.
pub(super) fn left_of_quote(
    tx: &mut dyn Tx,
    order: &Order,
    live: &[Stored],
) -> Result<Option<Money>> {
    let chosen = packing::chosen_option(tx, &order.id)?.map(|option| option.price);
    let quoted = chosen.or((order.shipping > Money::ZERO).then_some(order.shipping));
    let used: Money = live.iter().filter_map(|it| it.shipment.quoted_price).sum();
    Ok(quoted.map(|quoted| (quoted - used).max(Money::ZERO)))
}

/// What the labels of these parcels may cost together; none is no bound.
pub(super) fn allowed(
    config: &LabelsConfig,
    quoted: Option<Money>,
    max_price: Option<Money>,
) -> Option<Money> {
    max_price.or(quoted.map(|quoted| quoted + config.max_over_quote))
}

/// Each parcel's share of an amount, by weight.
pub(super) fn shares(amount: Option<Money>, weights: &[Weight]) -> Vec<Option<Money>> {
    let Some(amount) = amount else { return vec![None; weights.len()] };
    let weights: Vec<Money> =
        weights.iter().map(|weight| Money::from_cents(weight.grams().max(1))).collect();
    apportion(amount, &weights).into_iter().map(Some).collect()
}

/// Compares the prices of an order's labels that wait in the cart with what they may cost together.
/// Answers with those that changed: accepted, or with the problem that staff decide about. Nothing is
/// decided while a label is not in the cart yet.
pub(super) fn compare(of_order: &[Stored]) -> Vec<Stored> {
    let open = |it: &&Stored| {
        matches!(it.shipment.status, ShipmentStatus::Draft | ShipmentStatus::InCart)
            && !it.price_accepted
    };
    let waiting: Vec<&Stored> = of_order.iter().filter(open).collect();
    let Some(prices) = waiting.iter().map(|it| it.shipment.price).collect::<Option<Vec<Money>>>()
    else {
        return Vec::new();
    };
    let allowed: Option<Vec<Money>> = waiting.iter().map(|it| it.allowed_price).collect();
    let is_dear = allowed.is_some_and(|allowed| {
        prices.into_iter().sum::<Money>() > allowed.into_iter().sum::<Money>()
    });
    let decided = |it: &&Stored| {
        let mut it = (*it).clone();
        if is_dear {
            let problem = ShipmentProblem::of(ShipmentProblemKind::PriceAboveQuote);
            (it.shipment.problem, it.check_at) = (Some(problem), None);
        } else {
            it.price_accepted = true;
        }
        it
    };
    waiting.iter().map(decided).collect()
}
