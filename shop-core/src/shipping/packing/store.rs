//! The SQL of packing plans: the only writes of `order_packing`.

use serde::{Deserialize, Serialize};

use super::plan::{PackedItem, PackedParcel, PackingPlan};
use crate::error::{Error, Result};
use crate::id::{OrderId, ShippingOptionId};
use crate::money::Money;
use crate::shipping::ShippingOption;
use crate::storage::{InsertRows, Tx, params, read_columns};
use crate::value::{Length, Weight};

/// A parcel as the table keeps it: in millimetres, grams and cents.
#[derive(Serialize, Deserialize)]
struct Kept {
    r#box: Option<String>,
    sides: [i64; 3],
    grams: i64,
    cents: i64,
    items: Vec<PackedItem>,
}

/// How the customer of an order chose that it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChosenOption {
    /// The option of the quote.
    pub(crate) id: ShippingOptionId,
    /// What was quoted, before any free shipping.
    pub(crate) price: Money,
}

/// The plans of new orders.
const PLANS: InsertRows = InsertRows {
    table: "order_packing",
    insert: "INSERT INTO order_packing (order_id, parcels, option_id, quoted_price)
             VALUES ($1, $2, $3, $4)",
};

/// Keeps the plan of a new order, and how it is sent where that was quoted.
pub(crate) fn insert(
    tx: &mut dyn Tx,
    order: &OrderId,
    plan: &PackingPlan,
    chosen: Option<&ShippingOption>,
) -> Result<()> {
    let parcels: Vec<Kept> = plan.parcels.iter().cloned().map(Kept::from).collect();
    let parcels = serde_json::to_string(&parcels).map_err(Error::from_source)?;
    tx.insert(
        &PLANS,
        params![
            order,
            parcels.as_str(),
            chosen.map(|option| &option.id),
            chosen.map(|option| option.price)
        ],
    )
}

/// How an order is sent; none where nothing was quoted, and for orders that are older than this.
pub(crate) fn chosen_option(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<ChosenOption>> {
    tx.find(
        "SELECT option_id, quoted_price FROM order_packing
         WHERE order_id = $1 AND option_id IS NOT NULL",
        params![order],
    )
}

read_columns!(ChosenOption: id, price);

/// The plan that an order was placed with; none for orders that are older than plans.
pub(crate) fn of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<PackingPlan>> {
    let found: Option<String> =
        tx.find("SELECT parcels FROM order_packing WHERE order_id = $1", params![order])?;
    let Some(text) = found else { return Ok(None) };
    let parcels: Vec<Kept> = serde_json::from_str(&text).map_err(Error::from_source)?;
    Ok(Some(PackingPlan { parcels: parcels.into_iter().map(PackedParcel::from).collect() }))
}

impl From<PackedParcel> for Kept {
    fn from(parcel: PackedParcel) -> Self {
        let PackedParcel { box_name, length, width, height, weight, value, items } = parcel;
        let sides = [length, width, height].map(Length::millimetres);
        Self { r#box: box_name, sides, grams: weight.grams(), cents: value.cents(), items }
    }
}

impl From<Kept> for PackedParcel {
    fn from(kept: Kept) -> Self {
        let [length, width, height] = kept.sides.map(Length::from_millimetres);
        let (weight, value) = (Weight::from_grams(kept.grams), Money::from_cents(kept.cents));
        Self { box_name: kept.r#box, length, width, height, weight, value, items: kept.items }
    }
}
