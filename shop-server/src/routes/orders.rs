//! A customer's orders (`/api/orders`).

use std::time::Duration;

use shop_core::checkout::{PlaceOrder, Placed};
use shop_core::error::{Entity, Error};
use shop_core::id::OrderId;
use shop_core::order::Order;
use shop_core::page::CursorPage;
use shop_core::views::{OrderRecordFilter, OrderWithReturns};

use super::payments::ASKS_PROVIDER;
use super::v1::V1Order;
use crate::event_stream::{EVENT_STREAM, EventStream};
use crate::key::SessionOrKey;
use crate::routes::prelude::*;

/// Why an order cannot be placed.
const PLACE: &[Code] = &[
    Code::AddressNotFound,
    Code::EmptyCart,
    Code::InsufficientStock,
    Code::VariantRequired,
    Code::ProductInactive,
    Code::ProductNotFound,
    Code::VariantNotFound,
    Code::UnknownShippingOption,
    Code::CepNotFound,
    Code::AmountOutOfRange,
    Code::TotalChanged,
    Code::CouponUnknown,
    Code::CouponInactive,
    Code::CouponExpired,
    Code::CouponUsedUp,
    Code::CouponBelowMinimum,
    Code::TooManyUnits,
    Code::TooManyUnpaidOrders,
    Code::TooManyOrders,
    Code::RateLimited,
];

/// Why an order cannot be cancelled.
const CANCEL: &[Code] = &[
    Code::AlreadyPaid,
    Code::OrderClosed,
    Code::OrderNotCancellable,
    Code::PaymentInProcess,
    Code::ProviderFailure,
];

pub(super) fn rows() -> Vec<Route> {
    vec![
        customer(Method::POST, "/api/orders", "placeOrder", place)
            .about("Place an order from the lines sent, or from the saved cart")
            .fails(PLACE)
            .details(
                "Prices are the shop's own, the stock is taken in the same transaction, and the \
                 saved cart is emptied with it. Send an `Idempotency-Key`, so that a repeat after \
                 a lost answer is no second order.",
            ),
        session_or_key(OrdersRead, Method::GET, "/api/orders", "listOrders", list)
            .about("The customer's own orders, newest first; with a key those of all customers, as on /api/v1")
            .details(
                "`page`, `limit`, `after` and `status` count with a key. A session gets all of its \
                 orders, whatever they say; a value that is none of theirs is a 400 there too.",
            ),
        order_owner(Method::GET, "/api/orders/{id}", "getOrder", get)
            .about("One of one's own orders, with its returns and parcels"),
        order_owner(Method::GET, "/api/orders/{id}/events", "watchOrder", events)
            .about("How far one of one's own orders is, as server-sent events")
            .media(&[EVENT_STREAM])
            .details(
                "An event `order` with `{id, status, payment}` at once and after each change, \
                 within three seconds, and a comment every 15 seconds. It ends once the order is \
                 paid, cancelled or refunded, after an hour, with the right to see the order, and \
                 with the server. An `EventSource` asks again after each end: a page closes it \
                 by the event that says paid, cancelled or refunded. One address has \
                 ten streams at most; beyond, 503 `busy`: ask for the order every few seconds \
                 instead.",
            ),
        order_owner(Method::POST, "/api/orders/{id}/cancel", "cancelOrder", cancel)
            .about("Cancel one of one's own orders that is not paid")
            .fails(CANCEL)
            .details("Again changes nothing. The payment providers are asked first.")
            .rate(ASKS_PROVIDER),
    ]
}

async fn place(
    call: Call<Customer>,
    Repeat(key): Repeat,
    Json(order): Json<PlaceOrder>,
) -> Result<Replayed<Created<Order>>, Failure> {
    let max = call.shop().config().orders.max_per_hour_per_ip;
    call.admit("order", max, Duration::from_secs(60 * 60))?;
    let Placed { order, replayed, .. } =
        call.shop().orders().place(&call.caller.0.id, order, key).await.map_err(placing)?;
    Ok(Replayed(Created(order), replayed))
}

/// A coupon that there is not is a wrong order (400), unlike the address, which is a 404.
fn placing(error: Error) -> Failure {
    match error {
        Error::NotFound(Entity::Coupon) => Failure::UnknownCoupon,
        error => error.into(),
    }
}

/// A bare array for a session, pages for a key.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum OrderList {
    Own(Vec<Order>),
    All(CursorPage<V1Order>),
}

async fn list(
    call: Call<SessionOrKey<OrdersRead>>,
    Query(filter): Query<OrderRecordFilter>,
) -> Result<OrderList> {
    let orders = call.shop().orders();
    let list = match &call.caller {
        SessionOrKey::Session(account) => {
            OrderList::Own(orders.list_for_customer(&account.id).await?)
        }
        SessionOrKey::Key(_) => OrderList::All(orders.list_records(filter).await?.map(V1Order::of)),
    };
    Ok(list)
}

async fn get(call: Call<OrderOwner>, Id(id): Id<OrderId>) -> Result<OrderWithReturns> {
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &id).await?;
    call.shop().returns().get_order(&customer, &id).await
}

async fn events(call: Call<OrderOwner>, Id(id): Id<OrderId>) -> Result<EventStream> {
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &id).await?;
    let place = call.app.streams.take(call.client)?;
    let states = call.shop().orders().watch(&customer, &id).await?;
    Ok(EventStream::new("order", states, place))
}

async fn cancel(call: Call<OrderOwner>, Id(id): Id<OrderId>) -> Result<Order> {
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &id).await?;
    call.shop().payments().cancel_order(&customer, &id).await
}
