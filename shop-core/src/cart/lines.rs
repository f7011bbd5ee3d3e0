//! What is in a cart: today's prices, and how much may be in it.

use std::collections::HashSet;

use super::store::{self, SavedLine};
use super::{Cart, CartItem, CartProduct, MAX_LINES, NewCartItem};
use crate::catalog;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{AccountId, CartItemId, ProductId};
use crate::stock;
use crate::storage::Tx;
use crate::value::InvalidValue;

/// The cart with today's prices. A product that went off sale stays in sight, so that the shopper
/// can take it out; an order from this cart would refuse it by name.
pub(super) fn load(tx: &mut dyn Tx, owner: &str) -> Result<Cart> {
    let lines = store::saved_lines(tx, owner)?;
    let products: Vec<&ProductId> = lines.iter().map(|line| &line.product_id).collect();
    let cards = catalog::cards(tx, &products)?;
    let with_variant = lines.iter().filter(|line| line.variant_id.is_some());
    let prices = catalog::variant_prices(tx, with_variant.map(|line| &line.product_id))?;
    let items: Vec<CartItem> = lines
        .into_iter()
        .filter_map(|line| {
            let card = cards.get(&line.product_id)?;
            let own = line.variant_id.as_ref().and_then(|variant| prices.get(variant));
            let price = own.copied().unwrap_or(card.price);
            Some(CartItem {
                id: line.id,
                product_id: line.product_id,
                variant_id: line.variant_id,
                quantity: line.quantity,
                price,
                total: price * line.quantity,
                product: CartProduct {
                    name: card.name.clone(),
                    slug: card.slug.clone(),
                    images: card.images.clone(),
                },
            })
        })
        .collect();
    let subtotal = items.iter().map(|item| item.total).sum();
    Ok(Cart { items, subtotal })
}

/// Adds a line, or its quantity to the line of the same item.
pub(super) fn add(tx: &mut dyn Tx, at: &Work, owner: &str, item: &NewCartItem) -> Result<()> {
    let NewCartItem { product_id, variant_id, quantity } = item;
    let product = catalog::sellable(tx, product_id)?.ok_or(Error::NotFound(Entity::Product))?;
    if !product.active {
        return Err(Error::Refused(Refusal::InactiveProduct { name: product.name }));
    }
    match variant_id {
        Some(variant) => drop(catalog::Item::get(tx, product_id, Some(variant))?),
        None if product.variant_required => {
            return Err(Error::Refused(Refusal::VariantRequired { name: product.name }));
        }
        None => {}
    }
    let line = SavedLine {
        id: at.id(),
        product_id: product_id.clone(),
        variant_id: variant_id.clone(),
        quantity: quantity.get(),
        created_at: at.now(),
    };
    let lines = store::saved_lines(tx, owner)?;
    let same = lines.iter().find(|saved| saved.item_id() == line.item_id());
    if same.is_none() && lines.len() >= MAX_LINES {
        return Err(Error::field("productId", InvalidValue::CartFull));
    }
    let before = same.map_or(0, |saved| saved.quantity);
    check_stock(tx, line.item_id(), before.saturating_add(line.quantity), product.name)?;
    store::add(tx, owner, &line, None)
}

/// Sets a line's quantity. Fewer units are no question of the stock: a cart whose item sold
/// meanwhile comes down step by step.
pub(super) fn set_quantity(
    tx: &mut dyn Tx,
    owner: &str,
    id: &CartItemId,
    quantity: i64,
) -> Result<()> {
    let lines = store::saved_lines(tx, owner)?;
    let line = lines.into_iter().find(|line| line.id == *id);
    let line = line.ok_or(Error::NotFound(Entity::CartItem))?;
    let product = catalog::sellable(tx, &line.product_id)?;
    let product = product.ok_or(Error::NotFound(Entity::Product))?;
    if quantity > line.quantity {
        check_stock(tx, line.item_id(), quantity, product.name)?;
    }
    store::set_quantity(tx, owner, id, quantity)
}

fn check_stock(tx: &mut dyn Tx, item_id: &str, quantity: i64, name: String) -> Result<()> {
    let available = stock::quantity(tx, item_id)?.unwrap_or(0);
    if quantity > available {
        return Err(Error::Refused(Refusal::InsufficientStock { name, available }));
    }
    Ok(())
}

/// Adds lines of a guest's cart to an account's, each up to what is available, so that the cart
/// never holds more than an order could have.
pub(super) fn merge(tx: &mut dyn Tx, lines: Vec<SavedLine>, account: &AccountId) -> Result<()> {
    let own = store::saved_lines(tx, account.as_str())?;
    let mut items: HashSet<String> = own.iter().map(|line| line.item_id().to_owned()).collect();
    for line in lines {
        let has_room = items.len() < MAX_LINES || items.contains(line.item_id());
        let available = sellable_units(tx, &line)?;
        if has_room && available > 0 {
            store::add(tx, account.as_str(), &line, Some(available))?;
            items.insert(line.item_id().to_owned());
        }
    }
    Ok(())
}

/// How many units of a line's item can be bought now; none of what is off sale or deleted.
fn sellable_units(tx: &mut dyn Tx, line: &SavedLine) -> Result<i64> {
    match catalog::sellable(tx, &line.product_id)? {
        Some(product) if product.active => Ok(stock::quantity(tx, line.item_id())?.unwrap_or(0)),
        _ => Ok(0),
    }
}
