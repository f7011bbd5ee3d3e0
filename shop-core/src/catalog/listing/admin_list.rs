//! The back office's list of products, on sale or not, newest first.

use super::admin_filter::{AdminCriteria, AdminProductFilter};
use super::filter::Search;
use crate::catalog::Products;
use crate::catalog::category::CategoryRef;
use crate::catalog::image::Images;
use crate::catalog::query_cache::DependsOn;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::ProductId;
use crate::money::Money;
use crate::page::{Page, PageRequest, Pagination};
use crate::storage::{Filter, SearchWord, Tx, read_columns};
use crate::value::Slug;

/// A product as the back office's list shows it.
#[apply(answer!)]
pub struct AdminProduct {
    /// UUID version 7, set by the shop.
    pub id: ProductId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
    /// What it costs.
    pub price: Money,
    /// Units of the product itself.
    pub stock: i64,
    /// The shop's own article number.
    pub sku: Option<String>,
    /// Whether it is on sale.
    pub active: bool,
    /// Whether the shop puts it forward.
    pub featured: bool,
    /// The category it stands in.
    pub category: Option<CategoryRef>,
    /// In the order of the shop, at most 20.
    pub images: Images,
    /// What there is of it elsewhere.
    #[serde(rename = "_count")]
    pub count: ProductCounts,
    /// When it was entered.
    pub created_at: Timestamp,
}

/// What there is of a product elsewhere.
#[apply(answer!)]
#[derive(Copy)]
pub struct ProductCounts {
    /// Lines of orders with it or a variant of it, whatever became of the order.
    pub order_items: i64,
}

impl Products<'_> {
    /// A page of the products, on sale or not, that a filter finds, newest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list_for_admin(&self, filter: AdminProductFilter) -> Result<Page<AdminProduct>> {
        let request = PageRequest::of(filter.page, filter.limit);
        let criteria = filter.criteria();
        if criteria.words.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Page { data: Vec::new(), pagination: Pagination::new(request, 0) });
        }
        let total = self.total_for_admin(&criteria).await?;
        let pagination = Pagination::new(request, total);
        if request.offset() >= total {
            return Ok(Page { data: Vec::new(), pagination });
        }
        let job = move |tx: &mut dyn Tx| {
            let search = search(tx, &criteria);
            let (sql, filter) = page(&criteria, search.as_ref(), request);
            tx.list(&sql, filter.params())
        };
        let data = self.cx.db().read("product.list_for_admin", job).await?;
        Ok(Page { data, pagination })
    }

    async fn total_for_admin(&self, criteria: &AdminCriteria) -> Result<i64> {
        let counted = criteria.clone();
        let job = move |tx: &mut dyn Tx| {
            let search = search(tx, &counted);
            let walk = Walk::of(&counted, search.as_ref());
            let sql = format!("SELECT count(*) FROM {}{}", walk.tables, walk.filter.sql());
            tx.value(&sql, walk.filter.params())
        };
        let count = self.cx.db().read("product.count_for_admin", job);
        let totals = &self.caches.admin_totals;
        totals.get_or_find(criteria, DependsOn::Catalog, self.now(), count).await
    }
}

/// Finds products, on sale or not, by their names. The catalogue's vocabulary does not have the
/// words of what is off sale, so each word stays a beginning.
fn search(tx: &dyn Tx, criteria: &AdminCriteria) -> Option<Search> {
    let words = criteria.words.as_ref()?;
    let words: Vec<SearchWord> = words.iter().cloned().map(SearchWord::Beginning).collect();
    Some(Search::new(tx, "product_any_name_search", &words))
}

/// What to walk through, newest first, and what is passed over there.
struct Walk<'p> {
    tables: String,
    pk: &'static str,
    filter: Filter<'p>,
}

impl<'p> Walk<'p> {
    fn of(criteria: &'p AdminCriteria, search: Option<&'p Search>) -> Self {
        let AdminCriteria { words: _, category, active, featured } = criteria;
        let mut filter = Filter::default();
        let (mut tables, mut pk) = ("product p".to_owned(), "p.pk");
        if let Some(search) = search {
            filter.bind(search.pattern.as_str());
            (tables, pk) = (format!("({}) hits", search.sql), "hits.pk");
            if category.is_some() || active.is_some() || featured.is_some() {
                tables.push_str(" CROSS JOIN product p");
                filter.and("p.pk = hits.pk");
            }
        }
        if let Some(slug) = category {
            let slug = filter.bind(slug);
            filter.and(&format!("p.category_id = (SELECT id FROM category WHERE slug = {slug})"));
        }
        filter.compare("p.featured =", *featured);
        filter.compare("p.active =", *active);
        Self { tables, pk, filter }
    }
}

/// The page's `pk`s are found first and joined after, so that a deep page skips over narrow index
/// entries. `CROSS JOIN` keeps SQLite from walking all products for the sake of their order.
fn page<'p>(
    criteria: &'p AdminCriteria,
    search: Option<&'p Search>,
    request: PageRequest,
) -> (String, Filter<'p>) {
    let Walk { tables, pk, mut filter } = Walk::of(criteria, search);
    let conditions = filter.sql().to_owned();
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset()));
    let sql = format!(
        "SELECT p.id, p.name, p.slug, p.price, s.quantity, p.sku, p.active, p.featured, p.images,
                s.order_lines, p.created_at, c.id, c.name, c.slug
         FROM (SELECT {pk} FROM {tables}{conditions}
               ORDER BY {pk} DESC LIMIT {limit} OFFSET {offset}) hit
         CROSS JOIN product p CROSS JOIN stock s LEFT JOIN category c ON c.id = p.category_id
         WHERE p.pk = hit.pk AND s.item_id = p.id ORDER BY p.pk DESC"
    );
    (sql, filter)
}

read_columns!(ProductCounts: order_items);
read_columns!(
    AdminProduct: id, name, slug, price, stock, sku, active, featured, images, count, created_at,
    category
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::explain;

    async fn plan(filter: AdminProductFilter) -> String {
        let criteria = filter.criteria();
        let job = move |tx: &mut dyn Tx| {
            let search = search(tx, &criteria);
            let (sql, filter) = page(&criteria, search.as_ref(), PageRequest::default());
            tx.query(&sql, filter.params(), &mut |_| Ok(()))
        };
        explain::plan(job).await.join(
            "
",
        )
    }

    #[tokio::test]
    async fn every_filter_walks_an_index_that_has_the_order() {
        let filters = [
            "{}",
            r#"{"active": true}"#,
            r#"{"active": false}"#,
            r#"{"featured": true}"#,
            r#"{"featured": false}"#,
            r#"{"category": "velas"}"#,
            r#"{"active": true, "featured": true}"#,
            r#"{"active": false, "category": "velas"}"#,
            r#"{"featured": true, "category": "velas"}"#,
            r#"{"search": "vela"}"#,
            r#"{"search": "vela", "active": false, "category": "velas"}"#,
        ];
        for filter in filters {
            let wanted = serde_json::from_str(filter).expect("a filter");
            let plan = plan(wanted).await;
            // The page itself, of a hundred rows at most, may be sorted once more.
            let (inner, joined) = plan.split_once("SCAN hit").unwrap_or_else(|| {
                panic!("{filter}: the page is not walked first:\n{plan}");
            });
            assert!(!joined.contains("SCAN"), "{filter}:\n{plan}");
            assert!(!inner.contains("TEMP B-TREE"), "{filter}:\n{plan}");
            let narrow = inner.contains("USING") || inner.contains("VIRTUAL TABLE");
            assert!(narrow, "{filter}: rows are passed over:\n{plan}");
        }
    }
}
