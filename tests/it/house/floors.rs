//! Imports run downwards. A module may use the modules that stand before it here, and no other.

use std::collections::BTreeSet;

use super::sources::{module_of, read, sources, without_comments};

/// The modules of shop-core from the ground up, as in ARCHITECTURE.md.
const FLOORS: &[(&str, &[&str])] = &[
    (
        "values",
        &[
            "forms",
            "decimal",
            "clock",
            "net_guard",
            "private_file",
            "sync",
            "measure",
            "money",
            "value",
            "field_errors",
            "error",
            "detached",
            "last_use",
            "page",
            "revision",
            "qr_code",
            "mac",
            "pdf",
            "wire",
        ],
    ),
    ("storage", &["storage", "id", "actor", "fiscal", "area", "lane", "metric"]),
    ("settings", &["spreadsheet", "config", "setting", "provider_calls", "http_client", "context"]),
    ("journals", &["event", "audit", "notification", "mail", "idempotency", "lease"]),
    (
        "aggregates",
        &[
            "media",
            "api_key",
            "account",
            "stock",
            "catalog",
            "cart",
            "site",
            "coupon",
            "wishlist",
            "newsletter",
            "shipping",
            "shipment",
            "payment",
            "webhook",
            "order",
            "order_return",
            "nfe",
        ],
    ),
    (
        "processes",
        &[
            "reviewing",
            "removal",
            "inventory",
            "settlement",
            "returning",
            "checkout",
            "invoicing",
            "labels",
            "fulfilment",
            "erasure",
            "guest",
        ],
    ),
    ("views", &["views"]),
    ("shop", &["shop", "maintenance"]),
    ("surfaces", &["demo", "testing"]),
];

fn order() -> Vec<&'static str> {
    FLOORS.iter().flat_map(|(_, modules)| modules.iter().copied()).collect()
}

#[test]
fn every_module_has_its_floor() {
    let known: BTreeSet<String> = order().into_iter().map(str::to_owned).collect();
    let found: BTreeSet<String> = sources().iter().map(|file| module_of(file)).collect();
    assert_eq!(found, known, "ARCHITECTURE.md and this list name all modules");
}

#[test]
fn imports_run_downwards() {
    let order = order();
    let place = |module: &str| order.iter().position(|it| *it == module);
    let mut upwards = Vec::new();
    for file in sources() {
        let (text, from) = (read(&file), module_of(&file));
        for to in imports(&text).into_iter().filter(|to| *to != from) {
            if place(&to) > place(&from) {
                upwards.push((file.display().to_string(), to));
            }
        }
    }
    assert!(upwards.is_empty(), "these imports run upwards: {upwards:#?}");
}

#[test]
fn what_tests_and_comments_name_is_no_import() {
    let text = "use crate::order::Order;\n/// See [`crate::shop::Shop`].\nfn f() -> crate::Result<()> \
                {\n    crate::mail::send()\n}\n#[cfg(test)]\nmod tests {\n    use crate::demo;\n}\n";
    assert_eq!(imports(text), BTreeSet::from(["order", "error", "mail"].map(str::to_owned)));
    assert_eq!(
        imports("use crate::{Config, shop::Shop};"),
        BTreeSet::from(["config", "shop"].map(str::to_owned))
    );
}

/// The modules of the crate that a file names, but for its tests and comments.
fn imports(text: &str) -> BTreeSet<String> {
    // What a macro names is imported where it is expanded.
    let code = without_comments(text).replace("$crate::", "");
    code.split("crate::").skip(1).flat_map(names).map(|name| module_named(&name)).collect()
}

/// What follows `crate::`: a name, or the names in braces.
fn names(rest: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    match rest.strip_prefix('{') {
        None => vec![name(rest)],
        Some(list) => {
            let list = list.split("};").next().unwrap_or_default();
            list.split(',').map(name).filter(|name| !name.is_empty()).collect()
        }
    }
}

/// The root of the crate hands a few names on.
fn module_named(name: &str) -> String {
    match name {
        "Error" | "Result" => "error",
        "Config" => "config",
        "Shop" | "ShopBuilder" => "shop",
        other => other,
    }
    .to_owned()
}
