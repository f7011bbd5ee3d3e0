//! Kinds of variation and their options (`/api/admin/variant-types`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::catalog::{
    NewVariantOption, NewVariantType, VariantOption, VariantOptionPatch, VariantType,
    VariantTypePatch,
};
use shop_core::id::{VariantOptionId, VariantTypeId};

use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path};
use crate::output::{Created, Message, Ok200, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

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
            .fails(&[Code::SlugTaken]),
        admin(Method::PATCH, TYPE, "updateVariantType", update)
            .about("Change what the body names of a kind of variation")
            .fails(&[Code::VariantTypeNotFound, Code::SlugTaken]),
        admin(Method::DELETE, TYPE, "deleteVariantType", delete)
            .about("Delete a kind of variation with its options, unless variants have one")
            .fails(&[Code::VariantTypeNotFound, Code::InUse]),
        admin(Method::GET, OPTIONS, "listVariantOptions", list_options)
            .about("The options of a kind of variation, in order")
            .fails(&[Code::VariantTypeNotFound]),
        admin(Method::POST, OPTIONS, "createVariantOption", create_option)
            .about("Add an option to a kind of variation")
            .fails(&[Code::VariantTypeNotFound, Code::OptionExists]),
        admin(Method::PATCH, OPTION, "updateVariantOption", update_option)
            .about("Change what the body names of an option")
            .fails(&[Code::VariantTypeNotFound, Code::VariantOptionNotFound, Code::OptionExists]),
        admin(Method::DELETE, OPTION, "deleteVariantOption", delete_option)
            .about("Delete an option, unless variants have it")
            .fails(&[Code::VariantTypeNotFound, Code::VariantOptionNotFound, Code::InUse]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TypePath {
    /// The kind's id.
    type_id: VariantTypeId,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OptionPath {
    /// The kind's id.
    type_id: VariantTypeId,
    /// The option's id.
    option_id: VariantOptionId,
}

async fn list(call: Call<Admin>, (): ()) -> Result<Ok200<Vec<VariantType>>> {
    call.shop().variant_types().list().await.map(Ok200)
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewVariantType>,
) -> Result<Versioned<Created<VariantType>>> {
    let kind = call.shop().variant_types().create(&call.caller.actor(), new).await?;
    let revision = kind.revision()?;
    Ok(Versioned(Created(kind), revision))
}

async fn update(
    call: Call<Admin>,
    (Path(TypePath { type_id }), IfMatch(seen), Json(patch)): (
        Path<TypePath>,
        IfMatch,
        Json<VariantTypePatch>,
    ),
) -> Result<Versioned<Ok200<VariantType>>> {
    let by = call.caller.actor();
    let kind = call.shop().variant_types().update(&by, &type_id, patch, seen).await?;
    let revision = kind.revision()?;
    Ok(Versioned(Ok200(kind), revision))
}

async fn delete(
    call: Call<Admin>,
    Path(TypePath { type_id }): Path<TypePath>,
) -> Result<Ok200<Message>> {
    call.shop().variant_types().delete(&call.caller.actor(), &type_id).await?;
    Ok(Message::new("Tipo de variante excluído"))
}

async fn list_options(
    call: Call<Admin>,
    Path(TypePath { type_id }): Path<TypePath>,
) -> Result<Ok200<Vec<VariantOption>>> {
    call.shop().variant_types().list_options(&type_id).await.map(Ok200)
}

async fn create_option(
    call: Call<Admin>,
    (Path(TypePath { type_id }), Json(new)): (Path<TypePath>, Json<NewVariantOption>),
) -> Result<Versioned<Created<VariantOption>>> {
    let by = call.caller.actor();
    let option = call.shop().variant_types().create_option(&by, &type_id, new).await?;
    let revision = option.revision()?;
    Ok(Versioned(Created(option), revision))
}

async fn update_option(
    call: Call<Admin>,
    (Path(OptionPath { type_id, option_id }), IfMatch(seen), Json(patch)): (
        Path<OptionPath>,
        IfMatch,
        Json<VariantOptionPatch>,
    ),
) -> Result<Versioned<Ok200<VariantOption>>> {
    let (by, types) = (call.caller.actor(), call.shop().variant_types());
    let option = types.update_option(&by, &type_id, &option_id, patch, seen).await?;
    let revision = option.revision()?;
    Ok(Versioned(Ok200(option), revision))
}

async fn delete_option(
    call: Call<Admin>,
    Path(OptionPath { type_id, option_id }): Path<OptionPath>,
) -> Result<Ok200<Message>> {
    let by = call.caller.actor();
    call.shop().variant_types().delete_option(&by, &type_id, &option_id).await?;
    Ok(Message::new("Opção excluída"))
}
