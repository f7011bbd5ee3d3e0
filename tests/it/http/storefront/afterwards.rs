//! What shoppers do besides buying: say what they think, send something back, and write to the shop.

use serde_json::json;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::id::{OrderId, ReturnId};
use shop_core::order::OrderStatus;
use tokio::runtime::Handle;

use super::super::office::in_empty_browser;
use super::{ask_api, log_in, open, place_order, shop_of_ana, unfold};
use crate::core::fixture::input;

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
        browser.click("button", "DANFE (PDF)");
        browser.reads("A nota fiscal ainda não foi emitida.");
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
