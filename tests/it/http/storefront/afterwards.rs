//! What shoppers do besides buying: say what they think, send something back, and write to the
//! shop.

use serde_json::json;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::id::{OrderId, ReturnId};
use shop_core::order::{Order, OrderStatus};
use tokio::runtime::Handle;

use super::super::office::{check_by_axe, in_empty_browser};
use super::{ask_api, log_in, open, place_order, shop_of_ana, unfold};
use crate::core::fixture::{TestShop, input};

#[tokio::test]
async fn a_paid_order_can_be_sent_back_in_part() {
    let server = shop_of_ana().await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        let number = place_order(browser, origin);
        super::pay(&shop, &number);
        browser.reads("Pago. Pagamento confirmado.");
        unfold(browser);
        browser.click("button", "Pedir devolução");
        browser.reads("Escolha o que você quer devolver.");
        browser.choose("vela-de-lavanda", "1 unidade");
        browser.click("button", "Pedir devolução");
        browser.reads("Devolução pedida.");
        browser.reads("Protocolo");
        browser.reads("1 × vela-de-lavanda");
        // There is no invoice before the shop issues one.
        assert!(browser.holds("!document.querySelector('main').textContent.includes('DANFE')"));
    })
    .await;
}

/// Staff close a return without money, and then mark its order as refunded.
async fn close_without_money(shop: &Shop, order: &OrderId, of: &ReturnId) {
    let nothing = input(json!({ "amount": 0 }));
    shop.returns().refund(&Actor::System, of, nothing, None, None).await.expect("closed");
    shop.orders().set_status(order, OrderStatus::Refunded, None).await.expect("marked");
}

#[tokio::test]
async fn an_order_tells_of_money_and_goods_only_what_moved() {
    let server = shop_of_ana().await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        let number = place_order(browser, origin);
        super::pay(&shop, &number);
        browser.reads("Já estamos preparando o seu pedido!");
        unfold(browser);
        browser.choose("vela-de-lavanda", "1 unidade");
        browser.click("button", "Pedir devolução");
        browser.reads("Protocolo");
        // It was never sent.
        browser.reads("Aprovada");
        let order = ask_api(browser, &format!("/api/orders/{number}"));
        let id = serde_json::from_value(order["id"].clone()).expect("an id");
        let of = serde_json::from_value(order["returns"][0]["id"].clone()).expect("an id");
        let text = "document.querySelector('main').textContent";
        assert!(browser.holds(&format!("!{text}.includes('instruções de envio')")));
        Handle::current().block_on(close_without_money(&shop, &id, &of));
        open(browser, origin, &format!("/pedido/{number}"));
        browser.reads("Este pedido foi marcado como reembolsado.");
        browser.reads("Concluída");
        for untrue in ["Valor devolvido", "Já estamos preparando", "foi reembolsado"] {
            assert!(browser.holds(&format!("!{text}.includes('{untrue}')")), "{untrue}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_review_a_message_and_a_subscription_are_sent_and_thanked_for() {
    let server = shop_of_ana().await;
    let visited = in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/contato");
        browser.click("button", "Enviar mensagem");
        browser.wait_for("document.querySelectorAll('main [aria-invalid=true]').length === 4");
        browser.fill("textbox", "Nome", "Ana");
        browser.fill("textbox", "E-mail", "ana@example.com");
        browser.fill("textbox", "Assunto", "Velas para um casamento");
        browser.fill("textbox", "Mensagem", "Vocês fazem lembrancinhas?");
        browser.click("button", "Enviar mensagem");
        browser.wait_for("document.querySelector('main .notice.good')");
        browser.fill("textbox", "Seu e-mail", "ana@example.com");
        browser.click("button", "Quero receber");
        browser.wait_for("document.querySelector('#foot .notice.good')");
        open(browser, origin, "/produto/vela-de-lavanda");
        browser.click("link", "Entre na sua conta");
        log_in(browser, "ana");
        browser.find("heading", "vela-de-lavanda");
        browser.wait_for("document.querySelector('#avaliacoes summary')");
        browser.ask("document.querySelector('#avaliacoes details').open = true");
        browser.click("radio", "4 estrelas");
        browser.fill("textbox", "O que você achou?", "Perfuma a sala toda.");
        browser.click("button", "Enviar avaliação");
        browser.reads("Obrigado! A avaliação aparece aqui depois que a equipe a ler.");
    })
    .await;
    if !visited {
        return;
    }
    assert_eq!(server.test.count("SELECT count(*) FROM review"), 1);
}

/// A customer's paid order of two units of a variant.
async fn order_of_a_variant(test: &TestShop) -> Order {
    let ana = test.buyer("ana").await;
    let new = input(json!({
        "name": "Vela de Mel", "slug": "vela-de-mel", "price": 49.9, "stock": 0, "variants": [
            { "price": 49.9, "stock": 5, "values": [{ "variantType": "Tamanho", "value": "G" }] }]
    }));
    let made = test.shop.products().create(&Actor::System, new, None).await.expect("made").product;
    let (candle, variant) = (&made.id, &made.variants[0].id);
    let items = json!([{ "productId": candle, "variantId": variant, "quantity": 2 }]);
    let order = test.place(&ana, items).await.expect("placed").order;
    test.shop.sandbox().pay(&order.order_number).await.expect("paid")
}

/// Staff send a posting code, give some money back, and issue the invoice.
async fn answer(shop: &Shop, order: &Order) {
    let by = Actor::System;
    let asked = shop.orders().get_detail(&order.id).await.expect("there").returns[0].id.clone();
    let code = input(json!({ "trackingCode": "AA1BR", "carrier": "Correios" }));
    shop.returns().mark_in_transit(&by, &asked, code, None, None).await.expect("sent");
    let part = input(json!({ "amount": 10.5 }));
    shop.payments().refund(&by, &order.id, part, None).await.expect("refunded");
    crate::core::nfe::emit(shop, order).await.expect("issued");
}

#[tokio::test]
async fn an_order_shows_where_to_post_what_was_refunded_and_its_invoice() {
    let server = super::shop().await;
    let order = order_of_a_variant(&server.test).await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        let path = format!("/pedido/{}", order.order_number);
        browser.visit(&format!("{origin}/login?next={path}"));
        log_in(browser, "ana");
        browser.find("heading", "Devoluções");
        let text = "document.querySelector('main').textContent";
        assert!(browser.holds(&format!("!/DANFE|Reembolsado/.test({text})")));
        unfold(browser);
        browser.choose("Vela de Mel (G)", "1 unidade");
        browser.click("button", "Pedir devolução");
        browser.reads("1 × Vela de Mel (G)");
        Handle::current().block_on(answer(&shop, &order));
        open(browser, origin, &path);
        browser.reads("Poste os produtos");
        browser.reads("com este código, sem custo para você");
        browser.reads("Correios: AA1BR");
        browser.reads("Reembolsado");
        browser.reads("R$\u{a0}10,50");
        browser.reads("Total após o reembolso");
        browser.find("button", "DANFE (PDF)");
        let mut found = String::new();
        check_by_axe(browser, "an order that was answered", &mut found);
        assert!(found.is_empty(), "{found}");
    })
    .await;
}
