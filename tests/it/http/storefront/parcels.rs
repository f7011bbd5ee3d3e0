//! Where the parcels of an order are, on its screen.

use shop_core::order::Order;

use super::super::TestServer;
use super::super::office::{check_by_axe, in_empty_browser};
use super::{CANDLE, log_in, settled, shop};
use crate::core::tracking::parcel;

/// A customer's paid order.
async fn paid(server: &TestServer) -> Order {
    let ana = server.test.buyer("ana").await;
    let candle = server.test.shop.products().get_by_slug(CANDLE).await.expect("a candle");
    let order = server.test.buy(&ana, &candle.id, 2).await.expect("placed");
    server.test.shop.sandbox().pay(&order.order_number).await.expect("paid")
}

#[tokio::test]
async fn the_screen_of_an_order_shows_the_way_of_each_parcel_and_leads_to_its_carrier() {
    let server = shop().await;
    let order = paid(&server).await;
    // The 27th of November 2026, at midnight in São Paulo.
    let on_its_way = "tracking_code = 'AA123456789BR', expected_at = 1795748400000,
        tracking_url = 'https://rastreio.example/AA123456789BR'";
    server.test.raw_sql(&format!(
        "{}{}INSERT INTO shipment_step (shipment_id, at, kind, place)
         VALUES ('one', 1795273200000, 'GENERATED', NULL),
           ('one', 1795359600000, 'POSTED', 'São Paulo/SP');",
        parcel(&order.id, "one", 1, "POSTED", on_its_way),
        parcel(&order.id, "two", 2, "GENERATED", ""),
    ));
    let number = order.order_number;
    in_empty_browser(&server, move |browser, origin| {
        browser.visit(&format!("{origin}/login?next=/pedido/{number}"));
        log_in(browser, "ana");
        settled(browser);
        browser.reads("Este pedido vai em 2 volumes.");
        browser.reads("Volume 1: A caminho");
        browser.reads("Previsão de entrega: 27 de novembro de 2026");
        browser.reads("Volume 2: Em preparação");
        browser.find("link", "Rastrear a entrega");
        let leads = browser.ask(
            "[...document.querySelectorAll('a')].find((it) => it.innerText === 'Rastrear a entrega').href",
        );
        assert_eq!(leads, "https://rastreio.example/AA123456789BR");
        let way = browser.ask(
            "document.querySelector('[aria-label=\"Percurso do volume 1\"]').innerText",
        );
        let way = way.as_str().expect("a text");
        let (latest, first) = way.split_once("Etiqueta emitida").expect("the first step");
        assert!(latest.contains("Pacote postado") && latest.contains("São Paulo/SP"), "{way}");
        assert!(first.contains("21/11/2026"), "{way}");
        let mut found = String::new();
        check_by_axe(browser, "/pedido, on its way", &mut found);
        assert!(found.is_empty(), "{found}");
    })
    .await;
}

#[tokio::test]
async fn the_code_that_staff_entered_is_shown_where_the_shop_follows_no_parcel() {
    let server = shop().await;
    let order = paid(&server).await;
    server.test.raw_sql(&format!(
        "UPDATE orders SET tracking_code = 'AA123456789BR', carrier = 'Correios', status = 'SHIPPED'
         WHERE id = '{}'",
        order.id
    ));
    let number = order.order_number;
    in_empty_browser(&server, move |browser, origin| {
        browser.visit(&format!("{origin}/login?next=/pedido/{number}"));
        log_in(browser, "ana");
        settled(browser);
        browser.reads("Correios: AA123456789BR");
        browser.find("link", "Rastrear a entrega");
        assert_eq!(browser.ask("document.body.innerText.includes('volumes')"), false);
    })
    .await;
}
