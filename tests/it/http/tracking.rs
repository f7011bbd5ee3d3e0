//! The parcels of an order over HTTP, as its customer, the link of a mail and staff see them.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::id::ShipmentId;
use shop_core::shipment::ProviderLabelStatus;
use shop_server::ServeOptions;

use super::TestServer;
use super::guest::{Store, with_token};
use crate::core::fixture::input;
use crate::core::shipment::sandbox;
use crate::core::tracking::parcel;

#[tokio::test]
async fn the_customer_the_link_of_a_mail_and_staff_see_the_parcels_of_an_order() {
    let store = Store::open().await;
    let ana = store.guest("ana@example.com").await;
    let order = store.buy(&ana).await;
    let further = "tracking_code = 'AA123456789BR', label_id = 'staff-only'";
    store.server.test.raw_sql(&parcel(&order.id.as_str().into(), "one", 1, "POSTED", further));
    let path = format!("/api/orders/{}", order.id);
    let own = ana.get(&path).await.expect(200)["shipments"].clone();
    assert_eq!((&own[0]["status"], &own[0]["parcel"]), (&json!("POSTED"), &json!(1)));
    assert_eq!(own[0]["trackingCode"], "AA123456789BR");
    assert_eq!(own[0]["labelId"], Value::Null);
    let anyone = store.server.anonymous();
    let by_link = with_token(&anyone, Method::GET, &path, &order.token).await.expect(200);
    assert_eq!(by_link["shipments"], own);
    let staff = store.server.admin().await;
    let detail = staff.get(&format!("/api/admin/orders/{}", order.id)).await.expect(200);
    assert_eq!(detail["shipments"][0]["labelId"], "staff-only");
}

#[tokio::test]
async fn staff_ask_where_a_parcel_is_and_its_order_follows() {
    let server = TestServer::start_with(sandbox, ServeOptions::default()).await;
    let test = &server.test;
    let ana = test.buyer("ana").await;
    let cpf = input(json!({ "cpf": "529.982.247-25" }));
    test.shop.accounts().update(&ana.id, cpf).await.expect("named");
    let vela = test.product("vela", 9, 4990).await;
    let order = test.buy(&ana, &vela, 1).await.expect("placed");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let staff = server.admin().await;
    let of_order = format!("/api/admin/orders/{}/shipments", order.id);
    let bought = staff.post(&of_order, &json!({})).await.expect(201);
    let id = bought["shipments"][0]["id"].as_str().expect("an id").to_owned();
    let track = format!("/api/admin/shipments/{id}/track");
    let made = staff.post(&track, &json!({})).await.expect(200);
    assert_eq!(
        (&made["status"], &made["steps"][0]["kind"]),
        (&json!("GENERATED"), &json!("GENERATED"))
    );
    let shipments = test.shop.shipments();
    let id: ShipmentId = id.into();
    shipments.play_carrier(&id, ProviderLabelStatus::Posted).await.expect("played");
    let posted = staff.post(&track, &json!({})).await.expect(200);
    assert_eq!(
        (&posted["status"], &posted["steps"][1]["kind"]),
        (&json!("POSTED"), &json!("POSTED"))
    );
    let shown = staff.get(&format!("/api/admin/orders/{}", order.id)).await.expect(200);
    assert_eq!(
        (&shown["status"], &shown["trackingCode"]),
        (&json!("SHIPPED"), &posted["trackingCode"])
    );
    assert_eq!(shown["history"][1]["actor"], "CARRIER");
    let unknown = staff.post("/api/admin/shipments/no/track", &json!({})).await;
    assert_eq!(unknown.refused(404).1, "shipment_not_found");
}
