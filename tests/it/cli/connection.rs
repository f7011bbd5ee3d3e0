//! The connection with Melhor Envio.

use serde_json::Value;

use super::Cli;
use crate::fakes::melhor_envio::{CLIENT_ID, CLIENT_SECRET, MelhorEnvio};

#[tokio::test(flavor = "multi_thread")]
async fn the_shop_is_connected_by_the_address_that_the_browser_was_sent_to() {
    let (cli, fake) = (Cli::with_shop(), MelhorEnvio::start().await);
    let settings = format!(
        "[shipping.melhor_envio]\nurl = '{}'\nclient_id = '{CLIENT_ID}'\n\
         client_secret = '{CLIENT_SECRET}'\n[shipping.labels]\nprovider = 'melhor-envio'\n",
        fake.url()
    );
    std::fs::write(cli.dir.path().join("shop.toml"), settings).expect("written");
    let run = |rest: &[&str]| cli.run(&[&["--config", "shop.toml", "shipment"], rest].concat(), "");
    let json = |rest: &[&str]| -> Value {
        let ended = run(&[rest, &["--format", "json"]].concat());
        serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"))
    };
    assert_eq!(json(&["connection"])["connected"], false);
    let begun = json(&["connect"]);
    let address = begun["address"].as_str().expect("an address");
    let allowed = fake.books(|books| books.oauth.allow(address));
    let query = serde_urlencoded::to_string(allowed).expect("a query");
    let back = format!("https://loja.example/api/shipping/melhor-envio/callback?{query}");
    assert_eq!(run(&["connect", "--answer", "https://loja.example/"]).code, Some(1));
    assert_eq!(json(&["connect", "--answer", &back])["connected"], true);
    assert_ne!(run(&["connect", "--answer", &back]).code, Some(0), "it counts once");
    assert!(run(&["balance"]).stdout.contains("100000.00"));
    assert_eq!(run(&["disconnect"]).code, Some(6), "it asks");
    assert_eq!(json(&["disconnect", "--yes"])["connected"], false);
}
