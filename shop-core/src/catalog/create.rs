//! How a product comes to be.

use serde::{Deserialize, Serialize};

use super::image::{Images, NewImage};
use super::product::{Product, Products, load_by_id};
use super::sheet::{Sheet, audit};
use super::sku;
use super::vocabulary::{Known, learn};
use crate::actor::Actor;
use crate::area;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{CategoryId, ProductId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::stock;
use crate::storage::Tx;
use crate::value::{
    InvalidValue, OptionalText, Price, Slug, StockLevel, Text, Weight, compare_price,
};

/// How many pictures a product can have; every list of products carries them.
const MAX_IMAGES: usize = 20;
/// How many products may share a slug before its number.
const MAX_SUFFIX: u32 = 10_000;
/// Slugs that are paths of their own beside `/api/products/{slug}`.
const RESERVED_SLUGS: &[&str] = &["search"];

/// A product to be added (`POST /api/admin/products`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewProduct {
    /// What shoppers call it.
    pub name: Text<2, 200>,
    /// Its name in addresses; gets a number behind it where it is taken.
    pub slug: Slug,
    /// Plain text.
    #[serde(default)]
    pub description: Option<OptionalText<20_000>>,
    /// What it costs.
    pub price: Price,
    /// What it used to cost; 0 is no such price.
    #[serde(default, deserialize_with = "compare_price")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::money::Money>", extend("minimum" = 0)))]
    pub compare_price: Option<Price>,
    /// The first count of its own units.
    pub stock: StockLevel,
    /// The shop's own article number.
    #[serde(default)]
    pub sku: Option<Text<1, 64>>,
    /// In kilograms, with packaging.
    #[serde(default)]
    pub weight: Option<Weight>,
    /// The category it stands in.
    #[serde(default)]
    pub category_id: Option<CategoryId>,
    /// Whether the shop puts it forward.
    #[serde(default)]
    pub featured: bool,
    /// Whether it is on sale at once.
    #[serde(default = "on_sale")]
    pub active: bool,
    /// Its pictures, at most 20.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = 20)))]
    pub images: Vec<NewImage>,
}

fn on_sale() -> bool {
    true
}

impl NewProduct {
    /// A product on sale with a name, a price and units, its slug made of its name, and nothing
    /// else yet; set the other fields on it.
    ///
    /// # Errors
    /// When the name has too few letters to make a slug of.
    pub fn new(name: Text<2, 200>, price: Price, stock: StockLevel) -> Result<Self, InvalidValue> {
        Ok(Self {
            slug: Slug::from_name(name.as_str())?,
            name,
            description: None,
            price,
            compare_price: None,
            stock,
            sku: None,
            weight: None,
            category_id: None,
            featured: false,
            active: true,
            images: Vec::new(),
        })
    }
}

/// The answer to [`Products::create_once`].
#[derive(Debug, Clone, PartialEq)]
pub struct CreatedProduct {
    /// The product as it was made.
    pub product: Product,
    /// Whether this is the first answer again, without a second product (decision 10).
    pub replayed: bool,
}

impl Products<'_> {
    /// Adds a product. Its first count is booked as a movement of its stock.
    ///
    /// # Errors
    /// [`Conflict::Sku`] when something else has its SKU, [`Error::Invalid`] when there is no such
    /// category or there are too many pictures.
    pub async fn create(&self, by: &Actor, new: NewProduct) -> Result<Product> {
        self.create_once(by, new, None).await.map(|created| created.product)
    }

    /// Adds a product. With a key, a repeat gives the first answer again.
    ///
    /// # Errors
    /// As [`Products::create`], and [`crate::error::Refusal::IdempotencyKeyReused`] when the key was
    /// used for another request.
    pub async fn create_once(
        &self,
        by: &Actor,
        new: NewProduct,
        key: Option<IdempotencyKey>,
    ) -> Result<CreatedProduct> {
        let actor = by.id().unwrap_or("system");
        let repeatable = key
            .map(|key| IdempotentRequest::new(key, actor, "product.create", &new))
            .transpose()?;
        let (by, at) = (by.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            if let Some(repeatable) = &repeatable
                && let Some(product) = repeatable.stored_answer(tx, at.now())?
            {
                return Ok(CreatedProduct { product, replayed: true });
            }
            let (id, _) = add(tx, &at, &new, &mut Known::new())?;
            let product = load_by_id(tx, &id)?.ok_or(Error::NotFound(Entity::Product))?;
            let made = Some((&Sheet::of(&product), product.stock));
            audit(tx, &at, &by, "product.create", &id, None, made)?;
            if let Some(repeatable) = &repeatable {
                repeatable.store_answer(tx, at.now(), &product)?;
            }
            Ok(CreatedProduct { product, replayed: false })
        };
        self.cx.db().write(lane::CATALOG, "product.create", job).await
    }
}

/// Whether a slug is a path of its own.
pub(super) fn is_reserved(slug: &str) -> bool {
    RESERVED_SLUGS.contains(&slug)
}

/// The slugs to try for a wished one, in order.
fn candidates(wished: &Slug) -> impl Iterator<Item = Slug> + '_ {
    let bare = (!is_reserved(wished.as_str())).then(|| wished.clone());
    bare.into_iter().chain(numbered(wished))
}

/// A slug with 2, 3, .. behind it.
pub(super) fn numbered(slug: &Slug) -> impl Iterator<Item = Slug> + '_ {
    (2..=MAX_SUFFIX).map(|n| slug.numbered(n))
}

/// Adds a product within a transaction: its id and its `pk`.
pub(crate) fn add(
    tx: &mut dyn Tx,
    at: &Work,
    new: &NewProduct,
    known: &mut Known,
) -> Result<(ProductId, i64)> {
    add_under(tx, at, new, known, candidates(&new.slug))
}

/// The same under the first of these slugs that nobody has.
pub(super) fn add_under(
    tx: &mut dyn Tx,
    at: &Work,
    new: &NewProduct,
    known: &mut Known,
    slugs: impl Iterator<Item = Slug>,
) -> Result<(ProductId, i64)> {
    check_category(tx, new.category_id.as_ref())?;
    check_image_count(&new.images)?;
    let id: ProductId = at.id();
    let mut sheet = Sheet::new(at, new)?;
    let pk = claim_slug(tx, at, &id, &mut sheet, slugs)?;
    sku::claim(tx, sheet.sku.as_deref(), id.as_str())?;
    stock::create(tx, at, id.as_str(), pk, false, new.stock.get())?;
    if sheet.active {
        learn(tx, &sheet.name, known)?;
        learn(tx, &sheet.description, known)?;
    }
    Ok((id, pk))
}

impl Sheet {
    fn new(at: &Work, new: &NewProduct) -> Result<Self> {
        Ok(Self {
            name: new.name.to_string(),
            slug: new.slug.to_string(),
            description: new.description.as_ref().map_or(String::new(), ToString::to_string),
            price: new.price.get(),
            compare_price: new.compare_price.map(Price::get),
            sku: new.sku.as_ref().map(ToString::to_string),
            weight: new.weight,
            featured: new.featured,
            active: new.active,
            category_id: new.category_id.clone(),
            images: Images::of(at, new.name.as_str(), &new.images)?,
        })
    }
}

pub(super) fn check_image_count(images: &[NewImage]) -> Result<()> {
    if images.len() > MAX_IMAGES {
        return Err(Error::field("images", InvalidValue::MaxItems { most: MAX_IMAGES as u64 }));
    }
    Ok(())
}

pub(super) fn check_category(tx: &mut dyn Tx, category: Option<&CategoryId>) -> Result<()> {
    let Some(id) = category else { return Ok(()) };
    let found = tx.one("SELECT 1 FROM category WHERE id = $1", &[id.into()], |_| Ok(()))?;
    found.ok_or_else(|| Error::field("categoryId", InvalidValue::UnknownCategory))
}

/// Inserts the row under the first slug that nobody has.
pub(super) fn claim_slug(
    tx: &mut dyn Tx,
    at: &Work,
    id: &ProductId,
    sheet: &mut Sheet,
    candidates: impl Iterator<Item = Slug>,
) -> Result<i64> {
    for slug in candidates {
        sheet.slug = slug.to_string();
        if let Some(pk) = insert_row(tx, at, id, sheet)? {
            return Ok(pk);
        }
    }
    Err(Error::Conflict(Conflict::Slug))
}

fn insert_row(tx: &mut dyn Tx, at: &Work, id: &ProductId, sheet: &Sheet) -> Result<Option<i64>> {
    tx.touch(area::CATALOG);
    tx.one(
        "INSERT INTO product (id, name, slug, description, price, compare_price, sku,
                              weight_grams, featured, active, category_id, images,
                              created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
         ON CONFLICT (slug) DO NOTHING RETURNING pk",
        &[
            id.into(),
            (&sheet.name).into(),
            (&sheet.slug).into(),
            (&sheet.description).into(),
            sheet.price.into(),
            sheet.compare_price.into(),
            sheet.sku.as_ref().into(),
            sheet.weight.into(),
            sheet.featured.into(),
            sheet.active.into(),
            sheet.category_id.as_ref().into(),
            sheet.images.as_str().into(),
            at.now().into(),
        ],
        |row| row.get(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_tried_bare_and_then_numbered_unless_it_is_a_path_of_its_own() {
        let tries = |slug: &str| -> Vec<String> {
            candidates(&slug.parse().unwrap()).take(3).map(|s| s.to_string()).collect()
        };
        assert_eq!(tries("vela"), ["vela", "vela-2", "vela-3"]);
        assert_eq!(tries("search"), ["search-2", "search-3", "search-4"]);
    }
}
