//! Receivers of what happens in the shop (`/api/admin/webhooks`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::id::{WebhookDeliveryId, WebhookId};
use shop_core::page::Page;
use shop_core::webhook::{
    DeliveryError, DeliveryFilter, NewWebhook, Queued, Recover, WebhookDelivery, WebhookEndpoint,
    WebhookPatch, WebhookTest,
};

use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path, Query};
use crate::output::{Created, Message, Ok200, Versioned};
use crate::portuguese;
use crate::reply::Code;
use crate::route::{Call, Route, admin};

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/webhooks", "listWebhooks", list)
            .about("Receivers of what happens in the shop; never their secrets"),
        admin(Method::POST, "/api/admin/webhooks", "createWebhook", create)
            .about("Add a receiver, which is told what happens from now on"),
        admin(Method::GET, "/api/admin/webhooks/{id}", "getWebhook", get)
            .about("A receiver")
            .fails(&[Code::WebhookNotFound]),
        admin(Method::PATCH, "/api/admin/webhooks/{id}", "updateWebhook", update)
            .about(
                "Change a receiver or switch it on or off; an old secret signs for 24 hours more",
            )
            .fails(&[Code::WebhookNotFound]),
        admin(Method::DELETE, "/api/admin/webhooks/{id}", "deleteWebhook", delete)
            .about("Remove a receiver")
            .fails(&[Code::WebhookNotFound]),
        admin(Method::POST, "/api/admin/webhooks/{id}/test", "testWebhook", test)
            .about("Send a test and wait for the answer, at most 10 seconds")
            .fails(&[Code::WebhookNotFound, Code::WebhookInactive]),
        admin(Method::GET, "/api/admin/webhooks/{id}/deliveries", "listDeliveries", deliveries)
            .about("What a receiver was sent in the last 30 days, the latest first")
            .fails(&[Code::WebhookNotFound]),
        admin(
            Method::POST,
            "/api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver",
            "redeliver",
            redeliver,
        )
        .about("Send the event of a delivery again, under the same webhook-id")
        .fails(&[
            Code::WebhookNotFound,
            Code::WebhookDeliveryNotFound,
            Code::WebhookInactive,
            Code::EventNotFound,
        ]),
        admin(Method::POST, "/api/admin/webhooks/{id}/recover", "recoverWebhook", recover)
            .about("Send a receiver all that it should have got since an instant and did not")
            .fails(&[Code::WebhookNotFound, Code::WebhookInactive]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WebhookPath {
    /// The receiver's id.
    id: WebhookId,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeliveryPath {
    /// The receiver's id.
    id: WebhookId,
    /// The delivery's id.
    delivery_id: WebhookDeliveryId,
}

async fn list(call: Call<Admin>, (): ()) -> Result<Ok200<Vec<WebhookEndpoint>>> {
    call.shop().webhooks().list().await.map(Ok200)
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewWebhook>,
) -> Result<Versioned<Created<WebhookEndpoint>>> {
    let endpoint = call.shop().webhooks().create(&call.caller.actor(), new).await?;
    let revision = endpoint.revision()?;
    Ok(Versioned(Created(endpoint), revision))
}

async fn get(
    call: Call<Admin>,
    Path(WebhookPath { id }): Path<WebhookPath>,
) -> Result<Versioned<Ok200<WebhookEndpoint>>> {
    versioned(call.shop().webhooks().get(&id).await?)
}

async fn update(
    call: Call<Admin>,
    (Path(WebhookPath { id }), IfMatch(expected), Json(patch)): (
        Path<WebhookPath>,
        IfMatch,
        Json<WebhookPatch>,
    ),
) -> Result<Versioned<Ok200<WebhookEndpoint>>> {
    let by = call.caller.actor();
    versioned(call.shop().webhooks().update(&by, &id, patch, expected).await?)
}

fn versioned(endpoint: WebhookEndpoint) -> Result<Versioned<Ok200<WebhookEndpoint>>> {
    let revision = endpoint.revision()?;
    Ok(Versioned(Ok200(endpoint), revision))
}

async fn delete(
    call: Call<Admin>,
    Path(WebhookPath { id }): Path<WebhookPath>,
) -> Result<Ok200<Message>> {
    call.shop().webhooks().delete(&call.caller.actor(), &id).await?;
    Ok(Message::new("Webhook excluído"))
}

async fn test(
    call: Call<Admin>,
    Path(WebhookPath { id }): Path<WebhookPath>,
) -> Result<Ok200<WebhookTest>> {
    let mut test = call.shop().webhooks().test(&id).await?;
    test.error = test.error.as_ref().map(in_words);
    Ok(Ok200(test))
}

async fn deliveries(
    call: Call<Admin>,
    (Path(WebhookPath { id }), Query(filter)): (Path<WebhookPath>, Query<DeliveryFilter>),
) -> Result<Ok200<Page<WebhookDelivery>>> {
    let mut page = call.shop().webhooks().list_deliveries(&id, filter).await?;
    for delivery in &mut page.data {
        delivery.error = delivery.error.as_ref().map(in_words);
    }
    Ok(Ok200(page))
}

/// The same for people, instead of its code.
fn in_words(error: &DeliveryError) -> DeliveryError {
    DeliveryError::Text(portuguese::delivery_error(error))
}

async fn redeliver(
    call: Call<Admin>,
    Path(DeliveryPath { id, delivery_id }): Path<DeliveryPath>,
) -> Result<Ok200<Queued>> {
    let by = call.caller.actor();
    call.shop().webhooks().redeliver(&by, &id, &delivery_id).await.map(Ok200)
}

async fn recover(
    call: Call<Admin>,
    (Path(WebhookPath { id }), Json(input)): (Path<WebhookPath>, Json<Recover>),
) -> Result<Ok200<Queued>> {
    call.shop().webhooks().recover(&call.caller.actor(), &id, input).await.map(Ok200)
}
