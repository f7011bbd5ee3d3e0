//! What an order takes over of a product and its variant.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::id::{ProductId, VariantId};
use crate::money::Money;
use crate::storage::Tx;
use crate::value::Weight;

/// What an order needs to know of a product.
pub(crate) struct Sellable {
    pub(crate) name: String,
    pub(crate) price: Money,
    pub(crate) active: bool,
    pub(crate) weight: Option<Weight>,
    pub(crate) image: Option<String>,
}

/// What an order must know of a product; on sale or not.
pub(crate) fn sellable(tx: &mut dyn Tx, product: &ProductId) -> Result<Option<Sellable>> {
    tx.one(
        "SELECT name, price, active, weight_grams, images FROM product WHERE id = $1",
        &[product.into()],
        |row| {
            Ok(Sellable {
                name: row.get(0)?,
                price: row.get(1)?,
                active: row.get(2)?,
                weight: row.int(3)?.map(Weight::from_grams),
                image: main_image(row.text(4)?.unwrap_or("[]"))?,
            })
        },
    )
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

/// A variant's price and its values as one text, e.g. "200 g, Azul".
pub(crate) fn sellable_variant(
    tx: &mut dyn Tx,
    product: &ProductId,
    variant: &VariantId,
) -> Result<Option<(Money, Option<String>)>> {
    let price = tx.one(
        "SELECT price FROM variant WHERE id = $1 AND product_id = $2",
        &[variant.into(), product.into()],
        |row| row.get(0),
    )?;
    let Some(price) = price else { return Ok(None) };
    let values = tx.all(
        "SELECT o.value FROM variant_value v
         JOIN variant_option o ON o.id = v.variant_option_id
         JOIN variant_type t ON t.id = o.variant_type_id
         WHERE v.variant_id = $1 ORDER BY t.position, t.name",
        &[variant.into()],
        |row| row.get::<String>(0),
    )?;
    Ok(Some((price, (!values.is_empty()).then(|| values.join(", ")))))
}
