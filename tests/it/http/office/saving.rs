//! What staff type while something else is being saved: it stays, to be saved next.

use serde_json::json;

use super::super::TestServer;
use super::{in_browser, open};

/// From now on answers wait until they are let go.
const HOLD: &str = "(() => {
    const real = window.fetch;
    const held = [];
    window.fetch = (...how) => real(...how).then((answer) => new Promise((go) => held.push(() => go(answer))));
    window.let_go = () => { window.fetch = real; held.splice(0).forEach((go) => go()); };
    window.held = held;
})()";

#[tokio::test]
async fn what_is_typed_while_a_form_is_saved_stays_to_be_saved() {
    let server = TestServer::start().await;
    let id = server.test.product("vela-um", 5, 1990).await;
    let path = format!("/admin/products/{id}");
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &path);
        browser.fill("textbox", "SKU", "V-1");
        browser.ask(HOLD);
        browser.click("button", "Salvar");
        browser.wait_for("held.length");
        browser.fill("textbox", "Preço (R$)", "59,90");
        browser.ask("let_go()");
        browser.reads("Produto salvo.");
        browser.wait_for("document.querySelector('.save-bar')");
        assert_eq!(browser.value_of("Preço (R$)"), "59,90");
        browser.click("button", "Salvar");
        browser.wait_for("!document.querySelector('.save-bar')");
        let api = path.replace("/admin", "/api/admin");
        let saved =
            format!("fetch('{api}').then((it) => it.json()).then((it) => [it.sku, it.price])");
        assert_eq!(browser.ask(&saved), json!(["V-1", 59.9]));
    })
    .await;
}

#[tokio::test]
async fn a_count_that_is_typed_while_others_are_saved_stays_to_be_saved() {
    let server = TestServer::start().await;
    for name in ["vela-um", "vela-dois"] {
        server.test.product(name, 5, 1990).await;
    }
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/stock");
        browser.fill("textbox", "Unidades de vela-um", "7");
        browser.ask(HOLD);
        browser.click("button", "Salvar contagem");
        browser.wait_for("held.length");
        browser.fill("textbox", "Unidades de vela-dois", "77");
        browser.ask("let_go()");
        browser.reads("Estoque salvo.");
        assert_eq!(browser.value_of("Unidades de vela-dois"), "77");
        browser.reads("1 a salvar");
        browser.click("button", "Salvar contagem");
        browser.wait_for("!document.querySelector('.save-bar')");
        let units = "fetch('/api/admin/stock').then((it) => it.json())\
                     .then((all) => all.map((it) => it.name + ':' + it.stock).sort().join())";
        assert_eq!(browser.ask(units), "vela-dois:77,vela-um:7");
    })
    .await;
}
