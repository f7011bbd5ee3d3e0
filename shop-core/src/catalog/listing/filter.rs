//! What a shopper filters products by, and the SQL for it.
//!
//! The SQL is put together from a fixed set of fragments, so that there are few different
//! statements and each stays prepared.

use serde::Deserialize;

use crate::catalog::search::vocabulary::search_words;
use crate::error::Result;
use crate::money::{AskedAmount, Money};
use crate::page::{PageLimit, PageNumber};
use crate::storage::{Param, SearchWord, Tx};
use crate::value::OptionalText;
use crate::value::words::query_words;

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
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(in crate::catalog) struct Criteria {
    /// All of these words; a search without a word in it finds nothing.
    pub(super) words: Option<Vec<String>>,
    pub(super) category: Option<String>,
    pub(super) featured: bool,
    pub(super) min_price: Option<Money>,
    pub(super) max_price: Option<Money>,
    pub(super) in_stock: bool,
}

impl ProductFilter {
    pub(super) fn criteria(&self) -> Criteria {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let search = self.search.as_ref().and_then(|text| given(text.as_str()));
        Criteria {
            words: search.map(|search| query_words(&search)),
            category: self.category.as_ref().and_then(|slug| given(slug.as_str())),
            featured: self.featured,
            min_price: self.min_price.map(AskedAmount::get),
            max_price: self.max_price.map(AskedAmount::get),
            in_stock: self.in_stock,
        }
    }
}

/// What the inner query of a page walks through. `CROSS JOIN` fixes which table comes first.
pub(super) struct Walk {
    pub(super) tables: String,
    pub(super) joins: String,
    pub(super) order: Option<&'static str>,
}

impl Walk {
    pub(super) fn products(joins: String) -> Self {
        Self { tables: "product p".to_owned(), joins, order: None }
    }
}

/// How many active products a filter finds.
pub(super) fn count(tx: &mut dyn Tx, criteria: &Criteria) -> Result<i64> {
    let search = Search::of(tx, criteria)?;
    let mut filter = Conditions::of(criteria, search.as_ref());
    // One pass over the narrow rows instead of two look-ups for each product.
    filter.in_stock("p.pk IN (SELECT product_pk FROM stock WHERE quantity > 0)");
    let sql = match &search {
        // A search finds only active products.
        Some(search) if filter.sql.is_empty() => {
            format!("SELECT count(*) FROM ({}) hits", search.sql)
        }
        Some(search) => {
            let Walk { tables, joins, .. } = search.walk();
            format!("SELECT count(*) FROM {tables} WHERE p.active = 1{joins}{}", filter.sql)
        }
        None => format!("SELECT count(*) FROM product p WHERE p.active = 1{}", filter.sql),
    };
    tx.value(&sql, &filter.params)
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

    pub(super) fn of(tx: &mut dyn Tx, criteria: &Criteria) -> Result<Option<Self>> {
        let Some(words) = &criteria.words else { return Ok(None) };
        let words = search_words(tx, words)?;
        Ok(Some(Self::new(tx, "product_search", &words)))
    }

    /// Through what it finds, newest first.
    pub(super) fn walk(&self) -> Walk {
        let tables = format!("({}) hits CROSS JOIN product p", self.sql);
        Walk { tables, joins: " AND p.pk = hits.pk".to_owned(), order: None }
    }
}

/// The conditions of a filter, each with `AND` before it. A search's pattern is the first parameter.
pub(super) struct Conditions<'p> {
    pub(super) sql: String,
    pub(super) params: Vec<Param<'p>>,
    wants_stock: bool,
}

impl<'p> Conditions<'p> {
    pub(super) fn of(criteria: &'p Criteria, search: Option<&'p Search>) -> Self {
        let Criteria { words: _, category, featured, min_price, max_price, in_stock } = criteria;
        let mut all = Self { sql: String::new(), params: Vec::new(), wants_stock: *in_stock };
        if let Some(search) = search {
            all.params.push((&search.pattern).into());
        }
        if let Some(slug) = category {
            let wanted = "p.category_id = (SELECT id FROM category WHERE active = 1 AND slug = ";
            all.compare(wanted, slug.into());
            all.sql.push(')');
        }
        if *featured {
            all.push("p.featured = 1");
        }
        if let Some(lowest) = min_price {
            all.compare("p.price >= ", (*lowest).into());
        }
        if let Some(highest) = max_price {
            all.compare("p.price <= ", (*highest).into());
        }
        all
    }

    fn push(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    fn compare(&mut self, left: &str, right: Param<'p>) {
        self.params.push(right);
        self.push(&format!("{left}${}", self.params.len()));
    }

    pub(super) fn in_stock(&mut self, condition: &str) {
        if self.wants_stock {
            self.push(condition);
        }
    }
}
