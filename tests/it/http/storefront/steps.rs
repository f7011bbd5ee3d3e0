//! Going back and reloading at each step, and what the address holds.

use serde_json::json;
use shop_core::actor::Actor;

use super::super::TestServer;
use super::super::office::in_empty_browser;
use super::{
    fill_address, fill_guest, go_to_checkout, log_in, open, placed, put_in_cart, settled, shop,
    shop_of_ana,
};
use crate::core::fixture::input;
use crate::fakes::browser::Browser;

fn back(browser: &mut Browser) {
    browser.ask("history.back()");
}

fn reload(browser: &mut Browser) {
    // The browser answers before the page that is there has gone.
    browser.ask("window.isOld = true");
    browser.call("Page.reload", json!({}));
    browser.wait_for("!window.isOld");
    settled(browser);
}

#[tokio::test]
async fn going_back_and_reloading_lose_nothing_at_any_step() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/");
        browser.click("link", "vela-de-lavanda");
        browser.find("heading", "vela-de-lavanda");
        reload(browser);
        browser.find("heading", "vela-de-lavanda");
        browser.click("button", "Adicionar à sacola");
        browser.click("link", "Ver sacola");
        browser.find("heading", "Sacola");
        reload(browser);
        browser.find("link", "Sacola, 1 item");
        browser.click("link", "Finalizar a compra");
        browser.find("heading", "Finalizar a compra");
        fill_guest(browser);
        fill_address(browser);
        reload(browser);
        assert_eq!(browser.value_of("Rua"), "Praça da Sé");
        assert_eq!(browser.value_of("Nome completo"), "Ana Souza");
        assert_eq!(browser.value_of("CPF ou CNPJ (opcional)"), "111.444.777-35");
        back(browser);
        browser.find("heading", "Sacola");
        back(browser);
        browser.find("heading", "vela-de-lavanda");
        back(browser);
        browser.find("heading", "Acabaram de chegar");
    })
    .await;
}

#[tokio::test]
async fn another_address_than_the_saved_one_stays_chosen() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        let other = "[...document.querySelectorAll('[name=address]')].at(-1).checked";
        go_to_checkout(browser, origin);
        browser.click("radio", "Outro endereço");
        reload(browser);
        assert_eq!(browser.ask(other), true, "before anything is typed");
        fill_address(browser);
        reload(browser);
        assert_eq!(browser.ask(other), true);
        browser.find("radio", "Econômica em até 5 dias úteis R$\u{a0}18,90");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.reads("Praça da Sé, 10");
    })
    .await;
}

#[tokio::test]
async fn an_address_that_was_typed_before_the_log_in_is_not_given_up_for_a_saved_one() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        put_in_cart(browser, origin, "vela-de-lavanda");
        open(browser, origin, "/finalizar");
        fill_address(browser);
        browser.click("link", "Entrar");
        log_in(browser, "ana");
        browser.find("heading", "Finalizar a compra");
        browser.find("radio", "Outro endereço");
        assert_eq!(browser.value_of("Rua"), "Praça da Sé");
    })
    .await;
}

/// A category whose products need a second page.
pub(super) async fn shelf(server: &TestServer) {
    let shop = &server.test.shop;
    let new = input(json!({ "name": "Velas", "slug": "velas" }));
    let category = shop.categories().create(&Actor::System, new).await.expect("a category").id;
    for number in 1..=14 {
        let new = json!({
            "name": format!("Vela {number}"), "slug": format!("vela-{number}"), "price": 10 * number, "categoryId": category,
            "stock": if number == 1 { 0 } else { 5 },
        });
        shop.products().create(&Actor::System, input(new), None).await.expect("a product");
    }
}

#[tokio::test]
async fn the_address_holds_filters_order_and_page() {
    let server = shop().await;
    shelf(&server).await;
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/");
        browser.click("link", "Velas");
        browser.find("heading", "Velas");
        browser.reads("14 produtos");
        browser.choose("Ordenar por", "Menor preço");
        browser.wait_for("location.search === '?ordem=price_asc'");
        let first = "document.querySelector('.products h3').textContent";
        browser.wait_for(&format!("{first} === 'Vela 1'"));
        browser.click("link", "Próxima →");
        browser.wait_for(&format!("{first} === 'Vela 13'"));
        reload(browser);
        browser.wait_for(&format!("{first} === 'Vela 13'"));
        back(browser);
        browser.wait_for(&format!("{first} === 'Vela 1'"));
        browser.click("checkbox", "Só com estoque");
        browser.reads("13 produtos");
        browser.fill("textbox", "até", "50,00");
        browser.reads("4 produtos");
        reload(browser);
        browser.reads("4 produtos");
        assert_eq!(browser.value_of("até"), "50,00");
        browser.fill("textbox", "Preço de", "999");
        browser.reads("Nada com estes filtros");
        browser.click("link", "Limpar os filtros");
        browser.reads("14 produtos");
    })
    .await;
}

#[tokio::test]
async fn a_search_answers_as_one_types_and_marks_what_fits() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/");
        browser.press("/", "Slash");
        browser.call("Input.insertText", json!({ "text": "lavanda" }));
        browser.wait_for("location.search === '?q=lavanda'");
        browser.wait_for("document.querySelector('.hits mark')?.textContent === 'lavanda'");
        browser.reads("1 produto encontrado");
        // What a shop says of its products is text, whatever it looks like.
        put_in_cart(browser, origin, "vela-de-lavanda");
        browser.find("link", "Sacola, 1 item");
    })
    .await;
}

#[tokio::test]
async fn the_first_page_of_a_new_shop_leads_to_what_is_there() {
    let server = shop().await;
    let link = "document.querySelector('.hero a')?.getAttribute('href')";
    let settled = "document.querySelector('.hero') && !document.querySelector('.skeleton')";
    let categories = server.test.shop.categories();
    let new = input(json!({ "name": "Velas aromáticas", "slug": "velas-aromaticas" }));
    let category = categories.create(&Actor::System, new).await.expect("a category").id;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        open(browser, origin, "/");
        browser.wait_for(settled);
        assert_eq!(browser.ask(link), "/busca", "the category is empty");
        browser.wait_for("document.querySelector('footer').innerText.includes('Minha conta')");
        browser.wait_for("!document.querySelector('footer').innerText.includes('Sobre a loja')");
        let new = json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 5, "categoryId": category });
        let created = async { shop.products().create(&Actor::System, input(new), None).await };
        tokio::runtime::Handle::current().block_on(created).expect("a product");
        open(browser, origin, "/");
        browser.wait_for(&format!("{link} === '/categoria/velas-aromaticas'"));
    })
    .await;
}

#[tokio::test]
async fn the_quantity_that_is_shown_is_the_one_that_counts() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/produto/vela-de-lavanda");
        for (typed, counts) in [("2,5", "1"), ("3", "3"), ("abc", "1"), ("-1", "1"), ("40", "9")] {
            browser.fill("textbox", "Quantidade", typed);
            browser.ask("document.activeElement.blur()");
            let field = "document.querySelector('input[aria-label=Quantidade]')";
            browser.wait_for(&format!("{field}.value === '{counts}'"));
        }
    })
    .await;
}

#[tokio::test]
async fn the_focus_is_where_the_keyboard_goes_on() {
    let server = shop().await;
    let new = json!({ "code": "DEZ", "type": "PERCENT", "value": 10, "active": true });
    server.test.shop.coupons().create(&Actor::System, input(new)).await.expect("a coupon");
    in_empty_browser(&server, |browser, origin| {
        let focused = |what: &str| format!("document.activeElement.matches('{what}')");
        open(browser, origin, "/");
        browser.click("link", "vela-de-lavanda");
        browser.wait_for(&focused(".offer h1"));
        browser.ask("document.querySelector('.buy .primary').focus()");
        browser.click("button", "Adicionar à sacola");
        browser.reads("está na sacola");
        assert!(browser.holds(&focused(".buy .primary")));
        browser.fill("textbox", "Seu e-mail", "ana@example.com");
        browser.click("button", "Quero receber");
        browser.wait_for(&focused(".newsletter [role=status]"));
        open(browser, origin, "/finalizar");
        browser.fill("textbox", "Cupom", "DEZ");
        browser.ask("document.getElementById('coupon').focus()");
        browser.click("button", "Aplicar");
        browser.wait_for(&focused(".coupon button"));
        // An address that cannot be read is one of nothing.
        open(browser, origin, "/pedido/%");
        browser.find("heading", "Não encontramos este pedido");
    })
    .await;
}
