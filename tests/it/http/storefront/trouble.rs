//! What goes wrong on the way to an order, and what is not lost then.

use serde_json::{Value, json};
use shop_core::actor::Actor;

use super::super::office::in_empty_browser;
use super::{
    ask_api, ask_until, fill_address, fill_guest, go_to_checkout, log_in, open, place_order,
    placed, put_in_cart, settled, shop, shop_of_ana,
};
use crate::core::fixture::input;

#[tokio::test]
async fn what_is_sold_out_meanwhile_is_said_before_anything_is_paid() {
    let server = shop_of_ana().await;
    let buyer = server.test.buyer("bia").await;
    let candle = server.test.shop.products().get_by_slug("vela-de-lavanda").await;
    let candle = candle.expect("a candle").id;
    let test = server.test.shop.clone();
    let visited = in_empty_browser(&server, move |browser, origin| {
        go_to_checkout(browser, origin);
        let all = json!([{ "productId": candle, "quantity": 9 }]);
        let order = crate::core::fixture::order_of(&buyer, all);
        let placing = test.orders();
        let placing = placing.place(&buyer.id, order, None);
        tokio::runtime::Handle::current().block_on(placing).expect("placed");
        browser.click("button", "Fazer o pedido");
        browser.reads("vela-de-lavanda");
        browser.wait_for("document.querySelector('form [role=alert]')");
        assert_eq!(browser.ask("location.pathname"), "/finalizar");
        open(browser, origin, "/produto/vela-de-lavanda");
        browser.reads("Esgotado no momento");
    })
    .await;
    if !visited {
        return;
    }
    assert_eq!(server.test.count("SELECT count(*) FROM orders"), 1);
}

#[tokio::test]
async fn a_coupon_and_free_shipping_change_the_total_before_the_order() {
    let server = shop_of_ana().await;
    let new = json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "active": true });
    server.test.shop.coupons().create(&Actor::System, input(new)).await.expect("a coupon");
    in_empty_browser(&server, |browser, origin| {
        go_to_checkout(browser, origin);
        browser.fill("textbox", "Cupom", "nada");
        browser.click("button", "Aplicar");
        browser.wait_for("document.querySelector('#coupon[aria-invalid=true]')");
        browser.fill("textbox", "Cupom", "vela10");
        browser.click("button", "Aplicar");
        browser.reads("Cupom VELA10 aplicado.");
        browser.reads("R$\u{a0}63,81");
        // Four of them are sent for free.
        open(browser, origin, "/carrinho");
        for _ in 0..3 {
            browser.click("button", "Um a mais");
            settled(browser);
        }
        browser.reads("Você ganhou frete grátis!");
        open(browser, origin, "/finalizar");
        browser.reads("Você ganhou frete grátis!");
        browser.reads("Cupom VELA10 aplicado.");
        browser.reads("R$\u{a0}179,64");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.reads("Pagar R$\u{a0}179,64");
    })
    .await;
}

#[tokio::test]
async fn a_guest_is_told_what_is_sold_out_meanwhile_and_keeps_what_is_left() {
    let server = shop().await;
    let candle = server.test.shop.products().get_by_slug("vela-de-lavanda").await;
    let (candle, test) = (candle.expect("a candle").id, server.test.shop.clone());
    in_empty_browser(&server, move |browser, origin| {
        open(browser, origin, "/produto/vela-de-lavanda");
        browser.click("button", "Um a mais");
        browser.click("button", "Adicionar à sacola");
        browser.reads("está na sacola");
        open(browser, origin, "/finalizar");
        fill_guest(browser);
        fill_address(browser);
        let stock = test.stock();
        let counting = stock.set(&Actor::System, &candle, None, 1.try_into().expect("units"), None);
        tokio::runtime::Handle::current().block_on(counting).expect("counted");
        browser.click("button", "Fazer o pedido");
        browser.reads("disponível: 1");
        browser.reads("A sacola mudou");
        settled(browser);
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.reads("Pagar R$\u{a0}68,80");
    })
    .await;
}

#[tokio::test]
async fn a_payment_whose_answer_is_lost_is_not_called_refused() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        go_to_checkout(browser, origin);
        browser.click("radio", "Cartão de crédito À vista ou parcelado.");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.ask(
            "(() => {
               const real = window.fetch;
               window.lost = true;
               window.fetch = async (path, how) => {
                 const answer = await real(path, how);
                 if (lost && String(path).endsWith('/card')) throw new TypeError('gone');
                 return answer;
               };
             })()",
        );
        browser.choose("Cartão de teste", "Cartão sem limite");
        browser.click("button", "Pagar R$\u{a0}68,80");
        browser.reads("Ainda não sabemos se o pagamento passou.");
        assert!(!browser.holds("document.body.innerText.includes('Nada foi cobrado')"));
        browser.ask("window.lost = false");
        browser.click("button", "Pagar R$\u{a0}68,80");
        browser.reads("Pagamento não aprovado.");
        // Another card is another attempt.
        browser.ask("window.lost = true");
        browser.click("button", "Pagar R$\u{a0}68,80");
        browser.reads("Ainda não sabemos se o pagamento passou.");
        browser.ask("window.lost = false");
        browser.choose("Cartão de teste", "Cartão aprovado");
        browser.click("button", "Pagar R$\u{a0}68,80");
        browser.reads("Pago. Pagamento confirmado.");
    })
    .await;
}

#[tokio::test]
async fn a_card_for_an_order_that_is_paid_is_not_called_refused() {
    let server = shop_of_ana().await;
    let shop = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        go_to_checkout(browser, origin);
        browser.click("radio", "Cartão de crédito À vista ou parcelado.");
        browser.click("button", "Fazer o pedido");
        let number = placed(browser);
        browser.find("button", "Pagar R$\u{a0}68,80");
        let order = ask_api(browser, "/api/orders")[0]["id"].clone();
        // The page does not hear of what is paid meanwhile.
        browser.ask(&format!(
            "(() => {{
               const real = window.fetch;
               window.fetch = (path, how) => how?.method === 'POST' || !String(path).includes('/orders')
                 ? real(path, how) : Promise.reject(new TypeError('gone'));
               return fetch('/api/payments/pix', {{ method: 'POST',
                 headers: {{ 'content-type': 'application/json' }},
                 body: JSON.stringify({{ orderId: {order} }}) }}).then((it) => it.status);
             }})()"
        ));
        super::pay(&shop, &number);
        browser.click("button", "Pagar R$\u{a0}68,80");
        browser.reads("O pedido já foi pago. Não pague de outra forma");
    })
    .await;
}

#[tokio::test]
async fn a_coupon_counts_as_it_is_when_the_order_is_placed() {
    let server = shop_of_ana().await;
    let new = json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "active": true });
    let coupons = server.test.shop.coupons();
    let coupon = coupons.create(&Actor::System, input(new)).await.expect("a coupon").id;
    let test = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        go_to_checkout(browser, origin);
        // Typed and not applied, it is looked at before the order is placed.
        browser.fill("textbox", "Cupom", "vela10");
        browser.click("button", "Fazer o pedido");
        browser.reads("O cupom foi aplicado. Confira o total");
        browser.reads("R$\u{a0}63,81");
        let coupons = test.coupons();
        let off = coupons.update(&Actor::System, &coupon, input(json!({ "active": false })), None);
        tokio::runtime::Handle::current().block_on(off).expect("switched off");
        browser.click("button", "Fazer o pedido");
        browser.wait_for("document.querySelector('#coupon[aria-invalid=true]')");
        browser.reads("R$\u{a0}68,80");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.reads("Pagar R$\u{a0}68,80");
    })
    .await;
}

#[tokio::test]
async fn a_postal_code_that_does_not_exist_is_said_at_its_field() {
    let server = shop().await;
    in_empty_browser(&server, |browser, origin| {
        put_in_cart(browser, origin, "vela-de-lavanda");
        open(browser, origin, "/carrinho");
        browser.fill("textbox", "Calcular frete e prazo", "00000000");
        browser.reads("Não encontramos este CEP. Confira os números.");
        open(browser, origin, "/finalizar");
        browser.fill("textbox", "CEP", "00000-000");
        browser.reads("Não encontramos este CEP. Confira os números.");
        browser.wait_for(
            "document.querySelector('[name=zipCode]').getAttribute('aria-invalid') === 'true'",
        );
    })
    .await;
}

#[tokio::test]
async fn an_order_that_is_not_paid_can_be_cancelled() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        place_order(browser, origin);
        browser.click("button", "Cancelar o pedido");
        browser.find("heading", "Cancelar este pedido?");
        browser.press("Escape", "Escape");
        browser.click("button", "Cancelar o pedido");
        browser.find("heading", "Cancelar este pedido?");
        browser.ask("document.querySelector('dialog .danger').click()");
        browser.reads("Este pedido foi cancelado.");
        browser.wait_for("document.activeElement.matches('main h1')");
    })
    .await;
}

#[tokio::test]
async fn an_order_whose_card_is_in_review_is_not_offered_to_be_cancelled() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        place_order(browser, origin);
        browser.find("button", "Cancelar o pedido");
        browser.click("radio", "Cartão de crédito");
        browser.choose("Cartão de teste", "Cartão em análise");
        browser.click("button", "Pagar R$\u{a0}68,80");
        browser.reads("O pagamento com cartão está em análise.");
        assert!(!browser.holds("document.body.innerText.includes('Cancelar o pedido')"));
    })
    .await;
}

#[tokio::test]
async fn no_order_is_placed_for_another_total_than_the_one_that_is_shown() {
    let server = shop_of_ana().await;
    let new = json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "active": true });
    let coupons = server.test.shop.coupons();
    let coupon = coupons.create(&Actor::System, input(new)).await.expect("a coupon").id;
    let test = server.test.shop.clone();
    in_empty_browser(&server, move |browser, origin| {
        go_to_checkout(browser, origin);
        browser.fill("textbox", "Cupom", "VELA10");
        browser.click("button", "Aplicar");
        browser.reads("R$\u{a0}63,81");
        let runtime = tokio::runtime::Handle::current();
        let less = test.coupons();
        let less = less.update(&Actor::System, &coupon, input(json!({ "value": 5 })), None);
        runtime.block_on(less).expect("lowered");
        browser.click("button", "Fazer o pedido");
        browser.reads("O total do pedido mudou. Confira os valores");
        browser.reads("R$\u{a0}66,30");
        let tariffs = runtime.block_on(test.shipping().list_tariffs()).expect("tariffs");
        for tariff in tariffs {
            let more = input(json!({ "price": 40 }));
            let shipping = test.shipping();
            let more = shipping.update_tariff(&Actor::System, &tariff.id, more, None);
            runtime.block_on(more).expect("raised");
        }
        browser.click("button", "Fazer o pedido");
        browser.reads("O total do pedido mudou. Confira os valores");
        browser.reads("R$\u{a0}87,40");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.reads("Pagar R$\u{a0}87,40");
    })
    .await;
}

#[tokio::test]
async fn a_card_that_is_looked_at_is_not_paid_another_way() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        go_to_checkout(browser, origin);
        browser.click("radio", "Cartão de crédito À vista ou parcelado.");
        browser.click("button", "Fazer o pedido");
        placed(browser);
        browser.choose("Cartão de teste", "Cartão em análise");
        browser.click("button", "Pagar R$\u{a0}68,80");
        browser.reads("O pagamento com cartão está em análise.");
        assert!(browser.holds("!document.querySelector('[name=pay]')"));
    })
    .await;
}

#[tokio::test]
async fn who_is_logged_out_at_the_checkout_is_told_so_and_keeps_the_cart() {
    let server = shop_of_ana().await;
    in_empty_browser(&server, |browser, origin| {
        go_to_checkout(browser, origin);
        browser.ask("fetch('/api/auth/logout', { method: 'POST' }).then((it) => it.status)");
        browser.click("button", "Fazer o pedido");
        browser.reads("Sua sessão terminou.");
        assert!(!browser.holds("document.body.innerText.includes('Sua sacola está vazia')"));
        browser.click("link", "Entre de novo");
        log_in(browser, "ana");
        browser.wait_for("location.pathname === '/finalizar'");
        browser.find("radio", "Econômica em até 5 dias úteis R$\u{a0}18,90");
        settled(browser);
        browser.click("button", "Fazer o pedido");
        placed(browser);
    })
    .await;
}

#[tokio::test]
async fn a_page_that_is_left_while_a_guests_cart_is_handed_over_keeps_the_rest() {
    let server = shop_of_ana().await;
    let mut products = Vec::new();
    for slug in ["vela-um", "vela-dois", "vela-tres"] {
        products.push((slug, server.test.product(slug, 9, 1000).await.to_string()));
    }
    let line = |(slug, id): &(&str, String)| json!({ "productId": id, "variantId": null, "quantity": 1, "slug": slug });
    let lines: Vec<Value> = products.iter().map(line).collect();
    let lines = json!(json!(lines).to_string());
    in_empty_browser(&server, move |browser, origin| {
        go_to_checkout(browser, origin);
        browser.ask(&format!(
            "(() => {{
               localStorage.setItem('loja:cart', {lines});
               const real = window.fetch;
               let sent = 0;
               window.fetch = (path, how) => String(path).endsWith('/cart/items') && ++sent > 1
                 ? new Promise(() => {{}}) : real(path, how);
               document.dispatchEvent(new Event('visibilitychange'));
             }})()"
        ));
        browser.wait_for("JSON.parse(localStorage.getItem('loja:cart')).length === 1");
        open(browser, origin, "/carrinho");
        ask_until(browser, "/api/cart", |cart| {
            cart["items"].as_array().is_some_and(|it| it.len() == 3)
        });
    })
    .await;
}
