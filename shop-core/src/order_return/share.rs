//! What goes back for a part of an order, to the cent: parts of an order add up to the whole.

use super::OrderReturn;
use crate::config::RefundFreight;
use crate::money::{Money, apportion};
use crate::order::Order;

/// What so many units of each line were paid, after the line's part of the order's discount. A line
/// is named by its place among the order's.
///
/// `before` is what returns that hold units of the line come to already: with the new units they come
/// to what all these units were paid, so a return of a part of a part loses no cent.
pub(crate) fn goods(order: &Order, place: usize, held: i64, units: i64, before: Money) -> Money {
    let (Some(item), Some(paid)) = (order.items.get(place), paid(order).get(place).copied()) else {
        return Money::ZERO;
    };
    let together = portion(paid, held + units, item.quantity);
    (together - before).max(Money::ZERO)
}

/// What goes back of the order's freight with a return: all of it once nothing of the order stays
/// with the customer, before that nothing or a part in proportion to the goods, as the setting says;
/// less what went with the order's other returns.
pub(crate) fn freight_due(
    order: &Order,
    this: &OrderReturn,
    all: &[OrderReturn],
    rule: RefundFreight,
) -> Money {
    let others = || all.iter().filter(|it| it.id != this.id && it.status.holds_units());
    let units: i64 = order.items.iter().map(|item| item.quantity).sum();
    let held = |it: &OrderReturn| it.items.iter().map(super::ReturnItem::units).sum::<i64>();
    let whole = held(this) + others().map(held).sum::<i64>() >= units;
    let goods = order.subtotal - order.discount;
    let due = match rule {
        _ if whole => order.shipping,
        RefundFreight::Whole => Money::ZERO,
        RefundFreight::Share => {
            let back = this.amount + others().map(|it| it.amount).sum::<Money>();
            portion(order.shipping, back.cents(), goods.cents())
        }
    };
    let given: Money = others().map(|it| it.freight).sum();
    (due - given).max(Money::ZERO)
}

/// What each line of an order was paid: its total less its part of the discount, divided as on
/// invoices.
fn paid(order: &Order) -> Vec<Money> {
    let totals: Vec<Money> = order.items.iter().map(|item| item.total).collect();
    let discounts = apportion(order.discount, &totals);
    totals.into_iter().zip(discounts).map(|(total, discount)| total - discount).collect()
}

/// What so many of a return's units of a line were paid, of what all of them were.
pub(crate) fn of_units(amount: Money, units: i64, of: i64) -> Money {
    portion(amount, units, of)
}

/// `amount * part / whole`, rounded down: what is left over comes with the last part.
fn portion(amount: Money, part: i64, whole: i64) -> Money {
    let whole = i128::from(whole.max(1));
    let cents = i128::from(amount.cents()) * i128::from(part) / whole;
    Money::from_cents(i64::try_from(cents).unwrap_or_default()).min(amount)
}
