//! Products, on sale or not (`/api/admin/products`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::catalog::{
    AdminProduct, AdminProductFilter, BulkOutcome, BulkProducts, CreatedProduct, NewProduct,
    ProductPatch,
};
use shop_core::id::ProductId;
use shop_core::page::Page;

use super::product_form::ProductForm;
use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path, Query, Repeat};
use crate::output::{Created, Message, Ok200, Replayed, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

/// A body that names thousands of products.
const BULK_LIMIT: usize = 512 * 1024;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/products", "listProductsForAdmin", list)
            .about("Products on sale or not, newest first"),
        admin(Method::POST, "/api/admin/products", "createProduct", create)
            .about("Add a product; its slug gets a number where it is taken")
            .fails(&[Code::SlugTaken, Code::SkuTaken]),
        admin(Method::POST, "/api/admin/products/bulk", "changeManyProducts", bulk)
            .about("Put many products on sale, off sale, or delete them for good")
            .body_limit(BULK_LIMIT),
        admin(Method::GET, "/api/admin/products/{id}", "getProductForAdmin", get)
            .about("A product in full, on sale or not")
            .fails(&[Code::ProductNotFound]),
        admin(Method::PATCH, "/api/admin/products/{id}", "updateProduct", update)
            .about("Change what the body names of a product")
            .fails(&[Code::ProductNotFound, Code::SlugTaken, Code::SkuTaken]),
        admin(Method::DELETE, "/api/admin/products/{id}", "deleteProduct", delete)
            .about("Delete a product for good; orders keep what they say of it")
            .fails(&[Code::ProductNotFound]),
        admin(Method::POST, "/api/admin/products/{id}/clone", "cloneProduct", copy)
            .about("Make a product after another one: off sale, without units and SKUs")
            .fails(&[Code::ProductNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ProductPath {
    /// The product's id.
    id: ProductId,
}

type OneProduct<O> = Result<Versioned<O>>;

async fn list(
    call: Call<Admin>,
    Query(filter): Query<AdminProductFilter>,
) -> Result<Ok200<Page<AdminProduct>>> {
    call.shop().products().list_for_admin(filter).await.map(Ok200)
}

async fn create(
    call: Call<Admin>,
    (Repeat(key), Json(new)): (Repeat, Json<NewProduct>),
) -> OneProduct<Replayed<Created<ProductForm>>> {
    let CreatedProduct { product, replayed, .. } =
        call.shop().products().create(&call.caller.actor(), new, key).await?;
    let revision = product.revision()?;
    let form = ProductForm::of(call.shop(), product).await?;
    Ok(Versioned(Replayed(Created(form), replayed), revision))
}

async fn bulk(call: Call<Admin>, Json(bulk): Json<BulkProducts>) -> Result<Ok200<BulkOutcome>> {
    call.shop().products().bulk(&call.caller.actor(), bulk).await.map(Ok200)
}

async fn get(
    call: Call<Admin>,
    Path(ProductPath { id }): Path<ProductPath>,
) -> OneProduct<Ok200<ProductForm>> {
    let product = call.shop().products().get(&id).await?;
    let revision = product.revision()?;
    Ok(Versioned(Ok200(ProductForm::of(call.shop(), product).await?), revision))
}

async fn update(
    call: Call<Admin>,
    (Path(ProductPath { id }), IfMatch(seen), Json(patch)): (
        Path<ProductPath>,
        IfMatch,
        Json<ProductPatch>,
    ),
) -> OneProduct<Ok200<ProductForm>> {
    let product = call.shop().products().update(&call.caller.actor(), &id, patch, seen).await?;
    let revision = product.revision()?;
    Ok(Versioned(Ok200(ProductForm::of(call.shop(), product).await?), revision))
}

async fn delete(
    call: Call<Admin>,
    Path(ProductPath { id }): Path<ProductPath>,
) -> Result<Ok200<Message>> {
    call.shop().products().delete(&call.caller.actor(), &id).await?;
    Ok(Message::new("Produto excluído"))
}

async fn copy(
    call: Call<Admin>,
    Path(ProductPath { id }): Path<ProductPath>,
) -> OneProduct<Created<ProductForm>> {
    let product = call.shop().products().copy(&call.caller.actor(), &id).await?;
    let revision = product.revision()?;
    Ok(Versioned(Created(ProductForm::of(call.shop(), product).await?), revision))
}
