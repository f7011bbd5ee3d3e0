//! Products (`/api/v1/products`).

use hyper::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shop_core::Result;
use shop_core::catalog::{CategoryRef, Image, ProductRecord, RecordFilter, VariantRecord};
use shop_core::clock::Timestamp;
use shop_core::id::{ProductId, VariantId};
use shop_core::page::Stretch;
use shop_core::value::Weight;

use super::AmountText;
use crate::input::{Path, Query};
use crate::key::{Key, ProductsRead};
use crate::output::Ok200;
use crate::route::{Call, Route, key};

pub(super) fn rows() -> Vec<Route> {
    vec![
        key(ProductsRead, Method::GET, "/api/v1/products", "v1ListProducts", list)
            .about("Products, the latest first, page by page or from cursor to cursor"),
        key(ProductsRead, Method::GET, "/api/v1/products/{id}", "v1GetProduct", get)
            .about("A product, on sale or not"),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ProductPath {
    /// The product's id.
    pub(super) id: ProductId,
}

/// A product as programs read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct V1Product {
    id: ProductId,
    name: String,
    slug: String,
    /// The shop's own article number.
    sku: Option<String>,
    price: AmountText,
    /// What it used to cost.
    compare_price: Option<AmountText>,
    /// Units of the product itself that are left.
    stock: i64,
    /// Whether it is on sale.
    active: bool,
    /// Whether the shop puts it forward.
    featured: bool,
    /// In kilograms, with packaging.
    weight: Option<Weight>,
    /// When it last changed; sales and counts do not change it.
    updated_at: Timestamp,
    category: Option<CategoryRef>,
    images: Vec<V1Image>,
    variants: Vec<V1Variant>,
}

/// A picture of a product.
#[derive(Debug, Serialize, JsonSchema)]
struct V1Image {
    url: String,
    /// What it shows.
    alt: String,
}

/// What a product can be had as.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct V1Variant {
    id: VariantId,
    /// The shop's own article number.
    sku: Option<String>,
    price: AmountText,
    /// What it used to cost.
    compare_price: Option<AmountText>,
    /// Its own units that are left.
    stock: i64,
}

impl V1Product {
    pub(super) fn of(product: ProductRecord) -> Result<Self> {
        let image = |Image { url, alt, .. }| V1Image { url, alt };
        Ok(Self {
            images: product.images.to_vec()?.into_iter().map(image).collect(),
            variants: product.variants.into_iter().map(V1Variant::of).collect(),
            id: product.id,
            name: product.name,
            slug: product.slug,
            sku: product.sku,
            price: AmountText(product.price),
            compare_price: product.compare_price.map(AmountText),
            stock: product.stock,
            active: product.active,
            featured: product.featured,
            weight: product.weight,
            updated_at: product.updated_at,
            category: product.category,
        })
    }
}

impl V1Variant {
    fn of(variant: VariantRecord) -> Self {
        let VariantRecord { id, sku, price, compare_price, stock } = variant;
        let (price, compare_price) = (AmountText(price), compare_price.map(AmountText));
        Self { id, sku, price, compare_price, stock }
    }
}

async fn list(
    call: Call<Key<ProductsRead>>,
    Query(filter): Query<RecordFilter>,
) -> Result<Ok200<Stretch<V1Product>>> {
    call.shop().products().records(filter).await?.try_map(V1Product::of).map(Ok200)
}

async fn get(
    call: Call<Key<ProductsRead>>,
    Path(ProductPath { id }): Path<ProductPath>,
) -> Result<Ok200<V1Product>> {
    V1Product::of(call.shop().products().record(&id).await?).map(Ok200)
}
