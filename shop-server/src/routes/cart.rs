//! The cart that the server keeps (`/api/cart`, decision 9).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::cart::{Cart, CartItemPatch, NewCartItem};
use shop_core::id::CartItemId;

use crate::caller::Session;
use crate::input::{Json, Path};
use crate::output::{Created, Ok200};
use crate::route::{Call, Route, session};

const CART: &str = "/api/cart";
const ITEM: &str = "/api/cart/items/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        session(Method::GET, CART, "getCart", get).about("One's own cart, with today's prices"),
        session(Method::DELETE, CART, "clearCart", clear).about("Empty the cart"),
        session(Method::POST, "/api/cart/items", "addCartItem", add)
            .about("Add a line, or its quantity to the line that is there"),
        session(Method::PATCH, ITEM, "updateCartItem", update).about("Set a line's quantity"),
        session(Method::DELETE, ITEM, "deleteCartItem", remove).about("Take a line out"),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ItemPath {
    /// The line's id.
    id: CartItemId,
}

async fn get(call: Call<Session>, (): ()) -> Result<Ok200<Cart>> {
    call.shop().carts().get(&call.caller.0.id).await.map(Ok200)
}

async fn clear(call: Call<Session>, (): ()) -> Result<Ok200<Cart>> {
    call.shop().carts().clear(&call.caller.0.id).await.map(Ok200)
}

async fn add(call: Call<Session>, Json(item): Json<NewCartItem>) -> Result<Created<Cart>> {
    call.shop().carts().add(&call.caller.0.id, item).await.map(Created)
}

async fn update(
    call: Call<Session>,
    (Path(ItemPath { id }), Json(patch)): (Path<ItemPath>, Json<CartItemPatch>),
) -> Result<Ok200<Cart>> {
    call.shop().carts().set_quantity(&call.caller.0.id, &id, patch).await.map(Ok200)
}

async fn remove(call: Call<Session>, Path(ItemPath { id }): Path<ItemPath>) -> Result<Ok200<Cart>> {
    call.shop().carts().remove(&call.caller.0.id, &id).await.map(Ok200)
}
