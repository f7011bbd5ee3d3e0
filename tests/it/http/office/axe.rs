//! Each screen by axe-core, on a desktop and a phone, light and dark.

use std::fmt::Write;

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::id::OrderId;

use super::super::TestServer;
use super::{in_browser, open};
use crate::core::fixture::input;
use crate::core::nfe::{emit, paid};
use crate::fakes::browser::Browser;

const AXE: &str = include_str!("../../../vendor/axe.min.js");

#[tokio::test]
async fn axe_finds_nothing_on_any_screen() {
    let server = TestServer::start().await;
    let new = json!({ "name": "Caixa M", "innerLength": 80, "innerWidth": 20, "innerHeight": 15,
        "outerLength": 81, "outerWidth": 21, "outerHeight": 16, "tareWeight": 0.2, "maxWeight": 31 });
    let shipping = server.test.shop.shipping();
    shipping.create_box(&Actor::System, input(new)).await.expect("a box");
    let ana = server.test.buyer("ana").await;
    let candle = server.test.product("vela-de-lavanda", 2, 4990).await;
    let placed = server.test.place(&ana, json!([{ "productId": candle, "quantity": 1 }])).await;
    let order = placed.expect("placed").order.id;
    let back = returned(&server).await;
    let details = [
        format!("/admin/orders/{order}"),
        format!("/admin/orders/{back}"),
        format!("/admin/products/{candle}"),
        format!("/admin/customers/{}", ana.id),
    ];
    in_browser(&server, move |browser, origin| {
        let lists = [
            "/admin",
            "/admin/tasks",
            "/admin/orders",
            "/admin/shipments",
            "/admin/returns",
            "/admin/products",
            "/admin/products/new",
            "/admin/categories",
            "/admin/stock",
            "/admin/coupons",
            "/admin/customers",
            "/admin/reviews",
            "/admin/shipping",
            "/admin/webhooks",
            "/admin/api-keys",
            "/admin/newsletter",
            "/admin/settings",
            "/admin/invoices",
            "/admin/audit",
            "/admin/account",
        ];
        let mut found = String::new();
        for path in lists.into_iter().chain(details.iter().map(String::as_str)) {
            open(browser, origin, path);
            check(browser, path, &mut found);
        }
        browser.visit(&format!("{origin}/login"));
        browser.find("button", "Entrar");
        check(browser, "/login", &mut found);
        assert!(found.is_empty(), "{found}");
    })
    .await;
}

/// An order with an invoice that was corrected, of which goods come back with an invoice of theirs.
async fn returned(server: &TestServer) -> OrderId {
    let (shop, by) = (&server.test.shop, Actor::System);
    let bia = server.test.buyer("bia").await;
    let vela = server.test.product("vela", 9, 4990).await;
    let order = paid(&server.test, &bia, &vela, 2).await;
    emit(shop, &order).await.expect("issued");
    let letter = input(json!({ "text": "O número da casa é 124, e não 123." }));
    shop.invoices().correct(&by, &order.id, letter, None).await.expect("corrected");
    let asked = input(json!({ "reason": "Trincou" }));
    let asked = shop.returns().request(&bia.id, &order.id, asked, None).await.expect("asked");
    let goods = input(json!({ "returnId": asked.id }));
    shop.invoices().issue_return(&by, &order.id, goods, None).await.expect("issued");
    order.id
}

/// In each width and each scheme; without the animation of what is in between.
pub(in super::super) fn check(browser: &mut Browser, path: &str, found: &mut String) {
    browser.ask(AXE);
    for (width, dark) in [(1280, false), (1280, true), (390, true), (390, false)] {
        browser.resize(width);
        browser.darken(dark);
        let fits = browser.ask("document.documentElement.scrollWidth <= innerWidth");
        if fits != Value::Bool(true) {
            let _ = writeln!(found, "{path} at {width} is wider than the screen");
        }
        let violations = browser.ask(
            "axe.run().then(({ violations }) => violations.map((it) => \
             `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`))",
        );
        for violation in violations.as_array().expect("a list") {
            let _ = writeln!(found, "{path} at {width}, dark {dark}: {violation}");
        }
    }
}
