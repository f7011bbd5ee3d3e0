//! A streaming replica, which answers what anybody may read, and never what it has not heard of.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shop_core::account::Register;
use shop_core::actor::Actor;
use shop_core::catalog::{ProductFilter, SearchQuery};

use super::news::sees;
use super::{Stage, aside, client, own_postgres};
use crate::binary::Server;
use crate::core::fixture::{TestShop, input};
use crate::http::PASSWORD;
use crate::http::client::Client;
use crate::own_postgres::OwnPostgres;

/// How long a replica on the same machine may take to catch up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A PostgreSQL with an empty database `shop`, and its replica.
async fn pair(left_out: &str) -> Option<(OwnPostgres, OwnPostgres)> {
    let primary = own_postgres(left_out).await?;
    let (replica, primary) = aside(move || (primary.replica(), primary)).await;
    Some((primary, replica))
}

/// Waits until the replica says so.
fn says(replica: &OwnPostgres, question: &str, answer: &str) {
    let begun = Instant::now();
    while replica.sql("shop", question) != answer {
        assert!(begun.elapsed() < PATIENCE, "{question} is not {answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the replica has all that the primary wrote.
fn catches_up(primary: &OwnPostgres, replica: &OwnPostgres) {
    let end = primary.sql("shop", "SELECT pg_current_wal_insert_lsn()");
    says(replica, &format!("SELECT pg_last_wal_replay_lsn() >= '{end}'"), "t");
}

/// Each page that shows the product, as strangers get it, says that it costs so much; whatever was
/// remembered of some of them, the searches are new.
async fn shows(shopper: &Client, price: f64, limits: std::ops::Range<u32>) {
    let page = shopper.get("/api/products/vela").await.expect(200);
    assert_eq!(page["price"], price);
    let list = shopper.get("/api/products?sort=price_asc").await.expect(200);
    let is_shown = |rows: &Value| {
        let row = rows["data"].as_array().expect("a list").iter().find(|it| it["slug"] == "vela");
        row.expect("the product")["price"] == price
    };
    assert!(is_shown(&list), "{list}");
    for limit in limits {
        let found = shopper.get(&format!("/api/products/search?q=vela&limit={limit}")).await;
        let found = found.expect(200);
        assert!(is_shown(&found), "{found}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_seen_at_once_and_at_other_servers_although_the_replica_has_not_heard_of_it() {
    let Some((primary, replica)) = pair("reading beside a replica that lags").await else { return };
    let stage = Stage::on(&primary, None).await;
    let reads = ("SHOP_DATABASE_READ", replica.url("shop"));
    let servers = stage.servers(2, &[reads]).await;
    let staff: Register = input(json!({
        "name": "Equipe", "email": "equipe@example.com", "password": PASSWORD
    }));
    stage.test.shop.accounts().create_admin(staff).await.expect("an admin");
    let admin = client(&servers[0]).with_token(stage.test.log_in("equipe").await);
    let (here, there) = (client(&servers[0]), client(&servers[1]));
    catches_up(&primary, &replica);
    for shopper in [&here, &there] {
        shows(shopper, 19.9, 1..20).await;
    }
    let connected = "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name LIKE 'shop%'";
    says(&replica, connected, "t");
    replica.sql("shop", "SELECT pg_wal_replay_pause()");
    says(&replica, "SELECT pg_get_wal_replay_pause_state()", "paused");
    let path = format!("/api/admin/products/{}", stage.vela.as_str());
    admin.patch(&path, &json!({ "price": 25.5 })).await.expect(200);
    shows(&here, 25.5, 20..40).await;
    sees(&there, "/api/products/vela", |page| page["price"] == 25.5).await;
    shows(&there, 25.5, 20..40).await;
    assert_eq!(replica.sql("shop", "SELECT price FROM product WHERE slug = 'vela'"), "1990");
    for shopper in [&here, &there] {
        assert_eq!(shopper.get("/api/products/difusor").await.expect(200)["price"], 29.9);
        shopper.get("/api/categories").await.expect(200);
    }
    replica.sql("shop", "SELECT pg_wal_replay_resume()");
    catches_up(&primary, &replica);
    for shopper in [&here, &there] {
        shows(shopper, 25.5, 40..60).await;
    }
    servers.into_iter().for_each(Server::kill);
    drop(stage);
}

/// Whether shoppers can look round, and what the product costs then.
async fn looks_round(test: &TestShop) -> String {
    let (products, shop) = (test.shop.products(), &test.shop);
    let filter: ProductFilter = input(json!({ "sort": "price_asc" }));
    assert_eq!(products.list(filter).await.expect("a list").data.len(), 2);
    let query: SearchQuery = input(json!({ "q": "vela" }));
    assert_eq!(products.search(query).await.expect("hits").data.len(), 1);
    shop.categories().list().await.expect("categories");
    shop.site().get_public().await.expect("settings");
    assert_eq!(shop.reviews().list_for_product("vela").await.expect("reviews").summary.total, 0);
    products.get_by_slug("vela").await.expect("the product").price.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_anybody_may_read_is_read_from_the_replica_and_from_the_primary_where_it_is_gone() {
    let Some((mut primary, mut replica)) = pair("reading from a replica").await else { return };
    let stage = Stage::on(&primary, Some(replica.url("shop"))).await;
    let shop = &stage.test.shop;
    let customer = stage.buyer.id.clone();
    catches_up(&primary, &replica);
    // Without a primary, only a replica can have answered.
    primary.kill();
    let before = looks_round(&stage.test).await;
    for _ in 0..20 {
        assert_eq!(looks_round(&stage.test).await, before);
    }
    shop.accounts().get(&customer).await.expect_err("it belongs to somebody");
    let primary = aside(move || {
        primary.restart();
        primary
    })
    .await;
    shop.accounts().get(&customer).await.expect("the primary is back");
    for (price, gone) in [(25.5, false), (26.5, true), (27.5, true)] {
        if gone {
            replica.kill();
        }
        let patch = input(json!({ "price": price }));
        shop.products().update(&Actor::System, &stage.vela, patch, None).await.expect("changed");
        let shown = looks_round(&stage.test).await;
        assert_ne!(shown, before);
        assert_eq!(shown, format!("{price:.2}"));
    }
    drop(stage);
    drop(primary);
}
