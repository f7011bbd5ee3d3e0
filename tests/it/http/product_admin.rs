//! The back office's catalogue.

use hyper::Method;
use serde_json::{Value, json};

use super::TestServer;
use super::client::{Answer, Client};

async fn make(admin: &Client, fields: Value) -> Value {
    let mut product = json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 5 });
    for (key, value) in fields.as_object().expect("fields") {
        product[key] = value.clone();
    }
    admin.post("/api/admin/products", &product).await.expect(201)
}

fn path(product: &Value, rest: &str) -> String {
    format!("/api/admin/products/{}{rest}", product["id"].as_str().expect("an id"))
}

async fn patch_if(admin: &Client, path: &str, etag: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("if-match", etag)];
    admin.send(Method::PATCH, path, &headers, body.to_string()).await
}

/// A kind of variation with two options: its id and theirs.
async fn sizes(admin: &Client) -> (String, Vec<String>) {
    let kind = json!({ "name": "Tamanho", "slug": "tamanho" });
    let kind = admin.post("/api/admin/variant-types", &kind).await.expect(201);
    let kind = kind["id"].as_str().expect("an id").to_owned();
    let mut options = Vec::new();
    for (order, value) in ["120 g", "200 g"].iter().enumerate() {
        let option = json!({ "value": value, "order": order });
        let made = admin.post(&format!("/api/admin/variant-types/{kind}/options"), &option).await;
        options.push(made.expect(201)["id"].as_str().expect("an id").to_owned());
    }
    (kind, options)
}

#[tokio::test]
async fn a_product_shows_staff_its_variants_with_the_ids_of_their_options() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (_, options) = sizes(&admin).await;
    let vela = make(&admin, json!({})).await;
    assert_eq!(vela["variants"], json!([]));
    let variant = json!({ "price": 12, "stock": 1, "values": [{ "variantOptionId": options[0] }] });
    let variant = admin.post(&path(&vela, "/variants"), &variant).await.expect(201);
    let value = &variant["values"][0];
    assert_eq!(value["variantOptionId"], json!(options[0]));
    let expected = json!({ "value": "120 g", "variantType": { "name": "Tamanho" } });
    assert_eq!(value["variantOption"], expected);
    let shown = admin.get(&path(&vela, "")).await.expect(200);
    assert_eq!(shown["variants"], json!([variant]));
    let changed = admin.patch(&path(&vela, ""), &json!({ "featured": true })).await.expect(200);
    assert_eq!(changed["variants"], json!([variant]));
    let copy = admin.post(&path(&vela, "/clone"), &Value::Null).await.expect(201);
    assert_eq!(copy["variants"][0]["values"][0]["variantOptionId"], json!(options[0]));
    let public = server.anonymous().get("/api/products/vela").await.expect(200);
    let values = json!([{ "variantType": "Tamanho", "value": "120 g" }]);
    assert_eq!(public["variants"][0]["values"], values);
}

#[tokio::test]
async fn a_product_goes_through_its_life() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let vela = make(
        &admin,
        json!({ "description": "De soja.", "comparePrice": 12.5, "sku": "V", "weight": 0.25,
                "images": [{ "url": "/uploads/a.png", "alt": "Vela acesa" }] }),
    )
    .await;
    assert_eq!((&vela["slug"], &vela["comparePrice"]), (&json!("vela"), &json!(12.5)));
    assert_eq!(vela["images"][0]["isPrimary"], true);
    assert_eq!(make(&admin, json!({})).await["slug"], "vela-2");
    let shown = admin.get(&path(&vela, "")).await.expect(200);
    assert_eq!(shown, vela);
    let changed = admin.patch(&path(&vela, ""), &json!({ "price": 11, "sku": null })).await;
    let changed = changed.expect(200);
    assert_eq!((&changed["price"], &changed["sku"]), (&json!(11.0), &Value::Null));
    let copy = admin.post(&path(&vela, "/clone"), &Value::Null).await.expect(201);
    assert_eq!((&copy["slug"], &copy["active"]), (&json!("vela-3"), &json!(false)));
    let page = admin.get("/api/admin/products?active=false").await.expect(200);
    let row = &page["data"][0];
    assert_eq!((&row["id"], &row["_count"]["orderItems"]), (&copy["id"], &json!(0)));
    assert_eq!((&page["pagination"]["total"], &row["category"]), (&json!(1), &Value::Null));
    let bulk = json!({ "ids": [copy["id"], vela["id"], "nada"], "action": "activate" });
    let bulk = admin.post("/api/admin/products/bulk", &bulk).await.expect(200);
    assert_eq!(bulk, json!({ "updated": 2 }));
    let bulk = json!({ "ids": [copy["id"]], "action": "delete" });
    let bulk = admin.post("/api/admin/products/bulk", &bulk).await.expect(200);
    assert_eq!(bulk, json!({ "deleted": 1 }));
    let deleted = admin.delete(&path(&vela, "")).await.expect(200);
    assert_eq!(deleted, json!({ "message": "Produto excluído" }));
    assert_eq!(admin.get(&path(&vela, "")).await.refused(404).1, "product_not_found");
}

#[tokio::test]
async fn what_is_wrong_with_a_product_is_said() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let vela = make(&admin, json!({ "sku": "V" })).await;
    make(&admin, json!({ "slug": "rosa", "sku": "R" })).await;
    let wrong = json!({ "name": "V", "slug": "Não!", "price": 0, "stock": -1, "weight": "x" });
    let wrong = admin.post("/api/admin/products", &wrong).await.wrong_fields();
    for field in ["name", "slug", "price", "stock", "weight"] {
        assert!(wrong[field].is_array(), "{field}: {wrong}");
    }
    let taken = json!({ "name": "Vela", "slug": "nova", "price": 1, "stock": 1, "sku": "R" });
    assert_eq!(admin.post("/api/admin/products", &taken).await.refused(409).1, "sku_taken");
    let lost = json!({ "name": "Vela", "slug": "nova", "price": 1, "stock": 1,
                       "categoryId": "nada" });
    let lost = admin.post("/api/admin/products", &lost).await.wrong_fields();
    assert!(lost["categoryId"].is_array(), "{lost}");
    for (fields, code) in
        [(json!({ "slug": "rosa" }), "slug_taken"), (json!({ "sku": "R" }), "sku_taken")]
    {
        assert_eq!(admin.patch(&path(&vela, ""), &fields).await.refused(409).1, code);
    }
    let fields = json!({ "price": -1, "stock": 1.5, "categoryId": "nada" });
    let wrong = admin.patch(&path(&vela, ""), &fields).await.wrong_fields();
    assert!(wrong["price"].is_array() && wrong["stock"].is_array(), "{wrong}");
    for missing in [
        admin.patch("/api/admin/products/nada", &json!({ "price": 1 })).await,
        admin.delete("/api/admin/products/nada").await,
        admin.post("/api/admin/products/nada/clone", &Value::Null).await,
        admin.get("/api/admin/products/nada/variants").await,
    ] {
        assert_eq!(missing.refused(404).1, "product_not_found");
    }
    for bulk in [json!({ "ids": [], "action": "delete" }), json!({ "ids": ["a"], "action": "x" })] {
        admin.post("/api/admin/products/bulk", &bulk).await.wrong_fields();
    }
    let many = json!({ "ids": vec!["a".repeat(100); 6000], "action": "delete" });
    let many = admin.post("/api/admin/products/bulk", &many).await;
    assert_eq!(many.refused(413).1, "payload_too_large");
    for query in ["page=0", "limit=x", "active=yes", "featured=sim"] {
        admin.get(&format!("/api/admin/products?{query}")).await.wrong_fields();
    }
}

#[tokio::test]
async fn a_product_is_made_once_for_a_key() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let body = json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 5 });
    let headers = [("content-type", "application/json"), ("idempotency-key", "k-1")];
    let send = async |body: &Value| {
        admin.send(Method::POST, "/api/admin/products", &headers, body.to_string()).await
    };
    let first = send(&body).await;
    let again = send(&body).await;
    assert_eq!((again.status.as_u16(), &again.body), (201, &first.body));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(
        (first.header("idempotency-replayed"), again.header("etag")),
        (None, first.header("etag"))
    );
    let other = json!({ "name": "Outra", "slug": "vela", "price": 10, "stock": 5 });
    assert_eq!(send(&other).await.refused(422).1, "idempotency_key_reused");
}

#[tokio::test]
async fn a_product_is_shown_again_as_it_was_made_whatever_happened_since() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let size = json!([{ "variantType": "Tamanho", "value": "120 g" }]);
    let body = json!({
        "name": "Vela", "slug": "vela", "price": 10, "stock": 0,
        "variants": [{ "price": 10, "stock": 3, "values": size }],
    });
    let headers = [("content-type", "application/json"), ("idempotency-key", "k-1")];
    let send =
        async || admin.send(Method::POST, "/api/admin/products", &headers, body.to_string()).await;
    let first = send().await;
    let vela = first.expect(201);
    let variant = vela["variants"][0]["id"].as_str().expect("an id");
    let variant = path(&vela, &format!("/variants/{variant}"));
    let changes = [
        (Method::PATCH, variant, json!({ "stock": 1 })),
        (Method::DELETE, path(&vela, ""), Value::Null),
    ];
    for (method, path, change) in changes {
        let headers = [("content-type", "application/json")];
        admin.send(method, &path, &headers, change.to_string()).await.expect(200);
        let again = send().await;
        assert_eq!((again.status.as_u16(), &again.body), (201, &first.body));
    }
    server.test.raw_sql(
        "INSERT INTO product_import (slot, id, actor, keep_stock, decided, until, products, variants,
                                     updated, left_out)
         VALUES (1, 'outra', 'SYSTEM', 0, 1, 9000000000000000, 0, 0, 0, '[]')",
    );
    assert_eq!(send().await.body, first.body);
}

#[tokio::test]
async fn who_has_seen_another_state_is_told_so() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let vela = make(&admin, json!({})).await;
    let path = path(&vela, "");
    let seen = admin.get(&path).await;
    let etag = seen.header("etag").expect("a tag").to_owned();
    let first = patch_if(&admin, &path, &etag, &json!({ "price": 11 })).await;
    let next = first.header("etag").expect("a tag").to_owned();
    assert_ne!(next, etag);
    let stale = patch_if(&admin, &path, &etag, &json!({ "price": 12 })).await;
    assert_eq!(stale.refused(412).1, "changed_meanwhile");
    assert_eq!(admin.get(&path).await.expect(200)["price"], 11.0);
    patch_if(&admin, &path, &next, &json!({ "price": 13 })).await.expect(200);
    patch_if(&admin, &path, "*", &json!({ "price": 14 })).await.expect(200);
    admin.patch(&path, &json!({ "price": 15 })).await.expect(200);
    assert_eq!(admin.get(&path).await.expect(200)["price"], 15.0);
}

#[tokio::test]
async fn shoppers_see_a_change_at_once() {
    let server = TestServer::start().await;
    let (admin, anyone) = (server.admin().await, server.anonymous());
    let category = json!({ "name": "Velas" });
    let category = admin.post("/api/admin/categories", &category).await.expect(201);
    let vela = make(&admin, json!({ "categoryId": category["id"] })).await;
    let (one, listed) = ("/api/products/vela", "/api/products");
    let (_, options) = sizes(&admin).await;
    assert_eq!(anyone.get(one).await.expect(200)["price"], 10.0);
    assert_eq!(anyone.get(listed).await.expect(200)["pagination"]["total"], 1);
    assert_eq!(anyone.get("/api/categories").await.expect(200)[0]["productCount"], 1);
    admin.patch(&path(&vela, ""), &json!({ "price": 12, "stock": 2 })).await.expect(200);
    let shown = anyone.get(one).await.expect(200);
    assert_eq!((&shown["price"], &shown["stock"]), (&json!(12.0), &json!(2)));
    assert_eq!(anyone.get(listed).await.expect(200)["data"][0]["price"], 12.0);
    let variant = json!({ "price": 15, "stock": 1, "values": [{ "variantOptionId": options[0] }] });
    let variant = admin.post(&path(&vela, "/variants"), &variant).await.expect(201);
    assert_eq!(anyone.get(one).await.expect(200)["variants"][0]["price"], 15.0);
    let id = variant["id"].as_str().expect("an id");
    let of_variant = path(&vela, &format!("/variants/{id}"));
    admin.patch(&of_variant, &json!({ "price": 16 })).await.expect(200);
    assert_eq!(anyone.get(one).await.expect(200)["variants"][0]["price"], 16.0);
    admin.delete(&of_variant).await.expect(200);
    assert_eq!(anyone.get(one).await.expect(200)["variants"], json!([]));
    let of_category = format!("/api/admin/categories/{}", category["id"].as_str().expect("an id"));
    admin.patch(&of_category, &json!({ "name": "Velas novas" })).await.expect(200);
    assert_eq!(anyone.get("/api/categories").await.expect(200)[0]["name"], "Velas novas");
    let off = json!({ "ids": [vela["id"]], "action": "deactivate" });
    admin.post("/api/admin/products/bulk", &off).await.expect(200);
    assert_eq!(anyone.get(one).await.refused(404).1, "product_not_found");
    assert_eq!(anyone.get(listed).await.expect(200)["pagination"]["total"], 0);
}

#[tokio::test]
async fn the_audit_log_names_the_admin() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let me = admin.get("/api/auth/me").await.expect(200);
    let vela = make(&admin, json!({})).await;
    admin.patch(&path(&vela, ""), &json!({ "price": 12 })).await.expect(200);
    let id = vela["id"].as_str().expect("an id");
    let log = admin.get(&format!("/api/admin/audit?resourceId={id}")).await.expect(200);
    let entry = &log["data"][0];
    assert_eq!((&entry["action"], &entry["actor"]["id"]), (&json!("product.update"), &me["id"]));
    assert_eq!(
        (&entry["before"], &entry["after"]),
        (&json!({ "price": 10.0 }), &json!({ "price": 12.0 }))
    );
}

#[tokio::test]
async fn variants_go_through_their_life() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (kind, options) = sizes(&admin).await;
    let vela = make(&admin, json!({ "sku": "V" })).await;
    let all = path(&vela, "/variants");
    let new = |option: usize, sku: &str| {
        json!({ "price": 12, "stock": 3, "sku": sku,
                "values": [{ "variantOptionId": options[option] }] })
    };
    let small = admin.post(&all, &new(0, "V-120")).await.expect(201);
    let value = &small["values"][0];
    assert_eq!(value["variantOptionId"], json!(options[0]));
    let shown = json!({ "value": "120 g", "variantType": { "name": "Tamanho" } });
    assert_eq!(value["variantOption"], shown);
    assert!(value["id"].is_string());
    assert_eq!(admin.get(&all).await.expect(200), json!([small]));
    assert_eq!(admin.post(&all, &new(0, "V-X")).await.refused(409).1, "variant_exists");
    assert_eq!(admin.post(&all, &new(1, "V")).await.refused(409).1, "sku_taken");
    for values in [
        json!([{ "variantOptionId": "nada" }]),
        json!([{ "variantOptionId": options[0] }, { "variantOptionId": options[1] }]),
        json!([]),
    ] {
        let wrong = json!({ "price": 1, "stock": 1, "values": values });
        admin.post(&all, &wrong).await.wrong_fields();
    }
    let large = admin.post(&all, &new(1, "V-200")).await.expect(201);
    let one = format!("{all}/{}", large["id"].as_str().expect("an id"));
    let patch = json!({ "stock": 9, "sku": null, "comparePrice": 20 });
    let changed = admin.patch(&one, &patch).await.expect(200);
    assert_eq!((&changed["stock"], &changed["sku"]), (&json!(9), &Value::Null));
    server.test.check_ledger();
    let twin = json!({ "values": [{ "variantOptionId": options[0] }] });
    assert_eq!(admin.patch(&one, &twin).await.refused(409).1, "variant_exists");
    let same = json!({ "values": [{ "variantOptionId": options[1] }] });
    assert_eq!(admin.patch(&one, &same).await.expect(200), changed);
    let stale = patch_if(&admin, &one, "\"old\"", &json!({ "price": 1 })).await;
    assert_eq!(stale.refused(412).1, "changed_meanwhile");
    let in_use = admin.delete(&format!("/api/admin/variant-types/{kind}")).await;
    assert_eq!(in_use.refused(409).1, "in_use");
    let names = &in_use.json()["details"]["formErrors"];
    assert_eq!(*names, json!(["Vela (120 g)", "Vela (200 g)"]));
    let option = format!("/api/admin/variant-types/{kind}/options/{}", options[1]);
    let in_use = admin.delete(&option).await;
    in_use.refused(409);
    assert_eq!(in_use.json()["details"]["formErrors"], json!(["Vela (200 g)"]));
    admin.delete(&one).await.expect(200);
    admin.delete(&option).await.expect(200);
    for gone in [admin.delete(&one).await, admin.patch(&one, &json!({ "price": 1 })).await] {
        assert_eq!(gone.refused(404).1, "variant_not_found");
    }
    let other = make(&admin, json!({ "slug": "rosa" })).await;
    let of_other = path(&other, &format!("/variants/{}", small["id"].as_str().expect("an id")));
    assert_eq!(admin.delete(&of_other).await.refused(404).1, "variant_not_found");
    let lost = admin.post("/api/admin/products/nada/variants", &new(0, "N")).await;
    assert_eq!(lost.refused(404).1, "product_not_found");
}

#[tokio::test]
async fn kinds_of_variation_go_through_their_life() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (kind, options) = sizes(&admin).await;
    let one = format!("/api/admin/variant-types/{kind}");
    let again = json!({ "name": "Outro", "slug": "tamanho" });
    assert_eq!(admin.post("/api/admin/variant-types", &again).await.refused(409).1, "slug_taken");
    let other = json!({ "name": "Aroma", "slug": "aroma", "order": 7 });
    let other = admin.post("/api/admin/variant-types", &other).await.expect(201);
    assert_eq!((&other["order"], &other["options"]), (&json!(7), &json!([])));
    assert_eq!(admin.patch(&one, &json!({ "slug": "aroma" })).await.refused(409).1, "slug_taken");
    let renamed = admin.patch(&one, &json!({ "name": "Peso", "order": 9 })).await.expect(200);
    assert_eq!((&renamed["name"], &renamed["slug"]), (&json!("Peso"), &json!("tamanho")));
    let stale = patch_if(&admin, &one, "\"old\"", &json!({ "name": "X" })).await;
    assert_eq!(stale.refused(412).1, "changed_meanwhile");
    let listed = admin.get("/api/admin/variant-types").await.expect(200);
    assert_eq!((&listed[0]["name"], &listed[1]), (&json!("Aroma"), &renamed));
    let all = format!("{one}/options");
    let shown = admin.get(&all).await.expect(200);
    assert_eq!((&shown[0]["value"], &shown[1]["order"]), (&json!("120 g"), &json!(1)));
    let again = admin.post(&all, &json!({ "value": "120 g" })).await;
    assert_eq!(again.refused(409).1, "option_exists");
    let option = format!("{all}/{}", options[0]);
    let taken = admin.patch(&option, &json!({ "value": "200 g" })).await;
    assert_eq!(taken.refused(409).1, "option_exists");
    let changed = admin.patch(&option, &json!({ "value": "150 g" })).await;
    let etag = changed.header("etag").expect("a tag").to_owned();
    assert_eq!(changed.expect(200)["value"], "150 g");
    patch_if(&admin, &option, &etag, &json!({ "order": 5 })).await.expect(200);
    let stale = patch_if(&admin, &option, &etag, &json!({ "order": 6 })).await;
    assert_eq!(stale.refused(412).1, "changed_meanwhile");
    let elsewhere = format!(
        "/api/admin/variant-types/{}/options/{}",
        other["id"].as_str().expect("an id"),
        options[0]
    );
    assert_eq!(admin.delete(&elsewhere).await.refused(404).1, "variant_option_not_found");
    admin.patch(&one, &json!({ "name": "" })).await.wrong_fields();
    admin.post("/api/admin/variant-types", &json!({ "name": "X" })).await.wrong_fields();
    admin.delete(&option).await.expect(200);
    admin.delete(&one).await.expect(200);
    for gone in [
        admin.delete(&one).await,
        admin.patch(&one, &json!({ "name": "X" })).await,
        admin.get(&all).await,
        admin.post(&all, &json!({ "value": "x" })).await,
    ] {
        assert_eq!(gone.refused(404).1, "variant_type_not_found");
    }
}

#[tokio::test]
async fn categories_go_through_their_life() {
    let server = TestServer::start().await;
    let (admin, anyone) = (server.admin().await, server.anonymous());
    let all = "/api/admin/categories";
    let velas = admin.post(all, &json!({ "name": "Velas" })).await.expect(201);
    assert_eq!((&velas["slug"], &velas["active"]), (&json!("velas"), &json!(true)));
    admin.post(all, &json!({ "name": "Banho", "active": false })).await.expect(201);
    assert_eq!(admin.post(all, &json!({ "name": "VELAS" })).await.refused(409).1, "slug_taken");
    admin.post(all, &json!({ "name": "V", "image": "javascript:x" })).await.wrong_fields();
    let hidden = make(&admin, json!({ "categoryId": velas["id"], "active": false })).await;
    let listed = admin.get(all).await.expect(200);
    let counts: Vec<(&str, i64)> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| (c["slug"].as_str().expect("a slug"), c["productCount"].as_i64().expect("one")))
        .collect();
    assert_eq!(counts, [("banho", 0), ("velas", 1)], "what is off sale counts too");
    assert_eq!(anyone.get("/api/categories").await.expect(200)[0]["productCount"], 0);
    let one = format!("{all}/{}", velas["id"].as_str().expect("an id"));
    let taken = admin.patch(&one, &json!({ "slug": "banho" })).await;
    assert_eq!(taken.refused(409).1, "slug_taken");
    let patch = json!({ "description": "Todas", "image": "/uploads/v.png", "slug": "todas" });
    let changed = admin.patch(&one, &patch).await;
    let etag = changed.header("etag").expect("a tag").to_owned();
    let changed = changed.expect(200);
    assert_eq!((&changed["slug"], &changed["productCount"]), (&json!("todas"), &json!(1)));
    patch_if(&admin, &one, &etag, &json!({ "image": null })).await.expect(200);
    let stale = patch_if(&admin, &one, &etag, &json!({ "image": null })).await;
    assert_eq!(stale.refused(412).1, "changed_meanwhile");
    let in_use = admin.delete(&one).await;
    assert_eq!(in_use.refused(409).1, "in_use");
    assert_eq!(in_use.json()["details"]["formErrors"], json!(["Vela"]));
    admin.delete(&path(&hidden, "")).await.expect(200);
    admin.delete(&one).await.expect(200);
    for gone in [admin.delete(&one).await, admin.patch(&one, &json!({ "name": "Xis" })).await] {
        assert_eq!(gone.refused(404).1, "category_not_found");
    }
}
