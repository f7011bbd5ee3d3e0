//! The shelf as staff sees it: what is left of everything, and what happened to it lately.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::correct::{StockItem, recount};
use super::{MovementReason, StockSource, Stocks, announce};
use crate::actor::Actor;
use crate::catalog::query_words;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::{ProductId, VariantId};
use crate::page::{PageLimit, PageNumber, PageRequest};
use crate::revision::Revision;
use crate::storage::{Filter, FromColumn, PLACES, Param, Row, SearchWord, Tx, placed};
use crate::value::{OptionalText, StockLevel};

/// More products than these are not found by a name, nor by an article number; the latest ones are.
const FOUND: i64 = 10_000;
/// So many of the latest movements of an item are shown with it.
const RECENT: i64 = 10;

/// Which products to list, latest first (`GET /api/admin/stock`).
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StockFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Products a page; 100 where it is left out.
    pub limit: Option<PageLimit>,
    /// Words of the name, each by its beginning; or how an article number begins, also a variant's.
    pub search: Option<OptionalText<120>>,
    /// True for those of which, or of a variant of which, few units are left: no more than the
    /// threshold of `stock.low`.
    pub low: Option<bool>,
}

/// A product's units, and those of its variants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StockSummary {
    /// The product's id.
    pub id: ProductId,
    /// Its name.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StockVariant {
    /// The variant's id.
    pub id: VariantId,
    /// What tells it apart, e.g. "200 g, Azul".
    pub name: String,
    /// Its article number.
    pub sku: Option<String>,
    /// Units of it.
    pub stock: i64,
    /// What happened to them, the latest 10, latest first.
    pub recent_movements: Vec<StockMovement>,
}

/// Units that came or went (section "Resources", `StockMovement`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StockMovement {
    /// Its id.
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

/// The stock that an item has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemStock {
    /// The product.
    pub product_id: ProductId,
    /// Its variant, where it is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_id: Option<VariantId>,
    /// Units that are left.
    pub stock: i64,
}

impl Stocks<'_> {
    /// A page of all products with their units and what happened to them lately.
    pub async fn list(&self, filter: StockFilter) -> Result<Vec<StockSummary>> {
        let low = self.shop.config().stock.low_threshold;
        self.shop.db().read("stock.list", move |tx| list(tx, &filter, low)).await
    }

    /// The stock of a product or of a variant, by the id of either.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn item(&self, id: &str) -> Result<ItemStock> {
        let id = id.to_owned();
        let job = move |tx: &mut dyn Tx| find(tx, &id).map(|item| item.shown(item.quantity));
        self.shop.db().lookup("stock.item", job).await
    }

    /// Sets the stock of a product or of a variant, by the id of either.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`crate::error::Conflict::Changed`] where it is not as the caller saw
    /// it, be it that some were sold.
    pub async fn set_item(
        &self,
        by: &Actor,
        id: &str,
        quantity: StockLevel,
        seen: Option<Revision>,
    ) -> Result<ItemStock> {
        let (by, id, at) = (by.clone(), id.to_owned(), self.shop.moment());
        let low = self.shop.config().stock.low_threshold;
        let job = move |tx: &mut dyn Tx| {
            let item = find(tx, &id)?;
            item.shown(item.quantity).revision()?.check(seen.as_ref())?;
            let change = recount(tx, &at, &by, &item, quantity, StockSource::from(&by))?;
            announce(tx, &at, change.as_slice(), low)?;
            Ok(item.shown(quantity.get()))
        };
        self.shop.db().write("stock.set_item", job).await
    }
}

impl ItemStock {
    /// The state that staff sees and changes. Here it is the stock itself, so that nobody counts
    /// over a sale that he has not seen.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(self)
    }
}

impl StockItem {
    fn shown(&self, stock: i64) -> ItemStock {
        let variant_id = (self.id != self.product_id).then(|| self.id.as_str().into());
        ItemStock { product_id: self.product_id.as_str().into(), variant_id, stock }
    }
}

impl FromColumn for MovementReason {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        match row.text(column)? {
            Some("PURCHASE") => Ok(Self::Purchase),
            Some("ADJUSTMENT") => Ok(Self::Adjustment),
            Some("RETURN") => Ok(Self::Return),
            other => Err(Error::internal(format!("unknown reason of a movement {other:?}"))),
        }
    }
}

fn find(tx: &mut dyn Tx, id: &str) -> Result<StockItem> {
    let product: Option<ProductId> =
        tx.one("SELECT product_id FROM variant WHERE id = $1", &[id.into()], |row| row.get(0))?;
    match product {
        Some(product) => StockItem::find(tx, &product, Some(&id.into())),
        None => StockItem::find(tx, &id.into(), None),
    }
}

fn list(tx: &mut dyn Tx, wanted: &StockFilter, low: i64) -> Result<Vec<StockSummary>> {
    let mut found = page(tx, wanted, low)?;
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

/// Ids sort by time, and their index is narrow: a late page passes over little. `CROSS JOIN`, because
/// the planner would walk through all products in the order of the answer otherwise.
fn page(tx: &mut dyn Tx, wanted: &StockFilter, low: i64) -> Result<Vec<StockSummary>> {
    let request = PageRequest::large(wanted.page, wanted.limit);
    let search = wanted.search.as_ref().map_or("", OptionalText::as_str);
    let words: Vec<SearchWord> =
        query_words(search).into_iter().map(SearchWord::Beginning).collect();
    let (pattern, after) = ((tx.dialect().search_pattern)(&words), format!("{search}\u{10FFFF}"));
    let mut filter = Filter::default();
    if !search.is_empty() {
        let mut found = Vec::new();
        if !words.is_empty() {
            filter.bind(&pattern);
            let named = tx.dialect().product_any_name_search;
            found.push(format!("pk IN (SELECT pk FROM ({named}) named LIMIT {FOUND})"));
        }
        let (from, to) = (filter.bind(search), filter.bind(&after));
        found.push(format!(
            "pk IN (SELECT s.product_pk FROM sku k JOIN stock s ON s.item_id = k.item_id
                    WHERE k.code >= {from} AND k.code < {to} LIMIT {FOUND})"
        ));
        filter.and(&format!("({})", found.join(" OR ")));
    }
    if wanted.low == Some(true) {
        let low = filter.bind(low);
        filter.and(&format!("pk IN (SELECT product_pk FROM stock WHERE quantity <= {low})"));
    }
    let conditions = filter.sql().to_owned();
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset()));
    let sql = format!(
        "SELECT p.id, p.name, p.sku, s.quantity
         FROM (SELECT id FROM product{conditions} ORDER BY id DESC LIMIT {limit} OFFSET {offset}) hit
         CROSS JOIN product p CROSS JOIN stock s
         WHERE p.id = hit.id AND s.item_id = p.id ORDER BY p.id DESC"
    );
    tx.all(&sql, filter.params(), |row| {
        Ok(StockSummary {
            id: row.get(0)?,
            name: row.get(1)?,
            sku: row.get(2)?,
            stock: row.get(3)?,
            recent_movements: Vec::new(),
            variants: Vec::new(),
        })
    })
}

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

/// The latest movements of products and of their variants, latest first, in one statement: each
/// item's are read from its oldest one that counts on.
fn movements(
    tx: &mut dyn Tx,
    products: &[Param<'_>],
) -> Result<HashMap<String, Vec<StockMovement>>> {
    let sql = format!(
        "WITH item (item_id) AS (SELECT id FROM product WHERE id IN ({ids})
           UNION ALL SELECT id FROM variant WHERE product_id IN ({ids}))
         SELECT m.item_id, m.id, m.delta, m.reason, m.source, m.created_at
         FROM item JOIN stock_movement m ON m.item_id = item.item_id AND m.id >= coalesce(
           (SELECT l.id FROM stock_movement l WHERE l.item_id = item.item_id
            ORDER BY l.id DESC LIMIT 1 OFFSET {last}), 0)
         ORDER BY m.id DESC",
        ids = *PLACES,
        last = RECENT - 1,
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
    use crate::config::Config;
    use crate::shop::Shop;
    use crate::storage::explain;

    #[tokio::test]
    async fn the_list_looks_at_no_product_that_it_does_not_show() {
        let dir = tempfile::tempdir().expect("a folder");
        let database = dir.path().join("shop.db").display().to_string();
        let shop = Shop::open(Config { database, ..Config::default() }).await.expect("a shop");
        for search in ["", "vela", "SKU-1", "--"] {
            let wanted = StockFilter { search: search.parse().ok(), ..StockFilter::default() };
            let job = move |tx: &mut dyn Tx| list(tx, &wanted, 5).map(drop);
            let plan = explain::plan(shop.db(), job).await;
            assert!(plan.len() > 10, "{plan:?}");
            assert_eq!(explain::costly(&plan, &["hit", "named"]), [""; 0], "{search}: {plan:#?}");
        }
    }
}
