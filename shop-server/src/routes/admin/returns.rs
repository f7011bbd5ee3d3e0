//! Goods that come back, as staff see and work on them (`/api/admin/returns`).

use hyper::Method;
use shop_core::Result;
use shop_core::id::ReturnId;
use shop_core::order_return::OrderReturn;
use shop_core::page::Page;
use shop_core::returning::{
    ApproveReturn, CancelReturn, OpenReturn, ReceiveReturn, RefundReturn, RejectReturn,
    RestockReturn, SendReturn,
};
use shop_core::views::{ReturnDetail, ReturnFilter, ReturnRow};

use crate::caller::Admin;
use crate::input::{Id, IfMatch, Json, OptionalJson, Query, Repeat};
use crate::output::{Created, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

pub(super) fn rows() -> Vec<Route> {
    [of_requests(), of_goods()].into_iter().flatten().collect()
}

fn of_requests() -> Vec<Route> {
    const STATE: &[Code] = &[Code::ReturnState];
    vec![
        admin(Method::GET, "/api/admin/returns", "searchReturns", list)
            .about("All customers' returns, latest first"),
        admin(Method::POST, "/api/admin/returns", "openReturn", open)
            .about("Open a return for a customer; it is approved by it")
            .fails(&[Code::OrderNotFound, Code::OrderNotReturnable, Code::UnitsReturned])
            .details("Also after the term: then it is a courtesy, and says so."),
        admin(Method::GET, "/api/admin/returns/{returnId}", "getReturn", get)
            .about("A return with its customer and history"),
        admin(Method::POST, "/api/admin/returns/{returnId}/approve", "approveReturn", approve)
            .about("Accept a return; the customer is told")
            .fails(STATE),
        admin(Method::POST, "/api/admin/returns/{returnId}/reject", "rejectReturn", reject)
            .about("Say no to a return, with a reason that the customer reads")
            .fails(&[Code::ReturnState, Code::WithdrawalStands, Code::ReturnInvoiced]),
        admin(Method::POST, "/api/admin/returns/{returnId}/cancel", "cancelReturnForAdmin", cancel)
            .about("Call a return off for the customer, before the goods came")
            .fails(&[Code::ReturnState, Code::ReturnInvoiced]),
    ]
}

fn of_goods() -> Vec<Route> {
    const STATE: &[Code] = &[Code::ReturnState];
    vec![
        admin(Method::POST, "/api/admin/returns/{returnId}/in-transit", "sendReturn", send)
            .about("Note that the goods are on their way back, with the parcel's code")
            .fails(STATE),
        admin(Method::POST, "/api/admin/returns/{returnId}/receive", "receiveReturn", receive)
            .about("Note what really arrived, and what of it goes to the shelf at once")
            .fails(&[Code::ReturnState, Code::ReturnInvoiced])
            .details(
                "Without a body everything arrived and nothing goes to the shelf. Units that did \
                 not arrive are the customer's again.",
            ),
        admin(Method::POST, "/api/admin/returns/{returnId}/restock", "restockReturn", restock)
            .about("Put units on the shelf that arrived")
            .fails(STATE),
        admin(Method::POST, "/api/admin/returns/{returnId}/refund", "refundReturn", refund)
            .about("Give the money of a return back, before or after the goods came")
            .fails(&[
                Code::ReturnState,
                Code::NothingToRefund,
                Code::RefundTooLarge,
                Code::RefundDeclined,
                Code::ProviderFailure,
            ])
            .details(
                "Without an amount what the return comes to, freight included where it goes back, \
                 and no more than is left of what was paid. Sent again while the provider has not \
                 answered, it asks the provider what became of the same refund.",
            ),
    ]
}

async fn list(call: Call<Admin>, Query(filter): Query<ReturnFilter>) -> Result<Page<ReturnRow>> {
    call.shop().returns().list(filter).await
}

async fn open(
    call: Call<Admin>,
    Repeat(key): Repeat,
    Json(input): Json<OpenReturn>,
) -> Result<Versioned<Created<OrderReturn>>> {
    let opened = call.shop().returns().open(&call.actor(), input, key).await?;
    let revision = opened.revision()?;
    Ok(Versioned(Created(opened), revision))
}

async fn get(call: Call<Admin>, Id(id): Id<ReturnId>) -> Result<Versioned<ReturnDetail>> {
    let detail = call.shop().returns().get_detail(&id).await?;
    let revision = detail.returned.revision()?;
    Ok(Versioned(detail, revision))
}

/// An act of staff: what it takes, and the function that does it.
macro_rules! act {
    ($name:ident, $input:ident<$type:ty>, $method:ident) => {
        async fn $name(
            call: Call<Admin>,
            Id(id): Id<ReturnId>,
            IfMatch(expected): IfMatch,
            Repeat(key): Repeat,
            $input(input): $input<$type>,
        ) -> Result<Versioned<OrderReturn>> {
            let returns = call.shop().returns();
            returns.$method(&call.actor(), &id, input, expected, key).await.and_then(Versioned::of)
        }
    };
}

act!(approve, OptionalJson<ApproveReturn>, approve);
act!(reject, Json<RejectReturn>, reject);
act!(cancel, OptionalJson<CancelReturn>, cancel);
act!(send, OptionalJson<SendReturn>, mark_in_transit);
act!(receive, OptionalJson<ReceiveReturn>, receive);
act!(restock, Json<RestockReturn>, restock);
act!(refund, OptionalJson<RefundReturn>, refund);
