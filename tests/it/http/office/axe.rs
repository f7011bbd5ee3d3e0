//! Each screen by axe-core, on a desktop and a phone, light and dark.

use std::fmt::Write;

use serde_json::{Value, json};

use super::super::TestServer;
use super::{in_browser, open};
use crate::fakes::browser::Browser;

const AXE: &str = include_str!("../../../vendor/axe.min.js");

#[tokio::test]
async fn axe_finds_nothing_on_any_screen() {
    let server = TestServer::start().await;
    let ana = server.test.buyer("ana").await;
    let candle = server.test.product("vela-de-lavanda", 2, 4990).await;
    let placed = server.test.place(&ana, json!([{ "productId": candle, "quantity": 1 }])).await;
    let order = placed.expect("placed").order.id;
    let details = [
        format!("/admin/orders/{order}"),
        format!("/admin/products/{candle}"),
        format!("/admin/customers/{}", ana.id),
    ];
    in_browser(&server, move |browser, origin| {
        let lists = [
            "/admin",
            "/admin/tasks",
            "/admin/orders",
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

/// In each width and each scheme; without the animation of what is in between.
pub(super) fn check(browser: &mut Browser, path: &str, found: &mut String) {
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
