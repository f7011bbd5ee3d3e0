//! What an account is made of and what its owner can do with it, from a guest's order on.

use std::path::Path;

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::site::SitePage;

use super::super::PASSWORD;
use super::super::office::in_empty_browser;
use super::{
    ask_api, fill_address, fill_guest, link_to, log_in, open, pay, place_order, placed,
    put_in_cart, settled, shop, shop_of_ana, unfold,
};
use crate::core::fixture::input;
use crate::fakes::browser::Browser;

/// Buys without an account, and comes back by the link of the mail in another browser.
fn come_by_link(browser: &mut Browser, origin: &str, outbox: &Path, email: &str) {
    put_in_cart(browser, origin, "vela-de-lavanda");
    open(browser, origin, "/finalizar");
    fill_guest(browser);
    browser.fill("textbox", "E-mail", email);
    fill_address(browser);
    browser.click("button", "Fazer o pedido");
    let number = placed(browser);
    let link = link_to(outbox, &number);
    browser.call("Network.clearBrowserCookies", json!({}));
    browser.ask("sessionStorage.clear()");
    browser.visit(&format!("{origin}{link}"));
    browser.find("heading", &format!("Pedido {number}"));
}

#[tokio::test]
async fn a_guest_makes_a_password_by_the_link_and_has_an_account() {
    let server = shop().await;
    let outbox = server.test.dir.path().join("outbox");
    in_empty_browser(&server, move |browser, origin| {
        come_by_link(browser, origin, &outbox, "bia@example.com");
        browser.wait_for("[...document.querySelectorAll('summary')].some((it) => it.textContent === 'Criar uma senha')");
        unfold(browser);
        browser.fill("textbox", "Senha", "curta");
        browser.click("button", "Criar senha");
        browser.wait_for("document.querySelector('[name=password][aria-invalid=true]')");
        browser.fill("textbox", "Senha", "velas-e-mais-velas");
        browser.click("button", "Criar senha");
        browser.reads("Senha criada.");
        browser.find("heading", "Meus pedidos");
        browser.call("Network.clearBrowserCookies", json!({}));
        browser.visit(&format!("{origin}/login?next=/conta"));
        browser.fill("textbox", "E-mail", "bia@example.com");
        browser.fill("textbox", "Senha", "velas-e-mais-velas");
        browser.click("button", "Entrar");
        browser.reads("Aguardando pagamento");
    })
    .await;
}

#[tokio::test]
async fn an_order_without_an_account_joins_the_account_that_opens_its_link() {
    let server = shop_of_ana().await;
    let outbox = server.test.dir.path().join("outbox");
    in_empty_browser(&server, move |browser, origin| {
        come_by_link(browser, origin, &outbox, "ana@example.com");
        let address = browser.ask("location.pathname");
        let address = address.as_str().expect("a path");
        browser.visit(&format!("{origin}/login?next={address}"));
        log_in(browser, "ana");
        browser.click("button", "Juntar à minha conta");
        browser.wait_for("!document.querySelector('#join')");
        open(browser, origin, "/conta");
        let number = address.trim_start_matches("/pedido/");
        browser.reads(number);
    })
    .await;
    assert_eq!(server.test.count("SELECT count(*) FROM account WHERE guest = 1"), 0);
}

#[tokio::test]
async fn a_notice_leads_to_its_order_and_is_read_from_then_on() {
    let server = shop_of_ana().await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        let number = place_order(browser, origin);
        pay(&shop, &number);
        browser.reads("Pago. Pagamento confirmado.");
        open(browser, origin, "/conta/avisos");
        browser.wait_for("document.querySelectorAll('.notices .new').length === 1");
        browser.ask("document.querySelector('.notices .new button').click()");
        browser.find("heading", &format!("Pedido {number}"));
        open(browser, origin, "/conta/avisos");
        browser.wait_for("document.querySelectorAll('.notices .new').length === 0");
        // The shop's mails lead here.
        open(browser, origin, "/pedidos");
        browser.reads(&number);
    })
    .await;
}

#[tokio::test]
async fn customers_take_a_copy_of_their_data_and_end_their_account() {
    let server = shop_of_ana().await;
    let visited = in_empty_browser(&server, |browser, origin| {
        browser.visit(&format!("{origin}/login?next=/conta/dados"));
        log_in(browser, "ana");
        browser.find("heading", "Cópia dos seus dados");
        browser.ask(
            "{ const make = URL.createObjectURL; URL.createObjectURL = (it) => { \
             it.text().then((text) => { window.copy = text }); return make.call(URL, it) } }",
        );
        browser.click("button", "Baixar meus dados");
        browser.wait_for("window.copy?.includes('ana@example.com')");
        unfold(browser);
        browser.fill("textbox", "Senha", PASSWORD);
        browser.click("button", "Excluir a minha conta");
        browser.wait_for("location.pathname === '/'");
        settled(browser);
        assert_eq!(ask_api(browser, "/api/auth/me")["code"], "unauthenticated");
        // Asked on purpose.
        browser.complaints.clear();
    })
    .await;
    if !visited {
        return;
    }
    assert_eq!(
        server.test.count("SELECT count(*) FROM account WHERE email = 'ana@example.com'"),
        0
    );
}

#[tokio::test]
async fn the_focus_goes_to_the_form_of_an_address_and_back_to_its_button() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        let is_on = |name: &str| format!("document.activeElement.computedName === {}", json!(name));
        browser.visit(&format!("{origin}/login?next=/conta/enderecos"));
        log_in(browser, "ana");
        browser.click("button", "Novo endereço");
        browser.wait_for(&is_on("Nome do endereço"));
        browser.click("button", "Voltar");
        browser.wait_for(&is_on("Novo endereço"));
        browser.click("button", "Novo endereço");
        browser.fill("textbox", "Nome do endereço", "Trabalho");
        browser.fill("textbox", "CEP", "01001000");
        browser.wait_for("document.querySelector('[name=city]').value === 'São Paulo'");
        for (name, text) in [("Rua", "Praça da Sé"), ("Número", "10"), ("Bairro", "Sé")] {
            browser.fill("textbox", name, text);
        }
        browser.click("button", "Salvar");
        browser.find("button", "Alterar Trabalho");
        browser.wait_for(&is_on("Novo endereço"));
        browser.click("button", "Alterar Trabalho");
        browser.wait_for(&is_on("Nome do endereço"));
        browser.click("button", "Salvar");
        browser.wait_for(&is_on("Alterar Trabalho"));
        // Its button goes.
        browser.click("button", "Usar Trabalho como principal");
        browser.wait_for("document.activeElement.matches('main h1')");
    })
    .await;
}

#[tokio::test]
async fn the_payment_shows_also_where_the_browser_follows_no_events() {
    let server = shop_of_ana().await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        let none = "window.EventSource = class extends EventTarget { static CLOSED = 2; \
                    readyState = 2; close() {} \
                    constructor() { super(); setTimeout(() => this.dispatchEvent(new Event('error'))) } }";
        browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": none }));
        let number = place_order(browser, origin);
        browser.value_of("PIX copia e cola");
        pay(&shop, &number);
        browser.reads("Pago. Pagamento confirmado.");
    })
    .await;
}

#[tokio::test]
async fn a_page_of_the_page_builder_is_shown_as_its_content_reads() {
    let server = shop().await;
    let content = json!({ "title": "Nosso ateliê", "sections": [
        { "title": "Como fazemos", "text": "Cera vegetal.\nPavio de algodão." },
        { "text": "<script>alert(1)</script>" },
    ] });
    let about = input(json!({ "data": content }));
    let site = server.test.shop.site();
    site.publish(&Actor::System, SitePage::About, about, None).await.expect("published");
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/p/sobre");
        browser.find("heading", "Nosso ateliê");
        browser.find("heading", "Como fazemos");
        browser.reads("Pavio de algodão.");
        browser.reads("<script>alert(1)</script>");
        browser.find("link", "Sobre a loja");
        open(browser, origin, "/p/nenhuma");
        browser.reads("não");
    })
    .await;
}
