//! The products that have a page, as lists of a shop's pages read them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use futures_util::TryStreamExt;
use shop_core::actor::Actor;

use super::fixture::{TestShop, input};

const SIZE: NonZeroU32 = NonZeroU32::new(2).expect("not zero");

/// The slugs of each part.
async fn parts(test: &TestShop) -> BTreeMap<u32, Vec<String>> {
    let products = test.shop.products();
    let mut parts = BTreeMap::new();
    for part in products.address_parts(SIZE).await.expect("parts") {
        let listed = products.addresses(SIZE, part).try_concat().await.expect("products");
        parts.insert(part, listed.iter().map(|it| it.slug.to_string()).collect());
    }
    parts
}

#[tokio::test]
async fn products_on_sale_keep_their_part_whatever_happens_to_others() {
    let test = TestShop::open().await;
    assert!(parts(&test).await.is_empty());
    let mut ids = Vec::new();
    for name in ["vela-a", "vela-b", "vela-c", "vela-d", "vela-e"] {
        ids.push(test.product(name, 1, 1000).await);
    }
    let before = parts(&test).await;
    assert_eq!(before.values().flatten().count(), 5);
    assert!(before.values().all(|part| (1..=2).contains(&part.len())), "{before:?}");
    let hidden = input(serde_json::json!({ "active": false }));
    let products = test.shop.products();
    products.update(&Actor::System, &ids[0], hidden, None).await.expect("hidden");
    products.delete(&Actor::System, &ids[3], None).await.expect("deleted");
    test.product("vela-f", 1, 1000).await;
    let after = parts(&test).await;
    let listed: Vec<&String> = after.values().flatten().collect();
    assert_eq!(listed, ["vela-b", "vela-c", "vela-e", "vela-f"]);
    for (part, slugs) in &after {
        for slug in slugs.iter().filter(|slug| *slug != "vela-f") {
            assert!(before[part].contains(slug), "{slug} in {part}: {before:?}");
        }
    }
}
