//! The address of an order is mended until an invoice says it.

use serde_json::{Value, json};
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::error::Conflict;
use shop_core::invoicing::WithdrawInvoice;
use shop_core::order::{Order, OrderStatus};
use shop_core::revision::Revision;
use shop_core::views::OrderDetail;

use super::{emit, sold};
use crate::core::fixture::{TestShop, input};

fn rio() -> Value {
    json!({ "street": "Rua da Quitanda", "number": "86", "complement": "", "district": "Centro",
        "city": "Rio de Janeiro", "state": "RJ", "zipCode": "20091-005" })
}

async fn mend(
    test: &TestShop,
    order: &Order,
    address: Value,
    seen: Option<Revision>,
) -> shop_core::Result<OrderDetail> {
    let change = input(json!({ "address": address }));
    test.shop.orders().update(&Actor::System, &order.id, change, seen).await
}

fn is_fixed(result: shop_core::Result<OrderDetail>) -> bool {
    matches!(result, Err(Error::Conflict(Conflict::AddressFixed)))
}

#[tokio::test]
async fn the_address_of_an_order_is_mended_with_a_trace_and_stands_in_its_invoice() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    let seen = order.revision().expect("a revision");
    let detail = mend(&test, &order, rio(), Some(seen.clone())).await.expect("mended");
    assert_eq!(
        (detail.order.address.city.as_str(), detail.order.total),
        ("Rio de Janeiro", order.total)
    );
    assert_eq!(detail.order.address.complement, None);
    let last = detail.history.last().expect("a move");
    assert_eq!(last.status, order.status);
    assert_eq!(last.note.as_deref(), Some("Endereço de entrega corrigido"));
    // Who saw the former address does not change another one unseen.
    let stale = mend(&test, &order, rio(), Some(seen)).await;
    assert!(matches!(stale, Err(Error::Conflict(Conflict::Changed))), "{stale:?}");
    let moves = detail.history.len();
    let again = mend(&test, &order, rio(), None).await.expect("the same");
    assert_eq!(again.history.len(), moves, "the same address is no change");
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'order.set_address'"), 1);
    let logged = "SELECT count(*) FROM audit WHERE new_values LIKE '%Quitanda%'";
    assert_eq!(test.count(logged), 0, "the street is the customer's");
    emit(&test.shop, &order).await.expect("issued");
    let xml = test.shop.invoices().get_xml(&order.id).await.expect("the XML").nfe_proc;
    assert!(xml.contains("<xLgr>Rua da Quitanda</xLgr>") && xml.contains("<CFOP>6107</CFOP>"));
}

#[tokio::test]
async fn an_address_stays_once_an_invoice_says_it_or_the_order_was_delivered() {
    let test = TestShop::open().await;
    let order = sold(&test).await;
    emit(&test.shop, &order).await.expect("issued");
    assert!(is_fixed(mend(&test, &order, rio(), None).await));
    let why = WithdrawInvoice::default();
    test.shop.invoices().cancel(&Actor::System, &order.id, why).await.expect("cancelled");
    mend(&test, &order, rio(), None).await.expect("free again");
    let delivered = OrderStatus::Delivered;
    test.shop.orders().set_status(&order.id, delivered, None).await.expect("set");
    let mut other = rio();
    other["number"] = json!("87");
    assert!(is_fixed(mend(&test, &order, other, None).await));
}

#[tokio::test]
async fn half_an_address_is_none() {
    let change: Result<shop_core::order::OrderPatch, _> =
        serde_json::from_value(json!({ "address": { "street": "Rua A" } }));
    assert!(change.is_err());
}
