//! What a customer sees of the parcels of an order.

use serde_json::{Value, json};
use shop_core::order::OrderStatus;

use super::{DAY, Depot, parcel};
use crate::core::fixture::START;

async fn shown(depot: &Depot) -> Value {
    let order = depot.test.shop.returns().get_order(&depot.ana.id, &depot.order.id).await;
    serde_json::to_value(order.expect("an order").shipments).expect("JSON")
}

#[tokio::test]
async fn a_customer_sees_code_carrier_steps_and_the_expected_day_of_each_parcel() {
    let depot = Depot::open().await;
    assert_eq!(shown(&depot).await, json!([]));
    let (posted, expected) = (START.plus(DAY), START.plus(4 * DAY));
    let on_its_way = format!(
        "tracking_code = 'AA123456789BR', tracking_url = 'https://correios.example/AA123456789BR',
         expected_at = {}, posted_at = {}",
        expected.millis(),
        posted.millis()
    );
    depot.test.raw_sql(&format!(
        "{}{}INSERT INTO shipment_step (shipment_id, at, kind, description, place) VALUES
           ('one', {at}, 'GENERATED', NULL, NULL),
           ('one', {posted}, 'POSTED', NULL, 'São Paulo/SP'),
           ('one', {posted} + 1, 'RO', 'Em trânsito', NULL),
           ('one', {posted} + 2, 'AUDITED', NULL, NULL);",
        parcel(&depot.order.id, "one", 1, "POSTED", &on_its_way),
        parcel(&depot.order.id, "two", 2, "PAID", ""),
        at = START.millis(),
        posted = posted.millis(),
    ));
    let items = json!([{ "productId": depot.vela, "variantId": null, "name": "Vela",
                         "quantity": 2 }]);
    let step = |at: i64, kind: &str, description: &str, place: Value| {
        let at = shop_core::clock::Timestamp::from_millis(at);
        json!({ "at": at, "kind": kind, "description": description, "place": place })
    };
    let posted_at = posted.millis();
    let one = json!({
        "id": "one", "parcel": 1, "status": "POSTED", "carrier": "Correios SEDEX",
        "trackingCode": "AA123456789BR",
        "trackingUrl": "https://correios.example/AA123456789BR",
        "expectedAt": expected, "postedAt": posted, "deliveredAt": null, "items": items,
        "steps": [
            step(START.millis(), "GENERATED", "Etiqueta emitida, pacote em preparação", Value::Null),
            step(posted_at, "POSTED", "Pacote postado", json!("São Paulo/SP")),
            // In the carrier's words; what has none is not for customers.
            step(posted_at + 1, "RO", "Em trânsito", Value::Null),
        ]
    });
    let two = json!({
        "id": "two", "parcel": 2, "status": "PREPARING", "carrier": "Correios SEDEX",
        "trackingCode": null, "trackingUrl": null, "expectedAt": null, "postedAt": null,
        "deliveredAt": null, "items": items, "steps": []
    });
    assert_eq!(shown(&depot).await, json!([one, two]));
    // Staff see the same parcels, with all that the shop knows of them.
    let detail = depot.test.shop.orders().get_detail(&depot.order.id).await.expect("there");
    let staff: Vec<&str> = detail.shipments.iter().map(|it| it.reference.as_str()).collect();
    assert_eq!(staff, ["ref-one", "ref-two"]);
}

#[tokio::test]
async fn labels_that_are_not_paid_or_were_given_up_are_not_shown_to_customers() {
    let depot = Depot::open().await;
    for (number, status, shows) in [
        (1, "DRAFT", None),
        (2, "IN_CART", None),
        (3, "PAYING", None),
        (4, "PAID", Some("PREPARING")),
        (5, "GENERATED", Some("PREPARING")),
        (6, "POSTED", Some("POSTED")),
        (7, "RETURNING", Some("RETURNING")),
        (8, "DELIVERED", Some("DELIVERED")),
        (9, "CANCELLING", None),
        (10, "CANCELLED", None),
        (11, "EXPIRED", None),
        (12, "FAILED", None),
    ] {
        let id = format!("s{number}");
        depot.test.raw_sql(&parcel(&depot.order.id, &id, number, status, ""));
        let all = shown(&depot).await;
        let found = all.as_array().expect("a list").iter().find(|it| it["id"] == json!(id));
        assert_eq!(found.map(|it| &it["status"]), shows.map(|it| json!(it)).as_ref(), "{status}");
    }
}

#[tokio::test]
async fn another_customer_sees_nothing_of_them() {
    let depot = Depot::open().await;
    depot.test.raw_sql(&parcel(&depot.order.id, "one", 1, "POSTED", ""));
    let eve = depot.test.buyer("eve").await;
    assert!(depot.test.shop.returns().get_order(&eve.id, &depot.order.id).await.is_err());
    let order = depot.test.shop.orders().get(&depot.order.id).await.expect("there");
    assert_eq!(order.status, OrderStatus::Processing);
}
