use serde_json::{Value, json};

use shop_core::order::OrderActor;

use super::{Cli, order};

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_found_sent_and_its_money_given_back() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let order = order(&shop).await;
    let number = order.order_number.as_str();
    shop.sandbox().pay(number).await.expect("paid");
    let listed = cli.json(&["order", "list", "--status", "PROCESSING", "--search", "ana"]);
    assert_eq!(listed["data"][0]["orderNumber"], number);
    assert_eq!(cli.json(&["order", "list", "--status", "SHIPPED"])["data"], json!([]));
    let day = order.created_at.local_day().to_string();
    let that_day = cli.json(&["order", "list", "--from", &day, "--to", &day]);
    assert_eq!(that_day["data"][0]["orderNumber"], number);
    let later = cli.json(&["order", "list", "--from", &format!("{day}T23:59:59.999")]);
    assert_eq!(later["data"], json!([]));

    let ship =
        ["order", "set-status", number, "SHIPPED", "--tracking-code", "BR1", "--carrier", "PAC"];
    let shipped = cli.json(&ship);
    assert_eq!((&shipped["status"], &shipped["trackingCode"]), (&json!("SHIPPED"), &json!("BR1")));
    let shown = cli.run(&["order", "show", number], "").stdout;
    assert!(shown.contains("1 x Vela: 49.90") && shown.contains("tracking  BR1"), "{shown}");

    let asked = cli.failure(&["order", "refund", number, "--amount", "9.90"]);
    assert_eq!(asked.0, 6, "{asked:?}");
    let part =
        cli.json(&["order", "refund", number, "--amount", "9.90", "--reason", "Vidro", "-y"]);
    assert_eq!((&part["amount"], &part["status"]), (&json!(9.9), &json!("DONE")));
    let too_much = cli.failure(&["order", "refund", number, "--amount", "1000", "-y"]);
    assert_eq!(too_much.0, 5, "{too_much:?}");
    let rest = cli.run(&["order", "refund", number, "--yes"], "").stdout;
    assert!(rest.contains("DONE"), "{rest}");
    let nothing = cli.failure(&["order", "refund", number, "--yes"]);
    assert_eq!(nothing, (5, "refused: there is nothing to refund".to_owned()));
    let seen = shop.orders().get_detail(&order.id).await.expect("there");
    assert_eq!(seen.refunds.len(), 2);
    assert!(seen.history.iter().any(|each| each.actor == OrderActor::System), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_the_provider_did_not_do_its_part_of_is_no_success() {
    let cli = Cli::with_shop_on_file();
    let shop = cli.shop().await;
    let order = order(&shop).await;
    let number = order.order_number.as_str();
    shop.sandbox().pay(number).await.expect("paid");
    super::db::plant(&cli.database(), "UPDATE sandbox_payment SET refunded = 4000");
    let ask = ["order", "refund", number, "--yes", "--format", "json", "--database"];
    let ask = [&ask[..], &[cli.data.name()]].concat();
    let row = |ended: &super::Ended| -> Value {
        assert_eq!(ended.code, Some(69), "{ended:?}");
        serde_json::from_str(&ended.stdout).expect("a row")
    };
    let declined = cli.run_bare(&ask, &[], "");
    assert_eq!(row(&declined)["status"], "FAILED");
    assert!(declined.stderr.contains("the provider refused the refund"), "{declined:?}");
    let nobody = [
        ("SHOP_PAYMENTS__PROVIDER1__URL", "http://127.0.0.1:1"),
        ("SHOP_PAYMENTS__PROVIDER1__ACCESS_TOKEN", "token"),
        ("SHOP_PAYMENTS__PROVIDER1__WEBHOOK_SECRET", "um-segredo-de-mais-de-32-caracteres-aqui"),
    ];
    let open = cli.run_bare(&ask, &nobody, "");
    assert_eq!((&row(&open)["status"], &row(&open)["amount"]), (&json!("PENDING"), &json!(9.9)));
    for told in ["stays open", "in the background with the same key", "would be another refund"] {
        assert!(open.stderr.contains(told), "{told}: {open:?}");
    }
}

#[tokio::test]
async fn money_that_came_another_way_is_recorded() {
    let cli = Cli::with_shop();
    let order = order(&cli.shop().await).await;
    let number = order.order_number.as_str();
    let shown = cli.run(&["order", "show", number], "").stdout;
    assert!(shown.contains("payment   PENDING"), "{shown}");
    let paid = cli.json(&["order", "pay", number, "--method", "cash", "--note", "no balcão"]);
    assert_eq!((&paid["method"], &paid["status"]), (&json!("CASH"), &json!("PAID")));
    let shown = cli.run(&["order", "show", number], "").stdout;
    assert!(shown.contains("payment   CASH PAID"), "{shown}");
    let again = cli.failure(&["order", "pay", number, "--method", "transfer"]);
    assert_eq!(again, (5, "refused: the order is already paid".to_owned()));
    assert_eq!(cli.run(&["order", "pay", number, "--method", "gold"], "").code, Some(2));
}

#[tokio::test]
async fn wrong_orders_and_statuses_are_refused() {
    let cli = Cli::with_shop();
    let order = order(&cli.shop().await).await;
    let unknown = (3, "there is no such order".to_owned());
    assert_eq!(cli.failure(&["order", "show", "PED-1"]), unknown);
    assert_eq!(cli.failure(&["order", "set-status", "PED-1", "SHIPPED"]), unknown);
    assert_eq!(cli.failure(&["order", "refund", "PED-1", "--yes"]), unknown);
    let unpaid = cli.failure(&["order", "refund", &order.order_number, "--yes"]);
    assert_eq!(unpaid, (5, "refused: there is nothing to refund".to_owned()));
    for arguments in [
        &["order", "set-status", &order.order_number, "PAID"][..],
        &["order", "refund", &order.order_number, "--amount", "x"],
        &["order", "refund", &order.order_number, "--amount", "1e2"],
        &["order", "list", "--from", "yesterday"],
        &["order", "show"],
    ] {
        assert_eq!(cli.run(arguments, "").code, Some(2), "{arguments:?}");
    }
}
