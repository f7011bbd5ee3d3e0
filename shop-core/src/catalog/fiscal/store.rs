//! The SQL of `product_fiscal` and `category_fiscal`.

use std::collections::HashMap;

use super::ProductFiscal;
use crate::area;
use crate::clock::Timestamp;
#[cfg(feature = "nfe")]
use crate::error::Entity;
use crate::error::{Error, Result};
use crate::fiscal::{Csosn, Digits, Gtin, Origin, Production, Unit};
use crate::id::{CategoryId, ProductId};
use crate::storage::{FromColumn, PLACES, Row, Tx, list_placed, params};

/// From nine columns, in the order of the fields.
impl FromColumn for ProductFiscal {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let origin: Option<i64> = row.get(column + 5)?;
        let production = match row.text(column + 8)? {
            Some("OWN") => Some(Production::Own),
            Some("RESALE") => Some(Production::Resale),
            _ => None,
        };
        Ok(Self {
            ncm: row.get(column)?,
            cest: row.get(column + 1)?,
            cfop_in_state: row.get(column + 2)?,
            cfop_out_of_state: row.get(column + 3)?,
            gtin: row.get(column + 4)?,
            origin: origin.map(Origin::try_from).transpose().map_err(Error::from_source)?,
            csosn: row.get(column + 6)?,
            unit: row.get(column + 7)?,
            production,
        })
    }
}

fn production_word(production: Production) -> &'static str {
    match production {
        Production::Own => "OWN",
        Production::Resale => "RESALE",
    }
}

/// The fiscal data of a product; empty where none was ever set.
#[cfg(feature = "nfe")]
pub(crate) fn of_product(tx: &mut dyn Tx, product: &ProductId) -> Result<ProductFiscal> {
    let found = of_products(tx, std::slice::from_ref(product))?;
    Ok(found.into_values().next().unwrap_or_default())
}

/// The fiscal data of products that have any.
pub(crate) fn of_products(
    tx: &mut dyn Tx,
    products: &[ProductId],
) -> Result<HashMap<ProductId, ProductFiscal>> {
    let sql = format!(
        "SELECT product_id, ncm, cest, cfop_in_state, cfop_out_of_state, gtin, origin, csosn, unit,
                production
         FROM product_fiscal WHERE product_id IN ({})",
        *PLACES
    );
    Ok(list_placed(tx, &sql, products)?.into_iter().collect())
}

/// The fiscal data that a category gives its products; empty where it gives none.
///
/// # Errors
/// [`Entity::Category`].
#[cfg(feature = "nfe")]
pub(crate) fn of_category(tx: &mut dyn Tx, category: &CategoryId) -> Result<ProductFiscal> {
    let found = tx.find(
        "SELECT f.ncm, f.cest, f.cfop_in_state, f.cfop_out_of_state, NULL, f.origin, f.csosn,
                f.unit, f.production
         FROM category c LEFT JOIN category_fiscal f ON f.category_id = c.id WHERE c.id = $1",
        params![category],
    )?;
    found.ok_or(Error::NotFound(Entity::Category))
}

/// What the category of a product says for it; nothing where it is in none.
#[cfg(feature = "nfe")]
pub(crate) fn fallback_of(tx: &mut dyn Tx, product: &ProductId) -> Result<ProductFiscal> {
    let found = fallbacks_of(tx, std::slice::from_ref(product))?;
    Ok(found.into_values().next().unwrap_or_default())
}

/// What their categories say for products, of those that are in one which says something.
#[cfg(feature = "nfe")]
pub(crate) fn fallbacks_of(
    tx: &mut dyn Tx,
    products: &[ProductId],
) -> Result<HashMap<ProductId, ProductFiscal>> {
    let sql = format!(
        "SELECT p.id, f.ncm, f.cest, f.cfop_in_state, f.cfop_out_of_state, NULL, f.origin, f.csosn,
                f.unit, f.production
         FROM product p JOIN category_fiscal f ON f.category_id = p.category_id
         WHERE p.id IN ({})",
        *PLACES
    );
    Ok(list_placed(tx, &sql, products)?.into_iter().collect())
}

/// Keeps what the category of a product says as the product's own: for the invoices of its orders
/// once it is deleted.
#[cfg(feature = "nfe")]
pub(in crate::catalog) fn keep_of_category(
    tx: &mut dyn Tx,
    product: &ProductId,
    now: Timestamp,
) -> Result<()> {
    let category = fallback_of(tx, product)?;
    if category == ProductFiscal::default() {
        return Ok(());
    }
    let own = of_product(tx, product)?;
    set_product(tx, product, &own.or(category), now)
}

/// The fiscal data of the categories of these slugs that have any.
#[cfg(feature = "nfe")]
pub(in crate::catalog) fn of_categories(
    tx: &mut dyn Tx,
    slugs: &[String],
) -> Result<HashMap<String, ProductFiscal>> {
    let sql = format!(
        "SELECT c.slug, f.ncm, f.cest, f.cfop_in_state, f.cfop_out_of_state, NULL, f.origin, f.csosn,
                f.unit, f.production
         FROM category c JOIN category_fiscal f ON f.category_id = c.id
         WHERE c.slug IN ({})",
        *PLACES
    );
    Ok(list_placed(tx, &sql, slugs)?.into_iter().collect())
}

pub(crate) fn set_product(
    tx: &mut dyn Tx,
    product: &ProductId,
    fiscal: &ProductFiscal,
    now: Timestamp,
) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.run(
        "INSERT INTO product_fiscal (product_id, ncm, cest, cfop_in_state, cfop_out_of_state, gtin,
           origin, csosn, unit, production, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (product_id) DO UPDATE SET ncm = excluded.ncm, cest = excluded.cest,
           cfop_in_state = excluded.cfop_in_state,
           cfop_out_of_state = excluded.cfop_out_of_state, gtin = excluded.gtin,
           origin = excluded.origin, csosn = excluded.csosn, unit = excluded.unit,
           production = excluded.production, updated_at = excluded.updated_at",
        params![
            product,
            fiscal.ncm.as_ref().map(Digits::as_str),
            fiscal.cest.as_ref().map(Digits::as_str),
            fiscal.cfop_in_state.as_ref().map(Digits::as_str),
            fiscal.cfop_out_of_state.as_ref().map(Digits::as_str),
            fiscal.gtin.as_ref().map(Gtin::as_str),
            fiscal.origin.map(|origin| i64::from(origin.get())),
            fiscal.csosn.map(Csosn::as_str),
            fiscal.unit.as_ref().map(Unit::as_str),
            fiscal.production.map(production_word),
            now
        ],
    )
}

#[cfg(feature = "nfe")]
pub(crate) fn set_category(
    tx: &mut dyn Tx,
    category: &CategoryId,
    fiscal: &ProductFiscal,
    now: Timestamp,
) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.run(
        "INSERT INTO category_fiscal (category_id, ncm, cest, cfop_in_state, cfop_out_of_state,
           origin, csosn, unit, production, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (category_id) DO UPDATE SET ncm = excluded.ncm, cest = excluded.cest,
           cfop_in_state = excluded.cfop_in_state,
           cfop_out_of_state = excluded.cfop_out_of_state, origin = excluded.origin,
           csosn = excluded.csosn, unit = excluded.unit, production = excluded.production,
           updated_at = excluded.updated_at",
        params![
            category,
            fiscal.ncm.as_ref().map(Digits::as_str),
            fiscal.cest.as_ref().map(Digits::as_str),
            fiscal.cfop_in_state.as_ref().map(Digits::as_str),
            fiscal.cfop_out_of_state.as_ref().map(Digits::as_str),
            fiscal.origin.map(|origin| i64::from(origin.get())),
            fiscal.csosn.map(Csosn::as_str),
            fiscal.unit.as_ref().map(Unit::as_str),
            fiscal.production.map(production_word),
            now
        ],
    )
}

/// A category that is deleted gives nothing to anything.
pub(in crate::catalog) fn forget_category(tx: &mut dyn Tx, category: &CategoryId) -> Result<()> {
    tx.touch(area::CATALOG);
    tx.run("DELETE FROM category_fiscal WHERE category_id = $1", params![category])
}
