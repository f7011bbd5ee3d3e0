//! The tariffs, as a table that is typed over.

use serde_json::json;
use shop_core::actor::Actor;

use super::super::TestServer;
use super::{in_browser, open};
use crate::core::fixture::input;

const TARIFFS: &str = "/api/admin/shipping";

async fn tariff(server: &TestServer, name: &str, state: &str) -> String {
    let new = json!({ "name": name, "states": [state], "price": 20, "estimatedDays": 5 });
    let shipping = server.test.shop.shipping();
    let made = shipping.create_tariff(&Actor::System, input(new)).await.expect("created");
    made.id.to_string()
}

#[tokio::test]
async fn tariffs_are_typed_over_in_their_table_and_wrong_cells_marked() {
    let server = TestServer::start().await;
    for (name, state) in [("Econômica", "SP"), ("Expressa", "RJ")] {
        tariff(&server, name, state).await;
    }
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/shipping");
        // What is no number is said at once, and what the server refuses in its words.
        for (label, name, wrong, right) in [
            ("Preço (R$)", "price", "dezoito", "18,90"),
            ("Prazo (dias úteis)", "estimatedDays", "65536", "7"),
        ] {
            let label = format!("{label} de Econômica");
            browser.fill("textbox", &label, wrong);
            browser.click("button", "Salvar Econômica");
            let marked = "document.activeElement.getAttribute('aria-invalid') === 'true'";
            browser.wait_for(&format!("{marked} && document.activeElement.name === '{name}'"));
            browser.wait_for("document.querySelector('.editable .wrong').innerText");
            browser.fill("textbox", &label, right);
        }
        browser.fill("textbox", "Nome de Econômica", "Econômica Sul");
        browser.fill("textbox", "Preço (R$) de Expressa", "31,50");
        browser.click("button", "Salvar 2 tarifas");
        browser.wait_for("!document.querySelector('.editable .changed')");
        let now = "fetch('/api/admin/shipping').then((it) => it.json())\
                   .then((all) => all.map((it) => [it.name, it.price]).sort())";
        assert_eq!(browser.ask(now), json!([["Econômica Sul", 18.9], ["Expressa", 31.5]]));
    })
    .await;
}

#[tokio::test]
async fn a_tariff_that_somebody_else_changed_meanwhile_shows_both() {
    let server = TestServer::start().await;
    let id = tariff(&server, "Expressa", "SP").await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/shipping");
        browser.fill("textbox", "Preço (R$) de Expressa", "25,00");
        let other = format!(
            "fetch('{TARIFFS}/{id}', {{ method: 'PATCH', \
             headers: {{ 'content-type': 'application/json' }}, \
             body: JSON.stringify({{ price: 30, estimatedDays: 2 }}) }}).then((it) => it.status)"
        );
        assert_eq!(browser.ask(&other), 200);
        browser.press("Enter", "Enter");
        browser.find("heading", "Alterado enquanto você editava");
        browser.reads("R$\u{a0}30,00");
        browser.click("button", "Salvar com esta escolha");
        browser.reads("Tarifa salva.");
        let now = format!(
            "fetch('{TARIFFS}/{id}').then((it) => it.json()).then((it) => [it.price, it.estimatedDays])"
        );
        assert_eq!(browser.ask(&now), json!([25, 2]), "the other field is the other person's");
        assert_eq!(browser.ask("Boolean(document.querySelector('.editable .changed'))"), false);
    })
    .await;
}
