//! What shoppers type and tap: read as it is meant, and counted once.

use serde_json::json;
use shop_core::actor::Actor;

use super::super::office::in_empty_browser;
use super::steps::shelf;
use super::{
    ask_until, fill_address, fill_guest, go_to_checkout, open, placed, put_in_cart, settled, shop,
    shop_of_ana,
};
use crate::core::fixture::input;

/// Has a field as if it had been typed over, with the caret at a place, and answers with what
/// stands there then, and where the caret is.
fn typed(field: &str, value: &str, caret: usize) -> String {
    format!(
        "(() => {{
           const it = document.querySelector('[name={field}]');
           it.focus();
           it.value = '{value}';
           it.setSelectionRange({caret}, {caret});
           it.dispatchEvent(new InputEvent('input', {{ bubbles: true }}));
           return [it.value, it.selectionStart];
         }})()"
    )
}

#[tokio::test]
async fn a_digit_that_is_mended_stays_in_its_place_and_a_country_is_no_area() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        put_in_cart(browser, origin, "vela-de-lavanda");
        open(browser, origin, "/finalizar");
        browser.wait_for("document.querySelector('[name=document]')");
        let without = typed("document", "12.456.789-09", 2);
        assert_eq!(browser.ask(&without), json!(["124.567.890-9", 2]));
        let with = typed("document", "1234.567.890-9", 3);
        assert_eq!(browser.ask(&with), json!(["123.456.789-09", 3]));
        let at_the_end = typed("document", "1234", 4);
        assert_eq!(browser.ask(&at_the_end), json!(["123.4", 5]));
        for (number, read) in
            [("11222333000181", "11.222.333/0001-81"), ("12abc34501de35", "12.ABC.345/01DE-35")]
        {
            let company = typed("document", number, number.len());
            assert_eq!(browser.ask(&company), json!([read, read.len()]));
        }
        for (pasted, read) in [
            ("+55 11 98765-4321", "(11) 98765-4321"),
            ("+55 (21) 3456-7890", "(21) 3456-7890"),
            ("011 98765-4321", "(11) 98765-4321"),
            ("55 98765-4321", "(55) 98765-4321"),
        ] {
            let phone = typed("phone", pasted, pasted.len());
            assert_eq!(browser.ask(&phone), json!([read, read.len()]), "{pasted}");
        }
        for (keys, read) in [
            ("+55 11 98765-4321", "(11) 98765-4321"),
            ("+55 (21) 3456-7890", "(21) 3456-7890"),
            ("5511987654321", "(11) 98765-4321"),
            ("55987654321", "(55) 98765-4321"),
        ] {
            browser.fill("textbox", "Celular (opcional)", "");
            for key in keys.chars() {
                browser.call("Input.insertText", json!({ "text": key.to_string() }));
            }
            assert_eq!(browser.value_of("Celular (opcional)"), read, "{keys}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_wrong_number_of_a_person_is_said_before_anything_is_sent() {
    let server = shop().await;
    let visited = in_empty_browser(&server, |browser, origin| {
        put_in_cart(browser, origin, "vela-de-lavanda");
        open(browser, origin, "/finalizar");
        fill_guest(browser);
        fill_address(browser);
        for wrong in ["11144477736", "11111111111", "11222333000182"] {
            browser.fill("textbox", "CPF ou CNPJ (opcional)", wrong);
            if wrong.len() > 11 {
                browser.fill("textbox", "Razão social", "Velas da Ana LTDA");
            }
            browser.click("button", "Fazer o pedido");
            browser.reads("Número inválido. Confira os dígitos.");
        }
    })
    .await;
    if visited {
        assert_eq!(server.test.count("SELECT count(*) FROM account WHERE role = 'CUSTOMER'"), 0);
    }
}

#[tokio::test]
async fn the_quantity_that_is_shown_goes_into_the_bag_and_enter_in_the_postal_code_does_not() {
    let server = shop().await;
    let product = server.test.product("vela-de-mel", 9, 4990).await;
    let (shop, by) = (&server.test.shop, &Actor::System);
    let size = input(json!({ "name": "Tamanho", "slug": "tamanho" }));
    let size = shop.variant_types().create(by, size).await.expect("a kind").id;
    for (value, stock) in [("P", 9), ("G", 2)] {
        let option = input(json!({ "value": value }));
        let option = shop.variant_types().create_option(by, &size, option).await.expect("made");
        let values = json!([{ "variantOptionId": option.id }]);
        let new = input(json!({ "price": 10, "stock": stock, "values": values }));
        shop.products().create_variant(by, &product, new).await.expect("a variant");
    }
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/produto/vela-de-mel");
        browser.fill("textbox", "Quantidade", "7");
        browser.press("Tab", "Tab");
        browser.ask("document.querySelectorAll('.variants input')[1].click()");
        browser.wait_for("document.querySelector('.quantity input').value === '2'");
        browser.fill("textbox", "Calcular frete e prazo", "01001000");
        browser.press("Enter", "Enter");
        browser.reads("São Paulo");
        assert_eq!(browser.ask("localStorage.getItem('loja:cart')"), json!(null));
        browser.click("button", "Adicionar à sacola");
        browser.reads("está na sacola");
        let kept = browser.ask("JSON.parse(localStorage.getItem('loja:cart'))[0].quantity");
        assert_eq!(kept, 2);
    })
    .await;
}

#[tokio::test]
async fn each_tap_counts_however_slow_the_answers_are() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        go_to_checkout(browser, origin);
        open(browser, origin, "/carrinho");
        browser.ask(
            "(async () => {
               const real = window.fetch;
               window.fetch = async (path, how) => {
                 if (how?.method === 'PATCH') await new Promise((go) => setTimeout(go, 300));
                 return real(path, how);
               };
               for (let tap = 0; tap < 3; tap++) {
                 document.querySelectorAll('.quantity button')[1].click();
                 await new Promise((go) => setTimeout(go, 50));
               }
             })()",
        );
        ask_until(browser, "/api/cart", |cart| cart["items"][0]["quantity"] == 4);
        browser.wait_for("document.querySelector('.quantity input').value === '4'");
    })
    .await;
}

#[tokio::test]
async fn who_types_slowly_into_the_search_goes_on_typing() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/contato");
        browser.ask("document.querySelector('[type=search]').focus()");
        // Each letter is looked for before the next one comes.
        for (letter, typed) in [("l", "l"), ("a", "la"), ("v", "lav")] {
            browser.call("Input.insertText", json!({ "text": letter }));
            browser.wait_for(&format!("location.search === '?q={typed}'"));
            settled(browser);
        }
        browser.reads("1 produto encontrado");
    })
    .await;
}

#[tokio::test]
async fn both_ends_of_a_price_are_kept_however_fast_they_are_typed() {
    let server = shop().await;
    shelf(&server).await;
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/categoria/velas");
        let type_both = "for (const [name, value] of [['min', '10'], ['max', '90']]) {
             const it = document.querySelector(`[name=${name}]`);
             it.focus();
             it.value = value;
             it.dispatchEvent(new InputEvent('input', { bubbles: true }));
           }";
        browser.ask(&format!("(() => {{ {type_both} }})()"));
        browser.wait_for("location.search === '?min=10&max=90'");
        assert_eq!(browser.ask("document.querySelector('[name=min]').value"), "10");
        open(browser, origin, "/categoria/velas?page=99");
        browser.click("link", "Ver a primeira página");
        browser.find("heading", "Vela 14");
    })
    .await;
}

#[tokio::test]
async fn a_price_that_cannot_be_read_is_said_and_filters_nothing() {
    let server = shop().await;
    shelf(&server).await;
    in_empty_browser(&server, |browser, origin| {
        open(browser, origin, "/categoria/velas");
        for wrong in ["-1", "1e1", "abc"] {
            browser.fill("textbox", "Preço de", "100");
            browser.reads("5 produtos");
            browser.fill("textbox", "Preço de", wrong);
            let said = "(({ ariaInvalid, attributes }) => ariaInvalid === 'true' && document
                .getElementById(attributes['aria-describedby']?.value)?.innerText)(found)";
            browser.wait_for(&format!("{said} === 'Escreva um preço, como 49,90.'"));
            browser.reads("14 produtos");
            assert_eq!(browser.value_of("Preço de"), wrong);
        }
        browser.fill("textbox", "Preço de", "100,");
        browser.reads("5 produtos");
        browser.wait_for("!document.querySelector('.filters .wrong')");
    })
    .await;
}

#[tokio::test]
async fn a_search_is_as_long_as_the_server_takes_it() {
    let server = shop().await;
    let long = "zzzz ".repeat(50);
    in_empty_browser(&server, move |browser, origin| {
        open(browser, origin, "/contato");
        browser.fill("searchbox", "Buscar produtos", &long);
        browser.wait_for("location.pathname === '/busca'");
        assert_eq!(browser.ask("document.querySelector('[type=search]').value.length"), 200);
        for address in [long.clone(), "%F0%9F%95%AF".repeat(150)] {
            open(browser, origin, &format!("/busca?q={}", address.replace(' ', "+")));
            browser.find("heading", "Mais vendidos");
        }
    })
    .await;
}

#[tokio::test]
async fn the_document_that_is_typed_is_the_buyers_whatever_was_before() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        let buyer = "fetch('/api/auth/me').then((it) => it.json()).then((me) => [me.cpf, me.cnpj])";
        go_to_checkout(browser, origin);
        browser.fill("textbox", "CPF ou CNPJ (opcional)", "11222333000181");
        browser.fill("textbox", "Razão social", "Velas da Ana LTDA");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        assert_eq!(browser.ask(buyer)[1], "11222333000181");
        for (typed, cpf) in [("11144477735", json!("11144477735")), (" ", json!(null))] {
            put_in_cart(browser, origin, "vela-de-lavanda");
            open(browser, origin, "/finalizar");
            browser.fill("textbox", "CPF ou CNPJ (opcional)", typed);
            browser.find("radio", "Econômica em até 5 dias úteis R$\u{a0}18,90");
            browser.click("button", "Fazer o pedido");
            placed(browser);
            assert_eq!(browser.ask(buyer), json!([cpf, null]), "{typed:?}");
        }
        let buyers = "fetch('/api/orders').then((it) => it.json())
                      .then((all) => all.map((it) => it.buyer?.cnpj ?? null))";
        assert_eq!(browser.ask(buyers), json!([null, null, "11222333000181"]));
    })
    .await;
}
