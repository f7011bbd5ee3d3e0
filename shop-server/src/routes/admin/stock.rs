//! The shelf, for staff (`/api/admin/stock`).

use shop_core::inventory::ItemStock;
use shop_core::value::StockLevel;
use shop_core::views::{StockFilter, StockList, StockSummary};

use crate::output::Listed;
use crate::routes::prelude::*;

const STOCK: &str = "/api/admin/stock";
const ITEM: &str = "/api/admin/stock/{productId}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, STOCK, "adminListStock", list)
            .about("Units of every product and variant, with what happened to them lately"),
        admin(Method::GET, ITEM, "adminGetStock", get)
            .about("Units of a product, or of a variant")
            .fails(&[Code::ProductNotFound, Code::VariantNotFound, Code::InsufficientStock]),
        admin(Method::PATCH, ITEM, "adminSetStock", set)
            .about("Set the units of a product, or of a variant")
            .fails(&[Code::ProductNotFound, Code::VariantNotFound, Code::InsufficientStock]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ItemPath {
    /// The product's id, or the variant's.
    product_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct SetStock {
    /// Units that are left.
    stock: StockLevel,
}

async fn list(
    call: Call<Admin>,
    Query(filter): Query<StockFilter>,
) -> Result<Listed<StockSummary>> {
    let StockList { total, products, .. } = call.shop().stock().list(filter).await?;
    Ok(Listed { total, pieces: products })
}

async fn get(
    call: Call<Admin>,
    Path(ItemPath { product_id }): Path<ItemPath>,
) -> Result<Versioned<ItemStock>> {
    call.shop().stock().get(&product_id).await.and_then(Versioned::of)
}

async fn set(
    call: Call<Admin>,
    Path(ItemPath { product_id }): Path<ItemPath>,
    IfMatch(expected): IfMatch,
    Json(SetStock { stock }): Json<SetStock>,
) -> Result<Versioned<ItemStock>> {
    let stocks = call.shop().stock();
    stocks.update(&call.actor(), &product_id, stock, expected).await.and_then(Versioned::of)
}
