//! A shop owner's day, on a computer and on a phone.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::TestServer;
use super::{in_browser, open};
use crate::core::fixture::input;
use crate::fakes::browser::Browser;

struct Shop {
    server: TestServer,
    order: String,
    number: String,
    pictures: Vec<PathBuf>,
}

async fn shop() -> Shop {
    let server = TestServer::start().await;
    let ana = server.test.buyer("ana").await;
    let candle = server.test.product("vela-de-lavanda", 9, 4990).await;
    let placed = server.test.place(&ana, json!([{ "productId": candle, "quantity": 2 }])).await;
    let placed = placed.expect("placed");
    let order = serde_json::to_value(&placed.order).expect("JSON");
    let text = |name: &str| order[name].as_str().expect("text").to_owned();
    let pictures = ["primeira", "segunda"].iter().enumerate().map(|(at, name)| {
        let path = server.test.dir.path().join(format!("{name}.png"));
        let colour = image::Rgb([200, u8::try_from(at * 90).expect("small"), 120]);
        image::RgbImage::from_pixel(64, 64, colour).save(&path).expect("a picture");
        path
    });
    let pictures = pictures.collect();
    let review = json!({ "rating": 5, "title": "Perfeita", "body": "Perfuma a casa toda." });
    let review = input(review);
    server.test.shop.reviews().create(&ana.id, "vela-de-lavanda", review).await.expect("a review");
    Shop { order: text("id"), number: text("orderNumber"), server, pictures }
}

#[tokio::test]
async fn a_shop_owners_day_at_a_desk() {
    let Shop { server, order, number, pictures } = shop().await;
    in_browser(&server, move |browser, origin| {
        day(browser, origin, &order, &number, &pictures, false);
    })
    .await;
}

#[tokio::test]
async fn a_shop_owners_day_on_a_phone() {
    let Shop { server, order, number, pictures } = shop().await;
    in_browser(&server, move |browser, origin| {
        browser.resize(390);
        day(browser, origin, &order, &number, &pictures, true);
    })
    .await;
}

fn day(
    browser: &mut Browser,
    origin: &str,
    order: &str,
    number: &str,
    pictures: &[PathBuf],
    phone: bool,
) {
    find_the_order(browser, number, phone);
    be_paid_and_send(browser);
    refund_a_part(browser);
    publish_the_review(browser, phone);
    sell_something_new(browser, pictures, phone);
    open(browser, origin, &format!("/admin/orders/{order}"));
    browser.reads("BR123456789");
    if phone {
        browser.click("button", "Menu");
    }
    browser.click("button", "Sair");
    browser.find("button", "Esqueci a senha");
    browser.visit(&format!("{origin}/admin/orders"));
    browser.find("button", "Esqueci a senha");
}

fn go(browser: &mut Browser, to: &str, phone: bool) {
    if phone {
        browser.click("button", "Menu");
    }
    browser.click("link", to);
    browser.find("heading", to);
}

fn find_the_order(browser: &mut Browser, number: &str, phone: bool) {
    go(browser, "Pedidos", phone);
    // A slash leads to the search; what it finds stands in the address.
    browser.wait_for("document.querySelector('main input[type=search]')");
    browser.press("/", "Slash");
    browser.call("Input.insertText", json!({ "text": number }));
    browser.wait_for("location.search.includes('q=')");
    browser.click("link", number);
    browser.find("heading", &format!("Pedido {number}"));
    browser.reads("vela-de-lavanda");
    browser.reads("R$\u{a0}99,80");
}

fn be_paid_and_send(browser: &mut Browser) {
    browser.click("button", "Registrar pagamento");
    browser.find("heading", "Registrar pagamento");
    browser.fill("textbox", "Nota", "TED de ontem");
    let both = "document.querySelector('dialog .save-bar .primary').click()";
    browser.ask(both);
    browser.reads("Pagamento registrado.");
    browser.click("button", "Marcar como enviado");
    browser.fill("textbox", "Código de rastreio", "BR123456789");
    browser.fill("textbox", "Transportadora", "Correios");
    browser.click("button", "Salvar");
    browser.reads("Pedido atualizado.");
    browser.reads("BR123456789");
    // One click, and back by the next.
    browser.click("button", "Marcar como entregue");
    browser.click("button", "Desfazer");
    browser.find("button", "Marcar como entregue");
    browser.fill("textbox", "Nova nota", "Cliente pediu embalagem de presente");
    browser.click("button", "Adicionar nota");
    browser.wait_for("document.querySelector('main').innerText.includes('embalagem de presente')");
}

fn refund_a_part(browser: &mut Browser) {
    browser.click("button", "Reembolsar");
    browser.fill("textbox", "Valor (R$)", "1.000,00");
    browser.click("button", "Reembolsar R$\u{a0}1.000,00");
    browser.wait_for("document.querySelector('dialog .notice.bad, dialog .wrong')");
    browser.fill("textbox", "Valor (R$)", "19,90");
    browser.fill("textbox", "Motivo", "Frasco trincado");
    browser.click("button", "Reembolsar R$\u{a0}19,90");
    browser.wait_for("!document.querySelector('dialog')");
    browser.reads("Frasco trincado");
}

fn publish_the_review(browser: &mut Browser, phone: bool) {
    go(browser, "Avaliações", phone);
    browser.click("button", "Aguardando");
    browser.reads("Perfuma a casa toda.");
    browser.click("button", "Publicar");
    browser.reads("Avaliação publicada.");
    browser.reads("Nenhuma avaliação esperando");
    let shown = "fetch('/api/products/vela-de-lavanda/reviews').then((it) => it.json())\
                 .then((it) => it.summary.total)";
    assert_eq!(browser.ask(shown), 1);
}

fn sell_something_new(browser: &mut Browser, pictures: &[PathBuf], phone: bool) {
    go(browser, "Produtos", phone);
    browser.click("link", "Novo produto");
    browser.fill("textbox", "Nome", "Vela de Café & Canela");
    assert_eq!(browser.value_of("Endereço na loja"), "vela-de-cafe-canela");
    // What is wrong is said at its field.
    browser.click("button", "Criar produto");
    browser.wait_for("document.activeElement.name === 'price'");
    browser.fill("textbox", "Preço (R$)", "1.059,90");
    browser.fill("textbox", "Unidades", "7");
    browser.fill("textbox", "Descrição", "Torra média, sem parafina.");
    browser.click("checkbox", "À venda");
    let paths: Vec<&Path> = pictures.iter().map(PathBuf::as_path).collect();
    browser.give("pictures-file", &paths);
    browser.wait_for("document.querySelectorAll('.pictures li').length === 2");
    browser.fill("textbox", "Texto alternativo da foto 2", "Vela acesa");
    browser.click("button", "Foto 2 para a esquerda");
    browser.click("button", "Foto 1 como principal");
    browser.click("button", "Criar produto");
    browser.reads("Produto criado.");
    browser.wait_for("!location.pathname.endsWith('/new')");
    let shopper = "fetch('/api/products/vela-de-cafe-canela').then((it) => it.json())";
    let product = browser.ask(shopper);
    assert_eq!((product["price"].as_f64(), product["stock"].as_i64()), (Some(1059.9), Some(7)));
    let images = product["images"].as_array().expect("pictures");
    assert_eq!(images.len(), 2);
    assert_eq!((&images[0]["alt"], &images[0]["isPrimary"]), (&json!("Vela acesa"), &json!(true)));
}
