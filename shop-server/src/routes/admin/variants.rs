//! Variants of products (`/api/admin/products/{id}/variants`).

use shop_core::catalog::{AdminVariant, NewVariant, VariantPatch};
use shop_core::id::{ProductId, VariantId};

use super::products::UNITS_APART;
use crate::routes::prelude::*;

const ALL: &str = "/api/admin/products/{id}/variants";
const ONE: &str = "/api/admin/products/{id}/variants/{variantId}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, ALL, "listVariants", list).about("A product's variants, in order"),
        admin(Method::POST, ALL, "createVariant", create)
            .about("Add a variant to a product")
            .fails(&[Code::ImportUnderWay, Code::VariantExists, Code::SkuTaken]),
        admin(Method::PATCH, ONE, "updateVariant", update)
            .about("Change what the body names of a variant")
            .details(UNITS_APART)
            .fails(&[Code::ImportUnderWay, Code::VariantExists, Code::SkuTaken]),
        admin(Method::DELETE, ONE, "deleteVariant", delete)
            .about("Delete a variant for good; orders keep what they say of it")
            .fails(&[Code::ImportUnderWay]),
    ]
}

async fn list(call: Call<Admin>, Id(id): Id<ProductId>) -> Result<Vec<AdminVariant>> {
    call.shop().products().list_variants(&id).await
}

async fn create(
    call: Call<Admin>,
    Id(id): Id<ProductId>,
    Json(new): Json<NewVariant>,
) -> Result<Versioned<Created<AdminVariant>>> {
    let products = call.shop().products();
    products.create_variant(&call.actor(), &id, new).await.and_then(Versioned::created)
}

async fn update(
    call: Call<Admin>,
    Id(id): Id<ProductId>,
    Id(variant_id): Id<VariantId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<VariantPatch>,
) -> Result<Versioned<AdminVariant>> {
    let products = call.shop().products();
    products
        .update_variant(&call.actor(), &id, &variant_id, patch, expected)
        .await
        .and_then(Versioned::of)
}

async fn delete(
    call: Call<Admin>,
    Id(id): Id<ProductId>,
    Id(variant_id): Id<VariantId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().products().delete_variant(&call.actor(), &id, &variant_id, expected).await?;
    Ok(Message::new("Variante excluída"))
}
