//! Labels that are bought from carriers.

use serde_json::json;
use shop_core::Shop;
use shop_core::order::Order;
use shop_core::shipment::ProviderLabelStatus;

use super::{Cli, order};
use crate::core::fixture::input;

const SETTINGS: &str = "[shipping.labels]\nprovider = 'sandbox'\nservice = '1'\n\
    [shipping.sender]\nname = 'Velas Aurora ME'\ndocument = '11222333000181'\n\
    street = 'Rua das Flores'\nnumber = '10'\ndistrict = 'Centro'\ncity = 'São Paulo'\n\
    state = 'SP'\nzip_code = '01001-000'\n";

async fn paid(shop: &Shop) -> String {
    paid_order(shop).await.order_number
}

async fn paid_order(shop: &Shop) -> Order {
    let order = order(shop).await;
    let cpf = input(json!({ "cpf": "529.982.247-25" }));
    shop.accounts().update(&order.user_id, cpf).await.expect("named");
    shop.sandbox().pay(&order.order_number).await.expect("paid")
}

/// The same goods once more, for the same customer.
async fn paid_again(shop: &Shop, order: &Order) -> String {
    let items = json!([{ "productId": order.items[0].product_id, "quantity": 1 }]);
    let again = input(json!({ "addressId": order.address_id, "cartItems": items }));
    let again = shop.orders().place(&order.user_id, again, None).await.expect("placed").order;
    shop.sandbox().pay(&again.order_number).await.expect("paid").order_number
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_is_bought_listed_printed_and_given_back() {
    let cli = Cli::with_shop();
    let number = paid(&cli.shop().await).await;
    std::fs::write(cli.dir.path().join("shop.toml"), SETTINGS).expect("written");
    let run = |rest: &[&str]| cli.run(&[&["--config", "shop.toml", "shipment"], rest].concat(), "");
    let unasked = run(&["buy", "--order", &number]);
    assert_eq!(unasked.code, Some(6), "money leaves: {unasked:?}");
    let bought = run(&["buy", "--order", &number, "--yes", "--format", "json"]);
    let bought: serde_json::Value = serde_json::from_str(&bought.stdout).expect("JSON");
    assert_eq!(bought[0]["status"], "GENERATED", "{bought}");
    let listed = run(&["list", "--order", &number]).stdout;
    assert!(listed.contains("GENERATED") && listed.contains("Correios PAC"), "{listed}");
    assert_eq!(run(&["list"]).stdout.lines().count(), 2);
    let printed = run(&["print", "--order", &number, "--output", "etiquetas.pdf"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let pdf = std::fs::read(cli.dir.path().join("etiquetas.pdf")).expect("the PDF");
    assert!(pdf.starts_with(b"%PDF-"));
    let second = run(&["buy", "--order", &number, "--yes"]);
    assert_eq!(second.code, Some(4), "{second:?}");
    let id = bought[0]["id"].as_str().expect("an id");
    let given = run(&["cancel", id, "--yes"]);
    assert!(given.stdout.contains("CANCELLED"), "{given:?}");
    let balance = run(&["balance"]).stdout;
    assert!(balance.contains("sandbox") && balance.contains("10000.00"), "{balance}");
    let all = run(&["buy", "--yes"]);
    assert!(all.stdout.contains("GENERATED"), "of all that wait: {all:?}");
    assert_eq!(run(&["retry", id]).code, Some(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_labels_may_cost_holds_for_each_of_several_orders() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let first = paid_order(&shop).await;
    let numbers = [first.order_number.clone(), paid_again(&shop, &first).await];
    std::fs::write(cli.dir.path().join("shop.toml"), SETTINGS).expect("written");
    let run = |rest: &[&str]| cli.run(&[&["--config", "shop.toml", "shipment"], rest].concat(), "");
    let of = [&["buy", "--yes"][..], &["--order", &numbers[0], "--order", &numbers[1]]].concat();
    let dear = run(&[&of[..], &["--max-price", "14.99"]].concat());
    assert_eq!(dear.stdout.matches("PRICE_ABOVE_QUOTE").count(), 2, "{dear:?}");
    let listed = run(&["list", "--format", "json"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    for label in listed["data"].as_array().expect("a list") {
        let (price, limit) = (&label["problem"]["price"], &label["problem"]["limit"]);
        assert_eq!((price, limit), (&json!(15.0), &json!(14.99)), "{label}");
        let id = label["id"].as_str().expect("an id");
        assert!(run(&["cancel", id, "--yes"]).stdout.contains("CANCELLED"));
    }
    let bought = run(&["buy", "--yes", "--max-price", "15.00"]);
    assert_eq!(bought.stdout.matches("GENERATED").count(), 2, "of all that wait: {bought:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cpf_of_a_recipient_is_named_for_one_order() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let first = order(&shop).await;
    shop.sandbox().pay(&first.order_number).await.expect("paid");
    let second = paid_again(&shop, &first).await;
    std::fs::write(cli.dir.path().join("shop.toml"), SETTINGS).expect("written");
    let run = |rest: &[&str]| {
        cli.run(&[&["--config", "shop.toml", "shipment", "buy", "--yes"], rest].concat(), "")
    };
    let cpf = ["--order", first.order_number.as_str(), "--cpf", "529.982.247-25"];
    let both = run(&[&cpf[..], &["--order", &second]].concat());
    assert_eq!((both.code, both.stderr.contains("one order alone")), (Some(2), true), "{both:?}");
    assert!(run(&cpf[..2]).stderr.contains("recipient.document"));
    let bought = run(&cpf);
    assert!(bought.stdout.contains("GENERATED"), "{bought:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_order_among_several_is_a_failure() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let first = paid_order(&shop).await;
    let second = paid_again(&shop, &first).await;
    std::fs::write(cli.dir.path().join("shop.toml"), SETTINGS).expect("written");
    let run = |rest: &[&str]| {
        cli.run(&[&["--config", "shop.toml", "shipment", "buy", "--yes"], rest].concat(), "")
    };
    assert_eq!(run(&["--order", &second]).code, Some(0));
    let both = ["--order", first.order_number.as_str(), "--order", &second];
    let one = run(&both);
    assert_eq!(one.code, Some(4), "as for the order alone: {one:?}");
    assert!(one.stdout.contains("GENERATED"), "the other has its label: {one:?}");
    let why = "the parcels have labels already; cancel a label to buy another one";
    assert_eq!(one.stderr, format!("{second}: {why}\nerror: 1 order was refused\n"));
    let none = run(&[&both[..], &["--format", "json"]].concat());
    assert_eq!(none.code, Some(4), "{none:?}");
    let done: serde_json::Value = serde_json::from_str(&none.stdout).expect("JSON");
    assert_eq!(done["shipments"], json!([]));
    assert_eq!(done["refused"][1]["code"], "shipment_exists");
    let error: serde_json::Value = serde_json::from_str(&none.stderr).expect("JSON");
    assert_eq!((&error["exitCode"], &error["code"]), (&json!(4), &json!("conflict")), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_parcel_is_can_be_asked_by_hand() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let number = paid(&shop).await;
    std::fs::write(cli.dir.path().join("shop.toml"), SETTINGS).expect("written");
    let run = |rest: &[&str]| cli.run(&[&["--config", "shop.toml", "shipment"], rest].concat(), "");
    let bought = run(&["buy", "--order", &number, "--yes", "--format", "json"]);
    let bought: serde_json::Value = serde_json::from_str(&bought.stdout).expect("JSON");
    let id = bought[0]["id"].as_str().expect("an id");
    let none = run(&["track", "--format", "json"]);
    let none: serde_json::Value = serde_json::from_str(&none.stdout).expect("JSON");
    assert_eq!(none, json!({ "asked": 0, "moved": 0, "failed": 0 }), "it was asked about just now");
    let play = async |status| {
        shop.shipments().play_carrier(&id.into(), status).await.expect("played");
    };
    play(ProviderLabelStatus::Posted).await;
    let posted = run(&["track", id]);
    assert!(posted.stdout.contains("POSTED"), "{posted:?}");
    play(ProviderLabelStatus::Delivered).await;
    let moved = run(&["track"]).stdout;
    assert!(moved.starts_with("ASKED") && moved.contains('1'), "{moved}");
    let order = shop.orders().get_by_number(&number).await.expect("there");
    assert_eq!(order.status.as_str(), "DELIVERED");
    assert_eq!(run(&["track", "no"]).code, Some(3));
}
