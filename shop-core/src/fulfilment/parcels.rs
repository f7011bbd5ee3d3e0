//! Which parcels of an order are to get labels: those that were planned when it was placed, or those
//! that staff packed.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::{Conflict, Error, FieldErrors, Result};
use crate::id::{OrderItemId, ProductId, VariantId};
use crate::order::{self, Order, OrderItem};
use crate::shipment::{ShipmentItem, Stored};
use crate::shipping::BOX;
use crate::shipping::packing::{self, PackedParcel};
use crate::storage::Tx;
use crate::value::{InvalidValue, Length, Quantity, Weight};

/// How many parcels an order may have labels for.
const MAX_PARCELS: usize = 50;

/// A parcel as staff packed it.
#[apply(input!)]
#[derive(Serialize)]
pub struct NewParcel {
    /// The outer length in centimetres.
    pub length: Length,
    /// The outer width in centimetres.
    pub width: Length,
    /// The outer height in centimetres.
    pub height: Length,
    /// In kilograms, with packing.
    pub weight: Weight,
    /// What is in it; all of the order where it is the only parcel and they are left out.
    #[serde(default)]
    pub items: Option<Vec<NewParcelItem>>,
}

/// Units of a line of the order in a parcel.
#[apply(input!)]
#[derive(Serialize)]
pub struct NewParcelItem {
    /// The line of the order.
    pub order_item_id: OrderItemId,
    /// How many units.
    pub quantity: Quantity,
}

/// A parcel that is to get a label.
pub(super) struct Wanted {
    pub(super) number: i64,
    pub(super) sides: [Length; 3],
    pub(super) weight: Weight,
    pub(super) items: Vec<ShipmentItem>,
}

type Goods = (ProductId, Option<VariantId>);

/// The parcels that are to get labels: those that staff packed, else those of the order's plan that
/// have none.
///
/// # Errors
/// [`Conflict::ShipmentExists`] where the parcels, or their goods, have labels that were not given up;
/// [`Error::Invalid`] for parcels that are not of this order.
pub(super) fn wanted(
    tx: &mut dyn Tx,
    order: &Order,
    packed: Option<&[NewParcel]>,
    live: &[Stored],
) -> Result<Vec<Wanted>> {
    let weights = order::unit_weights(tx, &order.id)?;
    let taken: Vec<i64> = live.iter().map(|it| it.shipment.parcel).collect();
    let wanted = match packed {
        Some(packed) => by_staff(order, packed, &taken, &weights)?,
        None => planned(tx, order, &taken, &weights)?,
    };
    Conflict::ShipmentExists.unless(!wanted.is_empty() && are_free(order, &wanted, live))?;
    Ok(wanted)
}

/// The parcels of the plan without a label; the whole order where it is older than plans.
fn planned(tx: &mut dyn Tx, order: &Order, taken: &[i64], weights: &[i64]) -> Result<Vec<Wanted>> {
    let plan = packing::of_order(tx, &order.id)?.unwrap_or_default();
    let numbered: Vec<(i64, PackedParcel)> = (1..).zip(plan.parcels).collect();
    if numbered.is_empty() {
        let whole = Wanted { number: 1, ..whole(order, weights) };
        return Ok(if taken.is_empty() { vec![whole] } else { Vec::new() });
    }
    let free = numbered.into_iter().filter(|(number, _)| !taken.contains(number));
    let parcel = |(number, parcel): (i64, PackedParcel)| Wanted {
        number,
        sides: [parcel.length, parcel.width, parcel.height],
        weight: parcel.weight,
        items: parcel
            .items
            .iter()
            .filter_map(|packed| {
                let is_it = |item: &&OrderItem| {
                    item.product_id == packed.product_id && item.variant_id == packed.variant_id
                };
                let place = order.items.iter().position(|item| is_it(&item))?;
                Some(content(order, place, packed.quantity, weights))
            })
            .collect(),
    };
    Ok(free.map(parcel).collect())
}

/// All of an order in one parcel of the usual size.
fn whole(order: &Order, weights: &[i64]) -> Wanted {
    let items: Vec<ShipmentItem> = (0..order.items.len())
        .map(|place| content(order, place, order.items[place].quantity, weights))
        .collect();
    let grams = items.iter().map(|item| item.weight.grams() * item.quantity).sum::<i64>().max(1);
    let sides = [BOX.length, BOX.width, BOX.height].map(Length::from_centimetres);
    Wanted { number: 1, sides, weight: Weight::from_grams(grams), items }
}

fn by_staff(
    order: &Order,
    packed: &[NewParcel],
    taken: &[i64],
    weights: &[i64],
) -> Result<Vec<Wanted>> {
    if !(1..=MAX_PARCELS).contains(&packed.len()) {
        let count = InvalidValue::ItemCount { least: 1, most: MAX_PARCELS as u64 };
        return Err(Error::field("parcels", count));
    }
    let mut wrong = FieldErrors::default();
    let mut wanted = Vec::with_capacity(packed.len());
    let numbers = (1..).filter(|number| !taken.contains(number));
    for ((place, parcel), number) in packed.iter().enumerate().zip(numbers) {
        let items = match &parcel.items {
            None if packed.len() == 1 => whole(order, weights).items,
            None => {
                wrong.add(format!("parcels[{place}].items"), InvalidValue::Required);
                continue;
            }
            Some(items) => of_lines(order, place, items, weights, &mut wrong),
        };
        let sides = [parcel.length, parcel.width, parcel.height];
        let weight = parcel.weight.max(Weight::from_grams(1));
        wanted.push(Wanted { number, sides, weight, items });
    }
    wrong.into_result()?;
    Ok(wanted)
}

fn of_lines(
    order: &Order,
    parcel: usize,
    items: &[NewParcelItem],
    weights: &[i64],
    wrong: &mut FieldErrors,
) -> Vec<ShipmentItem> {
    if items.is_empty() {
        wrong.add(format!("parcels[{parcel}].items"), InvalidValue::MinItems { least: 1 });
    }
    let mut contents = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let field = format!("parcels[{parcel}].items[{at}]");
        let Some(place) = order.items.iter().position(|line| line.id == item.order_item_id) else {
            wrong.add(format!("{field}.orderItemId"), InvalidValue::OutOfRange);
            continue;
        };
        let (units, most) = (item.quantity.get(), order.items[place].quantity);
        if units > most {
            wrong.add(format!("{field}.quantity"), InvalidValue::AtMost { most });
            continue;
        }
        contents.push(content(order, place, units, weights));
    }
    contents
}

/// Units of the line at this place of an order.
fn content(order: &Order, place: usize, quantity: i64, weights: &[i64]) -> ShipmentItem {
    let line = &order.items[place];
    let name = &line.product_name_snapshot;
    let variant = line.variant_snapshot.as_ref();
    ShipmentItem {
        product_id: line.product_id.clone(),
        variant_id: line.variant_id.clone(),
        name: variant.map_or_else(|| name.clone(), |it| format!("{name} ({it})")),
        quantity,
        price: line.price,
        weight: Weight::from_grams(weights.get(place).copied().unwrap_or_default()),
    }
}

/// Whether no unit of the order would travel twice.
fn are_free(order: &Order, wanted: &[Wanted], live: &[Stored]) -> bool {
    let mut units: HashMap<Goods, i64> = HashMap::new();
    let travelling = live.iter().flat_map(|it| &it.shipment.items);
    for item in travelling.chain(wanted.iter().flat_map(|parcel| &parcel.items)) {
        let goods = (item.product_id.clone(), item.variant_id.clone());
        *units.entry(goods).or_default() += item.quantity;
    }
    units.into_iter().all(|((product, variant), units)| {
        let of_order = |item: &&OrderItem| item.product_id == product && item.variant_id == variant;
        units <= order.items.iter().filter(of_order).map(|item| item.quantity).sum()
    })
}
