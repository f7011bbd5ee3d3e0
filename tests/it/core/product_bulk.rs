//! What is done to many products at once.

use serde_json::{Value, json};
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::catalog::BulkOutcome;
use shop_core::id::ProductId;

use super::fixture::{TestShop, input};
use super::product_admin::{audited, create, slugs};

const STAFF: Actor = Actor::System;

#[tokio::test]
async fn what_is_done_to_many_is_counted_truly() {
    let test = TestShop::open().await;
    let a = create(&test, json!({ "slug": "aa" })).await.id;
    let b = create(&test, json!({ "slug": "bb", "active": false })).await.id;
    let bulk = async |ids: Value, action: &str| {
        let bulk = input(json!({ "ids": ids, "action": action }));
        test.shop.products().bulk(&STAFF, bulk).await
    };
    let ids = json!([a, b, "nada", a]);
    assert_eq!(bulk(ids.clone(), "activate").await.ok(), Some(BulkOutcome::Updated(2)));
    assert_eq!(slugs(&test, "active=true").await, ["bb", "aa"]);
    assert_eq!(audited(&test, a.as_str()).await.len(), 1, "it was on sale before");
    assert_eq!(audited(&test, b.as_str()).await[0].2, json!({ "active": true }));
    assert_eq!(bulk(ids.clone(), "deactivate").await.ok(), Some(BulkOutcome::Updated(2)));
    assert_eq!(slugs(&test, "active=true").await, Vec::<String>::new());
    assert_eq!(bulk(ids.clone(), "delete").await.ok(), Some(BulkOutcome::Deleted(2)));
    assert_eq!(bulk(ids, "delete").await.ok(), Some(BulkOutcome::Deleted(0)));
    let many: Vec<String> = (0..10_001).map(|n| n.to_string()).collect();
    for ids in [json!([]), json!(many)] {
        let refused = bulk(ids, "delete").await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn many_more_than_a_transaction_takes_are_done_too() {
    let test = TestShop::open().await;
    let mut ids = vec![ProductId::from("nada"); 1200];
    for place in [0, 600, 1199] {
        ids[place] = create(&test, json!({ "slug": format!("v{place}") })).await.id;
    }
    let mut ids: Vec<Value> = ids.into_iter().map(|id| json!(id)).collect();
    for (n, id) in ids.iter_mut().enumerate().filter(|(_, id)| **id == "nada") {
        *id = json!(format!("nada-{n}"));
    }
    let bulk = input(json!({ "ids": ids, "action": "delete" }));
    let done = test.shop.products().bulk(&STAFF, bulk).await.expect("done");
    assert_eq!(done, BulkOutcome::Deleted(3));
}
