//! Webhooks, as staff see what was sent to them.

use serde_json::json;
use shop_core::actor::Actor;
use shop_server::ServeOptions;

use super::super::TestServer;
use super::{in_browser, open};
use crate::core::fixture::input;
use crate::fakes::receiver::{Behaviour, Receiver};

#[tokio::test]
async fn a_webhook_is_tested_and_what_failed_sent_again() {
    let allow = |config: &mut shop_core::Config| config.webhooks.allow_insecure = true;
    let server = TestServer::start_with(allow, ServeOptions::default()).await;
    let receiver = Receiver::start(Behaviour::Answers(404)).await;
    let (url, secret) = (receiver.url("/avisos"), "a-secret-of-enough-characters-for-this");
    let new = input(json!({ "url": url, "events": ["customer.created"], "secret": secret }));
    server.test.shop.webhooks().create(&Actor::System, new).await.expect("created");
    server.test.buyer("ana").await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/webhooks");
        browser.click("button", "Testar");
        browser.reads("O teste falhou");
        browser.click("button", "Entregas");
        browser.reads("404");
        receiver.behaves(Behaviour::Takes);
        browser.choose("Evento", "Cliente cadastrado");
        browser.click("button", "Enviar de novo");
        browser.reads("Na fila para ser enviada de novo.");
        browser.reads("200");
        browser.click("button", "Cliente cadastrado");
        browser.find("heading", "Entrega");
        browser.reads("customer.created");
        browser.press("Escape", "Escape");
        browser.click("button", "Recuperar");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.wait_for("!document.querySelector('dialog')");
    })
    .await;
}
