//! A customer's orders (`/api/orders`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::id::OrderId;
use shop_core::order::{Order, PlaceOrder, Placed};

use crate::caller::{Customer, Session};
use crate::input::{Json, Path, Repeat};
use crate::output::{Created, Ok200, Replayed};
use crate::route::{Call, Route, customer, session};

pub(super) fn rows() -> Vec<Route> {
    vec![
        customer(Method::POST, "/api/orders", "placeOrder", place)
            .about("Place an order from the lines sent, or from the saved cart"),
        session(Method::GET, "/api/orders", "listOrders", list)
            .about("One's own orders, newest first"),
        session(Method::GET, "/api/orders/{id}", "getOrder", get).about("One of one's own orders"),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct OrderPath {
    /// The order's id.
    id: OrderId,
}

async fn place(
    call: Call<Customer>,
    (Repeat(key), Json(order)): (Repeat, Json<PlaceOrder>),
) -> Result<Replayed<Created<Order>>> {
    let Placed { order, replayed } =
        call.shop().orders().place(&call.caller.0.id, order, key).await?;
    Ok(Replayed(Created(order), replayed))
}

async fn list(call: Call<Session>, (): ()) -> Result<Ok200<Vec<Order>>> {
    call.shop().orders().list(&call.caller.0.id).await.map(Ok200)
}

async fn get(call: Call<Session>, Path(OrderPath { id }): Path<OrderPath>) -> Result<Ok200<Order>> {
    call.shop().orders().get(&call.caller.0.id, &id).await.map(Ok200)
}
