//! What the customer is told of parcels whose order staff mark as sent.

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::order::OrderStatus;
use shop_core::shipment::ProviderLabelStatus as Said;

use super::Depot;
use super::carrier::code;
use crate::core::fixture::{START, input};

/// A depot with so many labels that are bought and have their codes.
async fn with_labels(labels: i64) -> Depot {
    let depot = Depot::open().await;
    for number in 1..=labels {
        let id = number.to_string();
        depot.label(&depot.order.id, &id, number);
        depot.test.raw_sql(&format!(
            "UPDATE shipment SET tracking_code = '{}' WHERE id = '{id}'",
            code(&id)
        ));
    }
    depot
}

/// The kept mails of a kind.
fn letters(depot: &Depot, kind: &str) -> Vec<String> {
    let sql = format!("SELECT letter FROM mail WHERE kind = '{kind}' ORDER BY id");
    let rows = depot.test.data.rows(&sql);
    rows.into_iter().map(|row| row[0].clone().expect("a letter")).collect()
}

async fn notices(depot: &Depot) -> Vec<String> {
    let list = depot.test.shop.notifications().list(&depot.ana.id).await.expect("a list");
    list.into_iter().map(|it| it.title).collect()
}

#[tokio::test]
async fn an_order_that_staff_mark_as_sent_is_told_with_the_codes_that_the_shop_bought() {
    let depot = with_labels(2).await;
    depot.set(OrderStatus::Shipped).await;
    let [letter] = &letters(&depot, "order-shipped")[..] else { panic!("one mail") };
    assert!(letter.contains(&code("1")) && letter.contains(&code("2")), "{letter}");
    // What was told is not told again once the carrier has the parcels.
    let before = notices(&depot).await;
    for parcel in ["1", "2"] {
        depot.carrier.say(parcel, Said::Posted, START);
    }
    depot.later().await;
    assert_eq!(depot.mails("parcel-posted"), 0);
    assert_eq!(notices(&depot).await, before);
    assert_eq!(depot.order_now().await.tracking_code, Some(code("1")));
}

#[tokio::test]
async fn another_code_that_staff_enter_is_the_one_that_is_told() {
    let depot = with_labels(1).await;
    let change = json!({ "status": "SHIPPED", "trackingCode": "OUTRO", "carrier": "Motoboy" });
    let orders = depot.test.shop.orders();
    orders.update(&Actor::System, &depot.order.id, input(change), None).await.expect("sent");
    let [letter] = &letters(&depot, "order-shipped")[..] else { panic!("one mail") };
    assert!(letter.contains("OUTRO") && !letter.contains(&code("1")), "{letter}");
}

#[tokio::test]
async fn the_first_code_of_an_order_is_no_further_parcel() {
    let depot = Depot::open().await;
    depot.label(&depot.order.id, "1", 1);
    depot.label(&depot.order.id, "2", 2);
    // No label has a code yet.
    depot.set(OrderStatus::Shipped).await;
    depot.carrier.say("1", Said::Posted, START);
    depot.carrier.say("2", Said::Generated, START);
    depot.later().await;
    assert_eq!(notices(&depot).await[0], "Pedido com a transportadora");
    depot.carrier.say("2", Said::Posted, START);
    depot.later().await;
    assert_eq!(notices(&depot).await[0], "Mais um volume enviado");
    depot.test.shop.run_due().await.expect("done");
    let number = &depot.order.order_number;
    let mails = depot.test.shop.orders().list_mails(&depot.order.id).await.expect("mails");
    let told = mails.into_iter().filter(|it| it.kind == "parcel-posted");
    let mut told: Vec<_> = told.filter_map(|it| it.subject).collect();
    told.sort();
    let first = format!("Seu pedido {number} já pode ser rastreado");
    assert_eq!(told, [format!("Mais um volume do seu pedido {number} foi enviado"), first]);
}
