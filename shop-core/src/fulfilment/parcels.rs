//! Which parcels of an order are to get labels: those that were planned when it was placed, or
//! those that staff packed.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::{Conflict, Error, FieldErrors, Refusal, Result, check_count};
use crate::id::{OrderId, OrderItemId, ProductId, VariantId};
use crate::order::{self, Order, OrderItem};
use crate::shipment::{self, ShipmentItem, Stored};
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
/// have none, without what became part of a return before it was sent.
///
/// # Errors
/// [`Conflict::ShipmentExists`] where the parcels, or their goods, have labels that were not given
/// up; [`Refusal::OrderNotShippable`] where nothing is left to send; [`Error::Invalid`] for parcels
/// that are not of this order, and for more units than are left of it.
pub(super) fn wanted(
    tx: &mut dyn Tx,
    order: &Order,
    packed: Option<&[NewParcel]>,
    live: &[Stored],
) -> Result<Vec<Wanted>> {
    let weights = order::unit_weights(tx, &order.id)?;
    let taken: Vec<i64> = live.iter().map(|it| it.shipment.parcel).collect();
    let mut left = Left::of(tx, order, if packed.is_some() { &[] } else { live })?;
    let mut wanted = match packed {
        Some(packed) => by_staff(order, packed, &taken, &weights, &mut left)?,
        None => planned(tx, order, &taken, &weights, &mut left)?,
    };
    Conflict::ShipmentExists.unless(!wanted.is_empty() && are_free(order, &wanted, live))?;
    wanted.retain(|parcel| !parcel.items.is_empty());
    if wanted.is_empty() {
        Conflict::ShipmentExists.unless(live.is_empty())?;
        return Err(Error::Refused(Refusal::OrderNotShippable));
    }
    Ok(wanted)
}

/// The shipments of an order that were not given up.
pub(super) fn live(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Stored>> {
    let mut found = shipment::of_order(tx, order)?;
    found.retain(|it| it.shipment.status.is_live());
    Ok(found)
}

/// Whether something is left to send of what is in a parcel, beside the order's other labels.
pub(super) fn has_goods(tx: &mut dyn Tx, order: &Order, of: &Stored) -> Result<bool> {
    let mut others = live(tx, &order.id)?;
    others.retain(|it| it.shipment.id != of.shipment.id);
    let left = Left::of(tx, order, &others)?;
    Ok(of.shipment.items.iter().any(|item| {
        let goods = (item.product_id.clone(), item.variant_id.clone());
        left.0.get(&goods).is_some_and(|units| *units > 0)
    }))
}

/// Units of each item that are still to be sent.
struct Left(HashMap<Goods, i64>);

impl Left {
    /// What was bought, without what has a label or is part of a return: of what was posted that
    /// may be the same.
    fn of(tx: &mut dyn Tx, order: &Order, live: &[Stored]) -> Result<Self> {
        let (mut labelled, mut posted, mut left) = (
            HashMap::<Goods, i64>::new(),
            HashMap::<Goods, i64>::new(),
            HashMap::<Goods, i64>::new(),
        );
        for it in live {
            let units = if it.shipment.status.was_posted() { &mut posted } else { &mut labelled };
            for item in &it.shipment.items {
                let goods = (item.product_id.clone(), item.variant_id.clone());
                *units.entry(goods).or_default() += item.quantity;
            }
        }
        let mut returned = order::returned_units(tx, &order.id)?.into_iter();
        let mut gone = HashMap::<Goods, i64>::new();
        for line in &order.items {
            let goods = (line.product_id.clone(), line.variant_id.clone());
            *left.entry(goods.clone()).or_default() += line.quantity;
            *gone.entry(goods).or_default() += returned.next().unwrap_or_default();
        }
        for (goods, left) in &mut left {
            let of = |units: &HashMap<Goods, i64>| units.get(goods).copied().unwrap_or_default();
            *left = (*left - of(&labelled) - of(&posted).max(of(&gone))).max(0);
        }
        Ok(Self(left))
    }

    /// Those of a line's item.
    fn of_line(&mut self, line: &OrderItem) -> i64 {
        *self.entry(line)
    }

    /// So many of an item, as far as there are.
    fn take(&mut self, line: &OrderItem, units: i64) -> i64 {
        let left = self.entry(line);
        let taken = units.min(*left);
        *left -= taken;
        taken
    }

    fn entry(&mut self, line: &OrderItem) -> &mut i64 {
        self.0.entry((line.product_id.clone(), line.variant_id.clone())).or_default()
    }
}

/// The parcels of the plan without a label; the whole order where it is older than plans.
fn planned(
    tx: &mut dyn Tx,
    order: &Order,
    taken: &[i64],
    weights: &[i64],
    left: &mut Left,
) -> Result<Vec<Wanted>> {
    let plan = packing::of_order(tx, &order.id)?.unwrap_or_default();
    let numbered: Vec<(i64, PackedParcel)> = (1..).zip(plan.parcels).collect();
    if numbered.is_empty() {
        let whole = Wanted { number: 1, ..whole(order, weights, left) };
        return Ok(if taken.is_empty() { vec![whole] } else { Vec::new() });
    }
    let free = numbered.into_iter().filter(|(number, _)| !taken.contains(number));
    let parcel =
        |(number, parcel): (i64, PackedParcel)| of_plan(order, number, &parcel, weights, left);
    Ok(free.map(parcel).collect())
}

fn of_plan(
    order: &Order,
    number: i64,
    parcel: &PackedParcel,
    weights: &[i64],
    left: &mut Left,
) -> Wanted {
    let (mut items, mut grams) = (Vec::with_capacity(parcel.items.len()), parcel.weight.grams());
    for packed in &parcel.items {
        let is_it = |item: &OrderItem| {
            item.product_id == packed.product_id && item.variant_id == packed.variant_id
        };
        let Some(place) = order.items.iter().position(is_it) else { continue };
        let item = content(order, place, left.take(&order.items[place], packed.quantity), weights);
        grams -= item.weight.grams() * (packed.quantity - item.quantity);
        items.extend((item.quantity > 0).then_some(item));
    }
    let sides = [parcel.length, parcel.width, parcel.height];
    Wanted { number, sides, weight: Weight::from_grams(grams.max(1)), items }
}

/// All of an order in one parcel of the usual size.
fn whole(order: &Order, weights: &[i64], left: &mut Left) -> Wanted {
    let mut items: Vec<ShipmentItem> = (0..order.items.len())
        .map(|place| {
            let line = &order.items[place];
            content(order, place, left.take(line, line.quantity), weights)
        })
        .collect();
    items.retain(|item| item.quantity > 0);
    let grams = items.iter().map(|item| item.weight.grams() * item.quantity).sum::<i64>().max(1);
    let sides = [BOX.length, BOX.width, BOX.height].map(Length::from_centimetres);
    Wanted { number: 1, sides, weight: Weight::from_grams(grams), items }
}

fn by_staff(
    order: &Order,
    packed: &[NewParcel],
    taken: &[i64],
    weights: &[i64],
    left: &mut Left,
) -> Result<Vec<Wanted>> {
    check_count("parcels", packed.len(), MAX_PARCELS)?;
    let mut wrong = FieldErrors::default();
    let mut wanted = Vec::with_capacity(packed.len());
    let numbers = (1..).filter(|number| !taken.contains(number));
    for ((place, parcel), number) in packed.iter().enumerate().zip(numbers) {
        let items = match &parcel.items {
            None if packed.len() == 1 => whole(order, weights, left).items,
            None => {
                wrong.add(format!("parcels[{place}].items"), InvalidValue::Required);
                continue;
            }
            Some(items) => of_lines(order, place, items, weights, left, &mut wrong),
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
    left: &mut Left,
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
        let units = item.quantity.get();
        let most = left.of_line(&order.items[place]);
        if units > most {
            wrong.add(format!("{field}.quantity"), InvalidValue::AtMost { most });
            continue;
        }
        left.take(&order.items[place], units);
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
