//! What is in a parcel and how large it is, as its table keeps it.

use serde::{Deserialize, Serialize};

use super::{Shipment, ShipmentItem};
use crate::error::{Error, Result};
use crate::id::{ProductId, VariantId};
use crate::money::Money;
use crate::value::{Length, Weight};

/// In millimetres, grams and cents.
#[derive(Serialize, Deserialize)]
struct Content {
    sides: [i64; 3],
    grams: i64,
    items: Vec<ContentItem>,
}

#[derive(Serialize, Deserialize)]
struct ContentItem {
    product: ProductId,
    variant: Option<VariantId>,
    name: String,
    quantity: i64,
    cents: i64,
    grams: i64,
}

/// The sides, the weight and what is in it.
pub(super) type Parcel = ([Length; 3], Weight, Vec<ShipmentItem>);

/// Reads the text of the table.
pub(super) fn read(text: &str) -> Result<Parcel> {
    let Content { sides, grams, items } = serde_json::from_str(text).map_err(Error::from_source)?;
    let items = items.into_iter().map(ShipmentItem::from).collect();
    Ok((sides.map(Length::from_millimetres), Weight::from_grams(grams), items))
}

/// The text for the table.
pub(super) fn write(of: &Shipment) -> Result<String> {
    serde_json::to_string(&Content::of(of)).map_err(Error::from_source)
}

impl Content {
    fn of(it: &Shipment) -> Self {
        Self {
            sides: [it.length, it.width, it.height].map(Length::millimetres),
            grams: it.weight.grams(),
            items: it.items.iter().cloned().map(ContentItem::from).collect(),
        }
    }
}

impl From<ShipmentItem> for ContentItem {
    fn from(item: ShipmentItem) -> Self {
        let ShipmentItem { product_id, variant_id, name, quantity, price, weight } = item;
        let (cents, grams) = (price.cents(), weight.grams());
        Self { product: product_id, variant: variant_id, name, quantity, cents, grams }
    }
}

impl From<ContentItem> for ShipmentItem {
    fn from(kept: ContentItem) -> Self {
        let ContentItem { product, variant, name, quantity, cents, grams } = kept;
        let (price, weight) = (Money::from_cents(cents), Weight::from_grams(grams));
        Self { product_id: product, variant_id: variant, name, quantity, price, weight }
    }
}
