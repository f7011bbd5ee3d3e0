//! Each screen by axe-core, on a desktop and a phone, light and dark; that nothing moves while it
//! comes; and what there is without scripts.

use serde_json::json;
use shop_core::actor::Actor;

use super::super::office::{check_by_axe, in_empty_browser};
use super::{go_to_checkout, open, placed, put_in_cart, settled, shop, shop_of_ana};
use crate::core::fixture::input;

#[tokio::test]
async fn axe_finds_nothing_on_the_screens_for_everybody() {
    let server = shop().await;
    super::steps::shelf(&server).await;
    in_empty_browser(&server, |browser, origin| {
        let mut found = String::new();
        for path in [
            "/",
            "/categoria/velas",
            "/categoria/nenhuma",
            "/busca",
            "/busca?q=lavanda",
            "/busca?q=zzzz",
            "/produto/vela-de-lavanda",
            "/produto/nenhum",
            "/carrinho",
            "/finalizar",
            "/pedido/PED-20260102-0001",
            "/cadastro",
            "/senha",
            "/contato",
            "/p/sobre",
            "/p/nenhuma",
        ] {
            open(browser, origin, path);
            check_by_axe(browser, path, &mut found);
        }
        browser.resize(1280);
        put_in_cart(browser, origin, "vela-de-lavanda");
        for path in ["/carrinho", "/finalizar"] {
            open(browser, origin, path);
            check_by_axe(browser, path, &mut found);
        }
        assert!(found.is_empty(), "{found}");
    })
    .await;
}

#[tokio::test]
async fn axe_finds_nothing_on_the_screens_of_a_customer() {
    let server = shop_of_ana().await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        let mut found = String::new();
        go_to_checkout(browser, origin);
        check_by_axe(browser, "/finalizar", &mut found);
        browser.click("button", "Fazer o pedido");
        let number = placed(browser);
        browser.value_of("PIX copia e cola");
        check_by_axe(browser, "/pedido, by PIX", &mut found);
        browser.click("radio", "Cartão de crédito");
        browser.find("button", "Pagar R$\u{a0}68,80");
        check_by_axe(browser, "/pedido, by card", &mut found);
        super::pay(&shop, &number);
        browser.reads("Pago. Pagamento confirmado.");
        check_by_axe(browser, "/pedido, paid", &mut found);
        for path in ["", "/enderecos", "/desejos", "/avisos", "/dados", "/senha"] {
            open(browser, origin, &format!("/conta{path}"));
            check_by_axe(browser, &format!("/conta{path}"), &mut found);
        }
        open(browser, origin, "/conta/enderecos");
        browser.click("button", "Novo endereço");
        browser.find("heading", "Novo endereço");
        check_by_axe(browser, "a new address", &mut found);
        assert!(found.is_empty(), "{found}");
    })
    .await;
}

#[tokio::test]
async fn every_screen_says_who_sells_and_how_long_one_may_withdraw() {
    let server = super::shop_with(|config| {
        crate::core::seller::set_company(config);
        config.returns.withdrawal_days = 30;
    })
    .await;
    in_empty_browser(&server, |browser, origin| {
        let mut found = String::new();
        for path in ["/", "/produto/vela-de-lavanda", "/carrinho", "/p/nenhuma"] {
            open(browser, origin, path);
            browser.reads("Aurora & Filhas Velas Ltda, CNPJ 12.ABC.345/01DE-35");
            browser.reads("Rua das Flores, 100, sala 2, Centro, São Paulo - SP, CEP 01001-000");
            browser.find("link", "(11) 3333-4444");
            browser.find("link", "loja@aurora.example");
            browser.reads("Você tem 30 dias corridos, a contar do recebimento");
            check_by_axe(browser, path, &mut found);
        }
        assert!(found.is_empty(), "{found}");
    })
    .await;
}

/// How far what is seen has moved, as browsers measure it; 0.1 is what they call good.
const MOVED: f64 = 0.01;

#[tokio::test]
async fn nothing_moves_while_a_screen_comes() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        let watch = "window.moved = 0; new PerformanceObserver((list) => {
             for (const entry of list.getEntries()) if (!entry.hadRecentInput) moved += entry.value;
           }).observe({ type: 'layout-shift', buffered: true })";
        browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": watch }));
        for width in [1280, 390] {
            browser.resize(width);
            for path in ["/", "/produto/vela-de-lavanda", "/busca?q=lavanda", "/contato"] {
                open(browser, origin, path);
                browser.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
                let moved = browser.ask("moved").as_f64().expect("a sum");
                assert!(moved <= MOVED, "{path} at {width}: {moved}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_account_keeps_addresses_and_wishes() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        browser.visit(&format!("{origin}/login?next=/conta/enderecos"));
        super::log_in(browser, "ana");
        browser.click("button", "Novo endereço");
        browser.fill("textbox", "Nome do endereço", "Trabalho");
        browser.fill("textbox", "CEP", "20040002");
        browser.wait_for("document.querySelector('[name=state]').value === 'RJ'");
        browser.fill("textbox", "Rua", "Rua da Assembleia");
        browser.fill("textbox", "Número", "10");
        browser.fill("textbox", "Bairro", "Centro");
        browser.fill("textbox", "Cidade", "Rio de Janeiro");
        browser.click("button", "Salvar");
        browser.reads("Rua da Assembleia, 10");
        browser.click("button", "Usar Trabalho como principal");
        browser.find("button", "Usar Casa como principal");
        open(browser, origin, "/produto/vela-de-lavanda");
        browser.click("button", "Lista de desejos");
        browser.reads("está nos seus desejos.");
        open(browser, origin, "/conta/desejos");
        browser.click("button", "Adicionar vela-de-lavanda à sacola");
        browser.reads("está na sacola");
        browser.click("button", "Remover vela-de-lavanda");
        browser.reads("Sua lista de desejos está vazia");
        browser.click("button", "Sair");
        browser.wait_for("location.pathname === '/'");
        settled(browser);
        browser.visit(&format!("{origin}/conta/dados"));
        browser.click("link", "Entrar");
        super::log_in(browser, "ana");
        browser.find("heading", "Meus dados");
    })
    .await;
}

#[tokio::test]
async fn without_scripts_a_product_can_still_be_read() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
        browser.visit(&format!("{origin}/produto/vela-de-lavanda"));
        browser.wait_for("document.querySelector('main h1')?.innerText === 'vela-de-lavanda'");
        browser.reads("49,90");
        browser.wait_for("document.querySelector('main img')?.checkVisibility()");
        browser.reads("ative o JavaScript");
    })
    .await;
}

#[tokio::test]
async fn a_cart_of_a_browser_says_what_is_not_sold_any_more() {
    let server = shop().await;
    let soap = server.test.product("sabonete", 9, 990).await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        put_in_cart(browser, origin, "vela-de-lavanda");
        put_in_cart(browser, origin, "sabonete");
        let products = shop.products();
        let deleted = products.delete(&Actor::System, &soap, None);
        tokio::runtime::Runtime::new().expect("a runtime").block_on(deleted).expect("deleted");
        open(browser, origin, "/carrinho");
        browser.reads("Saiu da sacola o que não está mais à venda.");
        let kept = browser.ask("JSON.parse(localStorage.getItem('loja:cart')).length");
        assert_eq!(kept, 1);
    })
    .await;
}

#[tokio::test]
async fn cards_and_the_search_show_what_variants_cost() {
    let server = shop().await;
    let new = json!({
        "name": "Difusor", "slug": "difusor", "price": 1, "comparePrice": 2, "stock": 0, "variantRequired": true,
        "variants": [
            { "price": 35, "stock": 2, "values": [{ "variantType": "Tamanho", "value": "200 ml" }] },
            { "price": 25, "stock": 2, "values": [{ "variantType": "Tamanho", "value": "100 ml" }] },
        ],
    });
    server.test.shop.products().create(&Actor::System, input(new), None).await.expect("made");
    in_empty_browser(&server, |browser, origin| {
        for path in ["/", "/busca?q=difusor"] {
            open(browser, origin, path);
            browser.reads("Difusor");
            browser.reads("a partir de");
            browser.reads("R$\u{a0}25,00");
            let page = browser.ask("document.querySelector('main').innerText").to_string();
            assert!(!page.contains("1,00") && !page.contains("2,00"), "{page}");
        }
    })
    .await;
}
