//! Products as programs read them: on sale or not, newest first, from cursor to cursor.

use super::record_filter::{ProductRecordFilter, RecordCriteria};
use crate::catalog::Products;
use crate::catalog::category::CategoryRef;
use crate::catalog::image::Images;
use crate::catalog::product::Product;
use crate::catalog::query_cache::DependsOn;
use crate::catalog::variant::{self, Variant};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::ProductId;
use crate::money::Money;
use crate::page::{CursorPage, PageRequest};
use crate::storage::{Filter, Tx, read_columns};
use crate::value::{InvalidValue, Length, OptionalText, Slug, Weight};

/// A product as programs read it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProductRecord {
    /// UUID version 7, set by the shop.
    pub id: ProductId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses.
    pub slug: Slug,
    /// The shop's own article number.
    pub sku: Option<String>,
    /// What it costs.
    pub price: Money,
    /// What it used to cost.
    pub compare_price: Option<Money>,
    /// Units of the product itself.
    pub stock: i64,
    /// Whether it is on sale.
    pub active: bool,
    /// Whether the shop puts it forward.
    pub featured: bool,
    /// With packaging.
    pub weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    pub length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    pub width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    pub height: Option<Length>,
    /// When it last changed; stock that is set is a change, sales and returned units are none.
    pub updated_at: Timestamp,
    /// The category it stands in.
    pub category: Option<CategoryRef>,
    /// In the order of the shop, at most 20.
    pub images: Images,
    /// What it can be had as, in the shop's order.
    pub variants: Vec<Variant>,
}

/// A product with the number that lists are in the order of.
type Listed = (i64, ProductRecord);

/// Of a product as it was just made or changed.
impl From<Product> for ProductRecord {
    fn from(product: Product) -> Self {
        Self {
            id: product.id,
            name: product.name,
            slug: product.slug,
            sku: product.sku,
            price: product.price,
            compare_price: product.compare_price,
            stock: product.stock,
            active: product.active,
            featured: product.featured,
            weight: product.weight,
            length: product.length,
            width: product.width,
            height: product.height,
            updated_at: product.updated_at,
            category: product.category,
            images: product.images,
            variants: product.variants,
        }
    }
}

impl Products<'_> {
    /// The products that a program's filter finds, the latest first.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the cursor is none.
    ///
    /// Cancel safe: reads only.
    pub async fn list_records(
        &self,
        filter: ProductRecordFilter,
    ) -> Result<CursorPage<ProductRecord>> {
        let request = PageRequest::of_program(filter.page, filter.limit);
        let criteria = filter.criteria(self.cx.config().stock.low_threshold);
        let after = filter.after.as_ref().map(read_cursor).transpose()?;
        let total = match after {
            Some(_) => None,
            None => Some(self.count_records(&criteria).await?),
        };
        let job = move |tx: &mut dyn Tx| select(tx, &criteria, request, after);
        let found = self.cx.db().read("product.records", job).await?;
        let part = CursorPage::new(found, request, total, |(pk, _)| pk.to_string());
        Ok(part.map(|(_, product)| product))
    }

    async fn count_records(&self, criteria: &RecordCriteria) -> Result<i64> {
        let counted = criteria.clone();
        let count = self.cx.db().read("product.count_records", move |tx| count(tx, &counted));
        let stock = criteria.few.is_some();
        let depends_on = if stock { DependsOn::CatalogAndStock } else { DependsOn::Catalog };
        self.caches.record_totals.get_or_find(criteria, depends_on, self.now(), count).await
    }
}

fn read_cursor(text: &OptionalText<64>) -> Result<i64> {
    text.as_str().parse().map_err(|_| Error::field("after", InvalidValue::Cursor))
}

fn conditions(criteria: &RecordCriteria) -> Filter<'_> {
    let RecordCriteria { only_active, category, few } = criteria;
    let mut filter = Filter::default();
    if *only_active {
        filter.and("p.active = 1");
    }
    if let Some(slug) = category {
        let slug = filter.bind(slug);
        filter.and(&format!("p.category_id = (SELECT id FROM category WHERE slug = {slug})"));
    }
    filter.compare("s.quantity <=", *few);
    filter
}

/// The shelf is only looked at where the filter asks for it.
fn tables(criteria: &RecordCriteria) -> &'static str {
    match criteria.few {
        Some(_) => "product p JOIN stock s ON s.item_id = p.id",
        None => "product p",
    }
}

fn count(tx: &mut dyn Tx, criteria: &RecordCriteria) -> Result<i64> {
    let filter = conditions(criteria);
    let sql = format!("SELECT count(*) FROM {}{}", tables(criteria), filter.sql());
    tx.value(&sql, filter.params())
}

/// The page's rows and one more, if there is one. Their `pk`s are found first, so that a deep page
/// skips over narrow index entries.
fn select(
    tx: &mut dyn Tx,
    criteria: &RecordCriteria,
    request: PageRequest,
    after: Option<i64>,
) -> Result<Vec<Listed>> {
    let mut filter = conditions(criteria);
    filter.compare("p.pk <", after);
    let conditions = filter.sql().to_owned();
    let limit = filter.bind(i64::from(request.limit) + 1);
    let offset = filter.bind(if after.is_some() { 0 } else { request.offset() });
    let sql = format!(
        "SELECT {COLUMNS} FROM (
           SELECT p.pk FROM {}{conditions} ORDER BY p.pk DESC LIMIT {limit} OFFSET {offset}) hit
         CROSS JOIN product p CROSS JOIN stock s LEFT JOIN category c ON c.id = p.category_id
         WHERE p.pk = hit.pk AND s.item_id = p.id ORDER BY p.pk DESC",
        tables(criteria)
    );
    let found = tx.list(&sql, filter.params())?;
    with_variants(tx, found)
}

/// The row's `pk` and the columns of a [`ProductRecord`].
const COLUMNS: &str = "p.pk, p.id, p.name, p.slug, p.sku, p.price, p.compare_price, s.quantity,
                       p.active, p.featured, p.weight_grams, p.length_mm, p.width_mm, p.height_mm,
                       p.updated_at, p.images, c.id, c.name, c.slug";

read_columns!(
    ProductRecord: id, name, slug, sku, price, compare_price, stock, active, featured, weight,
    length, width, height, updated_at, images, category; variants: Vec::new()
);

/// One query for the variants, however many products.
fn with_variants(tx: &mut dyn Tx, mut products: Vec<Listed>) -> Result<Vec<Listed>> {
    let mut variants = variant::of_products(tx, products.iter().map(|(_, product)| &product.id))?;
    for (_, product) in &mut products {
        product.variants = variants.remove(&product.id).unwrap_or_default();
    }
    Ok(products)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::explain;

    #[tokio::test]
    async fn a_page_is_found_before_its_products_are_looked_at() {
        for filter in ["{}", r#"{"active": false}"#, r#"{"category": "velas"}"#] {
            let wanted: ProductRecordFilter = serde_json::from_str(filter).expect("a filter");
            let criteria = wanted.criteria(5);
            let job = move |tx: &mut dyn Tx| {
                select(tx, &criteria, PageRequest::default(), None).map(drop)
            };
            let plan = explain::plan(job).await;
            let walked_first = plan.iter().any(|step| step.starts_with("SCAN hit"));
            assert!(walked_first, "{filter}: {plan:#?}");
        }
    }
}
