//! What changes at one server is seen at the others.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shop_core::account::Register;

use super::{Stage, client};
use crate::core::fixture::input;
use crate::http::PASSWORD;
use crate::http::client::Client;

/// SQLite's file is looked at once a second; PostgreSQL tells at once.
const SEEN_WITHIN: Duration = Duration::from_secs(5);

/// Waits until a page says what it should.
pub(super) async fn sees(client: &Client, path: &str, wanted: impl Fn(&Value) -> bool) {
    let begun = Instant::now();
    loop {
        let page = client.get(path).await.expect(200);
        if wanted(&page) {
            return;
        }
        assert!(begun.elapsed() < SEEN_WITHIN, "{path} is still {page}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_staff_change_at_one_server_shoppers_see_at_the_other() {
    let stage = Stage::new().await;
    let servers = stage.servers(2, &[]).await;
    let staff: Register = input(json!({
        "name": "Equipe", "email": "equipe@example.com", "password": PASSWORD
    }));
    stage.test.shop.accounts().create_admin(staff).await.expect("an admin");
    let admin = client(&servers[0]).with_token(stage.test.log_in("equipe").await);
    let shopper = client(&servers[1]);
    let (page, list, settings) = ("/api/products/vela", "/api/products", "/api/settings");
    let vela = stage.vela.as_str();
    // All of it is remembered there from now on.
    for path in [page, list, settings] {
        shopper.get(path).await.expect(200);
    }
    let path = format!("/api/admin/products/{vela}");
    admin.patch(&path, &json!({ "price": 25.5, "name": "Vela de Cera" })).await.expect(200);
    sees(&shopper, page, |page| page["name"] == "Vela de Cera" && page["price"] == 25.5).await;
    let named = |list: &Value| {
        let rows = list["data"].as_array().expect("a list");
        rows.iter().any(|row| row["name"] == "Vela de Cera" && row["price"] == 25.5)
    };
    sees(&shopper, list, named).await;
    sees(&shopper, "/api/products/search?q=cera", |found| found["data"][0]["id"] == vela).await;
    let published = json!({ "data": { "hello": "world" } });
    admin.patch("/api/admin/settings/pagebuilder", &published).await.expect(200);
    sees(&shopper, settings, |page| page["pagebuilder"] == published["data"]).await;
    admin.patch(&format!("/api/admin/stock/{vela}"), &json!({ "stock": 3 })).await.expect(200);
    sees(&shopper, page, |page| page["stock"] == 3).await;
    // No cache is between a coupon and who asks for it.
    let coupon = json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "active": true });
    admin.post("/api/admin/coupons", &coupon).await.expect(201);
    let asked = json!({ "code": "VELA10", "subtotal": 100 });
    shopper.post("/api/coupons/validate", &asked).await.expect(200);
    servers.into_iter().for_each(crate::binary::Server::kill);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_ends_at_one_server_has_ended_at_the_other() {
    let stage = Stage::new().await;
    let servers = stage.servers(2, &[]).await;
    let here = client(&servers[0]).with_token(stage.token.clone());
    let there = client(&servers[1]).with_token(stage.token.clone());
    there.get("/api/auth/me").await.expect(200);
    // A session counts in whole seconds; a password that changes in its first one would keep it.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "another-password" });
    here.patch("/api/auth/me/password", &change).await.expect(200);
    there.get("/api/auth/me").await.refused(401);
    let log_in = |password: &str| json!({ "email": "ana@example.com", "password": password });
    client(&servers[1]).post("/api/auth/login", &log_in(PASSWORD)).await.refused(401);
    let again = client(&servers[1]);
    again.post("/api/auth/login", &log_in("another-password")).await.expect(200);
    // And a session that began at one counts at the other.
    let elsewhere = client(&servers[0]).with_token(again.token().expect("a session"));
    elsewhere.get("/api/auth/me").await.expect(200);
    servers.into_iter().for_each(crate::binary::Server::kill);
}
