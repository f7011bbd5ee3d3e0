//! What staff see and do on the page of an order.

use serde_json::json;
use shop_core::actor::Actor;

use super::super::TestServer;
use super::{in_browser, open};
use crate::core::fixture::input;
use crate::core::nfe::sold;

#[tokio::test]
async fn an_order_shows_what_the_customer_was_told() {
    let server = TestServer::start().await;
    let ana = server.test.buyer("ana").await;
    let candle = server.test.product("vela", 9, 4990).await;
    let order = server.test.buy(&ana, &candle, 1).await.expect("an order");
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        let mails = "[...document.querySelectorAll('table')]
            .find((it) => it.caption.innerText === 'E-mails ao cliente')?.tBodies[0].innerText";
        browser.wait_for(&format!("{mails}.includes('ana@example.com')"));
        browser.click("button", "Registrar pagamento");
        browser.find("heading", "Registrar pagamento");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("Pagamento registrado.");
        // The next mail shows by itself.
        browser.wait_for(&format!("{mails}.split('ana@example.com').length === 3"));
    })
    .await;
}

#[tokio::test]
async fn money_in_review_is_explained_and_given_back() {
    let server = TestServer::start().await;
    let ana = server.test.buyer("ana").await;
    let candle = server.test.product("vela", 9, 4990).await;
    let order = server.test.buy(&ana, &candle, 1).await.expect("an order");
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.click("button", "Registrar pagamento");
        browser.fill("textbox", "Valor (R$)", "10,00");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("Um pagamento está em análise");
        browser.reads("10,00 em vez de");
        // Nothing is not everything.
        browser.click("button", "Reembolsar");
        browser.fill("textbox", "Valor (R$)", " ");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("Preencha este campo.");
        // What was typed is not lost by one key.
        browser.press("Escape", "Escape");
        browser.click("button", "Sair sem salvar");
        browser.wait_for("!document.querySelector('dialog')");
        // A part goes back, then the rest.
        for (amount, left) in [("4,00", "6,00"), ("6,00", "")] {
            browser.click("button", "Reembolsar");
            browser.fill("textbox", "Valor (R$)", amount);
            browser.ask("document.querySelector('dialog .save-bar .primary').click()");
            browser.reads(&format!("Reembolso de R$\u{a0}{amount} registrado."));
            if !left.is_empty() {
                browser.click("button", "Reembolsar");
                browser.find("heading", "Reembolsar Transferência");
                browser.reads(left);
                browser.press("Escape", "Escape");
                browser.wait_for("!document.querySelector('dialog')");
            }
        }
        browser.wait_for("!document.body.innerText.includes('Um pagamento está em análise')");
    })
    .await;
}

#[tokio::test]
async fn the_address_of_an_order_is_mended_until_its_invoice_says_it_and_then_by_a_letter() {
    let server = TestServer::start().await;
    let order = sold(&server.test).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.click("button", "Corrigir endereço");
        browser.fill("textbox", "CEP", "123");
        browser.fill("textbox", "Número", "124");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        // The field is marked, by whatever name the server calls it.
        browser.wait_for("document.activeElement.matches('[name=zipCode][aria-invalid=true]')");
        browser.fill("textbox", "CEP", "01001-000");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("Endereço corrigido.");
        browser.reads(", 124");
        browser.click("button", "Emitir NF-e");
        browser.fill("textbox", "CPF na nota", crate::core::nfe::CPF);
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("Autorizada");
        browser.wait_for("!document.body.innerText.includes('Corrigir endereço')");
        browser.click("button", "Carta de correção");
        browser.fill("textbox", "Correção", "O número é 125.");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("Carta de correção registrada.");
        // The next one begins with what holds, for it replaces the one before.
        browser.click("button", "Carta de correção");
        let typed = "document.querySelector('dialog textarea').value";
        assert_eq!(browser.ask(typed), "O número é 125.");
        browser.fill("textbox", "Correção", "O número é 126, fundos.");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.wait_for("!document.querySelector('dialog')");
        browser.reads("O número é 126, fundos.");
        let print = "fetch(document.querySelector('a[href$=\"/correcao/2/pdf\"]').href)
                     .then((it) => [it.status, it.headers.get('content-type')])";
        assert_eq!(browser.ask(print), json!([200, "application/pdf"]));
    })
    .await;
}

#[tokio::test]
async fn an_invoice_is_issued_found_and_cancelled() {
    let server = TestServer::start().await;
    let order = sold(&server.test).await;
    let cpf = crate::core::nfe::CPF;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.click("button", "Emitir NF-e");
        browser.fill("textbox", "CPF na nota", cpf);
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("Autorizada");
        open(browser, origin, "/admin/invoices?status=rejeitada");
        browser.reads("Nada encontrado com estes filtros");
        browser.choose("Status", "Autorizada");
        browser.click("link", &order.order_number);
        browser.find("link", "DANFE");
        browser.click("button", "Cancelar NF-e");
        browser.fill("textbox", "Justificativa", "pouco");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.wait_for("document.querySelector('dialog [aria-invalid=true]')");
        browser.fill("textbox", "Justificativa", "O cliente desistiu da compra.");
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("NF-e cancelada.");
        open(browser, origin, "/admin/invoices");
        browser.reads("Cancelada");
        let month = "fetch(document.querySelector('a[href*=export]').href.replace(/month=.*/, 'month=2026-11'))\
                     .then((it) => [it.status, it.headers.get('content-type')])";
        assert_eq!(browser.ask(month), json!([200, "application/zip"]));
    })
    .await;
}

#[tokio::test]
async fn an_invoice_that_is_refused_is_on_its_card_at_once() {
    let server = TestServer::start().await;
    let order = sold(&server.test).await;
    // The sandbox has an invoice with this number already.
    server.test.raw_sql(
        "INSERT INTO sandbox_nfe (number_key, access_key, created_at)
         VALUES ('11222333000181-001-000000001', 'x', 0)",
    );
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.click("button", "Emitir NF-e");
        browser.fill("textbox", "CPF na nota", crate::core::nfe::CPF);
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("SEFAZ 539");
        browser.reads("Número já usado");
    })
    .await;
}

#[tokio::test]
async fn what_an_invoice_lacks_is_called_by_its_name() {
    let server = TestServer::start().await;
    let order = sold(&server.test).await;
    let short = json!({ "street": "R", "number": "1", "complement": "", "district": "Sé",
        "city": "São Paulo", "state": "SP", "zipCode": "01001-000" });
    let change = input(json!({ "address": short }));
    let orders = server.test.shop.orders();
    orders.update(&Actor::System, &order.id, change, None).await.expect("mended");
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.click("button", "Emitir NF-e");
        browser.fill("textbox", "CPF na nota", crate::core::nfe::CPF);
        browser.ask("document.querySelector('dialog .save-bar .primary').click()");
        browser.reads("Rua (endereço): Deve ter no mínimo 2 caracteres");
        // Refused on purpose.
        browser.complaints.clear();
    })
    .await;
}

#[tokio::test]
async fn a_refund_whose_answer_was_lost_is_looked_for_before_another_amount() {
    let server = TestServer::start().await;
    let order = sold(&server.test).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.ask(
            "(() => {
               const real = window.fetch;
               window.lost = true;
               window.fetch = async (path, how) => {
                 const answer = await real(path, how);
                 if (!window.lost || !String(path).endsWith('/refunds')) return answer;
                 window.lost = false;
                 throw new TypeError('gone');
               };
             })()",
        );
        browser.click("button", "Reembolsar");
        for (amount, told) in [("1,00", "tente de novo"), ("2,00", "pode ter sido feita")] {
            browser.fill("textbox", "Valor (R$)", amount);
            browser.ask("document.querySelector('dialog .save-bar .primary').click()");
            browser.reads(told);
        }
        browser.wait_for("!document.querySelector('dialog')");
        let refunds = "[...document.querySelectorAll('table')]
            .find((it) => it.caption.innerText === 'Reembolsos')?.tBodies[0].innerText";
        browser.wait_for(&format!("{refunds}.includes('1,00')"));
        assert_eq!(browser.ask(&format!("{refunds}.includes('2,00')")), false);
    })
    .await;
}
