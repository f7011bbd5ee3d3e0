//! Reads a product in full, with its variants and its latest reviews.

use super::Product;
use crate::catalog::item::Item;
use crate::catalog::review::{self, average_rating};
use crate::catalog::{Products, variant};
use crate::error::{Entity, Error, Result};
use crate::id::ProductId;
use crate::revision::Revision;
use crate::storage::{Param, Tx, params, read_columns};

/// How many of the latest reviews a product's page shows.
const SHOWN_REVIEWS: i64 = 50;

impl Products<'_> {
    /// A product in full, on sale or not.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &ProductId) -> Result<Product> {
        let id = id.clone();
        self.cx.db().read("product.get_for_admin", move |tx| get(tx, &id)).await
    }

    /// The product on sale with this slug, as shoppers see it: without a category that is hidden
    /// from them.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none, or it is not on sale.
    ///
    /// Cancel safe: reads only.
    pub async fn get_by_slug(&self, slug: &str) -> Result<Product> {
        let slug = slug.to_owned();
        let job = move |tx: &mut dyn Tx| find_on_sale(tx, &slug);
        self.cx
            .db()
            .lookup_public("product.get", job)
            .await?
            .ok_or(Error::NotFound(Entity::Product))
    }

    /// A product in full, on sale or not, by its id, its slug, or an article number of its own or
    /// of a variant.
    ///
    /// Cancel safe: reads only.
    pub async fn find(&self, name: &str) -> Result<Option<Product>> {
        let name = name.to_owned();
        self.cx.db().read("product.find", move |tx| find_by_name(tx, &name)).await
    }
}

/// A product, on sale or not.
pub(super) fn get(tx: &mut dyn Tx, id: &ProductId) -> Result<Product> {
    find(tx, id)?.ok_or(Error::NotFound(Entity::Product))
}

/// Checks that a product is in the state that the caller saw, where one is given.
///
/// # Errors
/// [`Error::NotFound`]; [`crate::error::Conflict::Changed`].
pub(crate) fn check(tx: &mut dyn Tx, id: &ProductId, expected: Option<&Revision>) -> Result<()> {
    if expected.is_none() {
        return Ok(());
    }
    get(tx, id)?.revision()?.check(expected)
}

/// Columns of a product with its category, where that fulfils `$category`, and its own stock;
/// `$where` says which.
macro_rules! select_product {
    ($category:literal, $where:literal) => {
        concat!(
            "SELECT p.id, p.name, p.slug, p.description, p.price, p.compare_price, s.quantity,
                    p.sku, p.weight_grams, p.length_mm, p.width_mm, p.height_mm, p.featured, p.active, p.images, p.review_count,
                    p.rating_sum, p.created_at, p.updated_at, p.variant_required, c.id, c.name, c.slug
             FROM product p JOIN stock s ON s.item_id = p.id
             LEFT JOIN category c ON c.id = p.category_id",
            $category,
            " WHERE ",
            $where
        )
    };
}

/// A product on sale, as shoppers see it: not in a category that is hidden from them.
pub(super) fn find_on_sale(tx: &mut dyn Tx, slug: &str) -> Result<Option<Product>> {
    load(tx, select_product!(" AND c.active = 1", "p.slug = $1 AND p.active = 1"), slug.into())
}

pub(super) fn find_by_name(tx: &mut dyn Tx, name: &str) -> Result<Option<Product>> {
    let by_slug = "SELECT id FROM product WHERE slug = $1";
    let by_slug: Option<ProductId> = tx.find(by_slug, params![name])?;
    let id = match by_slug {
        Some(id) => id,
        None => Item::find_by_sku(tx, name)?.map_or_else(|| name.into(), |item| item.product_id),
    };
    find(tx, &id)
}

/// A product, on sale or not.
pub(super) fn find(tx: &mut dyn Tx, id: &ProductId) -> Result<Option<Product>> {
    load(tx, select_product!("", "p.id = $1"), id.into())
}

fn load(tx: &mut dyn Tx, sql: &str, key: Param<'_>) -> Result<Option<Product>> {
    let Some(mut product) = tx.find::<Product>(sql, &[key])? else { return Ok(None) };
    product.variants = variant::of_product(tx, &product.id)?;
    product.reviews = review::latest(tx, &product.id, SHOWN_REVIEWS)?;
    Ok(Some(product))
}

read_columns!(
    Product: id, name, slug, description, price, compare_price, stock, sku, weight, length, width,
    height, featured,
    active, images, review_count, [rating_sum], created_at, updated_at, variant_required, category;
    average_rating: average_rating(rating_sum, review_count), variants: Vec::new(),
    reviews: Vec::new()
);
