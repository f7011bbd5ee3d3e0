//! Goods of a customer's orders that come back (`/api/orders/{id}/returns`).

use std::time::Duration;

use hyper::Method;
use shop_core::Result;
use shop_core::error::{Entity, Error};
use shop_core::id::{OrderId, ReturnId};
use shop_core::order_return::OrderReturn;
use shop_core::returning::RequestReturn;

use crate::input::{Id, OptionalJson, Repeat};
use crate::order_owner::{OrderOwner, OwnOrder};
use crate::output::Created;
use crate::reply::{Code, Failure};
use crate::route::{Call, Route, order_owner};

pub(super) fn rows() -> Vec<Route> {
    vec![
        order_owner(Method::POST, "/api/orders/{id}/returns", "requestReturn", request)
            .about("Return goods of one of one's own orders, all of them or some units")
            .fails(&[
                Code::OrderNotReturnable,
                Code::ReturnTooLate,
                Code::UnitsReturned,
                Code::RateLimited,
            ])
            .details(
                "A withdrawal needs no reason and nobody's consent for seven days after delivery, \
                 and before it; a defect needs a reason and waits for staff. Confirmed at once by \
                 mail, with a protocol.",
            ),
        order_owner(Method::GET, "/api/orders/{id}/returns", "listReturns", list)
            .about("The returns of one of one's own orders, oldest first"),
        order_owner(
            Method::POST,
            "/api/orders/{id}/returns/{returnId}/cancel",
            "cancelReturn",
            cancel,
        )
        .about("Call a return off, until the goods are on their way back")
        .fails(&[Code::ReturnState, Code::ReturnInvoiced]),
    ]
}

async fn request(
    call: Call<OrderOwner>,
    Id(order): Id<OrderId>,
    Repeat(key): Repeat,
    OptionalJson(asked): OptionalJson<RequestReturn>,
) -> Result<Created<OrderReturn>, Failure> {
    let max = call.shop().config().orders.max_per_hour_per_ip;
    call.admit("return", max, Duration::from_secs(60 * 60))?;
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &order).await?;
    Ok(Created(call.shop().returns().request(&customer, &id, asked, key).await?))
}

async fn list(call: Call<OrderOwner>, Id(order): Id<OrderId>) -> Result<Vec<OrderReturn>> {
    let OwnOrder { customer, id } = call.caller.order(call.shop(), &order).await?;
    call.shop().returns().list_for_customer(&customer, &id).await
}

async fn cancel(
    call: Call<OrderOwner>,
    Id(order): Id<OrderId>,
    Id(id): Id<ReturnId>,
    Repeat(key): Repeat,
) -> Result<OrderReturn> {
    let own = call.caller.order(call.shop(), &order).await;
    // What is asked for is the return.
    let OwnOrder { customer, id: order } = own.map_err(|error| match error {
        Error::NotFound(Entity::Order) => Error::NotFound(Entity::Return),
        error => error,
    })?;
    call.shop().returns().cancel_by_customer(&customer, &order, &id, key).await
}
