//! What programs filter products by.

use serde::Deserialize;

use crate::page::{PageLimit, PageNumber};
use crate::value::OptionalText;

/// Which products a program reads (`GET /api/v1/products`).
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ProductRecordFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Products a page, 50 where it is left out; above 100 is taken as 100.
    #[cfg_attr(feature = "schema", schemars(extend("default" = 50)))]
    pub limit: Option<PageLimit>,
    /// A `nextCursor`: the products behind it, whatever `page` says.
    pub after: Option<OptionalText<64>>,
    /// Only products on sale, unless this is false.
    #[cfg_attr(feature = "schema", schemars(extend("default" = true)))]
    pub active: Option<bool>,
    /// A category's slug.
    pub category: Option<OptionalText<120>>,
    /// Only products of which the shop has few units itself.
    pub low_stock: bool,
}

/// What a filter demands of a product.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::catalog) struct RecordCriteria {
    pub(super) only_active: bool,
    pub(super) category: Option<String>,
    /// Few is so many units or fewer.
    pub(super) few: Option<i64>,
}

impl ProductRecordFilter {
    pub(super) fn criteria(&self, few: i64) -> RecordCriteria {
        let category = self.category.as_ref().map(ToString::to_string);
        RecordCriteria {
            only_active: self.active.unwrap_or(true),
            category: category.filter(|slug| !slug.is_empty()),
            few: self.low_stock.then_some(few),
        }
    }
}
