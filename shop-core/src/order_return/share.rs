//! What goes back for a part of an order, to the cent: parts of an order add up to the whole.

use super::OrderReturn;
use crate::config::RefundFreight;
use crate::money::{Money, UnitsShare, apportion, portion, share_of_units};
use crate::order::Order;

/// What so many units of a line were paid: their price less their part of the line's part of the
/// order's discount. A line is named by its place among the order's.
///
/// `held` are the units of the line that other returns hold, with what those come to: parts of a
/// line come to what the whole was paid.
pub(crate) fn goods(order: &Order, place: usize, held: UnitsShare, units: i64) -> Money {
    let totals: Vec<Money> = order.items.iter().map(|item| item.total).collect();
    let discount = apportion(order.discount, &totals).get(place).copied();
    let (Some(item), Some(amount)) = (order.items.get(place), discount) else {
        return Money::ZERO;
    };
    let line = UnitsShare { units: item.quantity, amount };
    let taken = UnitsShare { units: held.units, amount: item.price * held.units - held.amount };
    item.price * units - share_of_units(line, taken, units)
}

/// What so many units of a return's line were paid, where `all` of them were paid so much and one
/// has this price.
pub(crate) fn of_units(price: Money, all: UnitsShare, units: i64) -> Money {
    let discount = UnitsShare { units: all.units, amount: price * all.units - all.amount };
    price * units - share_of_units(discount, UnitsShare::default(), units)
}

/// What goes back of the order's freight with a return: all of it once nothing of the order stays
/// with the customer, before that nothing or a part in proportion to the goods, as the setting
/// says; less what went with the order's other returns.
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
