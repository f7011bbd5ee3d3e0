//! What staff changes: coupons, tariffs, the site. Rules that HTTP does not show are held here.

use futures_util::TryStreamExt;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::area;
use shop_core::error::{Conflict, Entity};
use shop_core::site::{PublishPage, SitePage};
use shop_core::views::StockSummary;
use shop_core::{Error, Result};

use super::fixture::{TestShop, input};

const BY: Actor = Actor::System;

fn page(n: i64) -> PublishPage {
    input(json!({ "data": { "n": n } }))
}

fn changed<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Conflict(Conflict::Changed)))
}

#[tokio::test]
async fn a_refused_change_leaves_neither_a_change_nor_a_line_in_the_log() {
    let test = TestShop::open().await;
    let coupons = test.shop.coupons();
    let new = json!({ "code": "A", "type": "PERCENT", "value": 10, "active": true });
    let coupon = coupons.create(&BY, input(new)).await.expect("made");
    let noted = test.count("SELECT count(*) FROM audit");
    let refused = coupons.update(&BY, &coupon.id, input(json!({ "value": 101 })), None).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    let same = coupons.update(&BY, &coupon.id, input(json!({ "value": 10 })), None).await;
    assert_eq!(same.expect("no change"), coupon);
    let lost = coupons.delete(&BY, &"nothing".into(), None).await;
    assert!(matches!(lost, Err(Error::NotFound(Entity::Coupon))), "{lost:?}");
    assert_eq!(coupons.get(&coupon.id).await.expect("there"), coupon);
    assert_eq!(test.count("SELECT count(*) FROM audit"), noted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_saw_the_same_one_changes_it() {
    let test = TestShop::open().await;
    let new = json!({ "name": "Sul", "states": ["PR"], "price": 1, "estimatedDays": 1 });
    let tariff = test.shop.shipping().create_tariff(&BY, input(new)).await.expect("made");
    let seen = tariff.revision().expect("a revision");
    let shipping = test.shop.shipping();
    let change = |cents: usize| {
        let patch = input(json!({ "price": cents + 2 }));
        shipping.update_tariff(&BY, &tariff.id, patch, Some(seen.clone()))
    };
    let all = futures_util::future::join_all((0..16).map(change)).await;
    assert_eq!(all.iter().filter(|result| result.is_ok()).count(), 1);
    assert_eq!(all.into_iter().filter(|result| changed(result.clone())).count(), 15);
    let noted = test.count("SELECT count(*) FROM audit WHERE action = 'tariff.update'");
    assert_eq!(noted, 1);
}

#[tokio::test]
async fn publishing_makes_what_was_kept_old_and_a_secret_does_not() {
    let test = TestShop::open().await;
    let now = || test.shop.generations().of(area::CATALOG);
    let before = now();
    let site = test.shop.site();
    let first = site.publish(&BY, SitePage::Home, page(1), None).await.expect("published");
    assert!(now() > before);
    let old = site.publish(&BY, SitePage::Home, page(2), Some(first.clone())).await.expect("next");
    assert!(changed(site.publish(&BY, SitePage::Home, page(3), Some(first)).await));
    assert_eq!(site.get_page(SitePage::Home).await.expect("a page").revision, old);
    // The other page is its own.
    let about = site.get_page(SitePage::About).await.expect("a page");
    assert!(about.data.is_none());
    site.publish(&BY, SitePage::About, page(1), Some(about.revision)).await.expect("first");
    let shown = site.get_public().await.expect("settings");
    assert_eq!(shown.pagebuilder.expect("a page").as_str(), r#"{"n":2}"#);
    let before = now();
    test.open_again().await;
    assert_eq!(now(), before);
}

/// The pieces that a filter finds, and how many products there are in all.
async fn shelf(test: &TestShop, filter: Value) -> (Vec<Vec<StockSummary>>, i64) {
    let list = test.shop.stock().list(input(filter)).await.expect("a list");
    (list.products.try_collect().await.expect("pieces"), list.total)
}

#[tokio::test]
async fn the_shelf_comes_whole_in_pieces_of_a_hundred_or_in_pages() {
    let test = TestShop::open().await;
    for n in 0..220 {
        test.product(&format!("vela-{n}"), n, 1000).await;
    }
    let (pieces, total) = shelf(&test, json!({})).await;
    let lengths: Vec<usize> = pieces.iter().map(Vec::len).collect();
    assert_eq!((lengths, total), (vec![100, 100, 20], 220));
    let whole = pieces.concat();
    let stocks: Vec<i64> = whole.iter().map(|product| product.stock).collect();
    assert_eq!(stocks, (0..220).rev().collect::<Vec<_>>());
    assert_eq!(whole[0].recent_movements.len(), 1);
    assert!(whole[219].recent_movements.is_empty());
    let (pieces, total) = shelf(&test, json!({ "page": 3 })).await;
    assert_eq!((pieces[0].len(), pieces.len(), total), (20, 1, 220));
    let (pieces, total) = shelf(&test, json!({ "limit": 7 })).await;
    assert_eq!((pieces[0].len(), pieces.len(), total), (7, 1, 220));
    let (pieces, total) = shelf(&test, json!({ "low": true })).await;
    assert_eq!((pieces[0].len(), pieces.len(), total), (6, 1, 6));
}
