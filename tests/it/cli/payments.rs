use serde_json::{Value, json};

use super::{Cli, order};
use crate::core::fixture::input;

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_found_by_hand() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let order = order(&shop).await;
    let card = json!({ "orderId": order.id, "token": "tok_timeout", "paymentMethodId": "visa",
                       "installments": 1 });
    let lost = shop.payments().pay_by_card(&order.user_id, input(card), None).await;
    assert!(matches!(lost, Err(shop_core::Error::Provider { .. })), "{lost:?}");
    // Not due yet, so only by its number.
    let all = cli.run(&["payments", "reconcile", "--format", "json"], "");
    assert_eq!(all.code, Some(0), "{all:?}");
    let all: Value = serde_json::from_str(&all.stdout).expect("JSON");
    assert_eq!(all, json!({ "asked": 0, "decided": 0, "refunds_decided": 0, "failed": 0 }));
    let one = cli.run(&["payments", "reconcile", "--order", &order.order_number], "");
    assert_eq!(one.code, Some(0), "{one:?}");
    assert!(one.stdout.contains("DECIDED"), "{one:?}");
    let paid = shop.orders().get_for_customer(&order.user_id, &order.id).await.expect("there");
    assert_eq!(json!(paid.payment), json!({ "method": "CREDIT_CARD", "status": "PAID" }));
    let unknown = cli.run(&["payments", "reconcile", "--order", "PED-20000101-0001"], "");
    assert_eq!(unknown.stderr, "error: there is no such order\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_does_not_answer_is_a_failure() {
    let cli = Cli::with_shop_on_file();
    let shop = cli.shop().await;
    let order = order(&shop).await;
    let card = json!({ "orderId": order.id, "token": "tok_timeout", "paymentMethodId": "visa",
                       "installments": 1 });
    let lost = shop.payments().pay_by_card(&order.user_id, input(card), None).await;
    assert!(matches!(lost, Err(shop_core::Error::Provider { .. })), "{lost:?}");
    super::db::plant(&cli.database(), "UPDATE payment SET check_at = 0");
    let nobody = [
        ("SHOP_PAYMENTS__PROVIDER1__URL", "http://127.0.0.1:1"),
        ("SHOP_PAYMENTS__PROVIDER1__ACCESS_TOKEN", "token"),
        ("SHOP_PAYMENTS__PROVIDER1__WEBHOOK_SECRET", "um-segredo-de-mais-de-32-caracteres-aqui"),
    ];
    let all = ["payments", "reconcile", "--format", "csv", "--database", cli.data.name()];
    let ended = cli.run_bare(&all, &nobody, "");
    let counts = "asked,decided,refunds_decided,not_answered\n1,0,0,1\n";
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(69), counts), "{ended:?}");
    assert!(ended.stderr.contains("1 question was not answered"), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_intent_is_what_the_sandbox_pays() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let order = order(&shop).await;
    shop.payments().create_intent(&order.user_id, &order.id, None).await.expect("an intent");
    let ended = cli.run(&["sandbox", "pay", &order.order_number, "--format", "json"], "");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let paid: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(paid["payment"], json!({ "method": "PAYMENT_INTENT", "status": "PAID" }));
}
