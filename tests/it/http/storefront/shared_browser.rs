//! Several people at one browser, one person in several tabs, and a browser that remembers nothing.

use serde_json::json;

use super::super::PASSWORD;
use super::super::office::in_empty_browser;
use super::{
    fill_address, fill_guest, go_to_checkout, log_in, open, put_in_cart, settled, shop, shop_of_ana,
};

#[tokio::test]
async fn what_one_person_typed_is_not_shown_to_the_next() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        go_to_checkout(browser, origin);
        browser.fill("textbox", "CPF ou CNPJ (opcional)", "11144477735");
        browser.fill("textbox", "Cupom", "SEGREDO");
        browser.wait_for("sessionStorage.getItem('loja:checkout').includes('777')");
        open(browser, origin, "/conta");
        browser.click("button", "Sair");
        browser.wait_for("location.pathname === '/'");
        put_in_cart(browser, origin, "vela-de-lavanda");
        open(browser, origin, "/finalizar");
        let typed = "['name', 'email', 'document', 'phone'].map((it) => \
                     document.querySelector(`[name=${it}]`).value).join('')";
        browser.wait_for("document.querySelector('[name=document]')");
        assert_eq!(browser.ask(typed), "");
    })
    .await;
}

#[tokio::test]
async fn a_session_that_ended_in_another_tab_leads_to_the_log_in() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        browser.visit(&format!("{origin}/login?next=/conta"));
        log_in(browser, "ana");
        settled(browser);
        browser.ask("fetch('/api/auth/logout', { method: 'POST' }).then((it) => it.status)");
        browser.click("link", "Endereços");
        browser.reads("Entre para ver seus pedidos");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_taken_for_a_session_that_ended() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        browser.visit(&format!("{origin}/login?next=/"));
        log_in(browser, "ana");
        settled(browser);
        browser.ask(
            "(() => {
               window.real = window.fetch;
               window.fetch = (path, how) => String(path).endsWith('/auth/me')
                 ? Promise.reject(new TypeError('gone')) : real(path, how);
             })()",
        );
        browser.ask("document.querySelector('a[href=\"/conta\"]').click()");
        browser.find("button", "Tentar de novo");
        browser.ask("window.fetch = real; undefined");
        browser.click("button", "Tentar de novo");
        browser.find("heading", "Meus pedidos");
    })
    .await;
}

#[tokio::test]
async fn a_browser_that_keeps_nothing_has_a_bag_until_the_page_is_left() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        let refuse = "for (const name of ['localStorage', 'sessionStorage']) \
                      Object.defineProperty(window, name, { get() { throw new Error('blocked') } })";
        browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": refuse }));
        put_in_cart(browser, origin, "vela-de-lavanda");
        browser.click("link", "Ver sacola");
        browser.find("heading", "vela-de-lavanda");
    })
    .await;
}

#[tokio::test]
async fn what_a_guest_typed_is_not_ordered_by_an_account_of_another_tab() {
    let server = shop_of_ana().await;
    let visited = in_empty_browser(&server, |browser, origin| {
        put_in_cart(browser, origin, "vela-de-lavanda");
        open(browser, origin, "/finalizar");
        fill_guest(browser);
        fill_address(browser);
        let ana = json!({ "email": "ana@example.com", "password": PASSWORD }).to_string();
        browser.ask(&format!(
            "fetch('/api/auth/login', {{ method: 'POST', body: {},
               headers: {{ 'content-type': 'application/json' }} }}).then((it) => it.status)",
            json!(ana)
        ));
        browser.click("button", "Fazer o pedido");
        browser.reads("Este navegador entrou em uma conta");
    })
    .await;
    if visited {
        assert_eq!(server.test.count("SELECT count(*) FROM orders"), 0);
    }
}

#[tokio::test]
async fn a_browsers_cart_fills_the_accounts_up_to_what_is_left() {
    let server = shop_of_ana().await;
    server.test.raw_sql("UPDATE stock SET quantity = 3");
    server.test.raw_sql("UPDATE stock_movement SET delta = 3");
    in_empty_browser(&server, |browser, origin| {
        browser.visit(&format!("{origin}/login?next=/produto/vela-de-lavanda"));
        log_in(browser, "ana");
        for units in ["1 item", "2 itens"] {
            browser.click("button", "Adicionar à sacola");
            browser.find("link", &format!("Sacola, {units}"));
        }
        open(browser, origin, "/conta");
        browser.click("button", "Sair");
        browser.wait_for("location.pathname === '/'");
        for units in ["1 item", "2 itens"] {
            open(browser, origin, "/produto/vela-de-lavanda");
            browser.click("button", "Adicionar à sacola");
            browser.find("link", &format!("Sacola, {units}"));
        }
        browser.visit(&format!("{origin}/login?next=/carrinho"));
        log_in(browser, "ana");
        browser.find("link", "Sacola, 3 itens");
    })
    .await;
}
