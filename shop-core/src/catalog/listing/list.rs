//! The list of products: the index in memory says which, the database what they are.

use std::sync::Arc;

use super::facets::{ProductFacets, facets};
use super::filter::{Criteria, ProductFilter, Search};
use super::index::{CategoryChoice, Wanted};
use super::slots::PkSet;
use crate::catalog::Products;
use crate::catalog::category::{self, CategoryRef};
use crate::catalog::image::Images;
use crate::catalog::in_stock::IN_STOCK;
use crate::catalog::price_range::{MAX_PRICE, MIN_PRICE};
use crate::catalog::query_cache::DependsOn;
use crate::catalog::review::average_rating;
use crate::error::Result;
use crate::id::ProductId;
use crate::money::Money;
use crate::page::{PageRequest, Pagination};
use crate::storage::{Filter, Tx, params, read_columns};
use crate::value::Slug;

/// Up to so many products in all, a question passes over them on the caller's thread.
const QUICK: usize = 20_000;
/// A page of more products takes too long to be a bounded look-up: some three microseconds each.
const SMALL_PAGE: u32 = 24;

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
    /// What it costs itself.
    pub price: Money,
    /// The lowest price at which it can be had: of its variants, where it has some.
    pub min_price: Money,
    /// The highest, which is the lowest where all cost the same.
    pub max_price: Money,
    /// What it used to cost.
    pub compare_price: Option<Money>,
    /// Units of the product itself.
    pub stock: i64,
    /// Whether a unit can be ordered, of the product itself or of one of its variants.
    pub in_stock: bool,
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

/// A page of the products on sale.
#[apply(inexact_answer!)]
pub struct ProductPage {
    /// The products, in the list's order.
    pub data: Vec<ProductSummary>,
    /// Where this page stands in the whole list.
    pub pagination: Pagination,
    /// The counts that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facets: Option<ProductFacets>,
}

impl Products<'_> {
    /// A page of the products on sale that a filter finds.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: ProductFilter) -> Result<ProductPage> {
        let request = PageRequest::of(filter.page, filter.limit);
        let (wanted, category) = self.wanted(&filter).await?;
        let index = &self.caches.index;
        index.refresh(self.cx.db()).await?;
        let few = request.limit <= SMALL_PAGE && index.len() <= QUICK;
        let (index, sort, asked) = (Arc::clone(index), filter.sort, filter.facets);
        let job = move |tx: &mut dyn Tx| {
            let wanted = in_category(tx, &wanted, category.as_deref())?;
            let (total, pks) = index.page(&wanted, sort, request);
            let facets = asked.map(|names| facets(tx, &index, &wanted, names)).transpose()?;
            let pagination = Pagination::new(request, total);
            Ok(ProductPage { data: rows_of(tx, &pks)?, pagination, facets })
        };
        if few && asked.is_none() {
            self.cx.db().lookup_public("product.list", job).await
        } else {
            self.cx.db().read_public("product.list", job).await
        }
    }

    /// What a filter demands of a product, but for its category, of which there is the slug.
    async fn wanted(&self, filter: &ProductFilter) -> Result<(Wanted, Option<String>)> {
        let Criteria { words, category, wanted } = filter.criteria();
        let among = match words {
            Some(words) => Some(self.found(words).await?),
            None => None,
        };
        Ok((Wanted { among, ..wanted }, category))
    }

    /// The products on sale that have all of these words.
    async fn found(&self, words: Vec<String>) -> Result<PkSet> {
        if words.is_empty() {
            return Ok(PkSet::default());
        }
        let asked = words.clone();
        let job = move |tx: &mut dyn Tx| {
            let search = Search::of(tx, &asked)?;
            tx.list(&search.sql, params![&search.pattern])
        };
        let found = async {
            let pks: Vec<i64> = self.cx.db().read_public("product.find", job).await?;
            Ok(pks.into_iter().collect())
        };
        let hits = &self.caches.hits;
        hits.get_or_find(&words, DependsOn::Catalog, self.now(), found).await
    }
}

/// What is wanted, in the category of a slug where one is given.
fn in_category(tx: &mut dyn Tx, wanted: &Wanted, slug: Option<&str>) -> Result<Wanted> {
    let category = match slug {
        None => CategoryChoice::Any,
        Some(slug) => {
            let found = category::id_on_sale(tx, slug)?;
            found.map_or(CategoryChoice::NoSuch, CategoryChoice::One)
        }
    };
    Ok(Wanted { category, ..wanted.clone() })
}

/// Products by their `pk`s, in that order.
fn rows_of(tx: &mut dyn Tx, pks: &[i64]) -> Result<Vec<ProductSummary>> {
    if pks.is_empty() {
        return Ok(Vec::new());
    }
    let mut among = Filter::default();
    let sql = format!(
        "SELECT p.id, p.name, p.slug, p.price, {MIN_PRICE}, {MAX_PRICE}, p.compare_price, s.quantity,
                {IN_STOCK}, p.featured, p.images, p.review_count, p.rating_sum, c.id, c.name, c.slug, p.pk
         FROM product p JOIN stock s ON s.item_id = p.id
         LEFT JOIN category c ON c.id = p.category_id AND c.active = 1
         WHERE p.active = 1 AND p.pk IN ({})",
        among.bind_all(pks.iter().copied())
    );
    let mut found = vec![None; pks.len()];
    tx.query(&sql, among.params(), &mut |row| {
        let pk: i64 = row.get(16)?;
        if let Some(place) = pks.iter().position(|wanted| *wanted == pk) {
            found[place] = Some(row.get(0)?);
        }
        Ok(())
    })?;
    Ok(found.into_iter().flatten().collect())
}

read_columns!(
    ProductSummary: id, name, slug, price, min_price, max_price, compare_price, stock, in_stock,
    featured, images, review_count, [rating_sum], category; average_rating: average_rating(rating_sum, review_count)
);
