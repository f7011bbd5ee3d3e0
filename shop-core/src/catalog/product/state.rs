//! What staff say about a product: what they change, what the audit log compares, and what a
//! revision covers. Its stock is no part of it, for that moves with every sale.

use serde::Serialize;

use crate::actor::Actor;
use crate::audit;
use crate::catalog::image::Images;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::{CategoryId, ProductId};
use crate::money::Money;
use crate::storage::{Tx, read_columns};
use crate::value::{Length, Slug, Weight};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::catalog) struct ProductState {
    pub(in crate::catalog) name: String,
    pub(in crate::catalog) slug: Slug,
    pub(in crate::catalog) description: String,
    pub(in crate::catalog) price: Money,
    pub(in crate::catalog) compare_price: Option<Money>,
    pub(in crate::catalog) sku: Option<String>,
    pub(in crate::catalog) weight: Option<Weight>,
    pub(in crate::catalog) length: Option<Length>,
    pub(in crate::catalog) width: Option<Length>,
    pub(in crate::catalog) height: Option<Length>,
    pub(in crate::catalog) featured: bool,
    pub(in crate::catalog) active: bool,
    pub(in crate::catalog) variant_required: bool,
    pub(in crate::catalog) category_id: Option<CategoryId>,
    pub(in crate::catalog) images: Images,
}

read_columns!(
    ProductState: name, slug, description, price, compare_price, sku, weight, length, width, height,
    featured, active, variant_required, category_id, images
);

/// What the audit log keeps of a product.
#[derive(Serialize)]
struct Audited<'a> {
    #[serde(flatten)]
    state: &'a ProductState,
    stock: i64,
}

impl ProductState {
    /// What searches find it by.
    pub(in crate::catalog) fn words(&self) -> (bool, &str, &str) {
        (self.active, &self.name, &self.description)
    }
}

/// What the audit log compares of a product: its state and its stock.
pub(in crate::catalog) type AuditedState<'a> = (&'a ProductState, i64);

/// Writes a line about a product into the audit log.
pub(in crate::catalog) fn audit(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    action: &'static str,
    id: &ProductId,
    before: Option<AuditedState<'_>>,
    after: Option<AuditedState<'_>>,
) -> Result<()> {
    let kept = |state: Option<AuditedState<'_>>| {
        let audited = state.map(|(state, stock)| Audited { state, stock });
        serde_json::to_value(audited).map_err(Error::from_source)
    };
    audit::record(tx, at, by, action, id.as_str(), &kept(before)?, &kept(after)?)
}
