//! What staff types: read as people in Brazil write it, and neither lost nor taken for something
//! else.

use serde_json::json;
use shop_core::actor::Actor;

use super::super::TestServer;
use super::{in_browser, in_empty_browser, open, type_log_in};
use crate::core::fixture::input;

const UNITS: &str = "fetch('/api/admin/stock').then((it) => it.json()).then((all) => all[0].stock)";

#[tokio::test]
async fn an_empty_count_is_none_and_a_wrong_one_is_marked() {
    let server = TestServer::start().await;
    server.test.product("vela-um", 5, 1990).await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/stock");
        for wrong in ["-", "1,5", "1.5", "-3"] {
            browser.fill("textbox", "Unidades de vela-um", wrong);
            browser.click("button", "Salvar contagem");
            browser.reads("Deve ser um número inteiro e não pode ser negativo.");
            browser.wait_for("document.activeElement.getAttribute('aria-invalid') === 'true'");
            assert_eq!(browser.ask(UNITS), 5, "{wrong}");
        }
        // With nothing in the field there is nothing to save.
        browser.fill("textbox", "Unidades de vela-um", " ");
        browser.wait_for("!document.querySelector('.save-bar')");
        browser.fill("textbox", "Unidades de vela-um", "1.200");
        browser.click("button", "Salvar contagem");
        browser.reads("Estoque salvo.");
        assert_eq!(browser.ask(UNITS), 1200);
    })
    .await;
}

#[tokio::test]
async fn counts_that_were_typed_survive_another_page_and_an_item_that_is_gone() {
    let server = TestServer::start().await;
    for n in 0..22 {
        server.test.product(&format!("vela-{n:02}"), 5, 1990).await;
    }
    let shop = server.test.shop.clone();
    let counted = in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/stock");
        let shown = "[...document.querySelectorAll('input.count')].map((it) => it.ariaLabel)";
        let names = browser.ask(shown);
        let name = |at: usize| names[at].as_str().expect("a name").to_owned();
        for at in 0..3 {
            browser.fill("textbox", &name(at), "7");
        }
        browser.click("button", "Próxima");
        browser.wait_for("location.search.includes('page=2')");
        browser.reads("3 a salvar");
        let gone = name(0).replace("Unidades de ", "");
        let runtime = tokio::runtime::Handle::current();
        let gone = runtime.block_on(shop.products().get_by_slug(&gone)).expect("there").id;
        let deleted = shop.products();
        runtime.block_on(deleted.delete(&Actor::System, &gone, None)).expect("deleted");
        browser.click("button", "Salvar contagem");
        browser.reads("2 itens salvos.");
        browser.reads("1 a salvar");
    });
    if counted.await {
        assert_eq!(server.test.count("SELECT count(*) FROM stock WHERE quantity = 7"), 2);
    }
}

#[tokio::test]
async fn a_dot_before_three_digits_is_never_a_comma() {
    let server = TestServer::start().await;
    let id = server.test.product("vela-um", 5, 1990).await.to_string();
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/products/{id}"));
        browser.fill("textbox", "Unidades", "1.5");
        browser.click("button", "Salvar");
        browser.reads("Deve ser um número inteiro");
        browser.fill("textbox", "Unidades", "1.000");
        // A weight of 1.000 may be one and a thousand.
        browser.fill("textbox", "Peso (kg)", "1.000");
        browser.click("button", "Salvar");
        browser.reads("Não é um número válido.");
        browser.fill("textbox", "Peso (kg)", "0,350");
        browser.click("button", "Salvar");
        browser.reads("Produto salvo.");
        let now = format!(
            "fetch('/api/admin/products/{id}').then((it) => it.json()).then((it) => [it.stock, it.weight])"
        );
        assert_eq!(browser.ask(&now), json!([1000, 0.35]));
    })
    .await;
}

#[tokio::test]
async fn what_another_one_has_already_is_said_at_its_field() {
    let server = TestServer::start().await;
    server.test.product("vela-um", 5, 1990).await;
    let id = server.test.product("vela-dois", 5, 1990).await.to_string();
    in_browser(&server, move |browser, origin| {
        open(browser, origin, &format!("/admin/products/{id}"));
        let fields = [
            ("SKU", "SKU-vela-um", "sku", "SKU já cadastrado"),
            ("Endereço na loja", "vela-um", "slug", "Slug já cadastrado"),
        ];
        for (label, taken, field, text) in fields {
            browser.fill("textbox", label, taken);
            browser.click("button", "Salvar");
            browser.wait_for(&format!("document.activeElement.name === '{field}'"));
            browser.reads(text);
            browser.click("button", "Descartar");
        }
    })
    .await;
}

#[tokio::test]
async fn a_last_day_is_shown_as_it_was_typed() {
    let server = TestServer::start().await;
    let coupons = server.test.shop.coupons();
    for (code, end) in [("DIA", "2099-12-25"), ("HORA", "2099-12-24T15:00:00-03:00")] {
        let new = json!({
            "code": code, "type": "PERCENT", "value": 10.5, "active": true, "expiresAt": end
        });
        coupons.create(&Actor::System, input(new)).await.expect("a coupon");
    }
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/coupons");
        for text in ["10,5%", "25/12/2099", "24/12/2099"] {
            browser.reads(text);
        }
        for (code, day) in [("DIA", "2099-12-25"), ("HORA", "2099-12-24")] {
            browser.click("button", code);
            let field = "document.querySelector('dialog input[type=date]')";
            browser.wait_for(&format!("{field}?.value === '{day}'"));
            browser.fill("textbox", "Usos no total", "9");
            browser.click("button", "Salvar");
            browser.wait_for("!document.querySelector('dialog')");
        }
        let ends = "fetch('/api/admin/coupons').then((it) => it.json())\
                    .then((all) => all.map((it) => it.expiresAt).sort())";
        let stayed = json!(["2099-12-24T18:00:00.000Z", "2099-12-26T03:00:00.000Z"]);
        assert_eq!(browser.ask(ends), stayed);
        let made = "fetch('/api/admin/api-keys', { method: 'POST', \
                    headers: { 'content-type': 'application/json' }, body: JSON.stringify({ \
                    name: 'ERP', scopes: ['products:read'], expiresAt: '2099-12-25' }) })\
                    .then((it) => it.status)";
        assert_eq!(browser.ask(made), 201);
        open(browser, origin, "/admin/api-keys");
        browser.reads("Vale até 25/12/2099");
    })
    .await;
}

#[tokio::test]
async fn a_dialog_that_was_typed_in_asks_before_it_closes() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/coupons");
        browser.ask("document.querySelector('main .button.primary').click()");
        browser.find("heading", "Novo cupom");
        // Nothing was typed yet.
        browser.click("button", "Fechar");
        browser.wait_for("!document.querySelector('dialog')");
        browser.ask("document.querySelector('main .button.primary').click()");
        browser.fill("textbox", "Código", "NATAL10");
        browser.press("Escape", "Escape");
        browser.find("heading", "Sair sem salvar?");
        browser.click("button", "Continuar editando");
        browser.wait_for("document.querySelectorAll('dialog').length === 1");
        assert_eq!(browser.value_of("Código"), "NATAL10");
        browser.click("button", "Fechar");
        browser.click("button", "Sair sem salvar");
        browser.wait_for("!document.querySelector('dialog')");
    })
    .await;
}

#[tokio::test]
async fn a_page_behind_the_last_one_leads_to_that() {
    let server = TestServer::start().await;
    for number in 0..25 {
        server.test.product(&format!("vela-{number:02}"), 5, 1990).await;
    }
    in_browser(&server, |browser, origin| {
        for path in ["/admin/products", "/admin/stock"] {
            browser.visit(&format!("{origin}{path}?page=99"));
            browser.reads("21–25 de 25");
            assert_eq!(browser.ask("location.search"), "?page=2", "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn who_logs_in_comes_to_the_screen_that_was_asked_for() {
    let server = TestServer::start().await;
    server.admin().await;
    in_empty_browser(&server, |browser, origin| {
        browser.visit(&format!("{origin}/admin/orders?status=PROCESSING"));
        type_log_in(browser);
        browser.find("heading", "Pedidos");
        assert_eq!(browser.ask("location.search"), "?status=PROCESSING");
    })
    .await;
}

#[tokio::test]
async fn an_address_that_was_typed_outlives_a_change_of_the_name() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/products/new");
        browser.fill("textbox", "Nome", "Vela de Mel");
        browser.wait_for("document.querySelector('[name=slug]').value === 'vela-de-mel'");
        // What is cut off ends in no hyphen, which no address may.
        browser.fill("textbox", "Nome", &format!("{} de Mel", "V".repeat(119)));
        browser.wait_for("document.querySelector('[name=slug]').value === 'v'.repeat(119)");
        browser.fill("textbox", "Endereço na loja", "mel");
        browser.fill("textbox", "Nome", "Vela de Mel Silvestre");
        browser.click("button", "Ver como na loja");
        browser.find("heading", "Vela de Mel Silvestre");
        assert_eq!(browser.ask("document.querySelector('[name=slug]').value"), "mel");
    })
    .await;
}

#[tokio::test]
async fn a_day_that_is_typed_digit_by_digit_is_one_filter() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/orders");
        let before = browser.ask("history.length");
        browser.ask(
            "(() => {
               const day = document.querySelector('.filters input[type=date]');
               for (const typed of ['0002-11-30', '0020-11-30', '0202-11-30', '2026-11-30']) {
                 day.value = typed;
                 day.dispatchEvent(new Event('change', { bubbles: true }));
               }
             })()",
        );
        browser.wait_for("location.search === '?from=2026-11-30'");
        assert_eq!(browser.ask("history.length"), before);
        // A list that is read again meanwhile leaves what is typed alone.
        browser.ask(
            "(() => {
               const day = document.querySelector('.filters input[type=date]');
               day.value = '0002-11-30';
               day.dispatchEvent(new Event('change', { bubbles: true }));
             })()",
        );
        browser.choose("Status", "Enviado");
        browser.wait_for("location.search.includes('status=SHIPPED')");
        let typed = "document.querySelector('.filters input[type=date]').value";
        assert_eq!(browser.ask(typed), "0002-11-30");
    })
    .await;
}

#[tokio::test]
async fn a_search_takes_no_blank_away_from_who_goes_on_typing() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/products");
        let field = "document.querySelector('.filters input[type=search]')";
        let type_in = |text: &str| {
            format!(
                "(() => {{
                   {field}.value = '{text}';
                   {field}.dispatchEvent(new Event('input', {{ bubbles: true }}));
                 }})()"
            )
        };
        browser.ask(&type_in("vela "));
        browser.wait_for("location.search === '?search=vela'");
        browser.ask("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 200)))");
        assert_eq!(browser.ask(&format!("{field}.value")), "vela ");
        // What the address says since then is shown.
        browser.ask(&type_in("vela branca"));
        browser.wait_for("location.search === '?search=vela+branca'");
        browser.ask("history.pushState(null, '', '/admin/products')");
        browser.ask("dispatchEvent(new PopStateEvent('popstate'))");
        browser.wait_for(&format!("{field}.value === ''"));
    })
    .await;
}

#[tokio::test]
async fn a_count_of_stock_is_read_as_windows_writes_it_and_no_line_is_passed_over() {
    let server = TestServer::start().await;
    for sku in ["Maçã", "ref-azul"] {
        let slug = if sku == "Maçã" { "maca" } else { sku };
        let new = json!({ "name": sku, "slug": slug, "price": 10, "stock": 1, "sku": sku });
        server.test.shop.products().create(&Actor::System, input(new), None).await.expect("made");
    }
    let file = server.test.dir.path().join("estoque.csv");
    // In Windows-1252, with the line by which Excel is told of the semicolon, and no heading.
    let content = b"sep=;\r\nref-azul;doze\r\nMa\xe7\xe3;\"1.000\"\r\n".as_slice();
    std::fs::write(&file, content).expect("written");
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/stock");
        browser.click("button", "Importar CSV");
        browser.give("stock-file", &[&file]);
        browser.reads("A segunda coluna não é um número de unidades.");
        browser.click("button", "Aplicar 1 alteração");
        browser.reads("1 de 1 item atualizado.");
        let units = "fetch('/api/admin/stock').then((it) => it.json())\
                     .then((all) => all.map((it) => it.name + ':' + it.stock).sort().join())";
        assert_eq!(browser.ask(units), "Maçã:1000,ref-azul:1");
    })
    .await;
}

#[tokio::test]
async fn a_file_of_units_that_was_mended_is_read_again() {
    let server = TestServer::start().await;
    server.test.product("vela-um", 5, 1990).await;
    let file = server.test.dir.path().join("estoque.csv");
    in_browser(&server, move |browser, origin| {
        open(browser, origin, "/admin/stock");
        browser.click("button", "Importar CSV");
        for units in ["7", "12"] {
            std::fs::write(&file, format!("SKU-vela-um;{units}\n")).expect("written");
            browser.give("stock-file", &[&file]);
            let read = "document.querySelector('dialog tbody strong')?.innerText";
            browser.wait_for(&format!("{read} === '{units}'"));
        }
    })
    .await;
}

#[tokio::test]
async fn a_step_back_to_another_page_of_a_list_asks_nothing_and_one_out_of_it_does() {
    let server = TestServer::start().await;
    for n in 0..22 {
        server.test.product(&format!("vela-{n:02}"), 5, 1990).await;
    }
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/products");
        browser.click("link", "Estoque");
        browser.find("heading", "Estoque");
        browser.click("button", "Próxima");
        browser.wait_for("document.querySelectorAll('input.count').length === 2");
        let name = browser.ask("document.querySelector('input.count').ariaLabel");
        browser.fill("textbox", name.as_str().expect("a name"), "7");
        browser.reads("1 a salvar");
        browser.ask("history.back()");
        browser.reads("1–20 de 22");
        assert_eq!(browser.ask("document.querySelectorAll('dialog').length"), 0);
        browser.reads("1 a salvar");
        browser.ask("history.back()");
        browser.find("heading", "Sair sem salvar?");
        browser.click("button", "Continuar editando");
        browser.wait_for("!document.querySelector('dialog')");
        assert_eq!(browser.ask("location.pathname"), "/admin/stock");
        browser.reads("1 a salvar");
    })
    .await;
}
