//! The labels that staff buy, print and give back, and where their parcels are.

use serde_json::json;
use shop_core::Shop;
use shop_core::id::ShipmentId;
use shop_core::order::Order;
use shop_core::shipment::ProviderLabelStatus;

use super::super::{TestServer, shipments};
use super::{check_by_axe, in_browser, open};
use crate::core::shipment;
use crate::fakes::browser::Browser;

/// A server whose shop buys labels in the sandbox, with so many paid orders.
async fn start(orders: usize) -> (TestServer, Vec<Order>) {
    let (server, ana) = shipments::start().await;
    let mut paid = Vec::new();
    for _ in 0..orders {
        paid.push(shipment::paid(&server.test, &ana, 2).await);
    }
    (server, paid)
}

/// Plays the carrier of an order's parcel, from within a browser's visit.
fn play(shop: &Shop, order: &Order, status: ProviderLabelStatus) {
    let played = async {
        let all = shop.shipments().list_for_order(&order.id).await.expect("there");
        let id: &ShipmentId = &all.last().expect("a parcel").id;
        shop.shipments().play_carrier(id, status).await.expect("played");
    };
    tokio::runtime::Handle::current().block_on(played);
}

/// How the server answers the link that a page leads to by this name.
const KIND_OF_LINK: &str = "fetch([...document.querySelectorAll('a')]\
    .find((it) => it.innerText === 'Imprimir etiquetas').href)\
    .then((it) => it.headers.get('content-type'))";

#[tokio::test]
async fn a_label_is_bought_printed_and_followed_from_the_screen_of_its_order() {
    let (server, orders) = start(1).await;
    let (shop, order) = (server.test.shop.clone(), orders[0].clone());
    let visited = in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.reads("Nenhuma etiqueta comprada.");
        browser.click("button", "Comprar etiquetas");
        browser.fill("textbox", "Serviço (número)", "1");
        browser.click("button", "Comprar");
        browser.reads("Etiquetas compradas.");
        browser.reads("Etiqueta pronta");
        browser.reads("Correios PAC");
        assert_eq!(browser.ask(KIND_OF_LINK), "application/pdf");
        let mut found = String::new();
        check_by_axe(browser, "an order with a label", &mut found);
        assert!(found.is_empty(), "{found}");
        play(&shop, &order, ProviderLabelStatus::Posted);
        browser.click("button", "Atualizar");
        browser.reads("Rastreio atualizado.");
        browser.reads("Postado");
        // The order follows.
        browser.reads("Enviado");
        browser.reads("Transportadora");
        play(&shop, &order, ProviderLabelStatus::Delivered);
        browser.click("button", "Atualizar");
        browser.wait_for("!document.body.innerText.includes('Atualizar')");
        browser.reads("Entregue");
    })
    .await;
    if !visited {
        return;
    }
    let order = server.test.shop.orders().get(&orders[0].id).await.expect("there");
    assert_eq!(order.status.as_str(), "DELIVERED");
}

#[tokio::test]
async fn a_label_is_given_back_and_the_parcel_gets_another() {
    let (server, orders) = start(1).await;
    let path = format!("/admin/orders/{}", orders[0].id);
    let visited = in_browser(&server, move |browser, origin| {
        open(browser, origin, &path);
        for _ in 0..2 {
            browser.click("button", "Comprar etiquetas");
            browser.click("button", "Comprar");
            browser.reads("Etiqueta pronta");
            browser.click("button", "Cancelar etiqueta");
            browser.reads("Cancelar a etiqueta do volume 1?");
            browser.click("button", "Cancelar a etiqueta");
            browser.reads("Cancelamento pedido.");
            browser.wait_for("!document.body.innerText.includes('Etiqueta pronta')");
        }
        browser.reads("Cancelada");
    })
    .await;
    if !visited {
        return;
    }
    let spent = "SELECT count(*) FROM shipment WHERE status = 'CANCELLED'";
    assert_eq!(server.test.count(spent), 2);
}

#[tokio::test]
async fn labels_of_all_orders_that_wait_are_bought_and_printed_from_the_list() {
    let (server, orders) = start(2).await;
    let number = orders[1].order_number.clone();
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/shipping");
        browser.reads("Ambiente de teste");
        browser.reads("R$\u{a0}10.000,00");
        open(browser, origin, "/admin/shipments");
        browser.reads("Nenhum envio");
        browser.click("button", "Comprar etiquetas que faltam");
        browser.click("button", "Comprar");
        browser.reads("2 etiquetas compradas.");
        browser.find("link", &number);
        browser.choose("Status", "Entregue");
        browser.wait_for("location.search === '?status=DELIVERED'");
        browser.reads("Nada encontrado com estes filtros");
        open(browser, origin, "/admin/shipments?status=GENERATED");
        browser.wait_for("document.querySelectorAll('tbody tr').length === 2");
        browser.ask(
            "document.querySelectorAll('tbody input[type=checkbox]').forEach((it) => it.click())",
        );
        browser.find("link", "Imprimir etiquetas");
        assert_eq!(browser.ask(KIND_OF_LINK), "application/pdf");
        open(browser, origin, "/admin/shipping");
        browser.wait_for("!document.body.innerText.includes('10.000,00')");
    })
    .await;
}

#[tokio::test]
async fn staff_say_how_an_order_was_packed_and_get_a_label_for_each_parcel() {
    let (server, orders) = start(2).await;
    in_browser(&server, move |browser, origin| {
        for (order, width) in orders.iter().zip([1280, 390]) {
            browser.resize(width);
            open(browser, origin, &format!("/admin/orders/{}", order.id));
            browser.click("button", "Informar volumes");
            browser.click("button", "Mais um volume");
            let fill = |browser: &mut Browser, parcel: u8, texts: [&str; 5]| {
                let labels = ["Comprimento", "Largura", "Altura", "Peso"];
                for (label, text) in labels.into_iter().zip(texts) {
                    let unit = if label == "Peso" { "kg" } else { "cm" };
                    let label = format!("{label} do volume {parcel} ({unit})");
                    browser.fill("textbox", &label, text);
                }
                browser.fill("textbox", &format!("vela no volume {parcel}"), texts[4]);
            };
            fill(browser, 1, ["30", "20,5", "10", "0,8", "3"]);
            fill(browser, 2, ["16", "11", "600", "0,4", "1"]);
            browser.fill("textbox", "Pagar no máximo (R$)", "60,00");
            browser.click("button", "Comprar 2 etiquetas");
            browser.reads("Confira os campos marcados.");
            let wrong =
                "[...document.querySelectorAll('[aria-invalid=true]')].map((it) => it.name)";
            assert_eq!(browser.ask(wrong), json!(["parcels[1].height"]));
            browser.fill("textbox", "Altura do volume 2 (cm)", "8");
            browser.click("button", "Comprar 2 etiquetas");
            browser.reads("Confira os campos marcados.");
            assert_eq!(browser.ask(wrong), json!(["parcels[0].items[0].quantity"]));
            let mut found = String::new();
            check_by_axe(browser, "the parcels of an order", &mut found);
            assert!(found.is_empty(), "{found}");
            assert!(!browser.holds("document.documentElement.scrollWidth > innerWidth"));
            browser.fill("textbox", "vela no volume 1", "1");
            browser.click("button", "Comprar 2 etiquetas");
            browser.reads("Etiquetas compradas.");
            browser.reads("Volume 2");
            browser.wait_for("!document.body.innerText.includes('Informar volumes')");
            let now = format!(
                "fetch('/api/admin/orders/{}/shipments').then((it) => it.json())\
                 .then((it) => it.shipments.map((of) => \
                   [of.status, of.length, of.width, of.weight, of.items[0].quantity]))",
                order.id
            );
            let expected = json!([["GENERATED", 30, 20.5, 0.8, 1], ["GENERATED", 16, 11, 0.4, 1]]);
            assert_eq!(browser.ask(&now), expected, "{width}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_label_that_waits_says_what_it_would_cost_and_what_there_is_for_it() {
    let (server, orders) = start(1).await;
    server.test.raw_sql("UPDATE order_packing SET option_id = 'me-2', quoted_price = 1000");
    let path = format!("/admin/orders/{}", orders[0].id);
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &path);
        browser.click("button", "Comprar etiquetas");
        browser.click("button", "Comprar");
        browser.reads("Etiqueta parada: Acima do preço permitido.");
        browser.reads("Acima do preço permitido: R$\u{a0}24,00, e o limite é de R$\u{a0}15,00.");
        browser.click("button", "Aceitar o preço");
        browser.click("button", "Continuar");
        browser.reads("Etiqueta pronta");
    })
    .await;
}

#[tokio::test]
async fn an_order_is_marked_as_sent_with_the_code_of_its_label() {
    let (server, orders) = start(1).await;
    let (shop, order) = (server.test.shop.clone(), orders[0].clone());
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.click("button", "Comprar etiquetas");
        browser.fill("textbox", "Serviço (número)", "1");
        browser.click("button", "Comprar");
        browser.reads("Etiqueta pronta");
        let bought = async { shop.shipments().list_for_order(&order.id).await.expect("there") };
        let bought = tokio::runtime::Handle::current().block_on(bought);
        let code = bought[0].tracking_code.clone().expect("a code");
        browser.click("button", "Marcar como enviado");
        assert_eq!(browser.value_of("Código de rastreio"), code);
        assert_eq!(browser.value_of("Transportadora"), "Correios PAC");
        browser.click("button", "Salvar");
        browser.reads("Pedido atualizado.");
        browser.reads("Enviado");
    })
    .await;
}

#[tokio::test]
async fn no_label_is_offered_where_the_shop_buys_none() {
    let server = TestServer::start().await;
    let order = crate::core::nfe::sold(&server.test).await;
    in_browser(&server, move |browser, origin| {
        for path in [format!("/admin/orders/{}", order.id), "/admin/shipments".to_owned()] {
            open(browser, origin, &path);
            browser.reads("A loja não compra etiquetas");
            let offers = "['Informar volumes', 'Comprar etiquetas'].some((text) => \
                          document.body.innerText.includes(text))";
            assert!(!browser.holds(offers), "{path}");
        }
    })
    .await;
}
