//! What labels may cost: what the customer was quoted, and a little more.

use crate::clock::Timestamp;
use crate::config::LabelsConfig;
use crate::error::{Error, Result};
use crate::money::{Money, apportion};
use crate::order::Order;
use crate::shipment::{ShipmentProblem, ShipmentProblemKind, Stored};
use crate::shipping::packing;
use crate::storage::Tx;
use crate::value::{InvalidValue, Weight};

/// Looks at what a caller says that labels may cost.
///
/// # Errors
/// [`Error::Invalid`] for less than nothing.
pub(super) fn check(max_price: Option<Money>) -> Result<()> {
    if max_price.is_some_and(|price| price < Money::ZERO) {
        return Err(Error::field("maxPrice", InvalidValue::AtLeast { least: 0 }));
    }
    Ok(())
}

/// What was quoted for an order before any free shipping; none where nothing was.
pub(super) fn quoted(tx: &mut dyn Tx, order: &Order) -> Result<Option<Money>> {
    let chosen = packing::chosen_option(tx, &order.id)?.map(|option| option.price);
    Ok(chosen.or((order.shipping > Money::ZERO).then_some(order.shipping)))
}

/// What is left of it beside an order's other labels.
pub(super) fn left_of_quote(quoted: Option<Money>, live: &[Stored]) -> Option<Money> {
    let used: Money = live.iter().filter_map(|it| it.shipment.quoted_price).sum();
    quoted.map(|quoted| (quoted - used).max(Money::ZERO))
}

/// What further labels of an order may cost together; none is no bound. Of its other labels those
/// that are paid count with their price, and the others with what they may cost.
pub(super) fn left_to_pay(
    config: &LabelsConfig,
    quoted: Option<Money>,
    live: &[Stored],
) -> Option<Money> {
    let counts = |it: &Stored| {
        if it.shipment.status.is_unpaid() { it.allowed_price } else { it.shipment.price }
    };
    let used: Money = live.iter().filter_map(counts).sum();
    quoted.map(|quoted| (quoted + config.max_over_quote - used).max(Money::ZERO))
}

/// Each parcel's share of an amount, by weight.
pub(super) fn shares(amount: Option<Money>, weights: &[Weight]) -> Vec<Option<Money>> {
    let Some(amount) = amount else { return vec![None; weights.len()] };
    let weights: Vec<Money> =
        weights.iter().map(|weight| Money::from_cents(weight.grams().max(1))).collect();
    apportion(amount, &weights).into_iter().map(Some).collect()
}

/// Compares the prices of an order's labels that are not paid with what they may cost together.
/// Answers with those that changed: accepted, and due now where they waited for that, or with the
/// problem that staff decide about. Nothing is decided while the price of one is not known yet.
pub(super) fn compare(of_order: &[Stored], now: Timestamp) -> Vec<Stored> {
    let waiting: Vec<&Stored> =
        of_order.iter().filter(|it| it.shipment.status.is_unpaid()).collect();
    let together = |amount: fn(&Stored) -> Option<Money>| {
        let each: Option<Vec<Money>> = waiting.iter().map(|it| amount(it)).collect();
        each.map(|each| each.into_iter().sum::<Money>())
    };
    let Some(price) = together(|it| it.shipment.price) else { return Vec::new() };
    let dear = together(|it| it.allowed_price).filter(|allowed| price > *allowed).map(|allowed| {
        ShipmentProblem::too_much(ShipmentProblemKind::PriceAboveQuote, price, Some(allowed))
    });
    let decided = |it: &&Stored| {
        let mut it = (*it).clone();
        it.price_accepted = dear.is_none();
        match (&dear, &it.shipment.problem) {
            (Some(_), _) => (it.shipment.problem, it.check_at) = (dear.clone(), None),
            (None, Some(problem)) if problem.kind == ShipmentProblemKind::PriceAboveQuote => {
                (it.shipment.problem, it.check_at) = (None, it.check_at.or(Some(now)));
            }
            _ => {}
        }
        it
    };
    waiting.iter().map(decided).collect()
}
