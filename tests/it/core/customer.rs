//! Customers, as staff finds them.

use serde_json::json;
use shop_core::account::SetActive;
use shop_core::actor::Actor;
use shop_core::error::{Conflict, Entity};
use shop_core::id::AccountId;
use shop_core::views::CustomerFilter;
use shop_core::{Error, Result};

use super::fixture::{TestShop, input};
use crate::database;

async fn found(test: &TestShop, filter: serde_json::Value) -> Vec<String> {
    let filter: CustomerFilter = input(filter);
    let page = test.shop.customers().list(filter).await.expect("a list");
    page.data.into_iter().map(|customer| customer.name).collect()
}

/// So many more accounts, without a password each to be hashed.
fn crowd(test: &TestShop, count: usize) {
    test.raw_sql(&format!(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})
         INSERT INTO account (id, name, email, email_key, role, active, password_hash,
           sessions_from, created_at, updated_at)
         SELECT 'a' || n, 'Maria Silva', n || '@x.co', n || '@x.co', 'CUSTOMER', n % 2, '', 0, n, n
         FROM n"
    ));
}

async fn set(test: &TestShop, by: &Actor, id: &AccountId, active: bool) -> Result<()> {
    test.shop.customers().set_active(by, id, SetActive { active }, None).await.map(drop)
}

#[tokio::test]
async fn every_page_of_a_search_follows_on_the_one_before() {
    let test = TestShop::open().await;
    crowd(&test, 50);
    for (filter, expected) in [
        (json!({}), (1..=50).rev().collect::<Vec<_>>()),
        (json!({ "search": "mar sil" }), (1..=50).rev().collect()),
        (json!({ "active": false }), (1..=50).rev().filter(|n| n % 2 == 0).collect()),
        (
            json!({ "search": "x co", "active": true }),
            (1..=50).rev().filter(|n| n % 2 == 1).collect(),
        ),
        (json!({ "search": "7@x" }), vec![7]),
    ] {
        let mut ids = Vec::new();
        for page in 1..=9 {
            let mut filter = filter.clone();
            (filter["page"], filter["limit"]) = (page.into(), 7.into());
            let page = test.shop.customers().list(input(filter)).await.expect("a page");
            assert_eq!(page.pagination.total, i64::try_from(expected.len()).expect("few"));
            ids.extend(page.data.into_iter().map(|customer| customer.id.to_string()));
        }
        let expected: Vec<String> = expected.iter().map(|n| format!("a{n}")).collect();
        assert_eq!(ids, expected, "{filter}");
    }
}

#[tokio::test]
async fn the_index_follows_every_change_of_a_name_an_e_mail_and_a_status() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let profile = json!({ "name": "Bia", "email": "b@y.co", "currentPassword": "segredo-123" });
    test.shop.accounts().update(&ana.id, input(profile)).await.expect("updated");
    for nothing in ["ana", "example", "ana@e"] {
        assert_eq!(found(&test, json!({ "search": nothing })).await, [""; 0], "{nothing}");
    }
    for search in ["bia", "y co", "B@Y"] {
        assert_eq!(found(&test, json!({ "search": search })).await, ["Bia"], "{search}");
    }
    set(&test, &Actor::System, &ana.id, false).await.expect("suspended");
    assert_eq!(found(&test, json!({ "search": "bia", "active": false })).await, ["Bia"]);
    assert_eq!(found(&test, json!({ "search": "bia", "active": true })).await, [""; 0]);
    if database::server().is_none() {
        let ok = "INSERT INTO customer_search (customer_search) VALUES ('integrity-check')";
        test.raw_sql(ok);
    }
}

#[tokio::test]
async fn who_is_erased_is_found_no_more_and_no_byte_of_the_index_names_him() {
    let test = TestShop::open().await;
    let zoraide = test.buyer("zoraide").await;
    test.buyer("ana").await;
    assert_eq!(found(&test, json!({ "search": "zorai" })).await, ["zoraide"]);
    let in_index = match database::server() {
        Some(_) => "SELECT count(*) FROM customer_search WHERE CAST(words AS TEXT) LIKE '%zor%'",
        None => {
            "SELECT count(*) FROM customer_search_data WHERE instr(block, CAST('zor' AS BLOB)) > 0"
        }
    };
    assert!(test.count(in_index) > 0);
    let erase = input(json!({ "password": "segredo-123" }));
    test.shop.accounts().erase(&zoraide.id, erase).await.expect("erased");
    assert_eq!(found(&test, json!({ "search": "zorai" })).await, [""; 0]);
    assert_eq!(found(&test, json!({ "active": false })).await, ["Cliente"]);
    assert_eq!(test.count(in_index), 0);
}

#[tokio::test]
async fn a_suspension_ends_sessions_and_nobody_suspends_himself() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let token = test.log_in("ana").await;
    let own = set(&test, &Actor::Admin(ana.id.clone()), &ana.id, false).await;
    assert!(matches!(own, Err(Error::Conflict(Conflict::OwnAccount))), "{own:?}");
    test.shop.sessions().verify(&token).await.expect("still good");
    set(&test, &Actor::System, &ana.id, false).await.expect("suspended");
    set(&test, &Actor::System, &ana.id, true).await.expect("activated");
    test.shop.sessions().verify(&token).await.expect_err("over for good");
    // Whoever logs in anew in that same second is in.
    let token = test.log_in("ana").await;
    test.shop.sessions().verify(&token).await.expect("good");
    let nobody = set(&test, &Actor::System, &"nobody".into(), false).await;
    assert!(matches!(nobody, Err(Error::NotFound(Entity::Account))), "{nobody:?}");
}

#[tokio::test]
async fn a_name_that_touches_an_emoji_is_found() {
    let test = TestShop::open().await;
    crowd(&test, 1);
    test.raw_sql("UPDATE account SET name = '🕯Zoroastro Quental🫶' WHERE id = 'a1'");
    for search in ["zoro", "zoroastro", "quental"] {
        assert_eq!(found(&test, json!({ "search": search })).await.len(), 1, "{search}");
    }
}
