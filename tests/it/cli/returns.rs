use serde_json::json;
use shop_core::order::OrderStatus;

use super::{Cli, order};
use crate::core::fixture::input;

#[tokio::test(flavor = "multi_thread")]
async fn a_return_is_found_decided_received_and_its_money_given_back() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let order = order(&shop).await;
    shop.sandbox().pay(&order.order_number).await.expect("paid");
    shop.orders().set_status(&order.id, OrderStatus::Delivered, None).await.expect("set");
    let defect = || input(json!({ "kind": "DEFECT", "reason": "Trincou" }));
    let returns = shop.returns();
    let first = returns.request(&order.user_id, &order.id, defect(), None).await.expect("asked");
    let protocol = first.protocol.as_str();
    let listed = cli.json(&["return", "list", "--status", "REQUESTED", "--search", "ana"]);
    assert_eq!(listed["data"][0]["protocol"], protocol);
    let of_order = cli.json(&["return", "list", "--order", &order.order_number]);
    assert_eq!(of_order["pagination"]["total"], 1);
    let no = cli.json(&["return", "reject", protocol, "--reason", "Sem foto"]);
    assert_eq!((&no["status"], &no["rejectionReason"]), (&json!("REJECTED"), &json!("Sem foto")));

    let second = returns.request(&order.user_id, &order.id, defect(), None).await.expect("asked");
    let protocol = second.protocol.as_str();
    assert_eq!(cli.json(&["return", "approve", protocol])["status"], "APPROVED");
    let again = cli.failure(&["return", "approve", protocol]);
    assert_eq!(again.0, 4, "{again:?}");
    let here = cli.json(&["return", "receive", protocol, "--restock"]);
    assert_eq!((&here["status"], &here["items"][0]["restocked"]), (&json!("RECEIVED"), &json!(1)));
    let none = cli.failure(&["return", "invoice", protocol]);
    assert_eq!(none.0, 3, "the sale has no invoice: {none:?}");
    cli.json(&["nfe", "emit", &order.order_number]);
    let asked = cli.failure(&["return", "refund", protocol]);
    assert_eq!(asked.0, 6, "{asked:?}");
    let back = cli.json(&["return", "refund", protocol, "--yes"]);
    assert_eq!((&back["status"], &back["refund"]["status"]), (&json!("REFUNDED"), &json!("DONE")));
    let wrong = cli.failure(&["return", "invoice", protocol, "--item", "1=2"]);
    assert_eq!(wrong.0, 1, "{wrong:?}");
    let invoice = cli.json(&["return", "invoice", protocol, "--reason", "Trincou no caminho"]);
    assert_eq!((&invoice["returnId"], &invoice["ground"]), (&json!(second.id), &json!("DEFECT")));
    assert_eq!(invoice["valor"], back["refund"]["amount"]);
    let shown = cli.run(&["return", "show", protocol], "").stdout;
    assert!(shown.contains("REFUNDED") && shown.contains("1 arrived"), "{shown}");
    assert!(shown.contains(invoice["chave"].as_str().expect("a key")), "{shown}");
}

#[tokio::test]
async fn unknown_returns_are_refused() {
    let cli = Cli::with_shop();
    cli.shop().await;
    for act in ["show", "approve", "receive", "refund"] {
        let unknown = cli.failure(&["return", act, "PED-1-D1"]);
        assert_eq!(unknown, (3, "there is no such return".to_owned()), "{act}");
    }
    assert_eq!(cli.run(&["return", "list", "--status", "LOST"], "").code, Some(2));
}
