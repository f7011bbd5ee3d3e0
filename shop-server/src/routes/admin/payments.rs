//! Money that staff record (`/api/admin/orders/{id}/payments`) and give back (`.../refunds`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::id::OrderId;
use shop_core::payment::{PaymentAttempt, Refund};
use shop_core::settlement::{RecordPayment, RefundPayment};

use crate::caller::Admin;
use crate::input::{Json, Path, Repeat};
use crate::output::{Created, Ok200};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::POST, "/api/admin/orders/{id}/payments", "recordPayment", record)
            .about("Records money that came for an order in cash, by transfer or otherwise")
            .fails(&[Code::OrderNotFound, Code::AlreadyPaid, Code::OrderClosed])
            .details(
                "The order is paid by it, as by a provider's confirmation. An amount that is not \
                 the order's total is kept for review. A refund of it is booked at once: staff \
                 give that money back.",
            ),
        admin(Method::GET, "/api/admin/orders/{id}/refunds", "listRefunds", list)
            .about("What went back of an order's payments, oldest first")
            .fails(&[Code::OrderNotFound]),
        admin(Method::POST, "/api/admin/orders/{id}/refunds", "refundOrder", create)
            .about("Gives back what an order's payment brought, or a part of it")
            .fails(&[
                Code::OrderNotFound,
                Code::NothingToRefund,
                Code::RefundTooLarge,
                Code::RefundDeclined,
                Code::PaymentNotFound,
                Code::PaymentInProcess,
                Code::ProviderFailure,
            ]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct OrderPath {
    /// The order's id.
    id: OrderId,
}

async fn record(
    call: Call<Admin>,
    (Path(path), Repeat(key), Json(payment)): (Path<OrderPath>, Repeat, Json<RecordPayment>),
) -> Result<Created<PaymentAttempt>> {
    let by = call.caller.actor();
    call.shop().payments().record(&by, &path.id, payment, key).await.map(Created)
}

async fn list(call: Call<Admin>, Path(path): Path<OrderPath>) -> Result<Ok200<Vec<Refund>>> {
    call.shop().payments().list_refunds(&path.id).await.map(Ok200)
}

async fn create(
    call: Call<Admin>,
    (Path(path), Repeat(key), Json(refund)): (Path<OrderPath>, Repeat, Json<RefundPayment>),
) -> Result<Created<Refund>> {
    let by = call.caller.actor();
    call.shop().payments().refund(&by, &path.id, refund, key).await.map(Created)
}
