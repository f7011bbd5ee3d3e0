//! Each screen's main job, once.

use serde_json::{Value, json};

use super::super::TestServer;
use super::{in_browser, open};
use crate::fakes::browser::Browser;

#[tokio::test]
async fn the_first_product_of_an_empty_shop_is_one_click_away() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin");
        browser.click("link", "Cadastrar o primeiro produto");
        browser.find("heading", "Novo produto");
    })
    .await;
}

#[tokio::test]
async fn what_a_shop_sells_is_sorted_counted_and_changed_in_bulk() {
    let server = TestServer::start().await;
    for name in ["vela-um", "vela-dois", "vela-tres"] {
        server.test.product(name, 5, 1990).await;
    }
    let folder = server.test.dir.path().join("estoque.csv");
    std::fs::write(&folder, "sku;unidades\nSKU-vela-um;11\nSKU-que-falta;4\n").expect("written");
    in_browser(&server, move |browser, origin| {
        categories(browser, origin);
        bulk(browser, origin);
        open(browser, origin, "/admin/stock");
        browser.fill("textbox", "Unidades de vela-dois", "8");
        browser.click("button", "Salvar contagem");
        browser.reads("Estoque salvo.");
        browser.click("button", "Importar CSV");
        browser.give("stock-file", &[&folder]);
        // First what would change, then the change.
        browser.reads("Nenhum produto tem este SKU.");
        browser.click("button", "Aplicar 1 alteração");
        browser.reads("1 de 1 item atualizado.");
        let units = "fetch('/api/admin/stock').then((it) => it.json())\
                     .then((all) => all.map((it) => it.name + ':' + it.stock).sort().join())";
        assert_eq!(browser.ask(units), "vela-dois:8,vela-um:11");
    })
    .await;
}

fn categories(browser: &mut Browser, origin: &str) {
    open(browser, origin, "/admin/categories");
    browser.ask("document.querySelector('main .button.primary').click()");
    browser.fill("textbox", "Nome", "Velas Aromáticas");
    browser.click("button", "Salvar");
    browser.reads("velas-aromaticas");
    browser.click("button", "Novo tipo");
    browser.fill("textbox", "Nome", "Tamanho");
    browser.click("button", "Salvar");
    browser.fill("textbox", "Nova opção de Tamanho", "120 g");
    browser.click("button", "Adicionar");
    browser.find("button", "Excluir a opção 120 g");
    browser.click("button", "Novo tipo");
    browser.fill("textbox", "Nome", "tamanho");
    browser.click("button", "Salvar");
    browser.reads("Já existe um tipo com este nome.");
    browser.fill("textbox", "Nome", "Cor");
    browser.click("button", "Salvar");
    browser.find("textbox", "Nova opção de Cor");
}

fn bulk(browser: &mut Browser, origin: &str) {
    open(browser, origin, "/admin/products");
    browser.click("checkbox", "Selecionar vela-tres");
    browser.click("button", "Tirar de venda");
    browser.reads("1 produto fora de venda.");
    browser.click("checkbox", "Selecionar vela-tres");
    browser.click("button", "Excluir");
    // What goes is named.
    browser.wait_for("document.querySelector('dialog').innerText.includes('vela-tres')");
    browser.ask("document.querySelector('dialog .danger').click()");
    browser.reads("1 produto excluído.");
    browser.click("button", "Duplicar vela-um");
    browser.reads("Cópia criada, fora de venda.");
    browser.click("button", "Excluir");
    browser.wait_for("document.querySelector('dialog')");
    browser.ask("document.querySelector('dialog .danger').click()");
    browser.reads("Produto excluído.");
}

#[tokio::test]
async fn the_shop_is_set_up_in_the_back_office() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        coupon(browser, origin);
        tariff(browser, origin);
        programs(browser, origin);
        open(browser, origin, "/admin/settings");
        browser.fill("textbox", "Análise de visitas", "G-1234567");
        browser.click("button", "Salvar");
        browser.reads("Identificadores salvos.");
        open(browser, origin, "/admin/audit");
        browser.click("button", "Cupom criado");
        browser.wait_for("document.querySelector('dialog').innerText.includes('NATAL10')");
        let fields =
            "[...document.querySelectorAll('dialog tbody th')].map((it) => it.textContent)";
        let fields = browser.ask(fields);
        let fields: Vec<&str> =
            fields.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert!(fields.contains(&"Código") && fields.contains(&"Limite de usos"), "{fields:?}");
        let english = ["code", "type", "maxUses", "active", "expiresAt", "minOrderValue"];
        assert!(!fields.iter().any(|field| english.contains(field)), "{fields:?}");
        open(browser, origin, "/admin/account");
        browser.fill("textbox", "Senha atual", super::PASSWORD);
        browser.fill("textbox", "Nova senha", "outra-senha-123");
        browser.fill("textbox", "Nova senha, de novo", "outra-senha-124");
        browser.click("button", "Alterar a senha");
        browser.reads("As senhas não são iguais.");
        browser.fill("textbox", "Nova senha, de novo", "outra-senha-123");
        browser.click("button", "Alterar a senha");
        browser.reads("Senha alterada.");
    })
    .await;
}

fn coupon(browser: &mut Browser, origin: &str) {
    open(browser, origin, "/admin/coupons");
    browser.ask("document.querySelector('main .button.primary').click()");
    browser.fill("textbox", "Código", "NATAL10");
    browser.fill("textbox", "Quanto (% ou R$)", "10");
    browser.fill("textbox", "Usos no total", "100");
    browser.click("button", "Criar cupom");
    browser.reads("0 de 100");
    browser.click("button", "NATAL10");
    browser.fill("textbox", "Compra mínima (R$)", "99,90");
    browser.click("button", "Salvar");
    browser.reads("R$\u{a0}99,90");
}

fn tariff(browser: &mut Browser, origin: &str) {
    open(browser, origin, "/admin/shipping");
    browser.click("button", "Nova tarifa");
    browser.fill("textbox", "Nome da nova tarifa", "Econômica");
    browser.fill("textbox", "Preço (R$) da nova tarifa", "18,90");
    browser.fill("textbox", "Prazo (dias úteis) da nova tarifa", "5");
    browser.ask("document.querySelector('main details').open = true");
    browser.click("checkbox", "SP");
    browser.click("checkbox", "RJ");
    browser.click("button", "Salvar nova tarifa");
    browser.reads("Tarifa criada.");
    browser.reads("RJ, SP");
}

fn programs(browser: &mut Browser, origin: &str) {
    open(browser, origin, "/admin/api-keys");
    browser.ask("document.querySelector('main .button.primary').click()");
    browser.fill("textbox", "Nome", "ERP");
    browser.click("checkbox", "Alterar estoque");
    browser.click("button", "Criar chave");
    browser.wait_for("document.querySelector('dialog .secret').innerText.includes('svc_live_')");
    browser.press("Escape", "Escape");
    browser.click("button", "Revogar ERP");
    browser.wait_for("document.querySelector('dialog .danger')");
    browser.ask("document.querySelector('dialog .danger').click()");
    browser.reads("Revogada");
    open(browser, origin, "/admin/webhooks");
    browser.ask("document.querySelector('main .button.primary').click()");
    browser.fill("textbox", "Endereço (URL)", "https://erp.example/avisos");
    browser.fill("textbox", "Segredo da assinatura", "um-segredo-bem-longo-0123456789");
    browser.click("button", "Salvar");
    browser.find("heading", "https://erp.example/avisos");
    browser.click("button", "Entregas");
    browser.reads("Nenhuma entrega ainda");
}

#[tokio::test]
async fn a_customer_is_found_suspended_and_let_in_again() {
    let server = TestServer::start().await;
    server.test.buyer("ana").await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/customers");
        browser.fill("searchbox", "Buscar por nome ou e-mail", "ana");
        browser.click("link", "ana");
        browser.click("button", "Suspender");
        browser.find("heading", "Suspender ana?");
        browser.ask("document.querySelector('dialog .danger').click()");
        browser.reads("Esta conta está suspensa.");
        browser.click("button", "Reativar");
        browser.reads("Conta reativada.");
    })
    .await;
}

#[tokio::test]
async fn filters_and_pages_stand_in_the_address() {
    let server = TestServer::start().await;
    for number in 0..25 {
        server.test.product(&format!("vela-{number:02}"), 5, 1990).await;
    }
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/products?active=true");
        browser.click("button", "Próxima");
        browser.reads("21–25 de 25");
        assert_eq!(browser.ask("location.search"), "?active=true&page=2");
        browser.ask("history.back()");
        browser.reads("1–20 de 25");
        browser.choose("Status", "Fora de venda");
        browser.reads("Nada encontrado com estes filtros");
        browser.click("button", "Limpar filtros");
        browser.reads("1–20 de 25");
        assert_eq!(browser.ask("location.search"), "");
    })
    .await;
}

#[tokio::test]
async fn a_decision_on_a_review_that_waited_has_no_undo_and_a_later_one_has() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    server.test.product("vela", 9, 4990).await;
    let review = json!({ "rating": 1, "title": "Fraca", "body": "Não acende." });
    customer.post("/api/products/vela/reviews", &review).await.expect(201);
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/reviews?approved=false");
        browser.find("button", "Publicar");
        // The second click of a double click.
        browser.ask("found.click(); found.click()");
        browser.reads("Avaliação publicada.");
        assert_eq!(
            browser.ask("document.querySelector('.toasts').innerText.includes('Desfazer')"),
            false
        );
        open(browser, origin, "/admin/reviews?approved=true");
        browser.click("button", "Rejeitar");
        browser.reads("Nenhuma avaliação");
        browser.click("button", "Desfazer");
        browser.find("button", "Rejeitar");
    })
    .await;
}

#[tokio::test]
async fn what_is_ticked_is_named_before_it_is_deleted_and_a_double_click_copies_once() {
    let server = TestServer::start().await;
    for name in ["vela", "difusor"] {
        server.test.product(name, 5, 1990).await;
    }
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/products");
        browser.click("checkbox", "Selecionar vela");
        browser.fill("searchbox", "Buscar produtos", "difusor");
        browser.wait_for("document.querySelectorAll('tbody tr').length === 1");
        browser.click("button", "Excluir");
        browser.reads("vela. Isso não pode ser desfeito.");
        browser.click("button", "Cancelar");
        browser.find("button", "Duplicar difusor");
        browser.ask("found.click(); found.click()");
        browser.wait_for("location.pathname.startsWith('/admin/products/')");
        let all = "fetch('/api/admin/products').then((it) => it.json())\
                   .then((it) => it.pagination.total)";
        assert_eq!(browser.ask(all), 3);
    })
    .await;
}

#[tokio::test]
async fn days_ago_are_days_of_the_calendar() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/orders");
        let told = browser.ask(
            "import('/admin/lib/format.js').then(({ ago }) => [1, 2, 5]
               .map((days) => ago(new Date(Date.now() - days * 86400000).toISOString())))",
        );
        assert_eq!(told, json!(["ontem", "anteontem", "há 5 dias"]));
    })
    .await;
}

#[tokio::test]
async fn a_step_back_to_a_list_leads_to_where_one_was() {
    let server = TestServer::start().await;
    for n in 0..22 {
        server.test.product(&format!("vela-{n:02}"), 5, 1990).await;
    }
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/products");
        browser.ask("scrollTo(0, 300)");
        browser.wait_for("scrollY === 300");
        browser.ask("document.querySelector('main tbody a').click()");
        browser.find("textbox", "Endereço na loja");
        assert_eq!(browser.ask("scrollY"), 0);
        browser.ask("history.back()");
        browser.reads("1–20 de 22");
        browser.wait_for("scrollY === 300");
        // Another page of the list is an entry of its own.
        browser.click("button", "Próxima");
        browser.reads("21–22 de 22");
        browser.ask("history.back()");
        browser.reads("1–20 de 22");
        browser.wait_for("scrollY > 0");
    })
    .await;
}

#[tokio::test]
async fn on_paper_a_table_has_all_its_columns_and_no_navigation_beside_it() {
    let server = TestServer::start().await;
    let ana = server.test.buyer("ana").await;
    let vela = server.test.product("vela-de-lavanda-com-um-nome-comprido", 9, 4990).await;
    server.test.buy(&ana, &vela, 1).await.expect("placed");
    in_browser(&server, |browser, origin| {
        open(browser, origin, "/admin/orders");
        // What is left of A4 between its margins.
        browser.resize(718);
        browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        let hidden =
            "['.side', '.filters'].every((it) => !document.querySelector(it).offsetParent)";
        assert!(browser.holds(hidden));
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert!(browser.holds(fits), "{}", browser.ask("document.documentElement.scrollWidth"));
        let frame = "getComputedStyle(document.querySelector('.table-frame')).overflowX";
        assert_eq!(browser.ask(frame), "visible");
        let row = "getComputedStyle(document.querySelector('.list tbody tr')).display";
        assert_eq!(browser.ask(row), "table-row");
    })
    .await;
}

#[tokio::test]
async fn a_large_amount_stays_on_one_line_of_its_tile() {
    let server = TestServer::start().await;
    in_browser(&server, |browser, origin| {
        browser.resize(360);
        open(browser, origin, "/admin");
        browser.find("heading", "O que espera por você");
        let fits = "[...document.querySelectorAll('.tile strong')].every((it) => {
            it.textContent = 'R$\u{a0}121.502,75';
            return it.offsetHeight < 36 && it.scrollWidth <= it.parentElement.clientWidth;
        })";
        assert!(browser.holds(fits));
        assert!(browser.holds("document.documentElement.scrollWidth <= innerWidth"));
    })
    .await;
}
