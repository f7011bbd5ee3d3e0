//! The SQL of categories: the only writes of `category`.

use super::{Category, CategoryRef, NewCategory};
use crate::area;
use crate::catalog::fiscal;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::CategoryId;
use crate::storage::{Param, Tx, params, read_columns};
use crate::value::{InvalidValue, Slug};

/// How many of the products that keep a category from being deleted are named.
const NAMED: usize = 10;

pub(crate) fn insert(tx: &mut dyn Tx, at: &Work, new: &NewCategory) -> Result<Category> {
    let slug = match &new.slug {
        Some(slug) => slug.clone(),
        None => Slug::from_name(new.name.as_str()).map_err(|bad| Error::field("slug", bad))?,
    };
    let category = Category {
        id: at.id(),
        name: new.name.to_string(),
        slug,
        description: new.description.as_ref().map(ToString::to_string),
        image: new.image.as_ref().map(ToString::to_string),
        active: new.active,
        product_count: 0,
    };
    tx.touch(area::CATALOG);
    let inserted = tx.exists(
        "INSERT INTO category (id, name, slug, description, image, active, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (slug) DO NOTHING RETURNING id",
        params![category: id, name, slug, description, image, active; at.now()],
    )?;
    Conflict::Slug.unless(inserted)?;
    Ok(category)
}

read_columns!(CategoryRef: id, name, slug);

/// # Errors
/// [`Error::Invalid`] when there is no such category.
pub(in crate::catalog) fn check(tx: &mut dyn Tx, category: Option<&CategoryId>) -> Result<()> {
    let Some(id) = category else { return Ok(()) };
    let found = tx.exists("SELECT 1 FROM category WHERE id = $1", params![id])?;
    if found { Ok(()) } else { Err(Error::field("categoryId", InvalidValue::UnknownCategory)) }
}

/// The category with this slug, if there is one.
pub(in crate::catalog) fn id_of(tx: &mut dyn Tx, slug: &str) -> Result<Option<CategoryId>> {
    tx.find("SELECT id FROM category WHERE slug = $1", params![slug])
}

/// As [`id_of`], where shoppers see the category.
pub(in crate::catalog) fn id_on_sale(tx: &mut dyn Tx, slug: &str) -> Result<Option<CategoryId>> {
    let sql = "SELECT id FROM category WHERE slug = $1 AND active = 1";
    tx.one(sql, params![slug], |row| row.get(0))
}

/// The categories that shoppers see.
pub(in crate::catalog) fn refs_on_sale(tx: &mut dyn Tx) -> Result<Vec<CategoryRef>> {
    tx.list("SELECT id, name, slug FROM category WHERE active = 1", &[])
}

pub(super) fn find(tx: &mut dyn Tx, id: &CategoryId) -> Result<Category> {
    let found = select(tx, "AND category_id = $1", "WHERE c.id = $1", params![id])?;
    found.into_iter().next().ok_or(Error::NotFound(Entity::Category))
}

/// # Errors
/// [`Conflict::InUse`] when products, on sale or not, are in it.
pub(super) fn delete(tx: &mut dyn Tx, id: &CategoryId) -> Result<()> {
    refuse_use(tx, id)?;
    tx.touch(area::CATALOG);
    fiscal::forget_category(tx, id)?;
    tx.run("DELETE FROM category WHERE id = $1", params![id])
}

fn refuse_use(tx: &mut dyn Tx, id: &CategoryId) -> Result<()> {
    let sql = format!("SELECT name FROM product WHERE category_id = $1 LIMIT {NAMED}");
    let names: Vec<String> = tx.list(&sql, params![id])?;
    if names.is_empty() { Ok(()) } else { Err(Error::Conflict(Conflict::InUse { names })) }
}

pub(super) fn update(tx: &mut dyn Tx, category: &Category) -> Result<()> {
    let taken = tx.exists(
        "SELECT 1 FROM category WHERE slug = $1 AND id <> $2",
        params![&category.slug, &category.id],
    )?;
    Conflict::Slug.unless(!taken)?;
    tx.touch(area::CATALOG);
    tx.run(
        "UPDATE category SET name = $1, slug = $2, description = $3, image = $4, active = $5
         WHERE id = $6",
        params![category: name, slug, description, image, active, id],
    )
}

/// Those that shoppers see, with the number of their products on sale.
pub(super) fn list_shown(tx: &mut dyn Tx) -> Result<Vec<Category>> {
    select(tx, "AND active = 1", "WHERE c.active = 1", &[])
}

/// All of them, with the number of all their products.
pub(super) fn list(tx: &mut dyn Tx) -> Result<Vec<Category>> {
    select(tx, "", "", &[])
}

fn select(
    tx: &mut dyn Tx,
    counted: &str,
    wanted: &str,
    params: &[Param<'_>],
) -> Result<Vec<Category>> {
    let sql = format!(
        "SELECT c.id, c.name, c.slug, c.description, c.image, c.active, coalesce(n.products, 0)
         FROM category c LEFT JOIN (
           SELECT category_id, count(*) AS products FROM product
           WHERE category_id IS NOT NULL {counted} GROUP BY category_id) n ON n.category_id = c.id
         {wanted}"
    );
    tx.list(&sql, params)
}

read_columns!(Category: id, name, slug, description, image, active, product_count);
