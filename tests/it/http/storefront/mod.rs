//! The example of a storefront in a browser, as a shopper sees it.

mod account;
mod afterwards;
mod parcels;
mod purchase;
mod screens;
mod shared_browser;
mod size;
mod steps;
mod trouble;
mod two_tabs;
mod typing;

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::{Config, Shop};
use shop_server::ServeOptions;
use shop_server::config::Storefront;

use super::{PASSWORD, TestServer};
use crate::core::fixture::{TestShop, input};
use crate::fakes::browser::{Browser, LOOK, WAIT};

const CANDLE: &str = "vela-de-lavanda";

/// A shop with a candle and ways to send it; on the machine's clock, for a browser has no other.
async fn shop() -> TestServer {
    shop_with(|_| {}).await
}

/// The same, with a customer who has an address.
async fn shop_of_ana() -> TestServer {
    let server = shop().await;
    server.test.buyer("ana").await;
    server
}

async fn shop_with(adapt: impl FnOnce(&mut Config)) -> TestServer {
    let test = TestShop::with(adapt).await;
    let shop = Shop::open(test.shop.config().clone()).await.expect("opens");
    let test = TestShop { shop, ..test };
    test.product(CANDLE, 9, 4990).await;
    for (name, price, days) in [("Econômica", 18.9, 5), ("Expressa", 32.9, 2)] {
        let states = ["SP", "RJ"];
        let new = json!({ "name": name, "states": states, "price": price, "estimatedDays": days });
        test.shop.shipping().create_tariff(&Actor::System, input(new)).await.expect("a tariff");
    }
    TestServer::serve(test, options()).await
}

fn options() -> ServeOptions {
    ServeOptions { storefront: Some(Storefront::Example), ..ServeOptions::default() }
}

/// Shows a screen, once it has what it shows.
#[track_caller]
fn open(browser: &mut Browser, origin: &str, path: &str) {
    browser.visit(&format!("{origin}{path}"));
    settled(browser);
}

#[track_caller]
fn settled(browser: &mut Browser) {
    browser.wait_for(
        "document.readyState === 'complete' && document.querySelector('main .screen h1') \
         && !document.querySelector('.skeleton, .fading, [aria-busy=true]')",
    );
}

/// Puts a product into the cart, from its own screen.
#[track_caller]
fn put_in_cart(browser: &mut Browser, origin: &str, slug: &str) {
    open(browser, origin, &format!("/produto/{slug}"));
    browser.click("button", "Adicionar à sacola");
    browser.reads("está na sacola");
}

/// Fills in where an order goes, from its postal code on.
#[track_caller]
fn fill_address(browser: &mut Browser) {
    browser.fill("textbox", "CEP", "01001000");
    browser.wait_for("document.querySelector('[name=city]').value === 'São Paulo'");
    browser.fill("textbox", "Rua", "Praça da Sé");
    browser.fill("textbox", "Número", "10");
    browser.fill("textbox", "Bairro", "Sé");
    browser.find("radio", "Econômica em até 5 dias úteis R$\u{a0}18,90");
}

/// Says who buys, without an account.
#[track_caller]
fn fill_guest(browser: &mut Browser) {
    browser.fill("textbox", "Nome completo", "Ana Souza");
    browser.fill("textbox", "E-mail", "ana.souza@example.com");
    browser.fill("textbox", "Celular (opcional)", "11987654321");
    browser.fill("textbox", "CPF ou CNPJ (opcional)", "11144477735");
}

/// Logs in where the storefront leads to.
#[track_caller]
fn log_in(browser: &mut Browser, name: &str) {
    browser.fill("textbox", "E-mail", &format!("{name}@example.com"));
    browser.fill("textbox", "Senha", PASSWORD);
    browser.click("button", "Entrar");
}

/// Begins as a customer who has a session and the candle in the cart, before the order is placed.
#[track_caller]
fn go_to_checkout(browser: &mut Browser, origin: &str) {
    browser.visit(&format!("{origin}/login?next=/produto/vela-de-lavanda"));
    log_in(browser, "ana");
    browser.click("button", "Adicionar à sacola");
    browser.reads("está na sacola");
    open(browser, origin, "/finalizar");
    browser.find("radio", "Econômica em até 5 dias úteis R$\u{a0}18,90");
}

/// Orders the candle as that customer, and answers with the order's number.
#[track_caller]
fn place_order(browser: &mut Browser, origin: &str) -> String {
    go_to_checkout(browser, origin);
    browser.click("button", "Fazer o pedido");
    placed(browser)
}

/// Opens all parts of the screen that are folded.
fn unfold(browser: &mut Browser) {
    browser.ask("[...document.querySelectorAll('details')].forEach((it) => { it.open = true })");
}

/// The number of the order whose screen this is.
#[track_caller]
fn placed(browser: &mut Browser) -> String {
    browser.wait_for("location.pathname.startsWith('/pedido/')");
    settled(browser);
    let number = browser.ask("location.pathname.slice('/pedido/'.length)");
    number.as_str().expect("a number").to_owned()
}

/// What the browser's session is answered by an address.
fn ask_api(browser: &mut Browser, path: &str) -> Value {
    browser.ask(&format!("fetch({}).then((it) => it.json())", json!(path)))
}

/// Asks again until the answer is as it is to be.
#[track_caller]
fn ask_until(browser: &mut Browser, path: &str, is_right: impl Fn(&Value) -> bool) {
    let end = Instant::now() + WAIT;
    loop {
        let answer = ask_api(browser, path);
        if is_right(&answer) {
            return;
        }
        assert!(Instant::now() < end, "{path} stays {answer}");
        std::thread::sleep(LOOK);
    }
}

/// Pays as the payer's bank does, from within a browser's visit.
fn pay(shop: &Shop, number: &str) {
    let paid = shop.sandbox();
    tokio::runtime::Handle::current().block_on(paid.pay(number)).expect("pays");
}

/// The link to an order in the mail about it, as a path, once the server has sent that.
fn link_to(outbox: &Path, number: &str) -> String {
    let start = format!("/pedido/{number}?t=");
    let end = Instant::now() + WAIT;
    loop {
        let mails = std::fs::read_dir(outbox).into_iter().flatten();
        let mut paths = mails.map(|mail| mail.expect("an entry").path());
        if let Some(link) = paths.find_map(|path| link_in(&path, &start)) {
            return link;
        }
        assert!(Instant::now() < end, "no mail with the link");
        std::thread::sleep(LOOK);
    }
}

/// The link of a mail that begins so, if it is there.
fn link_in(mail: &Path, start: &str) -> Option<String> {
    // A file that is still being written has another name and is renamed.
    let mail = (mail.extension()? == "eml").then(|| std::fs::read(mail).expect("a mail"))?;
    let mail = mailparse::parse_mail(&mail).expect("a mail");
    let text = mail.parts().find_map(|part| {
        let text = part.get_body().ok()?;
        text.contains(start).then_some(text)
    })?;
    let token = text.split_once(start)?.1.split(['"', '<', ' ', '\r', '\n']).next()?;
    Some(format!("{start}{token}"))
}
