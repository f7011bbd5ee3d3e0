//! Variants of products (`/api/admin/products/{id}/variants`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::catalog::{AdminVariant, NewVariant, VariantPatch};
use shop_core::id::{ProductId, VariantId};

use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path};
use crate::output::{Created, Message, Ok200, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

const ALL: &str = "/api/admin/products/{id}/variants";
const ONE: &str = "/api/admin/products/{id}/variants/{variantId}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, ALL, "listVariants", list)
            .about("A product's variants, in order")
            .fails(&[Code::ProductNotFound]),
        admin(Method::POST, ALL, "createVariant", create)
            .about("Add a variant to a product")
            .fails(&[Code::ProductNotFound, Code::VariantExists, Code::SkuTaken]),
        admin(Method::PATCH, ONE, "updateVariant", update)
            .about("Change what the body names of a variant")
            .fails(&[
                Code::ProductNotFound,
                Code::VariantNotFound,
                Code::VariantExists,
                Code::SkuTaken,
            ]),
        admin(Method::DELETE, ONE, "deleteVariant", delete)
            .about("Delete a variant for good; orders keep what they say of it")
            .fails(&[Code::ProductNotFound, Code::VariantNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ProductPath {
    /// The product's id.
    id: ProductId,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VariantPath {
    /// The product's id.
    id: ProductId,
    /// The variant's id.
    variant_id: VariantId,
}

async fn list(
    call: Call<Admin>,
    Path(ProductPath { id }): Path<ProductPath>,
) -> Result<Ok200<Vec<AdminVariant>>> {
    call.shop().products().list_variants(&id).await.map(Ok200)
}

async fn create(
    call: Call<Admin>,
    (Path(ProductPath { id }), Json(new)): (Path<ProductPath>, Json<NewVariant>),
) -> Result<Versioned<Created<AdminVariant>>> {
    let variant = call.shop().products().create_variant(&call.caller.actor(), &id, new).await?;
    let revision = variant.revision()?;
    Ok(Versioned(Created(variant), revision))
}

async fn update(
    call: Call<Admin>,
    (Path(VariantPath { id, variant_id }), IfMatch(seen), Json(patch)): (
        Path<VariantPath>,
        IfMatch,
        Json<VariantPatch>,
    ),
) -> Result<Versioned<Ok200<AdminVariant>>> {
    let by = call.caller.actor();
    let variant = call.shop().products().update_variant(&by, &id, &variant_id, patch, seen).await?;
    let revision = variant.revision()?;
    Ok(Versioned(Ok200(variant), revision))
}

async fn delete(
    call: Call<Admin>,
    Path(VariantPath { id, variant_id }): Path<VariantPath>,
) -> Result<Ok200<Message>> {
    call.shop().products().delete_variant(&call.caller.actor(), &id, &variant_id).await?;
    Ok(Message::new("Variante excluída"))
}
