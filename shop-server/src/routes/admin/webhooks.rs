//! Receivers of what happens in the shop (`/api/admin/webhooks`).

use shop_core::id::{WebhookDeliveryId, WebhookId};
use shop_core::page::Page;
use shop_core::webhook::{
    DeliveryError, DeliveryFilter, NewWebhook, Queued, Recover, WebhookDelivery, WebhookEndpoint,
    WebhookPatch, WebhookTest,
};

use crate::portuguese;
use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/webhooks", "listWebhooks", list)
            .about("Receivers of what happens in the shop; never their secrets"),
        admin(Method::POST, "/api/admin/webhooks", "createWebhook", create)
            .about("Add a receiver, which is told what happens from now on"),
        admin(Method::GET, "/api/admin/webhooks/{id}", "getWebhook", get).about("A receiver"),
        admin(Method::PATCH, "/api/admin/webhooks/{id}", "updateWebhook", update).about(
            "Change a receiver or switch it on or off; an old secret signs for 24 hours more",
        ),
        admin(Method::DELETE, "/api/admin/webhooks/{id}", "deleteWebhook", delete)
            .about("Remove a receiver"),
        admin(Method::POST, "/api/admin/webhooks/{id}/test", "testWebhook", test)
            .about("Send a test and wait for the answer, at most 10 seconds")
            .fails(&[Code::WebhookInactive]),
        admin(Method::GET, "/api/admin/webhooks/{id}/deliveries", "listDeliveries", deliveries)
            .about("What a receiver was sent in the last 30 days, the latest first"),
        admin(
            Method::POST,
            "/api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver",
            "redeliver",
            redeliver,
        )
        .about("Send the event of a delivery again, under the same webhook-id")
        .fails(&[Code::WebhookInactive, Code::EventNotFound]),
        admin(Method::POST, "/api/admin/webhooks/{id}/recover", "recoverWebhook", recover)
            .about("Send a receiver all that it should have got since an instant and did not")
            .fails(&[Code::WebhookInactive]),
    ]
}

async fn list(call: Call<Admin>) -> Result<Vec<WebhookEndpoint>> {
    call.shop().webhooks().list().await
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewWebhook>,
) -> Result<Versioned<Created<WebhookEndpoint>>> {
    call.shop().webhooks().create(&call.actor(), new).await.and_then(Versioned::created)
}

async fn get(call: Call<Admin>, Id(id): Id<WebhookId>) -> Result<Versioned<WebhookEndpoint>> {
    call.shop().webhooks().get(&id).await.and_then(Versioned::of)
}

async fn update(
    call: Call<Admin>,
    Id(id): Id<WebhookId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<WebhookPatch>,
) -> Result<Versioned<WebhookEndpoint>> {
    call.shop().webhooks().update(&call.actor(), &id, patch, expected).await.and_then(Versioned::of)
}

async fn delete(
    call: Call<Admin>,
    Id(id): Id<WebhookId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().webhooks().delete(&call.actor(), &id, expected).await?;
    Ok(Message::new("Webhook excluído"))
}

async fn test(call: Call<Admin>, Id(id): Id<WebhookId>) -> Result<WebhookTest> {
    let mut test = call.shop().webhooks().test(&id).await?;
    test.error = test.error.as_ref().map(in_words);
    Ok(test)
}

async fn deliveries(
    call: Call<Admin>,
    Id(id): Id<WebhookId>,
    Query(filter): Query<DeliveryFilter>,
) -> Result<Page<WebhookDelivery>> {
    let mut page = call.shop().webhooks().list_deliveries(&id, filter).await?;
    for delivery in &mut page.data {
        delivery.error = delivery.error.as_ref().map(in_words);
    }
    Ok(page)
}

/// The same for people, instead of its code.
fn in_words(error: &DeliveryError) -> DeliveryError {
    DeliveryError::Text(portuguese::delivery_error(error))
}

async fn redeliver(
    call: Call<Admin>,
    Id(delivery_id): Id<WebhookDeliveryId>,
    Id(id): Id<WebhookId>,
) -> Result<Queued> {
    call.shop().webhooks().redeliver(&call.actor(), &id, &delivery_id).await
}

async fn recover(
    call: Call<Admin>,
    Id(id): Id<WebhookId>,
    Json(input): Json<Recover>,
) -> Result<Queued> {
    call.shop().webhooks().recover(&call.actor(), &id, input).await
}
