//! The back office's catalogue.

use hyper::Method;
use serde_json::{Value, json};

use super::TestServer;
use super::client::{Answer, Client};

pub(super) async fn make(admin: &Client, fields: Value) -> Value {
    let mut product = json!({ "name": "Vela", "slug": "vela", "price": 10, "stock": 5 });
    for (key, value) in fields.as_object().expect("fields") {
        product[key] = value.clone();
    }
    admin.post("/api/admin/products", &product).await.expect(201)
}

pub(super) fn path(product: &Value, rest: &str) -> String {
    format!("/api/admin/products/{}{rest}", product["id"].as_str().expect("an id"))
}

pub(super) async fn patch_if(admin: &Client, path: &str, etag: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("if-match", etag)];
    admin.send(Method::PATCH, path, &headers, body.to_string()).await
}

/// A kind of variation with two options: its id and theirs.
pub(super) async fn sizes(admin: &Client) -> (String, Vec<String>) {
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
