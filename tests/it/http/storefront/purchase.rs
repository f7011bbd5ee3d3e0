//! From the first screen to "pago".

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use shop_core::money::Money;

use super::super::office::in_empty_browser;
use super::{
    CANDLE, fill_address, fill_guest, link_to, log_in, open, pay, placed, put_in_cart, settled,
    shop, shop_of_ana, shop_with,
};
use crate::fakes::browser::Browser;

/// What zbar reads on the screen.
fn scan(browser: &mut Browser) -> Option<String> {
    browser.wait_for("document.querySelector('.pix img')?.complete");
    browser.ask("document.querySelector('.pix img').scrollIntoView({ block: 'center' })");
    let taken = browser.call("Page.captureScreenshot", json!({ "format": "png" }));
    let picture = STANDARD.decode(taken["data"].as_str().expect("a picture")).expect("base64");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("screen.png");
    std::fs::write(&file, picture).expect("written");
    let read = std::process::Command::new("zbarimg").args(["-q", "--raw"]).arg(&file).output();
    let Ok(read) = read else {
        println!("left out: zbarimg is not installed");
        return None;
    };
    Some(String::from_utf8(read.stdout).expect("text").trim_end().to_owned())
}

/// From the first screen over the product to the cart, and what it costs to send.
fn fill_the_cart(browser: &mut Browser, origin: &str) {
    open(browser, origin, "/");
    browser.click("link", "vela-de-lavanda");
    browser.find("heading", "vela-de-lavanda");
    browser.click("button", "Um a mais");
    browser.click("button", "Adicionar à sacola");
    browser.reads("vela-de-lavanda está na sacola.");
    browser.click("link", "Ver sacola");
    browser.find("heading", "Sacola");
    browser.fill("textbox", "Calcular frete e prazo", "01001000");
    browser.reads("Faltam R$\u{a0}50,20 para o frete grátis.");
    browser.reads("Para São Paulo, SP");
    browser.click("link", "Finalizar a compra");
    browser.find("heading", "Finalizar a compra");
}

async fn an_account_buys_by_pix(width: u32) {
    let server = shop_of_ana().await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        browser.resize(width);
        fill_the_cart(browser, origin);
        // The cart comes along, and so does the way back.
        browser.click("link", "Entrar");
        log_in(browser, "ana");
        browser.find("heading", "Finalizar a compra");
        browser.reads("Rua das Flores, 123");
        browser.click("radio", "Expressa em até 2 dias úteis R$\u{a0}32,90");
        browser.reads("R$\u{a0}132,70");
        browser.click("button", "Fazer o pedido");
        let number = placed(browser);
        let code = browser.value_of("PIX copia e cola");
        browser.reads("O código vale por mais 30 minutos.");
        if let Some(read) = scan(browser) {
            assert_eq!(code, json!(read));
        }
        // The code stays the same while it holds, also over a reload.
        browser.visit(&format!("{origin}/pedido/{number}"));
        assert_eq!(browser.value_of("PIX copia e cola"), code);
        pay(&shop, &number);
        browser.reads("Pago. Pagamento confirmado.");
        browser.visit(&format!("{origin}/conta"));
        browser.reads("Em preparação");
    })
    .await;
}

#[tokio::test]
async fn an_account_buys_by_pix_at_a_desk() {
    an_account_buys_by_pix(1280).await;
}

#[tokio::test]
async fn an_account_buys_by_pix_on_a_phone() {
    an_account_buys_by_pix(390).await;
}

/// The cart is the server's from the start where it keeps those of guests, else the browser's.
async fn a_guest_buys_by_card(width: u32, keeps_carts: bool) {
    let server = shop_with(|config| config.carts.guests = keeps_carts).await;
    let visited = in_empty_browser(&server, move |browser, origin| {
        browser.resize(width);
        fill_the_cart(browser, origin);
        fill_guest(browser);
        fill_address(browser);
        browser.click("radio", "Cartão de crédito À vista ou parcelado.");
        browser.click("button", "Fazer o pedido");
        let number = placed(browser);
        browser.choose("Cartão de teste", "Cartão sem limite");
        browser.click("button", "Pagar R$\u{a0}118,70");
        browser.reads("Pagamento não aprovado. Saldo ou limite insuficiente.");
        // Nothing is lost by a reload, and another card may be tried.
        browser.visit(&format!("{origin}/pedido/{number}"));
        browser.choose("Cartão de teste", "Cartão aprovado");
        browser.click("button", "Pagar R$\u{a0}118,70");
        browser.reads("Pago. Pagamento confirmado.");
    })
    .await;
    if !visited {
        return;
    }
    assert_eq!(server.test.count("SELECT count(*) FROM orders"), 1);
}

#[tokio::test]
async fn a_guest_buys_by_card_at_a_desk() {
    a_guest_buys_by_card(1280, true).await;
}

#[tokio::test]
async fn a_guest_buys_by_card_on_a_phone() {
    a_guest_buys_by_card(390, false).await;
}

#[tokio::test]
async fn a_guest_pays_by_pix_through_the_link_of_the_mail() {
    let server = shop().await;
    let shop = server.test.shop.clone();
    let outbox = server.test.dir.path().join("outbox");
    in_empty_browser(&server, move |browser, origin| {
        put_in_cart(browser, origin, "vela-de-lavanda");
        open(browser, origin, "/finalizar");
        fill_guest(browser);
        fill_address(browser);
        // By PIX the page would begin to pay at once, and there would be a code already.
        browser.click("radio", "Cartão de crédito À vista ou parcelado.");
        browser.click("button", "Fazer o pedido");
        let number = placed(browser);
        let link = link_to(&outbox, &number);
        // Another browser has nothing but the link.
        browser.call("Network.clearBrowserCookies", json!({}));
        browser.ask("sessionStorage.clear()");
        browser.visit(&format!("{origin}{link}"));
        browser.find("heading", &format!("Pedido {number}"));
        assert_eq!(browser.ask("location.search"), "");
        browser.click("button", "Gerar o código PIX");
        browser.value_of("PIX copia e cola");
        pay(&shop, &number);
        browser.reads("Pago. Pagamento confirmado.");
        // The token is kept for this tab, and nowhere else.
        browser.visit(&format!("{origin}/pedido/{number}"));
        settled(browser);
        browser.reads("Pago. Pagamento confirmado.");
        assert_eq!(browser.ask("JSON.stringify(localStorage).includes('t:')"), false);
    })
    .await;
}

#[tokio::test]
async fn nothing_is_ordered_before_the_page_knows_what_it_costs_to_send() {
    let server = shop().await;
    let visited = in_empty_browser(&server, |browser, origin| {
        put_in_cart(browser, origin, CANDLE);
        open(browser, origin, "/finalizar");
        fill_guest(browser);
        // The carriers take their time.
        browser.ask(
            "(() => {
               window.real = window.fetch;
               window.fetch = async (path, how) => {
                 while (String(path).includes('calculate') && !window.quoted)
                   await new Promise((go) => setTimeout(go, 20));
                 return real(path, how);
               };
             })()",
        );
        for (name, text) in
            [("CEP", "01001000"), ("Rua", "Praça da Sé"), ("Número", "10"), ("Bairro", "Sé")]
        {
            browser.fill("textbox", name, text);
        }
        browser.wait_for("document.querySelector('[name=city]').value === 'São Paulo'");
        browser.click("button", "Fazer o pedido");
        browser.reads("Aguarde o cálculo do frete e confira o total.");
        browser.ask("window.quoted = true");
        browser.find("radio", "Econômica em até 5 dias úteis R$\u{a0}18,90");
        browser.click("button", "Fazer o pedido");
        placed(browser);
    })
    .await;
    if visited {
        assert_eq!(server.test.count("SELECT count(*) FROM orders WHERE total = 4990 + 1890"), 1);
    }
}

#[tokio::test]
async fn what_shipping_costs_where_nothing_can_be_quoted_is_shown_before_the_order() {
    let server = shop_with(|config| config.shipping.fallback_price = Money::from_cents(2500)).await;
    let visited = in_empty_browser(&server, |browser, origin| {
        put_in_cart(browser, origin, CANDLE);
        open(browser, origin, "/carrinho");
        browser.fill("textbox", "Calcular frete e prazo", "30130010");
        browser.reads("Belo Horizonte, MG");
        browser.reads("R$\u{a0}25,00");
        open(browser, origin, "/finalizar");
        fill_guest(browser);
        for (name, text) in [("Rua", "Rua da Bahia"), ("Número", "10"), ("Bairro", "Centro")] {
            browser.fill("textbox", name, text);
        }
        browser.wait_for("document.querySelector('[name=city]').value === 'Belo Horizonte'");
        browser.reads("O prazo é combinado depois do pedido.");
        browser.reads("R$\u{a0}74,90");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.reads("Pagar R$\u{a0}74,90");
    })
    .await;
    if visited {
        assert_eq!(server.test.count("SELECT count(*) FROM orders WHERE total = 4990 + 2500"), 1);
    }
}

#[tokio::test]
async fn freight_that_is_agreed_later_is_not_called_free() {
    let server = shop_with(|config| config.shipping.fallback_price = Money::ZERO).await;
    in_empty_browser(&server, |browser, origin| {
        put_in_cart(browser, origin, CANDLE);
        open(browser, origin, "/carrinho");
        browser.fill("textbox", "Calcular frete e prazo", "30130010");
        browser.reads("Belo Horizonte, MG");
        browser.reads("A combinar");
        open(browser, origin, "/finalizar");
        fill_guest(browser);
        for (name, text) in [("Rua", "Rua da Bahia"), ("Número", "10"), ("Bairro", "Centro")] {
            browser.fill("textbox", name, text);
        }
        browser.wait_for("document.querySelector('[name=city]').value === 'Belo Horizonte'");
        browser.reads("O envio para este CEP é combinado depois do pedido.");
        browser.reads("A combinar");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.reads("A combinar");
        let page = browser.ask("document.body.innerText");
        assert!(!page.to_string().contains("Grátis"), "{page}");
    })
    .await;
}
