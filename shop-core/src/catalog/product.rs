//! A product in full.

use serde::{Deserialize, Serialize};

use super::category::CategoryRef;
use super::image::Images;
use super::list::CatalogCaches;
use super::review::{self, PublicReview};
use super::variant::{self, Variant};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Entity, Error, Result};
use crate::id::ProductId;
use crate::money::Money;
use crate::storage::{Param, Row, Tx};
use crate::value::Weight;

/// How many of the latest reviews a product's page shows.
const SHOWN_REVIEWS: i64 = 50;

/// A product with all that its page shows (`GET /api/products/{slug}`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Product {
    /// Its own id.
    pub id: ProductId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses, unique.
    pub slug: String,
    /// Plain text; may be empty.
    pub description: String,
    /// What it costs.
    pub price: Money,
    /// What it used to cost, shown struck through.
    pub compare_price: Option<Money>,
    /// Units of the product itself; variants have their own.
    pub stock: i64,
    /// The shop's own article number, unique over products and variants.
    pub sku: Option<String>,
    /// In kilograms, with packaging.
    pub weight: Option<Weight>,
    /// Whether the shop puts it forward.
    pub featured: bool,
    /// Whether it is on sale.
    pub active: bool,
    /// The category it stands in.
    pub category: Option<CategoryRef>,
    /// Its pictures.
    pub images: Images,
    /// What it can be had as, in the shop's order.
    pub variants: Vec<Variant>,
    /// The latest approved reviews, at most 50, newest first.
    pub reviews: Vec<PublicReview>,
    /// How many approved reviews there are.
    pub review_count: i64,
    /// The mean rating of the approved reviews with two decimals; 0 without any.
    pub average_rating: f64,
    /// When it was entered.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The shop's products.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::catalog::{NewProduct, ProductFilter, ProductSort};
///
/// let new = NewProduct::new("Vela de Lavanda".parse()?, "49.90".parse()?, 10.try_into()?)?;
/// shop.products().create(&Actor::System, new).await?;
///
/// let filter = ProductFilter { sort: ProductSort::PriceAsc, ..ProductFilter::default() };
/// let page = shop.products().list(filter).await?;
/// let candle = shop.products().get(&page.data[0].slug).await?;
/// assert_eq!((candle.name.as_str(), candle.stock), ("Vela de Lavanda", 10));
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Products<'a> {
    pub(super) cx: &'a Context,
    pub(super) caches: &'a CatalogCaches,
}

impl<'a> Products<'a> {
    pub(crate) fn new(cx: &'a Context, caches: &'a CatalogCaches) -> Self {
        Self { cx, caches }
    }

    /// The product with this slug.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none, or it is not on sale.
    pub async fn get(&self, slug: &str) -> Result<Product> {
        let slug = slug.to_owned();
        let job = move |tx: &mut dyn Tx| load_by_slug(tx, &slug);
        self.cx.db().read_public("product.get", job).await?.ok_or(Error::NotFound(Entity::Product))
    }

    /// A product in full, on sale or not, by its id, its slug, or an article number of its own or
    /// of a variant.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn find(&self, name: &str) -> Result<Product> {
        let name = name.to_owned();
        let job = move |tx: &mut dyn Tx| load_by_name(tx, &name);
        self.cx.db().read("product.find", job).await?.ok_or(Error::NotFound(Entity::Product))
    }
}

/// The mean of `count` ratings that add up to `sum`, rounded half up to two decimals; 0 of none.
pub(super) fn average_rating(sum: i64, count: i64) -> f64 {
    if count <= 0 {
        return 0.0;
    }
    let hundredths = (sum * 200 + count) / (count * 2);
    #[expect(clippy::cast_precision_loss, reason = "at most 500")]
    let average = hundredths as f64 / 100.0;
    average
}

/// Columns of a product with its category, where that fulfils `$category`, and its own stock;
/// `$where` says which.
macro_rules! select_product {
    ($category:literal, $where:literal) => {
        concat!(
            "SELECT p.id, p.name, p.slug, p.description, p.price, p.compare_price, s.quantity,
                    p.sku, p.weight_grams, p.featured, p.active, p.images, p.review_count,
                    p.rating_sum, p.created_at, p.updated_at, c.id, c.name, c.slug
             FROM product p JOIN stock s ON s.item_id = p.id
             LEFT JOIN category c ON c.id = p.category_id",
            $category,
            " WHERE ",
            $where
        )
    };
}

/// A product on sale, as shoppers see it: not in a category that is hidden from them.
fn load_by_slug(tx: &mut dyn Tx, slug: &str) -> Result<Option<Product>> {
    load(tx, select_product!(" AND c.active = 1", "p.slug = $1 AND p.active = 1"), slug.into())
}

fn load_by_name(tx: &mut dyn Tx, name: &str) -> Result<Option<Product>> {
    const BY_SKU: &str = "SELECT p.id FROM sku k JOIN stock s ON s.item_id = k.item_id
                          JOIN product p ON p.pk = s.product_pk WHERE k.code = $1";
    for by in ["SELECT id FROM product WHERE slug = $1", BY_SKU] {
        if let Some(id) = tx.one(by, &[name.into()], |row| row.get(0))? {
            return load_by_id(tx, &id);
        }
    }
    load_by_id(tx, &name.into())
}

/// A product, on sale or not.
pub(super) fn load_by_id(tx: &mut dyn Tx, id: &ProductId) -> Result<Option<Product>> {
    load(tx, select_product!("", "p.id = $1"), id.into())
}

fn load(tx: &mut dyn Tx, sql: &str, key: Param<'_>) -> Result<Option<Product>> {
    let Some(mut product) = tx.one(sql, &[key], read_product)? else { return Ok(None) };
    product.variants = variant::of_product(tx, &product.id)?;
    product.reviews = review::latest(tx, &product.id, SHOWN_REVIEWS)?;
    Ok(Some(product))
}

fn read_product(row: &dyn Row) -> Result<Product> {
    let (review_count, rating_sum) = (row.get(12)?, row.get(13)?);
    Ok(Product {
        id: row.get(0)?,
        name: row.get(1)?,
        slug: row.get(2)?,
        description: row.get(3)?,
        price: row.get(4)?,
        compare_price: row.get(5)?,
        stock: row.get(6)?,
        sku: row.get(7)?,
        weight: row.get(8)?,
        featured: row.get(9)?,
        active: row.get(10)?,
        images: row.get(11)?,
        review_count,
        average_rating: average_rating(rating_sum, review_count),
        created_at: row.get(14)?,
        updated_at: row.get(15)?,
        category: CategoryRef::read(row, 16)?,
        variants: Vec::new(),
        reviews: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "two decimals have one nearest float")]
    fn the_average_has_two_decimals_and_none_without_reviews() {
        assert_eq!(average_rating(0, 0), 0.0);
        assert_eq!(average_rating(14, 3), 4.67);
        assert_eq!(average_rating(9, 8), 1.13);
        assert_eq!(average_rating(5, 1), 5.0);
    }
}
