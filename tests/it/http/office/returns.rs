//! What staff see and do about goods that come back.

use serde_json::{Value, json};
use shop_core::id::OrderId;
use shop_core::order::{Order, OrderStatus};

use super::super::TestServer;
use super::{in_browser, open};
use crate::core::fixture::input;
use crate::core::nfe::{emit, sold};
use crate::fakes::browser::Browser;

const SEND: &str = "document.querySelector('dialog .save-bar .button').click()";

/// An order that was invoiced and has arrived, whose customer asks for a return.
async fn asked(server: &TestServer, what: Value) -> Order {
    let shop = &server.test.shop;
    let order = sold(&server.test).await;
    emit(shop, &order).await.expect("issued");
    shop.orders().set_status(&order.id, OrderStatus::Delivered, None).await.expect("set");
    shop.returns().request(&order.user_id, &order.id, input(what), None).await.expect("asked");
    order
}

/// Presses a button of the return's card, and sends the form that opens.
fn act(browser: &mut Browser, button: &str, told: &str) {
    browser.click("button", button);
    browser.wait_for("document.querySelector('dialog[open]')");
    browser.ask(SEND);
    browser.reads(told);
    browser.wait_for("!document.querySelector('dialog')");
}

#[tokio::test]
async fn a_defect_is_found_approved_received_restocked_invoiced_and_refunded() {
    let server = TestServer::start().await;
    let defect = json!({ "kind": "DEFECT", "reason": "Uma trincou" });
    let order = asked(&server, defect).await;
    let id = order.id.clone();
    let visited = in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin");
        browser.click("link", "Devoluções a tratar 1");
        browser.wait_for("location.search === '?waiting=true'");
        browser.click("link", &format!("{}-D1", order.order_number));
        browser.reads("Uma trincou");
        act(browser, "Aprovar", "Devolução aprovada.");
        browser.click("button", "Informar postagem");
        browser.fill("textbox", "Código de postagem ou rastreio", "AA123BR");
        browser.ask(SEND);
        browser.reads("AA123BR");
        browser.wait_for("!document.querySelector('dialog')");
        browser.click("button", "Registrar chegada");
        browser.fill("textbox", "Chegaram de vela", "1");
        browser.ask(SEND);
        browser.reads("Chegada registrada.");
        browser.wait_for("!document.querySelector('dialog')");
        act(browser, "Repor no estoque", "Estoque reposto.");
        act(browser, "Emitir NF-e de devolução", "NF-e 2: autorizada.");
        browser.click("button", "Reembolsar devolução");
        let amount = "document.querySelector('dialog input[name=amount]').value";
        browser.wait_for(&format!("{amount} === '49,90'"));
        browser.ask(SEND);
        browser.reads("Reembolso registrado.");
        browser.wait_for("!document.querySelector('dialog')");
        browser.ask("document.querySelector('details summary').click()");
        browser.reads("Reembolsada");
        open(browser, origin, "/admin/returns?waiting=true");
        browser.reads("Nada encontrado com estes filtros");
    })
    .await;
    if !visited {
        return;
    }
    let detail = server.test.shop.orders().get_detail(&id).await.expect("there");
    let of = &detail.returns[0];
    assert_eq!((of.items[0].restocked, of.invoices.len()), (1, 1));
    assert_eq!(of.refund.amount, Some(of.invoices[0].total));
    server.test.check_books().await;
}

#[tokio::test]
async fn a_defect_is_rejected_with_a_reason_and_a_withdrawal_cannot_be() {
    let server = TestServer::start().await;
    let order = sold(&server.test).await;
    let unit = json!([{ "orderItemId": order.items[0].id, "quantity": 1 }]);
    for what in [json!({ "kind": "DEFECT", "reason": "Trincou" }), json!({})] {
        let mut what = what;
        what["items"] = unit.clone();
        let returns = server.test.shop.returns();
        returns.request(&order.user_id, &order.id, input(what), None).await.expect("asked");
    }
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        let may_reject = "[...document.querySelectorAll('main button')]
            .filter((it) => it.innerText === 'Recusar').length";
        browser.wait_for(&format!("{may_reject} === 1"));
        browser.click("button", "Recusar");
        browser.wait_for("document.querySelector('dialog[open]')");
        browser.ask(SEND);
        browser.wait_for("document.querySelector('dialog [aria-invalid=true]')");
        browser.fill("textbox", "Motivo", "A vela foi usada.");
        browser.ask(SEND);
        browser.reads("Devolução recusada.");
        browser.wait_for(&format!("{may_reject} === 0"));
    })
    .await;
}

#[tokio::test]
async fn an_arrival_without_a_number_is_not_booked_and_a_wrong_one_is_marked() {
    let server = TestServer::start().await;
    let order = asked(&server, json!({})).await;
    let id = order.id.clone();
    let visited = in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.click("button", "Registrar chegada");
        let refused = [
            (" ", "Preencha este campo."),
            ("3", "Deve ser de 0 a 2."),
            ("0", "Informe ao menos uma unidade."),
        ];
        for (typed, told) in refused {
            browser.fill("textbox", "Chegaram de vela", typed);
            browser.ask(SEND);
            browser.reads(told);
        }
    })
    .await;
    if visited {
        let detail = server.test.shop.orders().get_detail(&id).await.expect("there");
        assert_eq!(detail.returns[0].items[0].received, None);
    }
}

/// Gives money of an order back: all of it but so much.
fn give_back_all_but(browser: &mut Browser, order: &OrderId, left: u32) {
    let refund = format!(
        "(async () => {{
           const path = '/api/admin/orders/{order}';
           const {{ captured, refunded }} = (await (await fetch(path)).json()).payments[0];
           const amount = Math.round((captured - refunded - {left}) * 100) / 100;
           const headers = {{ 'content-type': 'application/json' }};
           const how = {{ method: 'POST', headers, body: JSON.stringify({{ amount }}) }};
           return (await fetch(`${{path}}/refunds`, how)).status;
         }})()"
    );
    assert_eq!(browser.ask(&refund), 201);
}

#[tokio::test]
async fn a_return_gives_back_what_is_left_and_is_closed_without_money_where_nothing_is() {
    let server = TestServer::start().await;
    let order = asked(&server, json!({})).await;
    in_browser(&server, move |browser, origin| {
        let screen = format!("/admin/orders/{}", order.id);
        open(browser, origin, &screen);
        give_back_all_but(browser, &order.id, 5);
        open(browser, origin, &screen);
        browser.click("button", "Reembolsar devolução");
        browser.wait_for("document.querySelector('dialog input[name=amount]')?.value === '5,00'");
        give_back_all_but(browser, &order.id, 0);
        open(browser, origin, &screen);
        act(browser, "Encerrar sem reembolso", "Devolução encerrada.");
        open(browser, origin, "/admin/returns");
        let row = "document.querySelector('tbody').innerText";
        browser.wait_for(&format!("{row}.includes('Concluída') && {row}.includes('0,00')"));
    })
    .await;
}

#[tokio::test]
async fn a_form_about_a_return_that_changed_meanwhile_is_closed() {
    let server = TestServer::start().await;
    let order = asked(&server, json!({})).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/orders/{}", order.id));
        browser.click("button", "Cancelar devolução");
        browser.wait_for("document.querySelector('dialog[open]')");
        let other = format!(
            "(async () => {{
               const order = await (await fetch('/api/admin/orders/{}')).json();
               const headers = {{ 'content-type': 'application/json' }};
               const body = JSON.stringify({{ trackingCode: 'AA123BR' }});
               const path = `/api/admin/returns/${{order.returns[0].id}}/in-transit`;
               return (await fetch(path, {{ method: 'POST', headers, body }})).status;
             }})()",
            order.id
        );
        assert_eq!(browser.ask(&other), 200);
        browser.ask(SEND);
        browser.reads("A devolução mudou enquanto o formulário estava aberto.");
        browser.wait_for("!document.querySelector('dialog')");
        browser.reads("AA123BR");
    })
    .await;
}
