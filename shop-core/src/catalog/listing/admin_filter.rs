//! What staff filter products by.

use crate::page::{PageLimit, PageNumber};
use crate::value::OptionalText;
use crate::value::words::product_words;

/// Which products to list (`GET /api/admin/products`).
#[apply(filter!)]
pub struct AdminProductFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Products a page.
    pub limit: Option<PageLimit>,
    /// Words that must all occur in the name, by their beginning.
    pub search: Option<OptionalText<200>>,
    /// A category's slug.
    pub category: Option<OptionalText<120>>,
    /// Only those on sale, or only those that are not.
    pub active: Option<bool>,
    /// Only those that the shop puts forward, or only the others.
    pub featured: Option<bool>,
}

/// What a filter demands, whatever the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(in crate::catalog) struct AdminCriteria {
    /// All of these words; a search without a word in it finds nothing.
    pub(super) words: Option<Vec<String>>,
    pub(super) category: Option<String>,
    pub(super) active: Option<bool>,
    pub(super) featured: Option<bool>,
}

impl AdminProductFilter {
    pub(super) fn criteria(&self) -> AdminCriteria {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let search = self.search.as_ref().and_then(|text| given(text.as_str()));
        AdminCriteria {
            words: search.map(|search| product_words(&search)),
            category: self.category.as_ref().and_then(|slug| given(slug.as_str())),
            active: self.active,
            featured: self.featured,
        }
    }
}
