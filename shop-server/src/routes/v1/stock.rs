//! The stock of one product (`/api/v1/products/{id}/stock`).

use shop_core::id::ProductId;
use shop_core::inventory::StockCount;
use shop_core::value::StockLevel;

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        key(StockWrite, Method::PATCH, "/api/v1/products/{id}/stock", "v1SetStock", set)
            .about("Set how many units of a product are left")
            .details(
                "`If-Match` takes the `ETag` of `GET /api/v1/products/{id}`, and the units are set \
                 only where the product is still so. It covers what staff say of the product, not \
                 its units: no sale makes it old.",
            )
            .fails(&[Code::ProductNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct V1SetStock {
    /// Units of the product itself that are left.
    stock: StockLevel,
}

async fn set(
    call: Call<Key<StockWrite>>,
    Id(id): Id<ProductId>,
    IfMatch(expected): IfMatch,
    Json(V1SetStock { stock }): Json<V1SetStock>,
) -> Result<StockCount> {
    call.shop().stock().set(&call.actor(), &id, None, stock, expected).await
}
