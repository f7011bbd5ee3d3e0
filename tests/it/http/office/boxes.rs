//! The boxes that orders are packed in, and the parcels of an order.

use serde_json::json;
use shop_core::actor::Actor;

use super::super::TestServer;
use super::{in_browser, open};
use crate::core::fixture::input;

#[tokio::test]
async fn a_box_is_made_changed_and_deleted() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/shipping");
        browser.click("button", "Nova caixa");
        browser.fill("textbox", "Nome", "Caixa P");
        for (label, text) in [
            ("Comprimento por dentro (cm)", "20"),
            ("Largura por dentro (cm)", "15"),
            ("Altura por dentro (cm)", "10"),
            ("Comprimento por fora (cm)", "20,5"),
            ("Largura por fora (cm)", "15,5"),
            ("Altura por fora (cm)", "9"),
            ("Peso vazia (kg)", "0,12"),
            ("Peso máximo (kg)", "5"),
        ] {
            browser.fill("textbox", label, text);
        }
        browser.click("button", "Salvar");
        browser.reads("Não pode ser menor que a medida interna");
        browser.fill("textbox", "Altura por fora (cm)", "10,5");
        browser.click("button", "Salvar");
        browser.reads("Caixa criada.");
        browser.reads("20,5 x 15,5 x 10,5");
        browser.click("button", "Caixa P");
        browser.fill("textbox", "Peso máximo (kg)", "31");
        browser.click("button", "Salvar");
        browser.reads("Acima de 30 kg: fora dos Correios");
        let now = "fetch('/api/admin/shipping/boxes').then((it) => it.json())\
                   .then((all) => all.map((it) => [it.name, it.outerHeight, it.maxWeight]))";
        assert_eq!(browser.ask(now), json!([["Caixa P", 10.5, 31]]));
        browser.click("button", "Excluir Caixa P");
        browser.click("button", "Excluir");
        browser.reads("Caixa excluída.");
        assert_eq!(browser.ask(now), json!([]));
    })
    .await;
}

#[tokio::test]
async fn an_order_shows_its_parcels_and_prints_what_they_need() {
    let server = TestServer::start().await;
    let new = json!({ "name": "Caixa M", "innerLength": 30, "innerWidth": 20, "innerHeight": 15,
        "outerLength": 31, "outerWidth": 21, "outerHeight": 16, "tareWeight": 0.2, "maxWeight": 9 });
    let shipping = server.test.shop.shipping();
    shipping.create_box(&Actor::System, input(new)).await.expect("a box");
    let ana = server.test.buyer("ana").await;
    let candle = server.test.product("vela", 9, 4990).await;
    let items = json!([{ "productId": candle, "quantity": 2 }]);
    let order = server.test.place(&ana, items).await.expect("placed").order;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.reads("Caixa M");
        browser.reads("31 x 21 x 16 cm");
        let printed = "Promise.all([...document.querySelectorAll('a[href*=\"/labels/\"]')]\
                       .map((it) => fetch(it.href).then((answer) => [it.innerText, answer.status])))";
        let names = json!([["Etiquetas", 200], ["Declaração de conteúdo", 200],
                           ["Lista de separação", 200]]);
        assert_eq!(browser.ask(printed), names);
        open(browser, origin, "/admin/orders");
        browser.click("checkbox", &format!("Selecionar {}", order.order_number));
        browser.find("link", "Etiquetas");
        assert_eq!(browser.ask(printed), names);
    })
    .await;
}

#[tokio::test]
async fn the_sides_of_a_product_and_of_a_variant_are_typed_in() {
    let server = TestServer::start().await;
    let candle = server.test.product("vela", 9, 4990).await;
    let path = format!("/admin/products/{candle}");
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &path);
        for (label, text) in
            [("Comprimento (cm)", "8,5"), ("Largura (cm)", "8"), ("Altura (cm)", "10")]
        {
            browser.fill("textbox", label, text);
        }
        browser.click("button", "Salvar");
        browser.reads("Produto salvo.");
        let now = format!(
            "fetch('/api/admin/products/{candle}').then((it) => it.json())\
             .then((it) => [it.length, it.width, it.height])"
        );
        assert_eq!(browser.ask(&now), json!([8.5, 8, 10]));
    })
    .await;
}
