//! Units of an order's items, as arguments name them.

use std::str::FromStr;

use shop_core::invoicing::ReturnGoodsItem;
use shop_core::order::Order;
use shop_core::value::{InvalidValue, Quantity};

use crate::failure::Failure;

/// Units of a line of an order, as `2=1`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    line: usize,
    quantity: Quantity,
}

impl FromStr for Units {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || "it must be a line and its units, as 2=1".to_owned();
        let (line, units) = text.split_once('=').ok_or_else(wrong)?;
        let units: i64 = units.parse().map_err(|_| wrong())?;
        let quantity = Quantity::try_from(units).map_err(|error| error.to_string())?;
        Ok(Self { line: line.parse().map_err(|_| wrong())?, quantity })
    }
}

/// The order's items by their places; none are named where all come back.
pub(super) fn named(
    order: &Order,
    units: &[Units],
) -> Result<Option<Vec<ReturnGoodsItem>>, Failure> {
    if units.is_empty() {
        return Ok(None);
    }
    let item = |units: &Units| {
        let item = units.line.checked_sub(1).and_then(|line| order.items.get(line));
        let item =
            item.ok_or_else(|| shop_core::Error::field("item", InvalidValue::UnknownOrderItem))?;
        Ok(ReturnGoodsItem::new(item.id.clone(), units.quantity))
    };
    units.iter().map(item).collect::<Result<_, Failure>>().map(Some)
}
