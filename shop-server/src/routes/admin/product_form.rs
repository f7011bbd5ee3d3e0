//! A product as staff see it: with its variants in the form that changes of them take.

use schemars::JsonSchema;
use serde::Serialize;
use shop_core::Result;
use shop_core::catalog::{AdminVariant, CategoryRef, Images, Product, PublicReview};
use shop_core::clock::Timestamp;
use shop_core::id::ProductId;
use shop_core::money::Money;
use shop_core::value::{Length, Weight};

/// A product as staff see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProductForm {
    id: ProductId,
    /// What shoppers call it.
    name: String,
    /// Its name in addresses, unique.
    slug: String,
    /// Plain text; may be empty.
    description: String,
    /// What it costs.
    price: Money,
    /// What it used to cost, shown struck through.
    compare_price: Option<Money>,
    /// Units of the product itself; variants have their own.
    stock: i64,
    /// The shop's own article number, unique over products and variants.
    sku: Option<String>,
    /// In kilograms, with packaging.
    weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    height: Option<Length>,
    /// Whether the shop puts it forward.
    featured: bool,
    /// Whether it is on sale.
    active: bool,
    /// Whether it is sold in its variants only, never by itself.
    variant_required: bool,
    category: Option<CategoryRef>,
    images: Images,
    /// What it can be had as, in the shop's order, with the ids of the options.
    variants: Vec<AdminVariant>,
    /// The latest approved reviews, at most 50, newest first.
    reviews: Vec<PublicReview>,
    /// How many approved reviews there are.
    review_count: i64,
    /// The mean rating of the approved reviews with two decimals; 0 without any.
    average_rating: f64,
    /// When it was entered.
    created_at: Timestamp,
    /// When it last changed.
    updated_at: Timestamp,
}

impl ProductForm {
    pub(super) async fn of(shop: &shop_core::Shop, product: Product) -> Result<Self> {
        // Most products have none.
        let variants = if product.variants.is_empty() {
            Vec::new()
        } else {
            shop.products().list_variants(&product.id).await?
        };
        Ok(Self::with_variants(product, variants))
    }

    pub(super) fn with_variants(product: Product, variants: Vec<AdminVariant>) -> Self {
        Self {
            id: product.id,
            name: product.name,
            slug: product.slug.to_string(),
            description: product.description,
            price: product.price,
            compare_price: product.compare_price,
            stock: product.stock,
            sku: product.sku,
            weight: product.weight,
            length: product.length,
            width: product.width,
            height: product.height,
            featured: product.featured,
            active: product.active,
            variant_required: product.variant_required,
            category: product.category,
            images: product.images,
            variants,
            reviews: product.reviews,
            review_count: product.review_count,
            average_rating: product.average_rating,
            created_at: product.created_at,
            updated_at: product.updated_at,
        }
    }
}
