//! Search: every word by its beginning, in name or description, whatever its case and accents
//! (docs/decisions.md, "Search"). Hits in the name come first, then the others, each newest first.

mod fuzzy;
mod highlight;
pub(crate) mod learn;
pub(super) mod vocabulary;

use std::collections::{HashMap, HashSet};

use self::highlight::{mark, snippet};
use self::vocabulary::search_words;
use super::handle::Products;
use crate::catalog::price_range::{MAX_PRICE, MIN_PRICE};
use crate::error::Result;
use crate::id::ProductId;
use crate::money::Money;
use crate::page::{PageLimit, PageNumber, PageRequest, Pagination};
use crate::storage::{FEW, FEW_PLACES, Row, Tx, few_placed, params};
use crate::value::words::product_words;
use crate::value::{Slug, Text};

/// Hits that a search looks at: no shopper reads on, and none has to wait for a count of them.
const MAX_HITS: usize = 1000;

/// What to search for (`GET /api/products/search`).
#[apply(input!)]
pub struct SearchQuery {
    /// What the shopper typed.
    pub q: Text<1, 200>,
    /// Which page, from 1.
    #[serde(default)]
    pub page: Option<PageNumber>,
    /// Hits a page.
    #[serde(default)]
    pub limit: Option<PageLimit>,
}

/// A page of what a search found.
#[apply(answer!)]
pub struct SearchPage {
    /// Hits in the name first, then the others, each newest first.
    pub data: Vec<SearchHit>,
    /// Where the page stands; at most 1000 hits are counted.
    pub pagination: Pagination,
    /// What the shopper typed, also where something alike was searched for.
    pub query: String,
}

/// A product that a search found.
#[apply(answer!)]
pub struct SearchHit {
    /// The product's id.
    pub id: ProductId,
    /// Its name as HTML, what was found in `<mark>`.
    pub name: String,
    /// Its name in addresses.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
    /// What it costs itself.
    pub price: Money,
    /// The lowest price at which it can be had: of its variants, where it has some.
    pub min_price: Money,
    /// The highest, which is the lowest where all cost the same.
    pub max_price: Money,
    /// The part of its description round what was found as HTML, or its name where it was only
    /// found there.
    pub highlight: String,
}

impl Products<'_> {
    /// Searches the products on sale. Where nothing is found, words that the catalogue does not
    /// know are taken for the nearest that it does know, if there are five or fewer of them.
    ///
    /// Cancel safe: reads only.
    pub async fn search(&self, query: SearchQuery) -> Result<SearchPage> {
        let request = PageRequest::of(query.page, query.limit);
        let words = product_words(query.q.as_str());
        let job = move |tx: &mut dyn Tx| find(tx, &words, request);
        let (data, total) = self.cx.db().read_public("product.search", job).await?;
        let pagination = Pagination::new(request, total);
        Ok(SearchPage { data, pagination, query: query.q.to_string() })
    }
}

fn find(tx: &mut dyn Tx, words: &[String], request: PageRequest) -> Result<(Vec<SearchHit>, i64)> {
    let mut hits = hits(tx, words)?;
    let mut corrected = None;
    if hits.is_empty() {
        corrected = fuzzy::correct(tx, words)?;
        if let Some(words) = &corrected {
            hits = self::hits(tx, words)?;
        }
    }
    let words = corrected.as_deref().unwrap_or(words);
    let total = i64::try_from(hits.len()).unwrap_or(i64::MAX);
    Ok((read_hits(tx, request.slice(&hits), words)?, total))
}

/// The products' `pk`s in the order of the answer.
fn hits(tx: &mut dyn Tx, words: &[String]) -> Result<Vec<i64>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let dialect = tx.dialect();
    let pattern = (dialect.search_pattern)(&search_words(tx, words)?);
    let mut hits = newest(tx, "product_name_search", &pattern)?;
    if hits.len() < MAX_HITS {
        let named: HashSet<i64> = hits.iter().copied().collect();
        let anywhere = newest(tx, "product_search", &pattern)?;
        hits.extend(anywhere.into_iter().filter(|pk| !named.contains(pk)));
        hits.truncate(MAX_HITS);
    }
    Ok(hits)
}

fn newest(tx: &mut dyn Tx, index: &str, pattern: &str) -> Result<Vec<i64>> {
    let search = (tx.dialect().text_search)(index);
    let sql = format!("SELECT pk FROM ({search}) hits LIMIT {MAX_HITS}");
    tx.list(&sql, params![pattern])
}

/// The products of a page, in its order.
fn read_hits(tx: &mut dyn Tx, pks: &[i64], words: &[String]) -> Result<Vec<SearchHit>> {
    let mut found = HashMap::with_capacity(pks.len());
    let sql = format!(
        "SELECT p.pk, p.id, p.name, p.slug, p.price, p.description, {MIN_PRICE}, {MAX_PRICE}
         FROM product p WHERE p.pk IN ({})",
        *FEW_PLACES
    );
    for some in pks.chunks(FEW) {
        tx.query(&sql, &few_placed(some), &mut |row| {
            found.insert(row.get::<i64>(0)?, read_hit(row, words)?);
            Ok(())
        })?;
    }
    Ok(pks.iter().filter_map(|pk| found.remove(pk)).collect())
}

fn read_hit(row: &dyn Row, words: &[String]) -> Result<SearchHit> {
    let name = mark(row.text(2)?.unwrap_or_default(), words);
    let found = snippet(row.text(5)?.unwrap_or_default(), words);
    let highlight = found.unwrap_or_else(|| name.clone());
    Ok(SearchHit {
        id: row.get(1)?,
        name,
        slug: row.get(3)?,
        price: row.get(4)?,
        min_price: row.get(6)?,
        max_price: row.get(7)?,
        highlight,
    })
}
