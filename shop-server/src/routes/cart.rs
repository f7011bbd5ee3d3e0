//! The cart that the server keeps (`/api/cart`).

use hyper::header::HeaderMap;
use shop_core::cart::{Cart, CartItemPatch, CartOwner, NewCartItem};
use shop_core::id::CartItemId;

use crate::routes::prelude::*;

const CART: &str = "/api/cart";
const ITEM: &str = "/api/cart/items/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        shopper(Method::GET, CART, "getCart", get).about("One's own cart, with today's prices"),
        shopper(Method::DELETE, CART, "clearCart", clear).about("Empty the cart"),
        shopper(Method::POST, "/api/cart/items", "addCartItem", add)
            .about("Add a line, or its quantity to the line that is there")
            .fails(&[
                Code::ProductNotFound,
                Code::VariantNotFound,
                Code::ProductInactive,
                Code::InsufficientStock,
                Code::VariantRequired,
            ])
            .headers(&[Header::SetCookie]),
        shopper(Method::PATCH, ITEM, "updateCartItem", update)
            .about("Set a line's quantity")
            .fails(&[Code::ProductInactive, Code::InsufficientStock])
            .headers(&[Header::SetCookie]),
        shopper(Method::DELETE, ITEM, "deleteCartItem", remove)
            .about("Take a line out")
            .headers(&[Header::SetCookie]),
    ]
}

async fn get(call: Call<Shopper>) -> Result<Cart> {
    call.shop().carts().get(&call.caller.0).await
}

async fn clear(call: Call<Shopper>) -> Result<Cart> {
    call.shop().carts().clear(&call.caller.0).await
}

async fn add(
    call: Call<Shopper>,
    Json(item): Json<NewCartItem>,
) -> Result<WithHeaders<Created<Cart>>> {
    let cart = call.shop().carts().add(&call.caller.0, item).await?;
    changed(&call, Created(cart))
}

async fn update(
    call: Call<Shopper>,
    Id(id): Id<CartItemId>,
    Json(patch): Json<CartItemPatch>,
) -> Result<WithHeaders<Cart>> {
    let cart = call.shop().carts().set_quantity(&call.caller.0, &id, patch).await?;
    changed(&call, cart)
}

async fn remove(call: Call<Shopper>, Id(id): Id<CartItemId>) -> Result<WithHeaders<Cart>> {
    let cart = call.shop().carts().remove(&call.caller.0, &id).await?;
    changed(&call, cart)
}

/// The answer to a change. It renews a guest's cookie, as the change renews the cart.
fn changed<O>(call: &Call<Shopper>, answer: O) -> Result<WithHeaders<O>> {
    let answer = WithHeaders(answer, HeaderMap::new());
    match &call.caller.0 {
        CartOwner::Account(_) => Ok(answer),
        CartOwner::Guest(token) => {
            answer.and_cookie(&call.cookies().keep_cart(call.shop(), &token.reveal()))
        }
    }
}
