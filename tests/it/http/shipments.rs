//! Buying labels over the wire.

use serde_json::{Value, json};
use shop_core::id::OrderId;
use shop_core::shipment::ProviderLabelStatus;
use shop_server::ServeOptions;

use super::TestServer;
use crate::core::fixture::Buyer;
use crate::core::shipment::{self, recipient, sandbox};

/// A server whose shop buys labels in the sandbox, and its buyer.
pub(super) async fn start() -> (TestServer, Buyer) {
    let server = TestServer::start_with(sandbox, ServeOptions::default()).await;
    let ana = recipient(&server.test).await;
    server.test.product("vela", 99, 4990).await;
    (server, ana)
}

async fn paid(server: &TestServer, buyer: &Buyer) -> OrderId {
    shipment::paid(&server.test, buyer, 1).await.id
}

#[tokio::test]
async fn staff_buy_print_and_give_back_the_label_of_an_order() {
    let (server, ana) = start().await;
    let (order, admin) = (paid(&server, &ana).await, server.admin().await);
    let of_order = format!("/api/admin/orders/{order}/shipments");
    let bought = admin.post(&of_order, &json!({ "service": "1" })).await.expect(201);
    let label = &bought["shipments"][0];
    assert_eq!((&label["status"], &label["provider"]), (&json!("GENERATED"), &json!("sandbox")));
    assert_eq!(label["serviceName"], "Correios PAC");
    assert_eq!((&label["price"], &label["problem"]), (&json!(15.0), &Value::Null));
    assert_eq!((&label["length"], &label["items"][0]["quantity"]), (&json!(16.0), &json!(1)));
    assert_eq!(admin.post(&of_order, &json!({})).await.refused(409).1, "shipment_exists");
    assert_eq!(admin.get(&of_order).await.expect(200), bought);
    let id = label["id"].as_str().expect("an id");
    assert_eq!(admin.get(&format!("/api/admin/shipments/{id}")).await.expect(200), *label);
    let listed = admin.get("/api/admin/shipments?status=GENERATED").await.expect(200);
    assert_eq!((&listed["data"][0], &listed["pagination"]["total"]), (label, &json!(1)));
    let none = admin.get("/api/admin/shipments?status=PAYING").await.expect(200);
    assert_eq!(none["data"], json!([]));
    let account = admin.get("/api/admin/shipping/label-provider").await.expect(200);
    assert_eq!(
        account,
        json!({ "provider": "sandbox", "connected": true, "balance": 9985.0, "problem": null })
    );
    for which in [format!("ids={id}"), format!("orderIds={order}")] {
        let printed = admin.get(&format!("/api/admin/shipments/labels?{which}")).await;
        assert_eq!(printed.header("content-type"), Some("application/pdf"));
        assert!(printed.body.starts_with(b"%PDF-"));
    }
    let nothing = admin.get("/api/admin/shipments/labels").await;
    assert!(nothing.wrong_fields()["ids"].is_array());
    let cancel = format!("/api/admin/shipments/{id}/cancel");
    let given = admin.post(&cancel, &json!({})).await.expect(200);
    assert_eq!(given["status"], "CANCELLED");
    assert_eq!(admin.post(&cancel, &json!({})).await.refused(409).1, "shipment_state");
    let gone = admin.get(&format!("/api/admin/shipments/labels?ids={id}")).await;
    assert_eq!(gone.refused(409).1, "label_not_ready");
    let retry = format!("/api/admin/shipments/{id}/retry");
    assert_eq!(admin.post(&retry, &json!({})).await.refused(409).1, "shipment_state");
}

#[tokio::test]
async fn labels_for_all_orders_that_wait_are_bought_and_printed_at_once() {
    let (server, ana) = start().await;
    let eva = server.test.buyer("eva").await;
    let orders = [paid(&server, &ana).await, paid(&server, &ana).await];
    let without_cpf = paid(&server, &eva).await;
    let admin = server.admin().await;
    let bought = admin.post("/api/admin/shipments/bulk", &json!({})).await.expect(200);
    assert_eq!(bought["shipments"].as_array().map(Vec::len), Some(2), "{bought}");
    let number = server.test.shop.orders().get(&without_cpf).await.expect("there").order_number;
    let refused = json!([{ "orderId": without_cpf, "orderNumber": number, "code": "invalid_input",
                           "fields": ["recipient.document"] }]);
    assert_eq!(bought["refused"], refused);
    let ids = orders.each_ref().map(OrderId::as_str).join(",");
    let printed = admin.get(&format!("/api/admin/shipments/labels?orderIds={ids}")).await;
    assert!(printed.body.starts_with(b"%PDF-"));
}

#[tokio::test]
async fn a_dear_label_waits_until_staff_accept_its_price() {
    let (server, ana) = start().await;
    let (order, admin) = (paid(&server, &ana).await, server.admin().await);
    server.test.raw_sql("UPDATE order_packing SET option_id = 'me-2', quoted_price = 1000");
    let of_order = format!("/api/admin/orders/{order}/shipments");
    let label = admin.post(&of_order, &json!({})).await.expect(201)["shipments"][0].clone();
    assert_eq!(
        (&label["status"], &label["problem"]["kind"]),
        (&json!("IN_CART"), &json!("PRICE_ABOVE_QUOTE"))
    );
    let retry = format!("/api/admin/shipments/{}/retry", label["id"].as_str().expect("an id"));
    let refused = admin.post(&retry, &json!({ "maxPrice": -1 })).await;
    assert!(refused.wrong_fields()["maxPrice"].is_array());
    let paid = admin.post(&retry, &json!({ "maxPrice": 24 })).await.expect(200);
    assert_eq!(paid["status"], "GENERATED");
    let id = label["id"].as_str().expect("an id").into();
    let posted = ProviderLabelStatus::Posted;
    server.test.shop.shipments().play_carrier(&id, posted).await.expect("posted");
}

#[tokio::test]
async fn a_shop_without_a_provider_buys_no_labels() {
    let server = TestServer::start().await;
    let ana = server.test.buyer("ana").await;
    server.test.product("vela", 9, 4990).await;
    let (order, admin) = (paid(&server, &ana).await, server.admin().await);
    let of_order = format!("/api/admin/orders/{order}/shipments");
    assert_eq!(admin.post(&of_order, &json!({})).await.refused(400).1, "no_label_provider");
    let bulk = admin.post("/api/admin/shipments/bulk", &json!({})).await;
    assert_eq!(bulk.refused(400).1, "no_label_provider");
    let account = admin.get("/api/admin/shipping/label-provider").await.expect(200);
    assert_eq!(account["provider"], Value::Null);
}
