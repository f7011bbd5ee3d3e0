//! Money that staff record (`/api/admin/orders/{id}/payments`) and give back (`.../refunds`).

use shop_core::id::OrderId;
use shop_core::payment::{PaymentAttempt, Refund};
use shop_core::settlement::{RecordPayment, RefundPayment};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::POST, "/api/admin/orders/{id}/payments", "recordPayment", record)
            .about("Records money that came for an order in cash, by transfer or otherwise")
            .fails(&[Code::AlreadyPaid, Code::OrderClosed])
            .details(
                "The order is paid by it, as by a provider's confirmation. An amount that is not \
                 the order's total is kept for review. A refund of it is booked at once: staff \
                 give that money back.",
            ),
        admin(Method::GET, "/api/admin/orders/{id}/refunds", "listRefunds", list)
            .about("What went back of an order's payments, oldest first"),
        admin(Method::POST, "/api/admin/orders/{id}/refunds", "refundOrder", create)
            .about("Gives back what an order's payment brought, or a part of it")
            .fails(&[
                Code::NothingToRefund,
                Code::RefundTooLarge,
                Code::RefundDeclined,
                Code::PaymentNotFound,
                Code::PaymentInProcess,
                Code::ProviderFailure,
            ]),
    ]
}

async fn record(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    Repeat(key): Repeat,
    Json(payment): Json<RecordPayment>,
) -> Result<Created<PaymentAttempt>> {
    call.shop().payments().record(&call.actor(), &id, payment, key).await.map(Created)
}

async fn list(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<Vec<Refund>> {
    call.shop().payments().list_refunds(&id).await
}

async fn create(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    Repeat(key): Repeat,
    Json(refund): Json<RefundPayment>,
) -> Result<Created<Refund>> {
    call.shop().payments().refund(&call.actor(), &id, refund, key).await.map(Created)
}
