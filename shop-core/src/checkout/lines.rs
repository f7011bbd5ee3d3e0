//! The lines of an order to be placed: which items, how many units, what they cost and how they
//! travel.

use std::collections::HashMap;

use super::{PlaceItem, PlaceOrder};
use crate::cart::{self, MAX_LINES, SavedLine};
use crate::catalog::{self, Offered};
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::id::{AccountId, ProductId, VariantId};
use crate::money::Money;
use crate::shipping;
use crate::shipping::packing::{PackLine, PackingPlan};
use crate::stock::StockLine;
use crate::storage::Tx;
use crate::value::{InvalidValue, Quantity};

/// A product or a variant, and how many units.
pub(super) type Item = (ProductId, Option<VariantId>, i64);

/// The lines asked for, those of the same item summed.
pub(super) fn wanted_lines(
    tx: &mut dyn Tx,
    customer: &AccountId,
    order: &PlaceOrder,
) -> Result<Vec<Item>> {
    summed(match given(order) {
        Some(given) => given,
        None => saved(tx, customer)?,
    })
}

/// What an order names; `None` where it is the saved cart.
pub(super) fn given(order: &PlaceOrder) -> Option<Vec<Item>> {
    let item = |it: &PlaceItem| (it.product_id.clone(), it.variant_id.clone(), it.quantity.get());
    order.cart_items.as_ref().map(|items| items.iter().map(item).collect())
}

/// What is in the saved cart.
pub(super) fn saved(tx: &mut dyn Tx, customer: &AccountId) -> Result<Vec<Item>> {
    Ok(cart::saved_lines(tx, customer.as_str())?.into_iter().map(saved_line).collect())
}

pub(super) fn saved_line(line: SavedLine) -> Item {
    (line.product_id, line.variant_id, line.quantity)
}

/// Lines in the order in which they were given, those of the same item summed.
pub(super) fn summed(given: Vec<Item>) -> Result<Vec<Item>> {
    if given.is_empty() {
        return Err(Error::Refused(Refusal::EmptyCart));
    }
    let mut places = HashMap::new();
    let mut sums: Vec<Item> = Vec::with_capacity(given.len());
    for (product, variant, quantity) in given {
        let place = *places.entry((product.clone(), variant.clone())).or_insert(sums.len());
        match sums.get_mut(place) {
            Some((_, _, sum)) => *sum += quantity,
            None => sums.push((product, variant, quantity)),
        }
    }
    check_sums(&sums)?;
    Ok(sums)
}

fn check_sums(sums: &[Item]) -> Result<()> {
    let mut fields = FieldErrors::default();
    if sums.len() > MAX_LINES {
        fields.add("cartItems", InvalidValue::TooManyProducts { most: MAX_LINES as u64 });
    }
    let mut units = sums.iter().map(|(_, _, sum)| Quantity::try_from(*sum));
    if let Some(Err(error)) = units.find(Result::is_err) {
        fields.add("cartItems", error);
    }
    fields.into_result()
}

/// A line with the price and name of this moment.
pub(super) struct PricedLine {
    pub(super) stock: StockLine,
    pub(super) product_id: ProductId,
    pub(super) variant_id: Option<VariantId>,
    pub(super) offered: Offered,
}

impl PricedLine {
    pub(super) fn total(&self) -> Money {
        self.offered.price * self.stock.quantity
    }

    fn to_pack(&self) -> PackLine {
        let variant = self.variant_id.as_ref();
        PackLine::of(&self.product_id, variant, self.stock.quantity, &self.offered)
    }
}

pub(super) fn price_lines(tx: &mut dyn Tx, wanted: &[Item]) -> Result<Vec<PricedLine>> {
    wanted
        .iter()
        .map(|(product, variant, n)| price_line(tx, product, variant.as_ref(), *n))
        .collect()
}

fn price_line(
    tx: &mut dyn Tx,
    product: &ProductId,
    variant: Option<&VariantId>,
    quantity: i64,
) -> Result<PricedLine> {
    let offered = catalog::offered(tx, product, variant)?;
    let item_id = variant.map_or(product.as_str(), VariantId::as_str).to_owned();
    Ok(PricedLine {
        stock: StockLine {
            item_id,
            product_id: product.to_string(),
            quantity,
            units: quantity,
            new_lines: 1,
        },
        product_id: product.clone(),
        variant_id: variant.cloned(),
        offered,
    })
}

/// How the lines travel.
pub(super) fn packed(tx: &mut dyn Tx, lines: &[PricedLine]) -> Result<PackingPlan> {
    let lines: Vec<PackLine> = lines.iter().map(PricedLine::to_pack).collect();
    Ok(PackingPlan::pack(&shipping::all_boxes(tx)?, &lines))
}
