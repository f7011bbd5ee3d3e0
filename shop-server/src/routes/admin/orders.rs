//! Orders, as staff see and change them (`/api/admin/orders`).

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
#[cfg(feature = "nfe")]
use shop_core::Error;
use shop_core::Shop;
#[cfg(feature = "nfe")]
use shop_core::error::Entity;
use shop_core::id::OrderId;
#[cfg(feature = "nfe")]
use shop_core::invoicing::IssuedInvoice;
use shop_core::order::{NewOrderNote, OrderNote, OrderPatch};
use shop_core::page::Page;
use shop_core::views::{MailOfOrder, OrderDetail, OrderExportFilter, OrderFilter, OrderRow};

use crate::output::CSV;
use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/orders", "searchOrders", list)
            .about("All customers' orders, latest first"),
        admin(Method::GET, "/api/admin/orders/export", "exportOrders", export)
            .about("Orders as a CSV file for spreadsheet programs, oldest first")
            .media(&["text/csv; charset=utf-8"])
            .details("Comes while it is made, however long."),
        admin(Method::GET, "/api/admin/orders/{id}", "getOrderForAdmin", get)
            .about("An order with its payments, history, internal notes and invoice"),
        admin(Method::PATCH, "/api/admin/orders/{id}", "updateOrder", update)
            .about("Move an order to another status, keep how its parcel is found, mend its address")
            .fails(&[Code::InsufficientStock, Code::AddressFixed])
            .details(
                "From any status to any other. An order that is cancelled or refunded gives its \
                 stock back; one that comes back from there takes it again, if it can. `address` is the whole address; \
                 the price of the shipping stays.",
            ),
        admin(Method::GET, "/api/admin/orders/{id}/mails", "listOrderMails", mails)
            .about("What the customer was told about an order by mail, oldest first")
            .details("Without the bodies. Mails that were sent are kept for 90 days."),
        admin(Method::POST, "/api/admin/orders/{id}/notes", "addOrderNote", add_note)
            .about("Add a note that only staff see"),
    ]
}

/// An order with all that staff know about it.
#[derive(Debug, Serialize, JsonSchema)]
struct StaffOrder {
    #[serde(flatten)]
    detail: OrderDetail,
    /// Its latest electronic invoice (NF-e).
    #[cfg(feature = "nfe")]
    invoice: Option<IssuedInvoice>,
}

async fn list(call: Call<Admin>, Query(filter): Query<OrderFilter>) -> Result<Page<OrderRow>> {
    call.shop().orders().list(filter).await
}

async fn export(call: Call<Admin>, Query(filter): Query<OrderExportFilter>) -> Result<Download> {
    let shop = call.shop();
    let file = shop.orders().export_csv(&call.actor(), filter).await?;
    Ok(Download {
        content_type: CSV,
        name: format!("pedidos-{}.csv", shop.now().local_day()),
        pieces: file.map_ok(Bytes::from).boxed(),
    })
}

async fn get(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<Versioned<StaffOrder>> {
    let detail = call.shop().orders().get_detail(&id).await?;
    shown(call.shop(), detail).await
}

async fn mails(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<Vec<MailOfOrder>> {
    call.shop().orders().list_mails(&id).await
}

async fn update(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    IfMatch(expected): IfMatch,
    Json(change): Json<OrderPatch>,
) -> Result<Versioned<StaffOrder>> {
    let orders = call.shop().orders();
    let detail = orders.update(&call.actor(), &id, change, expected).await?;
    shown(call.shop(), detail).await
}

async fn add_note(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    Json(new): Json<NewOrderNote>,
) -> Result<Created<OrderNote>> {
    call.shop().orders().add_note(&call.actor(), &id, new).await.map(Created)
}

#[cfg_attr(
    not(feature = "nfe"),
    expect(
        clippy::unused_async,
        unused_variables,
        reason = "with the feature it reads the invoice"
    )
)]
async fn shown(shop: &Shop, detail: OrderDetail) -> Result<Versioned<StaffOrder>> {
    let revision = detail.order.revision()?;
    #[cfg(feature = "nfe")]
    let invoice = latest_invoice(shop, &detail).await?;
    let order = StaffOrder {
        detail,
        #[cfg(feature = "nfe")]
        invoice,
    };
    Ok(Versioned(order, revision))
}

#[cfg(feature = "nfe")]
async fn latest_invoice(shop: &Shop, detail: &OrderDetail) -> Result<Option<IssuedInvoice>> {
    match shop.invoices().get_by_order(&detail.order.id).await {
        Ok(invoice) => Ok(Some(invoice)),
        Err(Error::NotFound(Entity::Invoice)) => Ok(None),
        Err(error) => Err(error),
    }
}
