//! The shelf, for staff.

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::NewVariant;

use super::{deeds, etag, patch_seen};
use crate::core::fixture::input;
use crate::http::TestServer;

const STOCK: &str = "/api/admin/stock";

/// A variant of a product, in one size.
async fn variant(server: &TestServer, product: &shop_core::id::ProductId, stock: i64) -> String {
    let types = server.test.shop.variant_types();
    let kind = input(json!({ "name": "Tamanho", "slug": "tamanho" }));
    let kind = types.create(&Actor::System, kind).await.expect("a type");
    let size =
        types.create_option(&Actor::System, &kind.id, input(json!({ "value": "200 g" }))).await;
    let size = size.expect("an option");
    let new: NewVariant = input(json!({
        "price": 30, "stock": stock, "sku": "V-200", "values": [{ "variantOptionId": size.id }]
    }));
    let products = server.test.shop.products();
    products.create_variant(&Actor::System, product, new).await.expect("a variant").id.to_string()
}

#[tokio::test]
async fn staff_sees_what_is_left_and_what_happened_to_it() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let vela = server.test.product("vela", 9, 1000).await;
    let variant = variant(&server, &vela, 4).await;
    server.test.advance_hours(1);
    server.test.product("sache", 0, 1000).await;
    let ana = server.customer("ana").await;
    server.test.buy(ana.buyer(), &vela, 2).await.expect("an order");
    let set = admin.patch(&format!("{STOCK}/{vela}"), &json!({ "stock": 12 })).await;
    assert_eq!(set.expect(200), json!({ "productId": vela, "stock": 12 }));
    let list = admin.get(STOCK).await.expect(200);
    let movements = |value: &Value| -> Vec<(i64, String, String)> {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let movements = value["recentMovements"].as_array().expect("a list").iter();
        movements
            .map(|one| {
                (one["delta"].as_i64().expect("units"), text(&one["reason"]), text(&one["source"]))
            })
            .collect()
    };
    let of = |delta, reason: &str, source: &str| (delta, reason.to_owned(), source.to_owned());
    assert_eq!((&list[0]["name"], &list[0]["stock"]), (&json!("sache"), &json!(0)));
    assert_eq!(movements(&list[0]), []);
    let shown = &list[1];
    assert_eq!(
        (&shown["id"], &shown["sku"], &shown["stock"]),
        (&json!(vela), &json!("SKU-vela"), &json!(12))
    );
    let expected =
        [of(5, "ADJUSTMENT", "ADMIN"), of(-2, "PURCHASE", "ORDER"), of(9, "ADJUSTMENT", "ADMIN")];
    assert_eq!(movements(shown), expected);
    let only = &shown["variants"][0];
    assert_eq!(
        (&only["id"], &only["name"], &only["sku"], &only["stock"]),
        (&json!(variant), &json!("200 g"), &json!("V-200"), &json!(4))
    );
    assert_eq!(movements(only), [of(4, "ADJUSTMENT", "ADMIN")]);
    let deeds = deeds(&admin, vela.as_str()).await;
    let expected = ("stock.set".to_owned(), json!({ "stock": 7 }), json!({ "stock": 12 }));
    assert_eq!(deeds.first(), Some(&expected));
    server.test.check_ledger();
}

#[tokio::test]
async fn a_variants_units_are_its_own() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let vela = server.test.product("vela", 9, 1000).await;
    let variant = variant(&server, &vela, 4).await;
    let set = admin.patch(&format!("{STOCK}/{variant}"), &json!({ "stock": 0 })).await;
    assert_eq!(set.expect(200), json!({ "productId": vela, "variantId": variant, "stock": 0 }));
    assert_eq!((server.test.stock(vela.as_str()), server.test.stock(&variant)), (9, 0));
    let item = admin.get(&format!("{STOCK}/{variant}")).await.expect(200);
    assert_eq!(item["stock"], 0);
    server.test.check_ledger();
}

#[tokio::test]
async fn pages_are_cut_and_what_runs_low_is_found() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    for (name, stock) in [("aa", 6), ("bb", 5), ("cc", 0), ("dd", 100)] {
        server.test.product(name, stock, 1000).await;
    }
    let with_low_variant = server.test.product("ee", 50, 1000).await;
    variant(&server, &with_low_variant, 1).await;
    let admin = &admin;
    let names = async |query: &str| -> Vec<String> {
        let list = admin.get(&format!("{STOCK}{query}")).await.expect(200);
        let list = list.as_array().expect("a bare array").clone();
        list.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names("").await, ["ee", "dd", "cc", "bb", "aa"]);
    assert_eq!(names("?limit=2&page=2").await, ["cc", "bb"]);
    assert_eq!(names("?limit=2&page=4").await, [""; 0]);
    assert_eq!(names("?low=true").await, ["ee", "cc", "bb"]);
    // By the name, also of what is off sale; by a product's article number, and by a variant's.
    server.test.raw_sql("UPDATE product SET active = 0 WHERE name = 'aa'");
    assert_eq!(names("?search=AA").await, ["aa"]);
    assert_eq!(names("?search=SKU-c").await, ["cc"]);
    assert_eq!(names("?search=V-2").await, ["ee"]);
    assert_eq!(names("?search=SKU-&low=true").await, ["ee", "cc", "bb"]);
    assert_eq!(names("?search=nothing").await, [""; 0]);
    assert_eq!(names("?search=%2D").await, [""; 0]);
    let wrong = admin.get("/api/admin/stock?limit=0&low=sim").await.wrong_fields();
    assert!(wrong["limit"].is_array() && wrong["low"].is_array(), "{wrong}");
}

#[tokio::test]
async fn the_whole_shelf_comes_in_one_answer_and_a_page_says_how_long_it_is() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    for n in 0..130 {
        server.test.product(&format!("vela-{n}"), n, 1000).await;
    }
    for (query, length, total) in [
        ("", 130, "130"),
        ("?low=true", 6, "6"),
        ("?search=nothing", 0, "0"),
        ("?search=vela", 130, "130"),
        ("?page=2", 30, "130"),
        ("?limit=50", 50, "130"),
    ] {
        let answer = admin.get(&format!("{STOCK}{query}")).await;
        assert_eq!(answer.expect(200).as_array().expect("a bare array").len(), length, "{query}");
        assert_eq!(answer.header("x-total-count"), Some(total), "{query}");
    }
}

#[tokio::test]
async fn only_the_latest_movements_are_shown() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let vela = server.test.product("vela", 1, 1000).await;
    for stock in 2..=15 {
        let path = format!("{STOCK}/{vela}");
        admin.patch(&path, &json!({ "stock": stock * 10 })).await.expect(200);
    }
    let list = admin.get(STOCK).await.expect(200);
    let recent = list[0]["recentMovements"].as_array().expect("a list");
    assert_eq!(recent.len(), 10);
    assert!(recent.iter().all(|movement| movement["delta"] == 10), "{recent:?}");
}

#[tokio::test]
async fn a_count_on_top_of_a_newer_sale_is_refused() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let vela = server.test.product("vela", 9, 1000).await;
    let path = format!("{STOCK}/{vela}");
    let seen = etag(&admin.get(&path).await);
    let ana = server.customer("ana").await;
    server.test.buy(ana.buyer(), &vela, 1).await.expect("an order");
    let late = patch_seen(&admin, &path, &seen, &json!({ "stock": 20 })).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
    assert_eq!(server.test.stock(vela.as_str()), 8);
    let seen = etag(&admin.get(&path).await);
    patch_seen(&admin, &path, &seen, &json!({ "stock": 20 })).await.expect(200);
}

#[tokio::test]
async fn stock_of_nothing_and_stock_that_cannot_be_are_refused() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let vela = server.test.product("vela", 9, 1000).await;
    let nothing = format!("{STOCK}/nothing");
    assert_eq!(admin.get(&nothing).await.refused(404).1, "product_not_found");
    let lost = admin.patch(&nothing, &json!({ "stock": 1 })).await;
    assert_eq!(lost.refused(404).1, "product_not_found");
    for (body, text) in [
        (json!({ "stock": -1 }), "Deve ser maior ou igual a 0"),
        (json!({ "stock": 1.5 }), "Deve ser um número inteiro"),
        (json!({}), "Campo obrigatório"),
    ] {
        let wrong = admin.patch(&format!("{STOCK}/{vela}"), &body).await.wrong_fields();
        assert_eq!(wrong["stock"], json!([text]));
    }
    assert_eq!(server.test.stock(vela.as_str()), 9);
}
