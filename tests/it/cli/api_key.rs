use serde_json::Value;
use shop_core::api_key::Scope;

use super::Cli;

const CREATE: [&str; 8] =
    ["api-key", "create", "--name", "ERP", "--scope", "products:read", "--scope", "stock:write"];

fn json(cli: &Cli, arguments: &[&str]) -> Value {
    let ended = cli.run(&[arguments, &["--format", "json"]].concat(), "");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    serde_json::from_str(&ended.stdout).expect("JSON")
}

#[tokio::test]
async fn a_key_is_printed_once_works_and_ends() {
    let cli = Cli::with_shop();
    let made = json(&cli, &CREATE);
    let raw = made["rawKey"].as_str().expect("a key");
    let id = made["id"].as_str().expect("an id");
    let shop = cli.shop().await;
    shop.api_keys().verify(raw, Scope::StockWrite).await.expect("holds");
    assert!(shop.api_keys().verify(raw, Scope::OrdersRead).await.is_err());
    let list = json(&cli, &["api-key", "list"]);
    assert_eq!((&list[0]["id"], &list[0]["keyPrefix"]), (&made["id"], &raw[..16].into()));
    assert!(!list.to_string().contains(&raw[16..]));
    assert_eq!(json(&cli, &["api-key", "revoke", id, "--yes"])["active"], false);
    assert!(shop.api_keys().verify(raw, Scope::StockWrite).await.is_err());
    let table = cli.run(&["api-key", "list"], "").stdout;
    let row = table.lines().nth(1).expect("a row");
    assert!(row.starts_with(id) && row.ends_with("never      revoked"), "{table}");
    let unknown = cli.run(&["api-key", "revoke", "none", "-y"], "");
    assert_eq!((unknown.code, &*unknown.stderr), (Some(3), "error: there is no such api key\n"));
}

#[test]
fn the_table_shows_the_new_key_to_people() {
    let ended = Cli::with_shop().run(&CREATE, "");
    let row = ended.stdout.lines().nth(1).expect("a row");
    assert!(row.contains("products:read,stock:write  svc_live_"), "{ended:?}");
}

#[test]
fn a_key_without_scope_or_with_a_wrong_one_is_wrong_usage() {
    let cli = Cli::with_shop();
    for (arguments, named) in [
        (&CREATE[..4], "--scope"),
        (&["api-key", "create", "--name", "x", "--scope", "all"], "there is no scope"),
        (&["api-key", "create", "--scope", "orders:read"], "--name"),
    ] {
        let ended = cli.run(arguments, "");
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(named), "{named}: {ended:?}");
    }
    let past = ["--expires-at", "2020-01-01T00:00:00Z"];
    let ended = cli.run(&[&CREATE[..], &past].concat(), "");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("expiresAt"), "{ended:?}");
}
