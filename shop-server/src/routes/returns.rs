//! Goods of a customer's orders that come back (`/api/orders/{id}/returns`).

use std::time::Duration;

use hyper::Method;
use shop_core::Result;
use shop_core::id::{OrderId, ReturnId};
use shop_core::order_return::OrderReturn;
use shop_core::returning::RequestReturn;

use crate::caller::{Customer, Session};
use crate::input::{Id, OptionalJson, Repeat};
use crate::output::Created;
use crate::reply::{Code, Failure};
use crate::route::{Call, Route, customer, session};

pub(super) fn rows() -> Vec<Route> {
    vec![
        customer(Method::POST, "/api/orders/{id}/returns", "requestReturn", request)
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
        session(Method::GET, "/api/orders/{id}/returns", "listReturns", list)
            .about("The returns of one of one's own orders, oldest first"),
        customer(
            Method::POST,
            "/api/orders/{id}/returns/{returnId}/cancel",
            "cancelReturn",
            cancel,
        )
        .about("Call a return off, until the goods are on their way back")
        .fails(&[Code::ReturnState]),
    ]
}

async fn request(
    call: Call<Customer>,
    Id(order): Id<OrderId>,
    Repeat(key): Repeat,
    OptionalJson(asked): OptionalJson<RequestReturn>,
) -> Result<Created<OrderReturn>, Failure> {
    let max = call.shop().config().orders.max_per_hour_per_ip;
    call.admit("return", max, Duration::from_secs(60 * 60))?;
    let customer = &call.caller.0.id;
    Ok(Created(call.shop().returns().request(customer, &order, asked, key).await?))
}

async fn list(call: Call<Session>, Id(order): Id<OrderId>) -> Result<Vec<OrderReturn>> {
    call.shop().returns().list_for_customer(&call.caller.0.id, &order).await
}

async fn cancel(
    call: Call<Customer>,
    Id(order): Id<OrderId>,
    Id(id): Id<ReturnId>,
    Repeat(key): Repeat,
) -> Result<OrderReturn> {
    call.shop().returns().cancel_by_customer(&call.caller.0.id, &order, &id, key).await
}
