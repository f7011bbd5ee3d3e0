//! What shoppers do besides buying: say what they think, send something back, and write to the shop.

use super::super::office::in_empty_browser;
use super::{log_in, open, place_order, shop_of_ana, unfold};

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
