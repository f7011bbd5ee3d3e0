//! A customer's wishlist (`/api/user/wishlist`).

use shop_core::id::ProductId;
use shop_core::wishlist::WishlistItem;

use crate::routes::prelude::*;

const WISHLIST: &str = "/api/user/wishlist";

pub(super) fn rows() -> Vec<Route> {
    vec![
        session(Method::GET, WISHLIST, "listWishlist", list)
            .about("One's own wishlist, latest first"),
        session(Method::POST, WISHLIST, "addWishlistItem", add)
            .about("Wish for a product")
            .fails(&[Code::ProductNotFound, Code::AlreadyOnWishlist]),
        session(Method::DELETE, "/api/user/wishlist/{productId}", "deleteWishlistItem", remove)
            .about("Take a product off the wishlist")
            .fails(&[Code::WishlistItemNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewWishlistItem {
    /// The product's id.
    product_id: ProductId,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WishlistPath {
    /// The product's id.
    product_id: ProductId,
}

async fn list(call: Call<Session>) -> Result<Vec<WishlistItem>> {
    call.shop().wishlists().list(&call.caller.0.id).await
}

async fn add(
    call: Call<Session>,
    Json(new): Json<NewWishlistItem>,
) -> Result<Created<WishlistItem>> {
    call.shop().wishlists().add(&call.caller.0.id, &new.product_id).await.map(Created)
}

async fn remove(
    call: Call<Session>,
    Path(WishlistPath { product_id }): Path<WishlistPath>,
) -> Result<Message> {
    call.shop().wishlists().remove(&call.caller.0.id, &product_id).await?;
    Ok(Message::new("Produto removido da lista de desejos"))
}
