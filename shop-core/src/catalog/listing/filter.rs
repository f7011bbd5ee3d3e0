//! What a shopper filters products by.

use serde::Deserialize;

use super::facets::FacetNames;
use super::index::Wanted;
use crate::catalog::search::vocabulary::search_words;
use crate::error::Result;
use crate::money::AskedAmount;
use crate::page::{PageLimit, PageNumber};
use crate::storage::{SearchWord, Tx};
use crate::value::OptionalText;
use crate::value::words::product_words;

/// Which products to list, in what order (`GET /api/products`).
#[apply(filter!)]
pub struct ProductFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Products a page.
    pub limit: Option<PageLimit>,
    /// Words that must all occur in name or description, by their beginning.
    pub search: Option<OptionalText<200>>,
    /// A category's slug.
    pub category: Option<OptionalText<120>>,
    /// Only products that the shop puts forward.
    pub featured: bool,
    /// Newest first where it is left out.
    pub sort: ProductSort,
    /// The lowest price.
    #[serde(deserialize_with = "AskedAmount::deserialize_text")]
    pub min_price: Option<AskedAmount>,
    /// The highest price.
    #[serde(deserialize_with = "AskedAmount::deserialize_text")]
    pub max_price: Option<AskedAmount>,
    /// Only products of which there is a unit, of its own or of a variant.
    pub in_stock: bool,
    /// Counts to come along.
    pub facets: Option<FacetNames>,
}

/// The order of a list of products. Equals stand newest first, at rising prices oldest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProductSort {
    /// The latest first.
    #[default]
    Newest,
    /// The cheapest first.
    PriceAsc,
    /// The dearest first.
    PriceDesc,
    /// The most units sold first.
    Popular,
}

/// What a filter demands of a product, whatever the order and the page.
#[derive(Debug, Clone, Default)]
pub(super) struct Criteria {
    /// All of these words; a search without a word in it finds nothing.
    pub(super) words: Option<Vec<String>>,
    /// The slug of its category.
    pub(super) category: Option<String>,
    pub(super) wanted: Wanted,
}

impl ProductFilter {
    pub(super) fn criteria(&self) -> Criteria {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let search = self.search.as_ref().and_then(|text| given(text.as_str()));
        Criteria {
            words: search.map(|search| product_words(&search)),
            category: self.category.as_ref().and_then(|slug| given(slug.as_str())),
            wanted: Wanted {
                featured: self.featured,
                in_stock: self.in_stock,
                min_price: self.min_price.map(AskedAmount::get),
                max_price: self.max_price.map(AskedAmount::get),
                ..Wanted::default()
            },
        }
    }
}

/// The engine's own query for the products that a search finds; its pattern is `$1`.
pub(super) struct Search {
    pub(super) sql: String,
    pub(super) pattern: String,
}

impl Search {
    pub(super) fn new(tx: &dyn Tx, index: &str, words: &[SearchWord]) -> Self {
        let dialect = tx.dialect();
        Self { sql: (dialect.text_search)(index), pattern: (dialect.search_pattern)(words) }
    }

    pub(super) fn of(tx: &mut dyn Tx, words: &[String]) -> Result<Self> {
        let words = search_words(tx, words)?;
        Ok(Self::new(tx, "product_search", &words))
    }
}
