//! What staff say about a variant: what a revision covers and the audit log compares. Its stock is
//! no part of it.

use serde::Serialize;

use super::{AdminVariant, VariantPatch};
use crate::id::{ProductId, VariantOptionId};
use crate::money::Money;
use crate::value::{Length, Price, Weight};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VariantState {
    pub(super) price: Money,
    pub(super) compare_price: Option<Money>,
    pub(super) sku: Option<String>,
    pub(super) weight: Option<Weight>,
    pub(super) length: Option<Length>,
    pub(super) width: Option<Length>,
    pub(super) height: Option<Length>,
    /// Option ids, sorted.
    pub(super) options: Vec<VariantOptionId>,
}

/// What the audit log keeps of a variant.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AuditedVariant<'a> {
    pub(super) product_id: &'a ProductId,
    #[serde(flatten)]
    pub(super) state: &'a VariantState,
    pub(super) stock: i64,
}

revised! {
    /// The state of what staff say about it, for a later
    /// [`super::super::Products::update_variant`]. Its stock is no part of it.
    AdminVariant |it| &VariantState::of(it);
}

impl AdminVariant {
    pub(super) fn option_ids(&self) -> Vec<VariantOptionId> {
        sorted(self.values.iter().map(|value| &value.variant_option_id))
    }
}

impl VariantState {
    pub(super) fn of(variant: &AdminVariant) -> Self {
        Self {
            price: variant.price,
            compare_price: variant.compare_price,
            sku: variant.sku.clone(),
            weight: variant.weight,
            length: variant.length,
            width: variant.width,
            height: variant.height,
            options: variant.option_ids(),
        }
    }

    pub(super) fn patched(&self, patch: &VariantPatch) -> Self {
        Self {
            price: patch.price.map_or(self.price, Price::get),
            compare_price: patch.compare_price.map_or(self.compare_price, |p| p.map(Price::get)),
            sku: match &patch.sku {
                Some(sku) => sku.as_ref().map(ToString::to_string),
                None => self.sku.clone(),
            },
            weight: patch.weight.unwrap_or(self.weight),
            length: patch.length.unwrap_or(self.length),
            width: patch.width.unwrap_or(self.width),
            height: patch.height.unwrap_or(self.height),
            options: match &patch.values {
                Some(values) => sorted(values.iter().map(|value| &value.variant_option_id)),
                None => self.options.clone(),
            },
        }
    }
}

pub(super) fn sorted<'a>(ids: impl Iterator<Item = &'a VariantOptionId>) -> Vec<VariantOptionId> {
    let mut ids: Vec<VariantOptionId> = ids.cloned().collect();
    ids.sort();
    ids
}
