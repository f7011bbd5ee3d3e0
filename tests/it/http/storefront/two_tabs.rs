//! Two tabs, double clicks and reloads: one order, and both say how it stands.

use serde_json::{Value, json};

use super::super::office::in_empty_browser;
use super::{ask_api, ask_until, go_to_checkout, place_order, placed, settled, shop_of_ana};

#[tokio::test]
async fn a_double_click_and_a_reload_while_it_is_placed_order_once() {
    let server = shop_of_ana().await;
    let visited = in_empty_browser(&server, |browser, origin| {
        go_to_checkout(browser, origin);
        // The answer to the order never comes: the screen goes away while it is under way.
        browser.ask(
            "(() => {
               const real = window.fetch;
               window.fetch = (path, how) => {
                 const answer = real(path, how);
                 return String(path) === '/api/orders' ? answer.then(() => new Promise(() => {})) : answer;
               };
               const form = document.querySelector('form.checkout');
               form.requestSubmit();
               form.requestSubmit();
             })()",
        );
        browser.wait_for("sessionStorage.getItem('loja:order')");
        // Not the address that is answered never.
        let is_one = |orders: &Value| orders.as_array().map(Vec::len) == Some(1);
        ask_until(browser, "/api/orders?limit=5", is_one);
        browser.visit(&format!("{origin}/finalizar"));
        placed(browser);
        assert!(is_one(&ask_api(browser, "/api/orders?limit=5")));
        assert_eq!(browser.ask("sessionStorage.getItem('loja:order')"), Value::Null);
    })
    .await;
    if !visited {
        return;
    }
    assert_eq!(server.test.count("SELECT count(*) FROM orders"), 1);
}

#[tokio::test]
async fn a_cart_that_another_tab_changed_is_shown_before_it_is_ordered() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        go_to_checkout(browser, origin);
        let line = ask_api(browser, "/api/cart")["items"][0]["id"].clone();
        let path = format!("/api/cart/items/{}", line.as_str().expect("an id"));
        browser.ask(&format!(
            "fetch({}, {{ method: 'PATCH', headers: {{ 'content-type': 'application/json' }}, \
             body: '{{\"quantity\": 2}}' }}).then((it) => it.status)",
            json!(path)
        ));
        browser.click("button", "Fazer o pedido");
        browser.reads("A sacola mudou, talvez em outra aba.");
        browser.reads("R$\u{a0}118,70");
        settled(browser);
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.reads("Pagar R$\u{a0}118,70");
    })
    .await;
}

#[tokio::test]
async fn an_order_is_paid_in_one_tab_and_both_say_so() {
    let server = shop_of_ana().await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        let number = place_order(browser, origin);
        let open = json!({
            "expression": format!("window.other = open('/pedido/{number}'); undefined"),
            "userGesture": true
        });
        browser.call("Runtime.evaluate", open);
        browser.wait_for("other.document.querySelector?.('.pay')");
        super::pay(&shop, &number);
        browser.reads("Pago. Pagamento confirmado.");
        browser.wait_for("other.document.body.innerText.includes('Pago. Pagamento confirmado.')");
    })
    .await;
}
