//! What the law wants shoppers to know, for the pages that show it.

use serde_json::{Value, json};
use shop_server::ServeOptions;

use super::TestServer;
use crate::core::seller::set_company;

const SETTINGS: &str = "/api/settings";

#[tokio::test]
async fn the_settings_tell_everybody_who_sells_and_how_long_one_may_withdraw() {
    let adapt = |config: &mut shop_core::Config| {
        set_company(config);
        config.returns.withdrawal_days = 30;
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    let settings = server.anonymous().get(SETTINGS).await.expect(200);
    let seller = json!({
        "name": "Aurora & Filhas Velas Ltda",
        "cnpj": "12ABC34501DE35",
        "address": {
            "street": "Rua das Flores", "number": "100", "complement": "sala 2",
            "district": "Centro", "city": "São Paulo", "state": "SP", "zipCode": "01001000"
        },
        "email": "loja@aurora.example",
        "phone": "1133334444"
    });
    assert_eq!(settings["seller"], seller);
    assert_eq!(settings["withdrawalDays"], 30);
}

#[tokio::test]
async fn customers_write_to_who_answers_them_and_not_to_the_sample() {
    for (from, contact, shown) in [
        (None, None, Value::Null),
        (None, Some("ajuda@aurora.example"), json!("ajuda@aurora.example")),
        (Some("loja@aurora.example"), Some("ajuda@aurora.example"), json!("ajuda@aurora.example")),
    ] {
        let adapt = |config: &mut shop_core::Config| {
            let usual = config.mail.from.clone();
            set_company(config);
            config.mail.from = from.map_or(usual, |it| it.parse().expect("a mailbox"));
            config.mail.contact_to = contact.map(|it| it.parse().expect("a mailbox"));
        };
        let server = TestServer::start_with(adapt, ServeOptions::default()).await;
        let settings = server.anonymous().get(SETTINGS).await.expect(200);
        assert_eq!(settings["seller"]["email"], shown, "{from:?} {contact:?}");
    }
}
