//! The only writes of `product`.

use super::state::ProductState;
use crate::area;
use crate::catalog::search::learn::{LearnedWords, learn};
use crate::catalog::{category, sku, slug};
use crate::context::Work;
use crate::error::{Conflict, Error, Result};
use crate::id::ProductId;
use crate::stock;
use crate::storage::{Tx, params};
use crate::value::Slug;

/// Inserts the row under the first slug that no product has, and gives its `pk`.
///
/// # Errors
/// [`Conflict::Slug`] when all are taken.
pub(super) fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    id: &ProductId,
    state: &mut ProductState,
    slugs: impl Iterator<Item = Slug>,
) -> Result<i64> {
    for slug in slugs {
        state.slug = slug;
        if let Some(pk) = insert_row(tx, at, id, state)? {
            return Ok(pk);
        }
    }
    Err(Error::Conflict(Conflict::Slug))
}

fn insert_row(
    tx: &mut dyn Tx,
    at: &Work,
    id: &ProductId,
    state: &ProductState,
) -> Result<Option<i64>> {
    tx.touch(area::CATALOG);
    let pk = tx.find(
        "INSERT INTO product (id, name, slug, description, price, compare_price, sku,
                              weight_grams, length_mm, width_mm, height_mm, featured, active,
                              category_id, images, variant_required, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)
         ON CONFLICT (slug) DO NOTHING RETURNING pk",
        params![
            id; state: name, slug, description, price, compare_price, sku, weight, length, width,
            height, featured, active, category_id;
            state.images.as_str(), state.variant_required, at.now()
        ],
    )?;
    if let Some(pk) = pk {
        tx.touch_row(area::LISTING, pk);
    }
    Ok(pk)
}

/// Announces that a product's row changes.
fn announce(tx: &mut dyn Tx, id: &ProductId) -> Result<()> {
    tx.touch(area::CATALOG);
    let pk: Option<i64> = tx.find("SELECT pk FROM product WHERE id = $1", params![id])?;
    if let Some(pk) = pk {
        tx.touch_row(area::LISTING, pk);
    }
    Ok(())
}

/// Replaces what a product's row says. Search words are indexed anew only where they changed.
///
/// # Errors
/// [`Conflict`] for a slug or an SKU that is taken, [`Error::Invalid`] for an unknown category.
pub(in crate::catalog) fn save(
    tx: &mut dyn Tx,
    at: &Work,
    id: &ProductId,
    before: &ProductState,
    after: &ProductState,
) -> Result<()> {
    if after.slug != before.slug {
        check_slug(tx, id, after.slug.as_str())?;
    }
    if after.sku != before.sku {
        sku::release(tx, id.as_str())?;
        sku::claim(tx, after.sku.as_deref(), id.as_str())?;
    }
    if after.category_id != before.category_id {
        category::check(tx, after.category_id.as_ref())?;
    }
    update(tx, at, id, after)?;
    if after.words() != before.words() {
        index(tx, id, after)?;
    }
    Ok(())
}

/// A slug that another product has, or that is a path of its own.
fn check_slug(tx: &mut dyn Tx, id: &ProductId, slug: &str) -> Result<()> {
    let sql = "SELECT 1 FROM product WHERE slug = $1 AND id <> $2";
    let taken = tx.exists(sql, params![slug, id])?;
    Conflict::Slug.unless(!taken && !slug::is_reserved(slug))
}

fn update(tx: &mut dyn Tx, at: &Work, id: &ProductId, state: &ProductState) -> Result<()> {
    announce(tx, id)?;
    tx.run(
        "UPDATE product SET slug = $1, price = $2, compare_price = $3, sku = $4,
                weight_grams = $5, length_mm = $6, width_mm = $7, height_mm = $8, featured = $9,
                category_id = $10, images = $11, variant_required = $12, updated_at = $13
         WHERE id = $14",
        params![
            state: slug, price, compare_price, sku, weight, length, width, height, featured,
            category_id;
            state.images.as_str(), state.variant_required, at.now(), id
        ],
    )
}

/// Writes the columns that the search index hangs on, and keeps their words.
fn index(tx: &mut dyn Tx, id: &ProductId, state: &ProductState) -> Result<()> {
    announce(tx, id)?;
    tx.execute(
        "UPDATE product SET name = $1, description = $2, active = $3 WHERE id = $4",
        params![&state.name, &state.description, state.active, id],
    )?;
    if !state.active {
        return Ok(());
    }
    let learned = &mut LearnedWords::new();
    learn(tx, &state.name, learned)?;
    learn(tx, &state.description, learned)
}

/// A product has changed when a variant of it has, and when staff or a program set its stock: a
/// program that polls for changes must see it. Sales are left out, for they are no change of the
/// product.
pub(crate) fn touch(tx: &mut dyn Tx, at: &Work, product: &ProductId) -> Result<()> {
    announce(tx, product)?;
    tx.run("UPDATE product SET updated_at = $1 WHERE id = $2", params![at.now(), product])
}

/// Adds to the count and the sum of a product's approved ratings, either of which may fall.
pub(in crate::catalog) fn add_ratings(
    tx: &mut dyn Tx,
    product: &ProductId,
    reviews: i64,
    sum: i64,
) -> Result<()> {
    announce(tx, product)?;
    tx.run(
        "UPDATE product SET review_count = review_count + $1, rating_sum = rating_sum + $2
         WHERE id = $3",
        params![reviews, sum, product],
    )
}

/// Deletes a product's row with its article number and its units. Its variants are gone already.
pub(in crate::catalog) fn delete(tx: &mut dyn Tx, at: &Work, id: &ProductId) -> Result<()> {
    sku::release(tx, id.as_str())?;
    stock::remove(tx, at, id.as_str())?;
    announce(tx, id)?;
    tx.run("DELETE FROM product WHERE id = $1", params![id])
}
