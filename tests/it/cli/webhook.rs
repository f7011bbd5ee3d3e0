use serde_json::{Value, json};
use shop_core::actor::Actor;

use super::Cli;
use crate::core::fixture::input;
use crate::fakes::receiver::{Behaviour, Receiver};

#[tokio::test(flavor = "multi_thread")]
async fn receivers_and_their_deliveries_are_shown_and_an_event_is_sent_again() {
    let cli = Cli::with_shop();
    let receiver = Receiver::start(Behaviour::Answers(500)).await;
    let database = cli.data.name().to_owned();
    let mut config = shop_core::Config { database, ..shop_core::Config::default() };
    config.webhooks.allow_insecure = true;
    config.mail.outbox_dir = Some(cli.dir.path().join("outbox"));
    let shop = shop_core::Shop::open(config).await.expect("a shop");
    let new = json!({ "url": receiver.url("/x"), "secret": "segredo-do-erp",
                      "events": ["customer.created"] });
    let new = shop.webhooks().create(&Actor::System, input(new)).await.expect("an endpoint");
    let ana = json!({ "name": "Ana", "email": "ana@example.com", "password": "segredo-123" });
    shop.accounts().register(input(ana)).await.expect("registered");
    shop.run_due().await.expect("tried");

    let listed = cli.run(&["webhook", "list"], "");
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let row = listed.stdout.lines().nth(1).expect("a row");
    assert!(row.starts_with(new.id.as_str()) && row.ends_with("customer.created"), "{row}");
    assert!(row.contains("failing since") && !listed.stdout.contains("segredo"), "{row}");
    let arguments = ["webhook", "deliveries", new.id.as_str(), "--failed", "--format", "json"];
    let deliveries = cli.run(&arguments, "");
    let deliveries: Value = serde_json::from_str(&deliveries.stdout).expect("JSON");
    assert_eq!(
        (&deliveries["data"][0]["responseCode"], &deliveries["data"][0]["success"]),
        (&json!(500), &json!(false))
    );
    let table = cli.run(&["webhook", "deliveries", new.id.as_str()], "").stdout;
    assert!(table.contains("customer.created  1        500"), "{table}");

    receiver.behaves(Behaviour::Takes);
    let delivery = deliveries["data"][0]["id"].as_str().expect("an id");
    let again = cli.run(&["webhook", "redeliver", new.id.as_str(), delivery], "");
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "QUEUED\n1\n"), "{again:?}");
    // Queued by another process, sent by this one.
    assert_eq!(shop.run_due().await.expect("sent").webhooks_delivered, 1);
    let unknown = cli.run(&["webhook", "deliveries", "nobody"], "");
    assert_eq!(
        (unknown.code, unknown.stderr.as_str()),
        (Some(3), "error: there is no such webhook\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_are_shown_by_the_page() {
    let cli = Cli::with_shop();
    let receiver = Receiver::start(Behaviour::Takes).await;
    let database = cli.data.name().to_owned();
    let mut config = shop_core::Config { database, ..shop_core::Config::default() };
    config.webhooks.allow_insecure = true;
    config.mail.outbox_dir = Some(cli.dir.path().join("outbox"));
    let shop = shop_core::Shop::open(config).await.expect("a shop");
    let new = json!({ "url": receiver.url("/x"), "secret": "segredo-do-erp",
                      "events": ["customer.created"] });
    let new = shop.webhooks().create(&Actor::System, input(new)).await.expect("an endpoint");
    for name in ["ana", "bia", "eva"] {
        let customer = json!({ "name": name, "email": format!("{name}@example.com"),
                               "password": "segredo-123" });
        shop.accounts().register(input(customer)).await.expect("registered");
        shop.run_due().await.expect("sent");
    }
    let list = ["webhook", "deliveries", new.id.as_str()];
    let all = cli.json(&list);
    assert_eq!(all["pagination"]["total"], 3, "{all}");
    let second = cli.json(&[&list[..], &["--page", "2", "--limit", "2"]].concat());
    assert_eq!(second["data"], json!([all["data"][2]]));
    let first = cli.run(&[&list[..], &["--limit", "2"]].concat(), "");
    assert_eq!(first.stdout.lines().count(), 3, "{first:?}");
    assert_eq!(first.stderr, "page 1 of 2, 3 in all\n");
}
