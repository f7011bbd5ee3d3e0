//! How a product comes to be.

use serde::Deserialize;

use super::image::{Images, NewImage};
use super::product::{Product, Products, load_by_id};
use super::vocabulary::{Known, learn};
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{CategoryId, Moment, ProductId};
use crate::stock;
use crate::storage::Tx;
use crate::value::{InvalidValue, OptionalText, Price, Slug, StockLevel, Text, Weight};

/// How many pictures a product can have; every list of products carries them.
const MAX_IMAGES: usize = 20;
/// How many products may share a slug before its number.
const MAX_SUFFIX: u32 = 10_000;
/// Slugs that are paths of their own beside `/api/products/{slug}`.
const RESERVED_SLUGS: &[&str] = &["search"];

/// A product to be added (`POST /api/admin/products`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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
    /// What it used to cost.
    #[serde(default)]
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

impl Products<'_> {
    /// Adds a product. Its first count is booked as a movement of its stock.
    ///
    /// # Errors
    /// [`Conflict::Sku`] when something else has its SKU, [`Error::Invalid`] when there is no such
    /// category or there are too many pictures.
    pub async fn create(&self, new: NewProduct) -> Result<Product> {
        let at = self.shop.moment();
        let job = move |tx: &mut dyn Tx| {
            let (id, _) = add(tx, &at, &new, &mut Known::new())?;
            load_by_id(tx, &id)?.ok_or(Error::NotFound(Entity::Product))
        };
        self.shop.db().write("product.create", job).await
    }
}

/// The slugs to try for a wished one, in order.
fn candidates(wished: &Slug) -> impl Iterator<Item = Slug> + '_ {
    let reserved = RESERVED_SLUGS.contains(&wished.as_str());
    let bare = (!reserved).then(|| wished.clone());
    bare.into_iter().chain((2..=MAX_SUFFIX).map(|n| wished.numbered(n)))
}

/// Adds a product within a transaction: its id and its `pk`.
pub(crate) fn add(
    tx: &mut dyn Tx,
    at: &Moment,
    new: &NewProduct,
    known: &mut Known,
) -> Result<(ProductId, i64)> {
    check_category(tx, new.category_id.as_ref())?;
    if new.images.len() > MAX_IMAGES {
        return Err(Error::field("images", format!("Deve ter no máximo {MAX_IMAGES} itens")));
    }
    let id: ProductId = at.id();
    let images = Images::of(at, new.name.as_str(), &new.images)?;
    let pk = claim_slug(tx, at, &id, new, &images)?;
    claim_sku(tx, new.sku.as_ref(), id.as_str())?;
    stock::create(tx, at, id.as_str(), pk, false, new.stock.get())?;
    if new.active {
        learn(tx, new.name.as_str(), known)?;
        learn(tx, description(new), known)?;
    }
    Ok((id, pk))
}

fn description(new: &NewProduct) -> &str {
    new.description.as_ref().map_or("", OptionalText::as_str)
}

fn check_category(tx: &mut dyn Tx, category: Option<&CategoryId>) -> Result<()> {
    let Some(id) = category else { return Ok(()) };
    let found = tx.one("SELECT 1 FROM category WHERE id = $1", &[id.into()], |_| Ok(()))?;
    found.ok_or_else(|| Error::field("categoryId", "Categoria não encontrada"))
}

/// Inserts the row under the first slug that nobody has.
fn claim_slug(
    tx: &mut dyn Tx,
    at: &Moment,
    id: &ProductId,
    new: &NewProduct,
    images: &Images,
) -> Result<i64> {
    for slug in candidates(&new.slug) {
        if let Some(pk) = insert_row(tx, at, id, &slug, new, images)? {
            return Ok(pk);
        }
    }
    Err(Error::Conflict(Conflict::Slug))
}

fn insert_row(
    tx: &mut dyn Tx,
    at: &Moment,
    id: &ProductId,
    slug: &Slug,
    new: &NewProduct,
    images: &Images,
) -> Result<Option<i64>> {
    tx.one(
        "INSERT INTO product (id, name, slug, description, price, compare_price, sku,
                              weight_grams, featured, active, category_id, images,
                              created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
         ON CONFLICT (slug) DO NOTHING RETURNING pk",
        &[
            id.into(),
            (&new.name).into(),
            slug.into(),
            description(new).into(),
            new.price.into(),
            new.compare_price.into(),
            new.sku.as_ref().into(),
            new.weight.into(),
            new.featured.into(),
            new.active.into(),
            new.category_id.as_ref().into(),
            images.as_str().into(),
            at.now().into(),
        ],
        |row| row.get(0),
    )
}

/// Takes an article number for a product or a variant; there is one namespace for both.
pub(super) fn claim_sku(tx: &mut dyn Tx, sku: Option<&Text<1, 64>>, item_id: &str) -> Result<()> {
    let Some(sku) = sku else { return Ok(()) };
    let taken = tx.one(
        "INSERT INTO sku (code, item_id) VALUES ($1, $2)
         ON CONFLICT (code) DO NOTHING RETURNING code",
        &[sku.into(), item_id.into()],
        |_| Ok(()),
    )?;
    taken.ok_or(Error::Conflict(Conflict::Sku))
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
