//! A product of the shop, with all that a file says of it.

use crate::catalog::fiscal::{self, ProductFiscal};
use crate::catalog::product::ProductState;
use crate::catalog::variant::{self, Variant};
use crate::error::Result;
use crate::id::ProductId;
use crate::storage::{FromColumn, Param, Row, Tx};
use crate::value::Slug;

/// A product with what its rows say.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) pk: i64,
    pub(super) id: ProductId,
    pub(super) state: ProductState,
    pub(super) stock: i64,
    /// Slug and name of its category.
    pub(super) category: Option<(Slug, String)>,
    pub(super) fiscal: ProductFiscal,
    /// Those that something sets apart, by which their lines are found.
    pub(super) variants: Vec<Variant>,
}

/// The products whose `piece_pk` a query gives, in the order of these.
pub(super) fn load(tx: &mut dyn Tx, piece: &str, params: &[Param<'_>]) -> Result<Vec<Entry>> {
    let sql = format!(
        "SELECT p.pk, p.id, s.quantity, p.name, p.slug, p.description, p.price, p.compare_price,
                p.sku, p.weight_grams, p.length_mm, p.width_mm, p.height_mm, p.featured, p.active,
                p.variant_required, p.category_id, p.images, c.slug, c.name
         FROM ({piece}) hit
         CROSS JOIN product p CROSS JOIN stock s LEFT JOIN category c ON c.id = p.category_id
         WHERE p.pk = hit.piece_pk AND s.item_id = p.id ORDER BY p.pk"
    );
    let mut entries: Vec<Entry> = tx.list(&sql, params)?;
    let ids: Vec<ProductId> = entries.iter().map(|entry| entry.id.clone()).collect();
    let mut variants = variant::of_products(tx, &ids)?;
    let mut fiscal = fiscal::of_products(tx, &ids)?;
    for entry in &mut entries {
        entry.fiscal = fiscal.remove(&entry.id).unwrap_or_default();
        entry.variants = variants.remove(&entry.id).unwrap_or_default();
        entry.variants.retain(|variant| !variant.values.is_empty());
    }
    Ok(entries)
}

impl FromColumn for Entry {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        Ok(Self {
            pk: row.get(column)?,
            id: row.get(column + 1)?,
            stock: row.get(column + 2)?,
            state: row.get(column + 3)?,
            category: row.get(column + 18)?,
            fiscal: ProductFiscal::default(),
            variants: Vec::new(),
        })
    }
}
