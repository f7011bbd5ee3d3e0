//! Products, on sale or not (`/api/admin/products`).

use shop_core::catalog::{
    AdminProduct, AdminProductFilter, BulkOutcome, BulkProducts, CreatedProduct, NewProduct,
    Product, ProductPatch,
};
use shop_core::id::ProductId;
use shop_core::page::Page;

use super::product_form::ProductForm;
use crate::routes::prelude::*;

/// A body that names thousands of products.
const BULK_LIMIT: usize = 512 * 1024;

/// What `If-Match` leaves out of a product and a variant.
pub(super) const UNITS_APART: &str = "\
    `If-Match` covers what staff say, not the units: no sale makes a tag old, and `stock` is set \
    whatever was sold since the tag was read. `PATCH /api/admin/stock/{productId}` goes by a tag \
    of the units.";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/products", "listProductsForAdmin", list)
            .about("Products on sale or not, newest first"),
        admin(Method::POST, "/api/admin/products", "createProduct", create)
            .about("Add a product; its slug gets a number where it is taken")
            .fails(&[Code::ImportUnderWay, Code::SlugTaken, Code::SkuTaken]),
        admin(Method::POST, "/api/admin/products/bulk", "changeManyProducts", bulk)
            .about("Put many products on sale, off sale, or delete them for good")
            .body_limit(BULK_LIMIT)
            .fails(&[Code::ImportUnderWay]),
        admin(Method::GET, "/api/admin/products/{id}", "getProductForAdmin", get)
            .about("A product in full, on sale or not"),
        admin(Method::PATCH, "/api/admin/products/{id}", "updateProduct", update)
            .about("Change what the body names of a product")
            .details(UNITS_APART)
            .fails(&[Code::ImportUnderWay, Code::SlugTaken, Code::SkuTaken]),
        admin(Method::DELETE, "/api/admin/products/{id}", "deleteProduct", delete)
            .about("Delete a product for good; orders keep what they say of it")
            .fails(&[Code::ImportUnderWay]),
        admin(Method::POST, "/api/admin/products/{id}/clone", "cloneProduct", copy)
            .about("Make a product after another one: off sale, without units and SKUs")
            .fails(&[Code::ImportUnderWay]),
    ]
}

type OneProduct<O> = Result<Versioned<O>>;

async fn list(
    call: Call<Admin>,
    Query(filter): Query<AdminProductFilter>,
) -> Result<Page<AdminProduct>> {
    call.shop().products().list_for_admin(filter).await
}

async fn create(
    call: Call<Admin>,
    Repeat(key): Repeat,
    Json(new): Json<NewProduct>,
) -> OneProduct<Replayed<Created<ProductForm>>> {
    let CreatedProduct { product, variants, replayed, .. } =
        call.shop().products().create(&call.actor(), new, key).await?;
    let revision = product.revision()?;
    let form = ProductForm::with_variants(product, variants);
    Ok(Versioned(Replayed(Created(form), replayed), revision))
}

async fn bulk(call: Call<Admin>, Json(bulk): Json<BulkProducts>) -> Result<BulkOutcome> {
    call.shop().products().bulk(&call.actor(), bulk).await
}

async fn get(call: Call<Admin>, Id(id): Id<ProductId>) -> OneProduct<ProductForm> {
    shown(&call, call.shop().products().get(&id).await?, |form| form).await
}

async fn update(
    call: Call<Admin>,
    Id(id): Id<ProductId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<ProductPatch>,
) -> OneProduct<ProductForm> {
    let product = call.shop().products().update(&call.actor(), &id, patch, expected).await?;
    shown(&call, product, |form| form).await
}

async fn delete(
    call: Call<Admin>,
    Id(id): Id<ProductId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().products().delete(&call.actor(), &id, expected).await?;
    Ok(Message::new("Produto excluído"))
}

async fn copy(call: Call<Admin>, Id(id): Id<ProductId>) -> OneProduct<Created<ProductForm>> {
    shown(&call, call.shop().products().copy(&call.actor(), &id).await?, Created).await
}

async fn shown<O>(
    call: &Call<Admin>,
    product: Product,
    answer: impl FnOnce(ProductForm) -> O,
) -> OneProduct<O> {
    let revision = product.revision()?;
    Ok(Versioned(answer(ProductForm::of(call.shop(), product).await?), revision))
}
