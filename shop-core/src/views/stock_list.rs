//! The stock as staff see it: what is left of every product and variant, and its latest movements.

use std::collections::HashMap;

use futures_util::future::ready;
use futures_util::stream::{self, BoxStream, StreamExt};

use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{ProductId, VariantId};
use crate::inventory::Stocks;
use crate::page::{PageLimit, PageNumber, PageRequest};
use crate::stock::{self, MovementReason};
use crate::storage::{Filter, PLACES, Param, SearchWord, Tx, placed, read_columns};
use crate::value::OptionalText;
use crate::value::words::query_words;

/// More products than these are not found by a name, nor by an article number; the latest ones are.
const FOUND: i64 = 10_000;
/// So many of the latest movements of an item are shown with it.
const RECENT: i64 = 10;

/// Which products to list, latest first (`GET /api/admin/stock`): all of them, or with a `page` or
/// a `limit` one page.
#[apply(filter!)]
pub struct StockFilter {
    /// Which page, from 1. Without it and without `limit` the answer has all products.
    pub page: Option<PageNumber>,
    /// Products a page; 100 where only `page` is given.
    pub limit: Option<PageLimit>,
    /// Words of the name, each by its beginning; or how an article number begins, also a variant's.
    pub search: Option<OptionalText<120>>,
    /// True for those of which, or of a variant of which, few units are left: no more than the
    /// threshold of `stock.low`.
    pub low: Option<bool>,
}

/// The products that a [`StockFilter`] finds.
#[non_exhaustive]
pub struct StockList {
    /// How many there are in all, on this page and on others.
    pub total: i64,
    /// Those asked for, in pieces of at most 100. A piece is read when it is asked for, each in a
    /// transaction of its own, so the list takes the same memory however long it is.
    pub products: BoxStream<'static, Result<Vec<StockSummary>>>,
}

opaque! { StockList { total }; }

/// A product's units, and those of its variants.
#[apply(answer!)]
pub struct StockSummary {
    /// The product's id.
    pub id: ProductId,
    /// As it is called now.
    pub name: String,
    /// Its article number.
    pub sku: Option<String>,
    /// Units of the product itself.
    pub stock: i64,
    /// What happened to them, the latest 10, latest first.
    pub recent_movements: Vec<StockMovement>,
    /// Its variants, each with units of its own.
    pub variants: Vec<StockVariant>,
}

/// A variant's units.
#[apply(answer!)]
pub struct StockVariant {
    /// The variant's id.
    pub id: VariantId,
    /// What sets it apart, e.g. "200 g, Azul".
    pub name: String,
    /// Its article number.
    pub sku: Option<String>,
    /// Units of it.
    pub stock: i64,
    /// What happened to them, the latest 10, latest first.
    pub recent_movements: Vec<StockMovement>,
}

/// Units that came or went.
#[apply(answer!)]
pub struct StockMovement {
    /// Its number in the ledger; later movements have higher ones.
    pub id: String,
    /// How many came, or with a minus sign went.
    pub delta: i64,
    /// Why.
    pub reason: MovementReason,
    /// By way of what: `ORDER`, `ADMIN`, `API`, ..
    pub source: String,
    /// When.
    pub created_at: Timestamp,
}

impl Stocks<'_> {
    /// Products with their units and the latest movements of those.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: StockFilter) -> Result<StockList> {
        let low = self.cx.config().stock.low_threshold;
        let whole = filter.page.is_none() && filter.limit.is_none();
        let request = PageRequest::large(filter.page, filter.limit);
        let (wanted, piece) = (filter.clone(), Piece::page(request));
        let first =
            move |tx: &mut dyn Tx| Ok((count(tx, &wanted, low)?, list(tx, &wanted, low, &piece)?));
        let (total, first) = self.cx.db().read("stock.list", first).await?;
        let rest = if whole { Some((self.cx.clone(), next_after(&first))) } else { None };
        let rest = stream::try_unfold(rest, move |state| {
            let filter = filter.clone();
            async move {
                let Some((cx, Some(after))) = state else { return Ok(None) };
                let job = move |tx: &mut dyn Tx| list(tx, &filter, low, &Piece::after(&after));
                let piece = cx.db().read("stock.list", job).await?;
                let next = next_after(&piece);
                Ok((!piece.is_empty()).then_some((piece, Some((cx, next)))))
            }
        });
        Ok(StockList { total, products: stream::once(ready(Ok(first))).chain(rest).boxed() })
    }
}

/// Products next to each other in the list.
struct Piece {
    after: Option<ProductId>,
    limit: u32,
    offset: i64,
}

impl Piece {
    fn page(request: PageRequest) -> Self {
        Self { after: None, limit: request.limit, offset: request.offset() }
    }

    fn after(product: &ProductId) -> Self {
        Self { after: Some(product.clone()), limit: PageLimit::MAX, offset: 0 }
    }
}

/// Behind which product the list goes on, where a piece is full.
fn next_after(piece: &[StockSummary]) -> Option<ProductId> {
    let full = u32::try_from(piece.len()) == Ok(PageLimit::MAX);
    piece.last().filter(|_| full).map(|last| last.id.clone())
}

fn list(
    tx: &mut dyn Tx,
    wanted: &StockFilter,
    low: i64,
    piece: &Piece,
) -> Result<Vec<StockSummary>> {
    let mut found = rows(tx, wanted, low, piece)?;
    let ids: Vec<ProductId> = found.iter().map(|product| product.id.clone()).collect();
    let ids = placed(&ids);
    let variants = variants(tx, &ids)?;
    let mut movements = movements(tx, &ids)?;
    let mut recent = |id: &str| movements.remove(id).unwrap_or_default();
    let mut of_product: HashMap<ProductId, Vec<StockVariant>> = HashMap::new();
    for (product, mut variant) in variants {
        variant.recent_movements = recent(variant.id.as_str());
        of_product.entry(product).or_default().push(variant);
    }
    for product in &mut found {
        product.recent_movements = recent(product.id.as_str());
        product.variants = of_product.remove(&product.id).unwrap_or_default();
    }
    Ok(found)
}

/// What the search of a filter finds names by, and up to which article number.
fn needles(tx: &dyn Tx, wanted: &StockFilter) -> Option<Needles> {
    let text = wanted.search.as_ref().map(OptionalText::as_str).filter(|text| !text.is_empty())?;
    let words: Vec<SearchWord> = query_words(text).into_iter().map(SearchWord::Beginning).collect();
    let dialect = tx.dialect();
    let named = (!words.is_empty()).then(|| {
        ((dialect.text_search)("product_any_name_search"), (dialect.search_pattern)(&words))
    });
    // Article numbers are mostly in capitals, and typed without.
    let mut codes = vec![text.to_owned(), text.to_uppercase()];
    codes.dedup();
    let codes = codes.into_iter().map(|from| (from.clone(), format!("{from}\u{10FFFF}"))).collect();
    Some(Needles { named, codes })
}

struct Needles {
    /// The engine's own query for names, and its pattern, which is `$1`.
    named: Option<(String, String)>,
    /// From which article number up to which, as it was typed and in capitals.
    codes: Vec<(String, String)>,
}

/// The conditions of a filter on the table `product`.
fn conditions<'p>(wanted: &StockFilter, needles: Option<&'p Needles>, low: i64) -> Filter<'p> {
    let mut filter = Filter::default();
    if let Some(Needles { named, codes }) = needles {
        let mut found = Vec::new();
        if let Some((query, pattern)) = named {
            filter.bind(pattern);
            found.push(format!("pk IN (SELECT pk FROM ({query}) named LIMIT {FOUND})"));
        }
        for (from, to) in codes {
            let (from, to) = (filter.bind(from), filter.bind(to));
            found.push(format!(
                "pk IN (SELECT s.product_pk FROM sku k JOIN stock s ON s.item_id = k.item_id
                        WHERE k.code >= {from} AND k.code < {to} LIMIT {FOUND})"
            ));
        }
        filter.and(&format!("({})", found.join(" OR ")));
    }
    if wanted.low == Some(true) {
        let few = stock::at_most(&filter.bind(low), low);
        // The sign keeps SQLite from reading the row of each product of which few are left.
        filter.and(&format!("+pk IN (SELECT product_pk FROM stock WHERE {few})"));
    }
    filter
}

fn count(tx: &mut dyn Tx, wanted: &StockFilter, low: i64) -> Result<i64> {
    let needles = needles(tx, wanted);
    let filter = conditions(wanted, needles.as_ref(), low);
    let sql = format!("SELECT count(*) FROM product{}", filter.sql());
    tx.value(&sql, filter.params())
}

/// Ids sort by time, and their index is narrow: a late page passes over little. `CROSS JOIN`,
/// because the planner would walk through all products in the order of the answer otherwise.
fn rows(
    tx: &mut dyn Tx,
    wanted: &StockFilter,
    low: i64,
    piece: &Piece,
) -> Result<Vec<StockSummary>> {
    let needles = needles(tx, wanted);
    let mut filter = conditions(wanted, needles.as_ref(), low);
    filter.compare("id <", piece.after.as_ref());
    let conditions = filter.sql().to_owned();
    let (limit, offset) = (filter.bind(piece.limit), filter.bind(piece.offset));
    let sql = format!(
        "SELECT p.id, p.name, p.sku, s.quantity
         FROM (SELECT id FROM product{conditions} ORDER BY id DESC LIMIT {limit} OFFSET {offset}) hit
         CROSS JOIN product p CROSS JOIN stock s
         WHERE p.id = hit.id AND s.item_id = p.id ORDER BY p.id DESC"
    );
    tx.list(&sql, filter.params())
}

read_columns!(
    StockSummary: id, name, sku, stock; recent_movements: Vec::new(), variants: Vec::new()
);

fn variants(tx: &mut dyn Tx, products: &[Param<'_>]) -> Result<Vec<(ProductId, StockVariant)>> {
    let sql = format!(
        "SELECT v.product_id, v.id, v.sku, s.quantity, o.value
         FROM variant v JOIN stock s ON s.item_id = v.id
         LEFT JOIN variant_value vv ON vv.variant_id = v.id
         LEFT JOIN variant_option o ON o.id = vv.variant_option_id
         LEFT JOIN variant_type t ON t.id = o.variant_type_id
         WHERE v.product_id IN ({}) ORDER BY v.product_id, v.position, v.id, t.position, t.name",
        *PLACES
    );
    let mut found: Vec<(ProductId, StockVariant)> = Vec::new();
    tx.query(&sql, products, &mut |row| {
        let (id, value): (VariantId, Option<String>) = (row.get(1)?, row.get(4)?);
        match (found.last_mut(), value) {
            (Some((_, last)), Some(value)) if last.id == id => {
                last.name.push_str(", ");
                last.name.push_str(&value);
            }
            (_, value) => {
                let variant = StockVariant {
                    id,
                    name: value.unwrap_or_default(),
                    sku: row.get(2)?,
                    stock: row.get(3)?,
                    recent_movements: Vec::new(),
                };
                found.push((row.get(0)?, variant));
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// The latest movements of products and of their variants, latest first, in one statement: from
/// each item's last one back, as each names the one before it.
fn movements(
    tx: &mut dyn Tx,
    products: &[Param<'_>],
) -> Result<HashMap<String, Vec<StockMovement>>> {
    let sql = format!(
        "WITH RECURSIVE item (id) AS (SELECT id FROM product WHERE id IN ({ids})
           UNION ALL SELECT id FROM variant WHERE product_id IN ({ids})),
         recent (item_id, id, delta, reason, source, created_at, previous, nth) AS (
           SELECT m.item_id, m.id, m.delta, m.reason, m.source, m.created_at, m.previous, 1
           FROM item JOIN stock s ON s.item_id = item.id
           JOIN stock_movement m ON m.id = s.last_movement
           UNION ALL
           SELECT m.item_id, m.id, m.delta, m.reason, m.source, m.created_at, m.previous, r.nth + 1
           FROM recent r JOIN stock_movement m ON m.id = r.previous WHERE r.nth < {RECENT})
         SELECT item_id, id, delta, reason, source, created_at FROM recent ORDER BY id DESC",
        ids = *PLACES,
    );
    let mut found: HashMap<String, Vec<StockMovement>> = HashMap::new();
    tx.query(&sql, products, &mut |row| {
        let id: i64 = row.get(1)?;
        let movement = StockMovement {
            id: id.to_string(),
            delta: row.get(2)?,
            reason: row.get(3)?,
            source: row.get(4)?,
            created_at: row.get(5)?,
        };
        found.entry(row.get(0)?).or_default().push(movement);
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::explain;

    #[tokio::test]
    async fn the_list_looks_at_no_product_that_it_does_not_show() {
        for search in ["", "vela", "SKU-1", "--"] {
            let wanted = StockFilter { search: search.parse().ok(), ..StockFilter::default() };
            let first = Piece::page(PageRequest::default());
            let job = move |tx: &mut dyn Tx| list(tx, &wanted, 5, &first).map(drop);
            let plan = explain::plan(job).await;
            assert!(plan.len() > 10, "{plan:?}");
            assert_eq!(
                explain::costly(&plan, &["hit", "named", "r", "recent"]),
                [""; 0],
                "{search}: {plan:#?}"
            );
        }
        let wanted = StockFilter { low: Some(true), ..StockFilter::default() };
        let job = move |tx: &mut dyn Tx| count(tx, &wanted, 5).map(drop);
        let plan = explain::plan(job).await;
        assert!(plan.iter().any(|step| step.contains("COVERING INDEX stock_few")), "{plan:#?}");
    }
}
