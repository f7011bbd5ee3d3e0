//! Categories, visible or not (`/api/admin/categories`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::catalog::{Category, CategoryPatch, NewCategory};
use shop_core::id::CategoryId;

use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path};
use crate::output::{Created, Message, Ok200, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

const ALL: &str = "/api/admin/categories";
const ONE: &str = "/api/admin/categories/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, ALL, "listCategoriesForAdmin", list)
            .about("Categories, visible or not, with the number of all their products"),
        admin(Method::POST, ALL, "createCategory", create)
            .about("Add a category")
            .fails(&[Code::SlugTaken]),
        admin(Method::PATCH, ONE, "updateCategory", update)
            .about("Change what the body names of a category")
            .fails(&[Code::CategoryNotFound, Code::SlugTaken]),
        admin(Method::DELETE, ONE, "deleteCategory", delete)
            .about("Delete a category, unless products stand in it")
            .fails(&[Code::CategoryNotFound, Code::InUse]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CategoryPath {
    /// The category's id.
    id: CategoryId,
}

async fn list(call: Call<Admin>, (): ()) -> Result<Ok200<Vec<Category>>> {
    call.shop().categories().list_for_admin().await.map(Ok200)
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewCategory>,
) -> Result<Versioned<Created<Category>>> {
    let category = call.shop().categories().create(&call.caller.actor(), new).await?;
    let revision = category.revision()?;
    Ok(Versioned(Created(category), revision))
}

async fn update(
    call: Call<Admin>,
    (Path(CategoryPath { id }), IfMatch(seen), Json(patch)): (
        Path<CategoryPath>,
        IfMatch,
        Json<CategoryPatch>,
    ),
) -> Result<Versioned<Ok200<Category>>> {
    let by = call.caller.actor();
    let category = call.shop().categories().update(&by, &id, patch, seen).await?;
    let revision = category.revision()?;
    Ok(Versioned(Ok200(category), revision))
}

async fn delete(
    call: Call<Admin>,
    Path(CategoryPath { id }): Path<CategoryPath>,
) -> Result<Ok200<Message>> {
    call.shop().categories().delete(&call.caller.actor(), &id).await?;
    Ok(Message::new("Categoria excluída"))
}
