//! A product in full, and what staff and programs do with it.

mod bulk;
mod copy;
mod create;
mod delete;
mod load;
mod state;
mod store;
mod update;

use serde::Deserialize;

pub(crate) use self::bulk::set_active;
pub use self::bulk::{BulkAction, BulkOutcome, BulkProducts};
#[cfg(feature = "demo")]
pub(crate) use self::create::add;
pub(super) use self::create::add_under;
pub use self::create::{CreatedProduct, NewProduct};
pub(crate) use self::delete::delete;
pub(crate) use self::load::check;
pub(super) use self::state::ProductState;
pub(super) use self::store::add_ratings;
pub(crate) use self::store::touch;
pub use self::update::ProductPatch;
pub(super) use self::update::apply;
use super::category::CategoryRef;
use super::image::Images;
use super::in_stock::own_count;
use super::review::PublicReview;
use super::variant::Variant;
use crate::clock::Timestamp;
use crate::id::ProductId;
use crate::money::Money;
use crate::value::{Length, Slug, Weight};

/// A product with all that its page shows (`GET /api/products/{slug}`).
#[apply(inexact_answer!)]
#[derive(PartialEq, Deserialize)]
pub struct Product {
    /// UUID version 7, set by the shop.
    pub id: ProductId,
    /// What shoppers call it.
    pub name: String,
    /// Its name in addresses, unique.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
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
    /// The first side in centimetres, packed for sending.
    pub length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    pub width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    pub height: Option<Length>,
    /// Whether the shop puts it forward.
    pub featured: bool,
    /// Whether it is on sale.
    pub active: bool,
    /// Whether it is sold in its variants only, never by itself.
    #[serde(default)]
    pub variant_required: bool,
    /// The category it stands in.
    pub category: Option<CategoryRef>,
    /// In the order of the shop, at most 20.
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

impl Product {
    /// The lowest and the highest price at which it can be had: of its variants, where it has some.
    pub fn price_range(&self) -> (Money, Money) {
        let prices = || self.variants.iter().map(|variant| variant.price);
        prices().min().zip(prices().max()).unwrap_or((self.price, self.price))
    }

    /// Whether a unit can be ordered: of itself, unless it is sold in its variants only, or of one
    /// of them.
    pub fn is_in_stock(&self) -> bool {
        own_count(self.variant_required, self.stock)
            || self.variants.iter().any(|variant| variant.stock > 0)
    }
}

revised! {
    /// The state of what staff say about it, for a later [`super::Products::update`]. Stock,
    /// variants and reviews, which move by themselves, are no part of it.
    Product |it| &ProductState::of(it);
}

impl ProductState {
    fn of(product: &Product) -> Self {
        Self {
            name: product.name.clone(),
            slug: product.slug.clone(),
            description: product.description.clone(),
            price: product.price,
            compare_price: product.compare_price,
            sku: product.sku.clone(),
            weight: product.weight,
            length: product.length,
            width: product.width,
            height: product.height,
            featured: product.featured,
            active: product.active,
            variant_required: product.variant_required,
            category_id: product.category.as_ref().map(|category| category.id.clone()),
            images: product.images.clone(),
        }
    }
}
