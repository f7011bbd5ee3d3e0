//! Categories, visible or not (`/api/admin/categories`).

use shop_core::catalog::{Category, CategoryPatch, NewCategory};
use shop_core::id::CategoryId;

use crate::routes::prelude::*;

const ALL: &str = "/api/admin/categories";
const ONE: &str = "/api/admin/categories/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, ALL, "listCategoriesForAdmin", list)
            .about("Categories, visible or not, with the number of all their products"),
        admin(Method::POST, ALL, "createCategory", create)
            .about("Add a category")
            .fails(&[Code::ImportUnderWay, Code::SlugTaken]),
        admin(Method::PATCH, ONE, "updateCategory", update)
            .about("Change what the body names of a category")
            .fails(&[Code::ImportUnderWay, Code::SlugTaken]),
        admin(Method::DELETE, ONE, "deleteCategory", delete)
            .about("Delete a category, unless products stand in it")
            .fails(&[Code::ImportUnderWay, Code::InUse]),
    ]
}

async fn list(call: Call<Admin>) -> Result<Vec<Category>> {
    call.shop().categories().list_for_admin().await
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewCategory>,
) -> Result<Versioned<Created<Category>>> {
    call.shop().categories().create(&call.actor(), new).await.and_then(Versioned::created)
}

async fn update(
    call: Call<Admin>,
    Id(id): Id<CategoryId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<CategoryPatch>,
) -> Result<Versioned<Category>> {
    let categories = call.shop().categories();
    categories.update(&call.actor(), &id, patch, expected).await.and_then(Versioned::of)
}

async fn delete(
    call: Call<Admin>,
    Id(id): Id<CategoryId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().categories().delete(&call.actor(), &id, expected).await?;
    Ok(Message::new("Categoria excluída"))
}
