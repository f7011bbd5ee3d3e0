//! Parcels and the labels that are bought for them (`/api/admin/shipments`).

use shop_core::fulfilment::{
    BuyLabels, BuyManyLabels, LabelAccount, LabelsBought, RetryShipment, ShipmentFilter,
};
use shop_core::id::{OrderId, ShipmentId};
use shop_core::page::Page;
use shop_core::shipment::Shipment;
#[cfg(feature = "nfe")]
use shop_core::value::{InvalidValue, OptionalText};

use crate::input::OptionalJson;
#[cfg(feature = "nfe")]
use crate::output::attachment;
use crate::routes::prelude::*;

const OF_ORDER: &str = "/api/admin/orders/{id}/shipments";

pub(super) fn rows() -> Vec<Route> {
    [buying(), looking(), printing()].into_iter().flatten().collect()
}

fn buying() -> Vec<Route> {
    vec![
        admin(Method::POST, OF_ORDER, "buyLabels", buy)
            .about("Buy a label for each parcel of a paid order")
            .fails(&[
                Code::OrderNotFound,
                Code::OrderNotShippable,
                Code::NoLabelProvider,
                Code::ShipmentExists,
            ])
            .details(
                "Without `parcels` those that were planned when the order was placed, as far as they \
                 have no label. Each step (cart, payment, making) is stored before the next one; what \
                 is not done within some 20 seconds is gone on with in the background, so look at \
                 `status` and `problem` of each.",
            ),
        admin(Method::POST, "/api/admin/shipments/bulk", "buyManyLabels", buy_many)
            .about("Buy labels for all orders that wait, at most 100 at once")
            .fails(&[Code::NoLabelProvider])
            .details("An order for which none can be bought stands in `refused`, with its reason."),
        admin(Method::POST, "/api/admin/shipments/{id}/cancel", "cancelShipment", cancel)
            .about("Give the label of a shipment back; its price returns to the balance")
            .fails(&[Code::NoLabelProvider, Code::ShipmentState])
            .details(
                "`CANCELLED` says that it was done, `CANCELLING` that the provider's answer is still \
                 to come, any other status that the provider refuses.",
            ),
        admin(Method::POST, "/api/admin/shipments/{id}/retry", "retryShipment", retry)
            .about("Go on at once with a label that waits, or accept its price")
            .fails(&[Code::NoLabelProvider, Code::ShipmentState]),
    ]
}

fn looking() -> Vec<Route> {
    vec![
        admin(Method::GET, OF_ORDER, "listOrderShipments", of_order)
            .about("The shipments of an order, also those whose labels were given up")
            .fails(&[Code::OrderNotFound]),
        admin(Method::GET, "/api/admin/shipments", "listShipments", list)
            .about("All shipments, latest first"),
        admin(Method::GET, "/api/admin/shipments/{id}", "getShipment", get).about("A shipment"),
        admin(Method::POST, "/api/admin/shipments/{id}/track", "trackShipment", track)
            .about("Ask the provider now where a parcel is")
            .fails(&[Code::NoLabelProvider])
            .details(
                "What is under way is asked about by itself, once an hour. Where the provider does \
                 not answer, `problem` says so.",
            ),
        admin(Method::GET, "/api/admin/shipping/label-provider", "getLabelProvider", account)
            .about("The shop's account with its provider of labels, and what the balance holds"),
    ]
}

#[cfg(not(feature = "nfe"))]
fn printing() -> Vec<Route> {
    Vec::new()
}

#[cfg(feature = "nfe")]
fn printing() -> Vec<Route> {
    let route = admin(Method::GET, "/api/admin/shipments/labels", "printShipments", print)
        .about("The bought labels of shipments (`ids`) or of orders (`orderIds`), as one PDF")
        .fails(&[
            Code::NoLabelProvider,
            Code::ShipmentNotFound,
            Code::LabelNotReady,
            Code::LabelUnreadable,
            Code::ProviderFailure,
        ])
        .headers(&[Header::ContentDisposition])
        .media(&["application/pdf"]);
    vec![route]
}

/// The shipments of an order.
#[derive(Debug, Serialize, JsonSchema)]
struct OrderShipments {
    /// By their parcels.
    shipments: Vec<Shipment>,
}

async fn of_order(call: Call<Admin>, Id(id): Id<OrderId>) -> Result<OrderShipments> {
    let shipments = call.shop().shipments().list_for_order(&id).await?;
    Ok(OrderShipments { shipments })
}

async fn buy(
    call: Call<Admin>,
    Id(id): Id<OrderId>,
    Repeat(key): Repeat,
    OptionalJson(input): OptionalJson<BuyLabels>,
) -> Result<Created<OrderShipments>> {
    let shipments = call.shop().shipments().buy(&call.actor(), &id, input, key).await?;
    Ok(Created(OrderShipments { shipments }))
}

async fn list(call: Call<Admin>, Query(filter): Query<ShipmentFilter>) -> Result<Page<Shipment>> {
    call.shop().shipments().list(filter).await
}

async fn buy_many(
    call: Call<Admin>,
    OptionalJson(input): OptionalJson<BuyManyLabels>,
) -> Result<LabelsBought> {
    call.shop().shipments().buy_many(&call.actor(), input).await
}

async fn get(call: Call<Admin>, Id(id): Id<ShipmentId>) -> Result<Shipment> {
    call.shop().shipments().get(&id).await
}

async fn cancel(call: Call<Admin>, Id(id): Id<ShipmentId>) -> Result<Shipment> {
    call.shop().shipments().cancel(&call.actor(), &id).await
}

async fn retry(
    call: Call<Admin>,
    Id(id): Id<ShipmentId>,
    OptionalJson(input): OptionalJson<RetryShipment>,
) -> Result<Shipment> {
    call.shop().shipments().retry(&call.actor(), &id, input).await
}

async fn track(call: Call<Admin>, Id(id): Id<ShipmentId>) -> Result<Shipment> {
    call.shop().shipments().track(&id).await
}

async fn account(call: Call<Admin>) -> Result<LabelAccount> {
    call.shop().shipments().account().await
}

/// Which labels.
#[cfg(feature = "nfe")]
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    /// The shipments' ids, with commas between, at most 100.
    #[serde(default)]
    ids: Option<OptionalText<4000>>,
    /// The orders' ids, with commas between, at most 100; where `ids` are left out.
    #[serde(default)]
    order_ids: Option<OptionalText<4000>>,
}

#[cfg(feature = "nfe")]
async fn print(
    call: Call<Admin>,
    Query(Wanted { ids, order_ids }): Query<Wanted>,
) -> Result<WithHeaders<File>> {
    let shop = call.shop();
    let (ids, orders): (Vec<ShipmentId>, Vec<OrderId>) =
        (listed(ids.as_ref()), listed(order_ids.as_ref()));
    let pdf = match (ids.is_empty(), orders.is_empty()) {
        (true, true) => return Err(shop_core::Error::field("ids", InvalidValue::Required)),
        (true, false) => shop.shipments().print_orders(&orders).await?,
        _ => shop.shipments().print(&ids).await?,
    };
    attachment("etiquetas-de-envio.pdf", "application/pdf", pdf.into())
}

#[cfg(feature = "nfe")]
fn listed<T: From<String>>(text: Option<&OptionalText<4000>>) -> Vec<T> {
    let text = text.map_or("", OptionalText::as_str);
    let ids = text.split(',').map(str::trim).filter(|id| !id.is_empty());
    ids.map(|id| T::from(id.to_owned())).collect()
}
