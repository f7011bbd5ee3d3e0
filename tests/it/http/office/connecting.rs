//! The shop is connected with Melhor Envio in a browser: there, and back again.

use std::time::Duration;

use shop_core::config::LabelProviderKind;

use super::super::TestServer;
use super::{in_browser, open};
use crate::fakes::browser::Browser;
use crate::fakes::melhor_envio::MelhorEnvio;

/// Goes to Melhor Envio from the screen of shipping, and does this there.
fn go(browser: &mut Browser, origin: &str, deed: &str) {
    open(browser, origin, "/admin/shipping");
    browser.reads("Desconectada");
    browser.click("button", "Conectar");
    browser.find("heading", "A loja quer acessar a sua conta");
    browser.click("link", deed);
}

/// Goes back to the screen that one came from.
fn back(browser: &mut Browser) {
    browser.click("link", "Voltar para o painel da loja");
    browser.find("heading", "Compra de etiquetas");
}

#[tokio::test]
async fn staff_connect_the_shop_with_melhor_envio_there_and_back() {
    let fake = MelhorEnvio::start().await;
    let server = TestServer::start_at_its_address(|config| {
        fake.adapt(config);
        config.shipping.labels.provider = LabelProviderKind::MelhorEnvio;
    })
    .await;
    let (there, clock) = (fake.url(), server.test.clock.clone());
    in_browser(&server, move |browser, origin| {
        for width in [1280, 390] {
            browser.resize(width);
            go(browser, origin, "Recusar");
            browser.find("heading", "Melhor Envio não conectado");
            browser.reads("A conexão não foi autorizada.");
            back(browser);
            browser.reads("Desconectada");
            // What was begun an hour ago is over.
            open(browser, origin, "/admin/shipping");
            browser.click("button", "Conectar");
            browser.find("heading", "A loja quer acessar a sua conta");
            clock.advance(Duration::from_secs(60 * 60));
            browser.click("link", "Autorizar");
            browser.reads("já expirou. Comece de novo.");
            back(browser);
            go(browser, origin, "Autorizar");
            browser.find("heading", "Melhor Envio conectado");
            back(browser);
            browser.reads("Conectada");
            browser.reads("R$\u{a0}100.000,00");
            browser.click("button", "Desconectar");
            browser.reads("Desconectar a conta do Melhor Envio?");
            browser.click("button", "Desconectar");
            browser.reads("Conta desconectada.");
        }
        let visits = browser.requests.iter().filter(|url| url.starts_with(&there)).count();
        assert_eq!(visits, 6, "{:#?}", browser.requests);
        browser.requests.retain(|url| !url.starts_with(&there));
    })
    .await;
}
