//! The list of products.
//!
//! Newest first and by price walk an index; a page's rows are found by their `pk` first and joined
//! after, so that a deep page skips over narrow index entries. The most units sold first is a
//! ranking that is remembered.

use std::collections::HashMap;
use std::sync::Arc;

use super::filter::{Conditions, Criteria, ProductFilter, ProductSort, Search, Walk, count};
use crate::catalog::Products;
use crate::catalog::category::CategoryRef;
use crate::catalog::image::Images;
use crate::catalog::query_cache::DependsOn;
use crate::catalog::review::average_rating;
use crate::error::Result;
use crate::id::ProductId;
use crate::money::Money;
use crate::page::{Page, PageRequest, Pagination};
use crate::storage::{Filter, Tx, read_columns};
use crate::value::Slug;

/// Up to this offset a page is a bounded look-up.
const SHALLOW_OFFSET: i64 = 160;
/// A page of more products takes too long to be a bounded look-up: some three microseconds each.
const SMALL_PAGE: u32 = 24;
/// A search that finds no more than this is sorted; from a larger one, the page is met soon enough
/// on the way down the index that has the order.
const FEW: i64 = 2000;

/// A product as lists show it.
#[apply(inexact_answer!)]
#[derive(PartialEq)]
pub struct ProductSummary {
    /// UUID version 7, set by the shop.
    pub id: ProductId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
    /// What it costs.
    pub price: Money,
    /// What it used to cost.
    pub compare_price: Option<Money>,
    /// Units of the product itself.
    pub stock: i64,
    /// Whether the shop puts it forward.
    pub featured: bool,
    /// The category it stands in, unless shoppers do not see that one.
    pub category: Option<CategoryRef>,
    /// In the order of the shop, at most 20.
    pub images: Images,
    /// How many approved reviews there are.
    pub review_count: i64,
    /// Their mean rating; 0 without any.
    pub average_rating: f64,
}

impl Products<'_> {
    /// A page of the products on sale that a filter finds.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: ProductFilter) -> Result<Page<ProductSummary>> {
        let request = PageRequest::of(filter.page, filter.limit);
        let criteria = filter.criteria();
        let total = self.total(&criteria).await?;
        let pagination = Pagination::new(request, total);
        if request.offset() >= total {
            return Ok(Page { data: Vec::new(), pagination });
        }
        if filter.sort == ProductSort::Popular && criteria == Criteria::default() {
            return Ok(Page { data: self.best_sellers(request).await?, pagination });
        }
        let query = ListQuery { criteria, sort: filter.sort, request, few: total <= FEW };
        let bounded = query.is_bounded();
        let job = move |tx: &mut dyn Tx| query.rows(tx);
        let data = if bounded {
            self.cx.db().lookup_public("product.list", job).await?
        } else {
            self.cx.db().read_public("product.list", job).await?
        };
        Ok(Page { data, pagination })
    }

    /// A page of all products on sale, by units sold. No index keeps that order: it would cost each
    /// order twice the pages that its stock does. The ranking is found once for many readers.
    async fn best_sellers(&self, request: PageRequest) -> Result<Vec<ProductSummary>> {
        let ranking = self.caches.best_sellers.get_or_find(
            &(),
            DependsOn::CatalogAndStock,
            self.now(),
            self.cx.db().read_public("product.rank", rank),
        );
        let ranking = ranking.await?;
        let page = request.slice(&ranking).to_vec();
        let small = request.limit <= SMALL_PAGE;
        let job = move |tx: &mut dyn Tx| rows_of(tx, &page);
        if small {
            self.cx.db().lookup_public("product.list", job).await
        } else {
            self.cx.db().read_public("product.list", job).await
        }
    }

    async fn total(&self, criteria: &Criteria) -> Result<i64> {
        if criteria.words.as_ref().is_some_and(Vec::is_empty) {
            return Ok(0);
        }
        let counted = criteria.clone();
        let count = self.cx.db().read_public("product.count", move |tx| count(tx, &counted));
        let stock = criteria.in_stock;
        let depends_on = if stock { DependsOn::CatalogAndStock } else { DependsOn::Catalog };
        self.caches.totals.get_or_find(criteria, depends_on, self.now(), count).await
    }
}

/// One page to be read.
#[derive(Debug)]
struct ListQuery {
    criteria: Criteria,
    sort: ProductSort,
    request: PageRequest,
    /// Whether the filter finds few products.
    few: bool,
}

impl ListQuery {
    /// Whether one index gives both the filter and the order, so that the page touches little more
    /// than its own rows.
    fn is_bounded(&self) -> bool {
        let Criteria { words, category, featured, min_price, max_price, in_stock } = &self.criteria;
        let filtered = words.is_some() || min_price.is_some() || max_price.is_some() || *in_stock;
        let indexed = match self.sort {
            ProductSort::Newest => !(*featured && category.is_some()),
            ProductSort::PriceAsc | ProductSort::PriceDesc => !featured,
            ProductSort::Popular => false,
        };
        let small = self.request.limit <= SMALL_PAGE && self.request.offset() <= SHALLOW_OFFSET;
        !filtered && indexed && small
    }

    fn rows(&self, tx: &mut dyn Tx) -> Result<Vec<ProductSummary>> {
        let search = Search::of(tx, &self.criteria)?;
        let mut filter = Conditions::of(&self.criteria, search.as_ref());
        filter.in_stock(
            "(EXISTS (SELECT 1 FROM stock own WHERE own.item_id = p.id AND own.quantity > 0)
              OR EXISTS (SELECT 1 FROM variant v JOIN stock vs ON vs.item_id = v.id
                         WHERE v.product_id = p.id AND vs.quantity > 0))",
        );
        filter.params.push(self.request.limit.into());
        filter.params.push(self.request.offset().into());
        let sql = self.sql(search.as_ref(), &filter);
        tx.list(&sql, &filter.params)
    }

    fn sql(&self, search: Option<&Search>, filter: &Conditions<'_>) -> String {
        let pks = self.pks(search, filter);
        let order = self.order();
        format!(
            "SELECT {COLUMNS} FROM ({pks}) hit
             JOIN product p ON p.pk = hit.pk JOIN stock s ON s.item_id = p.id
             LEFT JOIN category c ON c.id = p.category_id AND c.active = 1 ORDER BY {order}"
        )
    }

    fn order(&self) -> &'static str {
        match self.sort {
            ProductSort::Newest => "p.pk DESC",
            ProductSort::PriceAsc => "p.price, p.pk",
            ProductSort::PriceDesc => "p.price DESC, p.pk DESC",
            ProductSort::Popular => "s.sold DESC, p.pk DESC",
        }
    }

    /// The query for the page's `pk`s.
    fn pks(&self, search: Option<&Search>, filter: &Conditions<'_>) -> String {
        let Walk { tables, joins, order } = self.walk(search);
        let order = order.unwrap_or(self.order());
        let conditions = &filter.sql;
        let (limit, offset) = (filter.params.len() - 1, filter.params.len());
        format!(
            "SELECT p.pk FROM {tables} WHERE p.active = 1{joins}{conditions}
             ORDER BY {order} LIMIT ${limit} OFFSET ${offset}"
        )
    }

    /// Which table gives the order or, where the filter finds few products, those few.
    fn walk(&self, search: Option<&Search>) -> Walk {
        let newest = self.sort == ProductSort::Newest;
        let popular = self.sort == ProductSort::Popular;
        let mut walk = match search {
            Some(search) if newest || self.few => search.walk(),
            Some(search) => {
                Walk::products(format!(" AND p.pk IN (SELECT pk FROM ({}) hits)", search.sql))
            }
            None => Walk::products(String::new()),
        };
        if search.is_some() && newest {
            walk.order = Some("hits.pk DESC");
        }
        if popular {
            walk.tables.push_str(" CROSS JOIN stock s");
            walk.joins.push_str(" AND s.item_id = p.id");
        }
        walk
    }
}

fn rank(tx: &mut dyn Tx) -> Result<Arc<[i64]>> {
    let pks = tx.list(
        "SELECT p.pk FROM stock s CROSS JOIN product p
         WHERE s.is_variant = 0 AND p.pk = s.product_pk AND p.active = 1
         ORDER BY s.sold DESC, p.pk DESC",
        &[],
    )?;
    Ok(pks.into())
}

/// Products by their `pk`s, in that order.
fn rows_of(tx: &mut dyn Tx, pks: &[i64]) -> Result<Vec<ProductSummary>> {
    if pks.is_empty() {
        return Ok(Vec::new());
    }
    let mut among = Filter::default();
    let sql = format!(
        "SELECT {COLUMNS}, p.pk FROM product p JOIN stock s ON s.item_id = p.id
         LEFT JOIN category c ON c.id = p.category_id AND c.active = 1 WHERE p.pk IN ({})",
        among.bind_all(pks.iter().copied())
    );
    let mut found = HashMap::with_capacity(pks.len());
    tx.query(&sql, among.params(), &mut |row| {
        found.insert(row.get::<i64>(13)?, row.get(0)?);
        Ok(())
    })?;
    Ok(pks.iter().filter_map(|pk| found.remove(pk)).collect())
}

/// The columns of a [`ProductSummary`].
const COLUMNS: &str = "p.id, p.name, p.slug, p.price, p.compare_price, s.quantity, p.featured,
                       p.images, p.review_count, p.rating_sum, c.id, c.name, c.slug";

read_columns!(
    ProductSummary: id, name, slug, price, compare_price, stock, featured, images, review_count,
    [rating_sum], category; average_rating: average_rating(rating_sum, review_count)
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Param, explain};

    /// How the engine finds a page's `pk`s.
    async fn plan(criteria: &Criteria, sort: ProductSort) -> String {
        let (criteria, request) = (criteria.clone(), PageRequest::default());
        let query = ListQuery { criteria, sort, request, few: false };
        let job = move |tx: &mut dyn Tx| {
            let search = Search::of(tx, &query.criteria)?;
            let mut filter = Conditions::of(&query.criteria, search.as_ref());
            filter.params.extend([Param::Int(20), Param::Int(0)]);
            let sql = query.pks(search.as_ref(), &filter);
            tx.query(&sql, &filter.params, &mut |_| Ok(()))
        };
        explain::plan(job).await.join(
            "
",
        )
    }

    #[tokio::test]
    async fn every_sort_walks_an_index_and_a_bounded_page_sorts_nothing() {
        let all = Criteria::default();
        let category = Criteria { category: Some("velas".into()), ..all.clone() };
        let featured = Criteria { featured: true, ..all.clone() };
        let found = Criteria { words: Some(vec!["vela".into()]), ..all.clone() };
        let by_price = [ProductSort::PriceAsc, ProductSort::PriceDesc];
        let mut walks = vec![
            (&all, ProductSort::Newest),
            (&category, ProductSort::Newest),
            (&featured, ProductSort::Newest),
            (&found, ProductSort::Newest),
        ];
        walks.extend([&all, &category].into_iter().flat_map(|c| by_price.map(|sort| (c, sort))));
        for (criteria, sort) in walks {
            let plan = plan(criteria, sort).await;
            assert!(!plan.contains("TEMP B-TREE"), "{criteria:?} {sort:?}:\n{plan}");
        }
    }
}
