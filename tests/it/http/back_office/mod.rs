//! The back office: coupons, customers, reviews, stock, shipping and settings.

mod audit;
mod boxes;
mod coupons;
mod customers;
mod deletion;
mod reviews;
mod settings;
mod shipping;
mod stock;
mod subscribers;

use hyper::Method;
use serde_json::Value;

use super::client::{Answer, Client};

/// A PATCH with the `ETag` that was read before.
async fn patch_seen(client: &Client, path: &str, etag: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("if-match", etag)];
    client.send(Method::PATCH, path, &headers, body.to_string()).await
}

/// What names the state that an answer shows.
fn etag(answer: &Answer) -> String {
    answer.header("etag").expect("a tag").to_owned()
}

/// What admins did to a thing, the latest first, as the audit log tells it.
async fn deeds(admin: &Client, resource: &str) -> Vec<(String, Value, Value)> {
    let log = admin.get(&format!("/api/admin/audit?resourceId={resource}")).await.expect(200);
    let entries = log["data"].as_array().expect("entries").iter();
    entries
        .filter(|entry| entry["actor"]["kind"] == "ADMIN")
        .map(|entry| {
            let action = entry["action"].as_str().expect("an action").to_owned();
            (action, entry["before"].clone(), entry["after"].clone())
        })
        .collect()
}
