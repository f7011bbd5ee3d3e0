//! The list of products, by what a shopper filters and sorts it.
//!
//! The SQL is put together from a fixed set of fragments, so that there are few different
//! statements and each stays prepared. Every sort walks an index; a page's rows are found by their
//! `pk` first and joined after, so that a deep page skips over narrow index entries.

use serde::{Deserialize, Serialize};

use super::category::CategoryRef;
use super::image::Images;
use super::product::{Products, average_rating};
use super::words::query_words;
use crate::error::Result;
use crate::id::ProductId;
use crate::money::Money;
use crate::page::{Page, PageLimit, PageNumber, PageRequest, Pagination};
use crate::storage::{Dialect, Param, Row, Tx};
use crate::value::OptionalText;

/// Up to this offset a page is a bounded look-up.
const SHALLOW_OFFSET: i64 = 1000;
/// A filter that finds no more than this is sorted by units sold; from a larger one, the best
/// sellers are met soon enough on the way down the list of all.
const FEW: i64 = 2000;

/// Which products to list, in what order (`GET /api/products`).
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
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
    /// The order.
    pub sort: ProductSort,
    /// The lowest price.
    #[serde(deserialize_with = "Money::deserialize_text")]
    pub min_price: Option<Money>,
    /// The highest price.
    #[serde(deserialize_with = "Money::deserialize_text")]
    pub max_price: Option<Money>,
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

/// A product as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProductSummary {
    /// Its own id.
    pub id: ProductId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses.
    pub slug: String,
    /// What it costs.
    pub price: Money,
    /// What it used to cost.
    pub compare_price: Option<Money>,
    /// Units of the product itself.
    pub stock: i64,
    /// Whether the shop puts it forward.
    pub featured: bool,
    /// The category it stands in.
    pub category: Option<CategoryRef>,
    /// Its pictures.
    pub images: Images,
    /// How many approved reviews there are.
    pub review_count: i64,
    /// Their mean rating; 0 without any.
    pub average_rating: f64,
}

/// What a filter demands of a product, whatever the order and the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Criteria {
    /// All of these words; a search without a word in it finds nothing.
    pub(super) words: Option<Vec<String>>,
    pub(super) category: Option<String>,
    pub(super) featured: bool,
    pub(super) min_price: Option<Money>,
    pub(super) max_price: Option<Money>,
    pub(super) in_stock: bool,
}

impl ProductFilter {
    fn criteria(&self) -> Criteria {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let search = self.search.as_ref().and_then(|text| given(text.as_str()));
        Criteria {
            words: search.map(|search| query_words(&search)),
            category: self.category.as_ref().and_then(|slug| given(slug.as_str())),
            featured: self.featured,
            min_price: self.min_price,
            max_price: self.max_price,
            in_stock: self.in_stock,
        }
    }
}

impl Products<'_> {
    /// A page of the products on sale that a filter finds.
    pub async fn list(&self, filter: ProductFilter) -> Result<Page<ProductSummary>> {
        let request = PageRequest::of(filter.page, filter.limit);
        let criteria = filter.criteria();
        let total = self.total(&criteria).await?;
        let pagination = Pagination::new(request, total);
        if request.offset() >= total {
            return Ok(Page { data: Vec::new(), pagination });
        }
        let query = ListQuery { criteria, sort: filter.sort, request, few: total <= FEW };
        let bounded = query.is_bounded();
        let job = move |tx: &mut dyn Tx| query.rows(tx);
        let data = if bounded {
            self.shop.db().lookup("product.list", job).await?
        } else {
            self.shop.db().read("product.list", job).await?
        };
        Ok(Page { data, pagination })
    }

    async fn total(&self, criteria: &Criteria) -> Result<i64> {
        if criteria.words.as_ref().is_some_and(Vec::is_empty) {
            return Ok(0);
        }
        let counted = criteria.clone();
        let count = self.shop.db().read("product.count", move |tx| count(tx, &counted));
        self.shop.totals().of(criteria, self.shop.generations(), count).await
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
            ProductSort::Popular => !featured && category.is_none(),
        };
        !filtered && indexed && self.request.offset() <= SHALLOW_OFFSET
    }

    fn rows(&self, tx: &mut dyn Tx) -> Result<Vec<ProductSummary>> {
        let pattern = self.criteria.pattern(tx.dialect());
        let mut filter = Conditions::of(&self.criteria, pattern.as_deref(), tx.dialect());
        filter.in_stock(
            "(EXISTS (SELECT 1 FROM stock own WHERE own.item_id = p.id AND own.quantity > 0)
              OR EXISTS (SELECT 1 FROM variant v JOIN stock vs ON vs.item_id = v.id
                         WHERE v.product_id = p.id AND vs.quantity > 0))",
        );
        filter.params.push(self.request.limit.into());
        filter.params.push(self.request.offset().into());
        let sql = self.sql(&filter);
        tx.all(&sql, &filter.params, read_summary)
    }

    fn sql(&self, filter: &Conditions<'_>) -> String {
        // `CROSS JOIN` fixes which table is walked first.
        let (source, inner, outer) = match self.sort {
            ProductSort::Newest => ("product p WHERE", "p.pk DESC", "p.pk DESC"),
            ProductSort::PriceAsc => ("product p WHERE", "p.price, p.pk", "p.price, p.pk"),
            ProductSort::PriceDesc => {
                ("product p WHERE", "p.price DESC, p.pk DESC", "p.price DESC, p.pk DESC")
            }
            ProductSort::Popular if self.few => (
                "product p CROSS JOIN stock s WHERE s.item_id = p.id AND",
                "s.sold DESC, p.pk DESC",
                "s.sold DESC, p.pk DESC",
            ),
            ProductSort::Popular => (
                "stock s CROSS JOIN product p WHERE s.is_variant = 0 AND p.pk = s.product_pk AND",
                "s.sold DESC, s.product_pk DESC",
                "s.sold DESC, p.pk DESC",
            ),
        };
        let (limit, offset) = (filter.params.len() - 1, filter.params.len());
        let conditions = &filter.sql;
        format!(
            "SELECT p.id, p.name, p.slug, p.price, p.compare_price, s.quantity, p.featured,
                    p.images, p.review_count, p.rating_sum, c.id, c.name, c.slug
             FROM (SELECT p.pk FROM {source} p.active = 1{conditions}
                   ORDER BY {inner} LIMIT ${limit} OFFSET ${offset}) hit
             JOIN product p ON p.pk = hit.pk JOIN stock s ON s.item_id = p.id
             LEFT JOIN category c ON c.id = p.category_id ORDER BY {outer}"
        )
    }
}

fn count(tx: &mut dyn Tx, criteria: &Criteria) -> Result<i64> {
    let pattern = criteria.pattern(tx.dialect());
    let mut filter = Conditions::of(criteria, pattern.as_deref(), tx.dialect());
    // One pass over the narrow rows instead of two look-ups for each product.
    filter.in_stock("p.pk IN (SELECT product_pk FROM stock WHERE quantity > 0)");
    let sql = format!("SELECT count(*) FROM product p WHERE p.active = 1{}", filter.sql);
    tx.value(&sql, &filter.params)
}

impl Criteria {
    fn pattern(&self, dialect: &Dialect) -> Option<String> {
        self.words.as_ref().map(|words| (dialect.search_pattern)(words, false))
    }
}

/// The conditions of a filter, each with `AND` before it.
struct Conditions<'p> {
    sql: String,
    params: Vec<Param<'p>>,
    wants_stock: bool,
}

impl<'p> Conditions<'p> {
    fn of(criteria: &'p Criteria, pattern: Option<&'p str>, dialect: &Dialect) -> Self {
        let Criteria { words: _, category, featured, min_price, max_price, in_stock } = criteria;
        let mut all = Self { sql: String::new(), params: Vec::new(), wants_stock: *in_stock };
        if let Some(pattern) = pattern {
            // The engine's own query, whose pattern is `$1`.
            let hits = dialect.product_search;
            all.push(&format!("p.pk IN (SELECT pk FROM ({hits}) hits)"));
            all.params.push(pattern.into());
        }
        if let Some(slug) = category {
            let wanted = "p.category_id = (SELECT id FROM category WHERE slug = ";
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

    fn in_stock(&mut self, condition: &str) {
        if self.wants_stock {
            self.push(condition);
        }
    }
}

fn read_summary(row: &dyn Row) -> Result<ProductSummary> {
    let (review_count, rating_sum) = (row.get(8)?, row.get(9)?);
    Ok(ProductSummary {
        id: row.get(0)?,
        name: row.get(1)?,
        slug: row.get(2)?,
        price: row.get(3)?,
        compare_price: row.get(4)?,
        stock: row.get(5)?,
        featured: row.get(6)?,
        category: CategoryRef::read(row, 10)?,
        images: row.get(7)?,
        review_count,
        average_rating: average_rating(rating_sum, review_count),
    })
}
