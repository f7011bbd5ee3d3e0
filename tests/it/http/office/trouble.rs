//! What goes wrong while somebody works, and what is not lost then.

use serde_json::{Value, json};

use super::super::{PASSWORD, TestServer};
use super::{in_browser, in_browser_by, open};
use crate::core::stock::variant;
use crate::fakes::browser::Browser;
use crate::fakes::line::Line;

/// The product as it is, and its address in the back office.
async fn product(server: &TestServer) -> (String, String) {
    let id = server.test.product("vela-de-lavanda", 9, 4990).await.to_string();
    (format!("/api/admin/products/{id}"), format!("/admin/products/{id}"))
}

#[tokio::test]
async fn a_conflict_shows_both_changes_and_lets_one_choose() {
    let server = TestServer::start().await;
    let (api, screen) = product(&server).await;
    let path = api;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &screen);
        browser.fill("textbox", "Preço (R$)", "55,00");
        browser.fill("textbox", "Unidades", "3");
        // Somebody else changes the price and the name meanwhile.
        let other = format!(
            "fetch('{path}', {{ method: 'PATCH', headers: {{ 'content-type': 'application/json' }}, \
             body: JSON.stringify({{ price: 60, name: 'Vela de Lavanda' }}) }}).then((it) => it.status)"
        );
        assert_eq!(browser.ask(&other), 200);
        browser.click("button", "Salvar");
        browser.find("heading", "Alterado enquanto você editava");
        browser.reads("R$\u{a0}60,00");
        browser.reads("Vela de Lavanda");
        browser.click("radio", "Preço (R$): o de agora");
        browser.click("radio", "Preço (R$): o seu");
        browser.click("button", "Salvar com esta escolha");
        browser.reads("Produto salvo.");
        browser.find("heading", "Vela de Lavanda");
        let now = browser.ask(&format!(
            "fetch('{path}').then((it) => it.json()).then((it) => [it.name, it.price, it.stock])"
        ));
        assert_eq!(now, json!(["Vela de Lavanda", 55, 3]));
    })
    .await;
}

/// What a sale does to the units while a form is open, and no tag of the product tells.
fn sold_to(browser: &mut Browser, id: &str, units: u32) {
    let sale = format!(
        "fetch('/api/admin/stock/{id}', {{ method: 'PATCH', headers: {{ 'content-type': 'application/json' }}, \
         body: JSON.stringify({{ stock: {units} }}) }}).then((it) => it.status)"
    );
    assert_eq!(browser.ask(&sale), 200);
}

#[tokio::test]
async fn units_that_were_sold_while_they_were_typed_are_not_put_back_unasked() {
    let server = TestServer::start().await;
    let (api, screen) = product(&server).await;
    let id = api.rsplit('/').next().expect("an id").to_owned();
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &screen);
        browser.fill("textbox", "Unidades", "12");
        sold_to(browser, &id, 7);
        browser.click("button", "Salvar");
        browser.find("heading", "Alterado enquanto você editava");
        browser.find("radio", "Unidades: o de agora");
        browser.click("radio", "Unidades: o seu");
        browser.click("button", "Salvar com esta escolha");
        browser.reads("Produto salvo.");
        let now =
            browser.ask(&format!("fetch('{api}').then((it) => it.json()).then((it) => it.stock)"));
        assert_eq!(now, 12);
        // A sale is no matter for what leaves the units alone.
        browser.fill("textbox", "Nome", "Vela de Lavanda");
        sold_to(browser, &id, 11);
        browser.click("button", "Salvar");
        browser.find("heading", "Vela de Lavanda");
        let now =
            browser.ask(&format!("fetch('{api}').then((it) => it.json()).then((it) => it.stock)"));
        assert_eq!(now, 11);
    })
    .await;
}

#[tokio::test]
async fn units_of_a_variant_that_were_sold_meanwhile_are_not_put_back_unasked() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 10, 4990).await;
    let screen = format!("/admin/products/{product}");
    let id = variant(&server.test, &product, "VELA-G", 5).await.to_string();
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &screen);
        browser.wait_for("document.querySelector('.variant [name=stock]')");
        browser.ask("document.querySelector('.variant [name=stock]').select()");
        browser.call("Input.insertText", json!({ "text": "8" }));
        sold_to(browser, &id, 4);
        browser.click("button", "Salvar");
        browser.find("heading", "O estoque de “200 g” mudou");
        browser.click("button", "Cancelar");
        browser.wait_for("!document.querySelector('dialog')");
        let now = "document.querySelector('.variant [name=stock]').value";
        assert_eq!(browser.ask(now), "8", "what was typed stays");
        browser.click("button", "Salvar");
        browser.click("button", "Definir 8");
        browser.reads("Variante 200 g salva.");
        assert_eq!(browser.ask(now), "8");
    })
    .await;
}

#[tokio::test]
async fn a_variant_that_somebody_else_changed_meanwhile_is_shown_before_it_is_saved() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 10, 4990).await;
    let screen = format!("/admin/products/{product}");
    let id = variant(&server.test, &product, "VELA-G", 5).await;
    let variant = format!("/api/admin/products/{product}/variants/{id}");
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &screen);
        browser.wait_for("document.querySelector('.variant [name=price]')");
        browser.ask("document.querySelector('.variant [name=price]').select()");
        browser.call("Input.insertText", json!({ "text": "46,00" }));
        let other = format!(
            "fetch('{variant}', {{ method: 'PATCH', headers: {{ 'content-type': 'application/json' }}, \
             body: JSON.stringify({{ price: 45, sku: 'VELA-GG' }}) }}).then((it) => it.status)"
        );
        assert_eq!(browser.ask(&other), 200);
        let save = "document.querySelector('.variant .primary').click()";
        browser.ask(save);
        browser.reads("Outra pessoa alterou esta variante.");
        let shown = "['price', 'sku'].map((it) => document.querySelector(`.variant [name=${it}]`).value)";
        assert_eq!(browser.ask(shown), json!(["46,00", "VELA-GG"]));
        browser.ask(save);
        browser.reads("Variante 200 g salva.");
        assert_eq!(browser.ask(shown), json!(["46,00", "VELA-GG"]));
    })
    .await;
}

#[tokio::test]
async fn a_lost_session_logs_in_again_and_keeps_the_form() {
    let server = TestServer::start().await;
    let (_, screen) = product(&server).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &screen);
        browser.fill("textbox", "Nome", "Vela de Lavanda da Serra");
        browser.call("Network.clearBrowserCookies", json!({}));
        browser.click("button", "Salvar");
        browser.find("heading", "Sua sessão terminou");
        browser.fill("textbox", "E-mail", "equipe@example.com");
        browser.fill("textbox", "Senha", "errada");
        browser.click("button", "Entrar");
        browser.reads("Email ou senha inválidos");
        browser.fill("textbox", "Senha", PASSWORD);
        browser.click("button", "Entrar");
        browser.reads("Produto salvo.");
        browser.find("heading", "Vela de Lavanda da Serra");
    })
    .await;
}

#[tokio::test]
async fn leaving_a_changed_form_asks() {
    let server = TestServer::start().await;
    let (_, screen) = product(&server).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/products");
        open(browser, origin, &screen);
        browser.fill("textbox", "Nome", "Outro nome");
        browser.click("link", "Clientes");
        browser.find("heading", "Sair sem salvar?");
        browser.press("Escape", "Escape");
        browser.wait_for("!document.querySelector('dialog')");
        assert_eq!(browser.value_of("Nome"), "Outro nome");
        browser.click("link", "Clientes");
        browser.click("button", "Sair sem salvar");
        browser.find("heading", "Clientes");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_away_is_said_and_what_was_asked_for_comes_when_it_is_back() {
    let server = TestServer::start().await;
    let (_, screen) = product(&server).await;
    let line = Line::to(server.address).await;
    in_browser_by(&server, line.address, move |browser, origin| {
        open(browser, origin, &screen);
        browser.fill("textbox", "Nome", "Vela que fica");
        line.cut();
        browser.click("button", "Salvar");
        browser.reads("A loja não respondeu.");
        browser.reads("Tentando de novo");
        assert_eq!(browser.value_of("Nome"), "Vela que fica");
        line.mend();
        browser.wait_for("!document.querySelector('.banner')");
        browser.click("button", "Salvar");
        browser.reads("Produto salvo.");
    })
    .await;
}

/// Texts of customers are texts: they neither run nor break a screen.
#[tokio::test]
async fn what_customers_write_is_text_and_breaks_no_screen() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let candle = server.test.product("vela-de-lavanda", 9, 4990).await;
    let long = "x".repeat(900);
    let nasty = format!("<img src=x onerror=\"document.title='ran'\">\u{202e}{long}");
    let order: Value = json!({
        "addressId": customer.buyer().address, "cartItems": [{ "productId": candle, "quantity": 1 }],
        "notes": nasty
    });
    let name = format!("<b onclick=alert(1)>{}</b>", "y".repeat(80));
    customer.put("/api/auth/me", &json!({ "name": name })).await.expect(200);
    let placed = customer.post("/api/orders", &order).await.expect(201);
    let review = json!({ "rating": 1, "title": "<script>", "body": nasty });
    customer.post("/api/products/vela-de-lavanda/reviews", &review).await.expect(201);
    let order = placed["id"].as_str().expect("an id").to_owned();
    in_browser(&server, move |browser, origin| {
        for width in [1280, 390] {
            browser.resize(width);
            for path in [
                "/admin",
                "/admin/orders",
                &format!("/admin/orders/{order}"),
                "/admin/customers",
                "/admin/reviews",
            ] {
                open(browser, origin, path);
                let fits = "document.documentElement.scrollWidth <= innerWidth";
                assert_eq!(browser.ask(fits), true, "{path} at {width}");
                assert_eq!(browser.ask("document.querySelectorAll('main img[src=x]').length"), 0);
                assert_ne!(browser.ask("document.title"), "ran", "{path}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_change_whose_answer_was_lost_is_no_conflict_when_it_is_sent_again() {
    let server = TestServer::start().await;
    let (_, screen) = product(&server).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &screen);
        browser.ask(
            "(() => {
               const real = window.fetch;
               window.lost = true;
               window.fetch = async (path, how) => {
                 const answer = await real(path, how);
                 if (lost && how?.method === 'PATCH') throw new TypeError('gone');
                 return answer;
               };
             })()",
        );
        browser.fill("textbox", "Nome", "Vela de mel");
        browser.click("button", "Salvar");
        browser.reads("tente de novo");
        browser.ask("window.lost = false");
        browser.click("button", "Salvar");
        browser.reads("Produto salvo.");
        browser.find("heading", "Vela de mel");
    })
    .await;
}

#[tokio::test]
async fn a_product_is_not_saved_before_its_pictures_arrived_and_none_is_lost() {
    let server = TestServer::start().await;
    let (api, screen) = product(&server).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &screen);
        // Two that are chosen one after the other, whose uploads are held back.
        browser.ask(
            "(async () => {
               const real = window.fetch;
               window.held = [];
               window.fetch = (path, how) => String(path).endsWith('/upload')
                 ? new Promise((go) => held.push(() => go(real(path, how)))) : real(path, how);
               const canvas = document.createElement('canvas');
               canvas.width = canvas.height = 9;
               const picture = await new Promise((done) => canvas.toBlob(done));
               for (const name of ['a.png', 'b.png']) {
                 const files = new DataTransfer();
                 files.items.add(new File([picture], name, { type: 'image/png' }));
                 const input = document.querySelector('#pictures-file');
                 input.files = files.files;
                 input.dispatchEvent(new Event('change', { bubbles: true }));
               }
             })()",
        );
        browser.wait_for("held.length === 2");
        browser.fill("textbox", "Nome", "Vela de mel");
        browser.click("button", "Salvar");
        browser.reads("Espere o envio das fotos terminar.");
        browser.ask("held.forEach((go) => go())");
        browser.wait_for("document.querySelectorAll('.pictures li').length >= 3");
        browser.click("button", "Salvar");
        browser.reads("Produto salvo.");
        let now = format!("fetch('{api}').then((it) => it.json()).then((it) => it.images.length)");
        assert_eq!(browser.ask(&now), 3);
    })
    .await;
}

#[tokio::test]
async fn a_question_is_gone_with_the_screen_that_asked_it() {
    let server = TestServer::start().await;
    let (_, screen) = product(&server).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/products");
        browser.ask(&format!("document.querySelector('a[href=\"{screen}\"]').click()"));
        browser.click("button", "Excluir");
        browser.wait_for("document.querySelector('dialog[open]')");
        browser.ask("history.back()");
        browser.wait_for("location.pathname === '/admin/products'");
        browser.wait_for("!document.querySelector('dialog')");
    })
    .await;
}

#[tokio::test]
async fn a_picture_that_is_refused_is_named_and_too_many_are_not_sent() {
    let server = TestServer::start().await;
    let (_, screen) = product(&server).await;
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &screen);
        browser.ask(
            "window.choose = (count) => {
               const files = new DataTransfer();
               for (let n = 0; n < count; n++)
                 files.items.add(new File(['x'], `ruim-${n}.png`, { type: 'image/png' }));
               const input = document.querySelector('#pictures-file');
               input.files = files.files;
               input.dispatchEvent(new Event('change', { bubbles: true }));
             }; choose(1)",
        );
        browser.reads("ruim-0.png: Dados inválidos: Deve ser uma imagem");
        // With the one that it has they are one too many.
        browser.ask("choose(20)");
        browser.reads("São no máximo 20 fotos por produto.");
        assert_eq!(browser.ask("document.querySelectorAll('.pictures li').length"), 1);
    })
    .await;
}
