//! Kinds of variation and their options (`/api/admin/variant-types`).

use shop_core::catalog::{
    NewVariantOption, NewVariantType, VariantOption, VariantOptionPatch, VariantType,
    VariantTypePatch,
};
use shop_core::id::{VariantOptionId, VariantTypeId};

use crate::routes::prelude::*;

const TYPES: &str = "/api/admin/variant-types";
const TYPE: &str = "/api/admin/variant-types/{typeId}";
const OPTIONS: &str = "/api/admin/variant-types/{typeId}/options";
const OPTION: &str = "/api/admin/variant-types/{typeId}/options/{optionId}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, TYPES, "listVariantTypes", list)
            .about("Kinds of variation with their options, in order"),
        admin(Method::POST, TYPES, "createVariantType", create)
            .about("Add a kind of variation")
            .fails(&[Code::ImportUnderWay, Code::SlugTaken]),
        admin(Method::PATCH, TYPE, "updateVariantType", update)
            .about("Change what the body names of a kind of variation")
            .fails(&[Code::ImportUnderWay, Code::SlugTaken]),
        admin(Method::DELETE, TYPE, "deleteVariantType", delete)
            .about("Delete a kind of variation with its options, unless variants have one")
            .fails(&[Code::ImportUnderWay, Code::InUse]),
        admin(Method::GET, OPTIONS, "listVariantOptions", list_options)
            .about("The options of a kind of variation, in order"),
        admin(Method::POST, OPTIONS, "createVariantOption", create_option)
            .about("Add an option to a kind of variation")
            .fails(&[Code::ImportUnderWay, Code::OptionExists]),
        admin(Method::PATCH, OPTION, "updateVariantOption", update_option)
            .about("Change what the body names of an option")
            .fails(&[Code::ImportUnderWay, Code::OptionExists]),
        admin(Method::DELETE, OPTION, "deleteVariantOption", delete_option)
            .about("Delete an option, unless variants have it")
            .fails(&[Code::ImportUnderWay, Code::InUse]),
    ]
}

async fn list(call: Call<Admin>) -> Result<Vec<VariantType>> {
    call.shop().variant_types().list().await
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewVariantType>,
) -> Result<Versioned<Created<VariantType>>> {
    call.shop().variant_types().create(&call.actor(), new).await.and_then(Versioned::created)
}

async fn update(
    call: Call<Admin>,
    Id(type_id): Id<VariantTypeId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<VariantTypePatch>,
) -> Result<Versioned<VariantType>> {
    let by = call.actor();
    call.shop().variant_types().update(&by, &type_id, patch, expected).await.and_then(Versioned::of)
}

async fn delete(
    call: Call<Admin>,
    Id(type_id): Id<VariantTypeId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().variant_types().delete(&call.actor(), &type_id, expected).await?;
    Ok(Message::new("Tipo de variante excluído"))
}

async fn list_options(
    call: Call<Admin>,
    Id(type_id): Id<VariantTypeId>,
) -> Result<Vec<VariantOption>> {
    call.shop().variant_types().list_options(&type_id).await
}

async fn create_option(
    call: Call<Admin>,
    Id(type_id): Id<VariantTypeId>,
    Json(new): Json<NewVariantOption>,
) -> Result<Versioned<Created<VariantOption>>> {
    let by = call.actor();
    call.shop().variant_types().create_option(&by, &type_id, new).await.and_then(Versioned::created)
}

async fn update_option(
    call: Call<Admin>,
    Id(option_id): Id<VariantOptionId>,
    Id(type_id): Id<VariantTypeId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<VariantOptionPatch>,
) -> Result<Versioned<VariantOption>> {
    let (by, types) = (call.actor(), call.shop().variant_types());
    types.update_option(&by, &type_id, &option_id, patch, expected).await.and_then(Versioned::of)
}

async fn delete_option(
    call: Call<Admin>,
    Id(option_id): Id<VariantOptionId>,
    Id(type_id): Id<VariantTypeId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    let by = call.actor();
    call.shop().variant_types().delete_option(&by, &type_id, &option_id, expected).await?;
    Ok(Message::new("Opção excluída"))
}
