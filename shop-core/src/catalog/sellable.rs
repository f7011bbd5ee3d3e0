//! What carts, wishlists and orders take over of products and variants.

use std::collections::HashMap;

use serde::Deserialize;

use super::image::Images;
use super::in_stock::IN_STOCK;
use crate::error::{Error, Refusal, Result};
use crate::id::{ProductId, VariantId};
use crate::money::Money;
use crate::page::PageLimit;
use crate::storage::{PLACES, Prefetch, Row, Tx, params, placed, read_columns};
use crate::value::{Length, Slug, Weight};

/// What a unit weighs and measures, packed for sending, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) weight: Option<Weight>,
    length: Option<Length>,
    width: Option<Length>,
    height: Option<Length>,
}

read_columns!(Packed: weight, length, width, height);

impl Packed {
    /// What it weighs; 0 is what programs send that do not know it.
    pub(crate) fn weight(&self) -> Weight {
        self.weight.filter(|it| it.grams() > 0).unwrap_or(Weight::DEFAULT)
    }

    /// Its three sides; none where one of them is unknown.
    pub(crate) fn sides(&self) -> Option<[Length; 3]> {
        Some([self.length?, self.width?, self.height?])
    }

    /// A variant's, with what it does not say taken from its product.
    pub(crate) fn or(self, product: Self) -> Self {
        let weight = self.weight.or(product.weight);
        let of = if self.sides().is_some() { self } else { product };
        Self { weight, ..of }
    }
}

/// What an order needs to know of a product.
pub(crate) struct Sellable {
    pub(crate) name: String,
    pub(crate) price: Money,
    pub(crate) active: bool,
    pub(crate) packed: Packed,
    pub(crate) image: Option<String>,
    /// Whether it is sold in variants only.
    pub(crate) variant_required: bool,
}

impl Sellable {
    /// From the columns name, price, active, those of [`Packed`], images and `variant_required`.
    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self {
            name: row.get(0)?,
            price: row.get(1)?,
            active: row.get(2)?,
            packed: row.get(3)?,
            image: main_image(row.text(7)?.unwrap_or("[]"))?,
            variant_required: row.get(8)?,
        })
    }
}

/// What an order must know of a product; on sale or not.
pub(crate) fn sellable(tx: &mut dyn Tx, product: &ProductId) -> Result<Option<Sellable>> {
    tx.one(SELLABLE, params![product], Sellable::read)
}

const SELLABLE: &str = "
    SELECT name, price, active, weight_grams, length_mm, width_mm, height_mm, images,
           variant_required
    FROM product WHERE id = $1";
const SELLABLE_VARIANT: &str = "
    SELECT price, weight_grams, length_mm, width_mm, height_mm
    FROM variant WHERE id = $1 AND product_id = $2";
const VARIANT_VALUES: &str = "
    SELECT o.value FROM variant_value v
    JOIN variant_option o ON o.id = v.variant_option_id
    JOIN variant_type t ON t.id = o.variant_type_id
    WHERE v.variant_id = $1 ORDER BY t.position, t.name";

/// What [`offered`] asks.
pub(crate) fn prefetch_offered(
    product: &ProductId,
    variant: Option<&VariantId>,
) -> impl Iterator<Item = Prefetch> {
    let of_variant = variant.map(|variant| {
        [
            Prefetch::new(SELLABLE_VARIANT, params![variant, product]),
            Prefetch::new(VARIANT_VALUES, params![variant]),
        ]
    });
    let of_product = Prefetch::new(SELLABLE, params![product]);
    std::iter::once(of_product).chain(of_variant.into_iter().flatten())
}

/// The next products on sale behind one, in the order of their ids.
#[cfg(feature = "nfe")]
pub(crate) fn sellable_after(
    tx: &mut dyn Tx,
    after: &ProductId,
    limit: i64,
) -> Result<Vec<(ProductId, Sellable)>> {
    tx.all(
        "SELECT name, price, active, weight_grams, length_mm, width_mm, height_mm, images,
                variant_required, id
         FROM product WHERE active = 1 AND id > $1 ORDER BY id LIMIT $2",
        params![after, limit],
        |row| Ok((row.get(9)?, Sellable::read(row)?)),
    )
}

/// All products, on sale or not, in the order in which they were added.
#[cfg(feature = "demo")]
pub(crate) fn all_sellable(tx: &mut dyn Tx) -> Result<Vec<(ProductId, Sellable)>> {
    let sql = "SELECT name, price, active, weight_grams, length_mm, width_mm, height_mm, images,
                variant_required, id
               FROM product ORDER BY pk";
    tx.all(sql, &[], |row| Ok((row.get(9)?, Sellable::read(row)?)))
}

/// A product or variant that can be bought, as orders take it over.
pub(crate) struct Offered {
    pub(crate) name: String,
    pub(crate) price: Money,
    /// A variant's values as one text.
    pub(crate) values: Option<String>,
    pub(crate) image: Option<String>,
    pub(crate) packed: Packed,
}

/// A product, or a variant of it, that can be bought.
///
/// # Errors
/// [`Refusal::InactiveProduct`] for one that is not on sale or unknown,
/// [`Refusal::VariantRequired`].
pub(crate) fn offered(
    tx: &mut dyn Tx,
    product: &ProductId,
    variant: Option<&VariantId>,
) -> Result<Offered> {
    let unknown = || Error::Refused(Refusal::InactiveProduct { name: product.to_string() });
    let found = sellable(tx, product)?.ok_or_else(unknown)?;
    if !found.active {
        return Err(Error::Refused(Refusal::InactiveProduct { name: found.name }));
    }
    let Sellable { name, image, packed, .. } = found;
    match variant {
        None if found.variant_required => Err(Error::Refused(Refusal::VariantRequired { name })),
        None => Ok(Offered { name, price: found.price, values: None, image, packed }),
        Some(variant) => {
            let gone = || Error::Refused(Refusal::InactiveProduct { name: name.clone() });
            let found = sellable_variant(tx, product, variant)?.ok_or_else(gone)?;
            let SellableVariant { price, values, packed: own } = found;
            Ok(Offered { name, price, values, image, packed: own.or(packed) })
        }
    }
}

/// A picture as the product's row keeps it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Picture {
    url: String,
    is_primary: bool,
}

/// The address of the main picture, else of the first.
fn main_image(images: &str) -> Result<Option<String>> {
    if images == "[]" {
        return Ok(None);
    }
    let images: Vec<Picture> = serde_json::from_str(images).map_err(Error::from_source)?;
    let main = images.iter().position(|image| image.is_primary).unwrap_or(0);
    Ok(images.into_iter().nth(main).map(|image| image.url))
}

/// What an order needs to know of a variant.
struct SellableVariant {
    price: Money,
    /// Its values as one text, e.g. "200 g, Azul".
    values: Option<String>,
    packed: Packed,
}

/// What an order must know of a variant of this product.
fn sellable_variant(
    tx: &mut dyn Tx,
    product: &ProductId,
    variant: &VariantId,
) -> Result<Option<SellableVariant>> {
    let found: Option<(Money, Packed)> = tx.find(SELLABLE_VARIANT, params![variant, product])?;
    let Some((price, packed)) = found else { return Ok(None) };
    let values = tx.list::<String>(VARIANT_VALUES, params![variant])?;
    let values = (!values.is_empty()).then(|| values.join(", "));
    Ok(Some(SellableVariant { price, values, packed }))
}

/// What a shopper needs to recognise a product, as it is now.
pub(crate) struct ProductCard {
    pub(crate) name: String,
    pub(crate) slug: Slug,
    pub(crate) price: Money,
    /// Units of the product itself.
    pub(crate) stock: i64,
    pub(crate) in_stock: bool,
    pub(crate) active: bool,
    pub(crate) images: Images,
}

read_columns!(ProductCard: name, slug, price, stock, in_stock, active, images);

/// The cards of products, on sale or not, in one statement for each hundred.
pub(crate) fn cards(
    tx: &mut dyn Tx,
    products: &[&ProductId],
) -> Result<HashMap<ProductId, ProductCard>> {
    let sql = format!(
        "SELECT p.id, p.name, p.slug, p.price, s.quantity, {IN_STOCK}, p.active, p.images
         FROM product p JOIN stock s ON s.item_id = p.id WHERE p.id IN ({})",
        *PLACES
    );
    let mut cards = HashMap::with_capacity(products.len());
    for some in products.chunks(PageLimit::MAX as usize) {
        tx.query(&sql, &placed(some.iter().copied()), &mut |row| {
            cards.insert(row.get(0)?, row.get(1)?);
            Ok(())
        })?;
    }
    Ok(cards)
}

/// The prices of all variants of products, in one statement for each hundred products.
pub(crate) fn variant_prices<'p>(
    tx: &mut dyn Tx,
    products: impl Iterator<Item = &'p ProductId>,
) -> Result<HashMap<VariantId, Money>> {
    let sql = format!("SELECT id, price FROM variant WHERE product_id IN ({})", *PLACES);
    let products: Vec<&ProductId> = products.collect();
    let mut prices = HashMap::new();
    for some in products.chunks(PageLimit::MAX as usize) {
        tx.query(&sql, &placed(some.iter().copied()), &mut |row| {
            prices.insert(row.get(0)?, row.get(1)?);
            Ok(())
        })?;
    }
    Ok(prices)
}
