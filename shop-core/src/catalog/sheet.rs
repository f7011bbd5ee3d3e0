//! What staff say about a product: what they change, what the audit log compares, and what a
//! revision covers. Its stock is not among it, for that moves with every sale.

use serde::Serialize;

use super::image::Images;
use super::product::Product;
use super::vocabulary::{Known, learn};
use super::{create, sku};
use crate::actor::Actor;
use crate::area;
use crate::audit;
use crate::context::Work;
use crate::error::{Conflict, Error, Result};
use crate::id::{CategoryId, ProductId};
use crate::money::Money;
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::Weight;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sheet {
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) description: String,
    pub(super) price: Money,
    pub(super) compare_price: Option<Money>,
    pub(super) sku: Option<String>,
    pub(super) weight: Option<Weight>,
    pub(super) featured: bool,
    pub(super) active: bool,
    pub(super) category_id: Option<CategoryId>,
    pub(super) images: Images,
}

/// What the audit log keeps of a product.
#[derive(Serialize)]
struct Audited<'a> {
    #[serde(flatten)]
    sheet: &'a Sheet,
    stock: i64,
}

impl Product {
    /// The state of what staff say about it, for a later [`super::Products::update`]. Stock,
    /// variants and reviews, which move by themselves, are no part of it.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written as JSON.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(&Sheet::of(self))
    }
}

impl Sheet {
    pub(super) fn of(product: &Product) -> Self {
        Self {
            name: product.name.clone(),
            slug: product.slug.clone(),
            description: product.description.clone(),
            price: product.price,
            compare_price: product.compare_price,
            sku: product.sku.clone(),
            weight: product.weight,
            featured: product.featured,
            active: product.active,
            category_id: product.category.as_ref().map(|category| category.id.clone()),
            images: product.images.clone(),
        }
    }

    /// Replaces what a product's row says. Search words are indexed anew only where they changed.
    pub(super) fn save(
        &self,
        tx: &mut dyn Tx,
        at: &Work,
        id: &ProductId,
        before: &Self,
    ) -> Result<()> {
        if self.slug != before.slug {
            check_slug(tx, id, &self.slug)?;
        }
        if self.sku != before.sku {
            sku::release(tx, id.as_str())?;
            sku::claim(tx, self.sku.as_deref(), id.as_str())?;
        }
        if self.category_id != before.category_id {
            create::check_category(tx, self.category_id.as_ref())?;
        }
        self.update(tx, at, id)?;
        if self.words() != before.words() {
            self.index(tx, id)?;
        }
        Ok(())
    }

    /// What searches find it by.
    fn words(&self) -> (bool, &str, &str) {
        (self.active, &self.name, &self.description)
    }

    /// Writes the columns that the search index hangs on, and keeps their words.
    fn index(&self, tx: &mut dyn Tx, id: &ProductId) -> Result<()> {
        tx.touch(area::CATALOG);
        tx.execute(
            "UPDATE product SET name = $1, description = $2, active = $3 WHERE id = $4",
            &[(&self.name).into(), (&self.description).into(), self.active.into(), id.into()],
        )?;
        if !self.active {
            return Ok(());
        }
        let known = &mut Known::new();
        learn(tx, &self.name, known)?;
        learn(tx, &self.description, known)
    }

    fn update(&self, tx: &mut dyn Tx, at: &Work, id: &ProductId) -> Result<()> {
        tx.touch(area::CATALOG);
        tx.execute(
            "UPDATE product SET slug = $1, price = $2, compare_price = $3, sku = $4,
                    weight_grams = $5, featured = $6, category_id = $7, images = $8,
                    updated_at = $9
             WHERE id = $10",
            &[
                (&self.slug).into(),
                self.price.into(),
                self.compare_price.into(),
                self.sku.as_ref().into(),
                self.weight.into(),
                self.featured.into(),
                self.category_id.as_ref().into(),
                self.images.as_str().into(),
                at.now().into(),
                id.into(),
            ],
        )?;
        Ok(())
    }
}

/// A product has changed when a variant of it has, and when staff or a program set its stock: who
/// polls for what changed must see it. Sales are left out, for they are no change of the product.
pub(crate) fn touch(tx: &mut dyn Tx, at: &Work, product: &str) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.execute(
        "UPDATE product SET updated_at = $1 WHERE id = $2",
        &[at.now().into(), product.into()],
    )?;
    Ok(())
}

/// What is written down about a product: its sheet and its stock.
pub(super) type State<'a> = (&'a Sheet, i64);

/// Writes down what somebody did to a product.
pub(super) fn audit(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    action: &'static str,
    id: &ProductId,
    before: Option<State<'_>>,
    after: Option<State<'_>>,
) -> Result<()> {
    let kept = |state: Option<State<'_>>| {
        let audited = state.map(|(sheet, stock)| Audited { sheet, stock });
        serde_json::to_value(audited).map_err(Error::from_source)
    };
    audit::record(tx, at, by, action, id.as_str(), &kept(before)?, &kept(after)?)
}

/// A slug that another product has, or that is a path of its own.
fn check_slug(tx: &mut dyn Tx, id: &ProductId, slug: &str) -> Result<()> {
    let sql = "SELECT 1 FROM product WHERE slug = $1 AND id <> $2";
    let taken = tx.one(sql, &[slug.into(), id.into()], |_| Ok(()))?;
    if taken.is_some() || create::is_reserved(slug) {
        return Err(Error::Conflict(Conflict::Slug));
    }
    Ok(())
}
