//! Variants, their kinds and categories in the back office, over HTTP.

use serde_json::{Value, json};

use super::TestServer;
use super::product_admin::{make, patch_if, path, sizes};

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

/// A shopper would find another price on the product's page than in the list.
#[tokio::test]
async fn lists_and_the_search_say_what_the_variants_cost() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (_, options) = sizes(&admin).await;
    let vela = make(&admin, json!({ "price": 10, "variantRequired": true })).await;
    let shopper = server.anonymous();
    let range = async || {
        let list = shopper.get("/api/products").await.expect(200);
        let found = shopper.get("/api/products/search?q=vela").await.expect(200);
        let [listed, hit] = [list, found].map(|it| {
            let row = &it["data"][0];
            (row["minPrice"].clone(), row["maxPrice"].clone())
        });
        assert_eq!(listed, hit);
        listed
    };
    assert_eq!(range().await, (json!(10.0), json!(10.0)), "no variant says otherwise");
    let mut made = Vec::new();
    for (option, price) in [(0, 30), (1, 20)] {
        let new = json!({
            "price": price, "stock": 3, "values": [{ "variantOptionId": options[option] }]
        });
        made.push(admin.post(&path(&vela, "/variants"), &new).await.expect(201));
    }
    assert_eq!(range().await, (json!(20.0), json!(30.0)));
    let dear = path(&vela, &format!("/variants/{}", made[0]["id"].as_str().expect("an id")));
    admin.patch(&dear, &json!({ "price": 20 })).await.expect(200);
    assert_eq!(range().await, (json!(20.0), json!(20.0)));
}
