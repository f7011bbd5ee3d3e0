//! The public catalogue.

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::catalog::{
    Category, Product, ProductFilter, ProductSummary, SearchPage, SearchQuery,
};
use shop_core::page::Page;

use crate::caller::Public;
use crate::input::{Path, Query};
use crate::output::Ok200;
use crate::route::{Call, Route, public};

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, "/api/products", "listProducts", list)
            .about("Products on sale, filtered and sorted")
            .cached(),
        public(Method::GET, "/api/products/search", "searchProducts", search)
            .about("Products by the words in their name and description")
            .cached(),
        public(Method::GET, "/api/products/{slug}", "getProduct", get)
            .about("A product in full")
            .cached(),
        public(Method::GET, "/api/categories", "listCategories", categories)
            .about("Active categories")
            .cached(),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ProductPath {
    /// The product's slug.
    slug: String,
}

async fn list(
    call: Call<Public>,
    Query(filter): Query<ProductFilter>,
) -> Result<Ok200<Page<ProductSummary>>> {
    call.shop().products().list(filter).await.map(Ok200)
}

async fn search(call: Call<Public>, Query(query): Query<SearchQuery>) -> Result<Ok200<SearchPage>> {
    call.shop().products().search(query).await.map(Ok200)
}

async fn get(
    call: Call<Public>,
    Path(ProductPath { slug }): Path<ProductPath>,
) -> Result<Ok200<Product>> {
    call.shop().products().get(&slug).await.map(Ok200)
}

async fn categories(call: Call<Public>, (): ()) -> Result<Ok200<Vec<Category>>> {
    call.shop().categories().list().await.map(Ok200)
}
