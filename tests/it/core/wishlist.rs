use std::time::Duration;

use futures_util::future::join_all;
use shop_core::Error;
use shop_core::error::{Conflict, Entity};
use shop_core::id::ProductId;

use super::fixture::TestShop;

#[tokio::test]
async fn a_wishlist_shows_its_products_as_they_are_now_latest_first() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 5, 4990).await;
    let difusor = test.product("difusor", 3, 8990).await;
    let wishlists = test.shop.wishlists();
    let first = wishlists.add(&ana.id, &vela).await.expect("added");
    assert_eq!((&first.product_id, first.added_at), (&vela, test.shop.now()));
    assert_eq!((first.product.slug.as_str(), first.product.price.cents()), ("vela", 4990));
    assert_eq!(first.product.images.to_vec().expect("pictures")[0].url, "/uploads/vela.svg");
    test.clock.advance(Duration::from_secs(1));
    wishlists.add(&ana.id, &difusor).await.expect("added");
    wishlists.add(&bia.id, &vela).await.expect("a list of her own");
    test.buy(&bia, &vela, 2).await.expect("placed");
    let list = wishlists.list(&ana.id).await.expect("a list");
    assert_eq!(list.iter().map(|item| &item.product_id).collect::<Vec<_>>(), [&difusor, &vela]);
    assert_eq!((&list[1].id, list[1].product.stock), (&first.id, 3));
    assert!(list[1].product.in_stock);
    test.buy(&bia, &vela, 3).await.expect("placed");
    assert!(!wishlists.list(&ana.id).await.expect("a list")[1].product.in_stock);
    wishlists.remove(&ana.id, &difusor).await.expect("removed");
    assert_eq!(wishlists.list(&ana.id).await.expect("a list").len(), 1);
    assert_eq!(wishlists.list(&bia.id).await.expect("a list").len(), 1);
}

#[tokio::test]
async fn what_is_off_sale_cannot_be_wished_for_and_is_hidden_until_it_is_back() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 5, 4990).await;
    let wishlists = test.shop.wishlists();
    wishlists.add(&ana.id, &vela).await.expect("added");
    test.raw_sql("UPDATE product SET active = 0");
    assert!(wishlists.list(&ana.id).await.expect("a list").is_empty());
    for product in [vela.clone(), ProductId::from("none")] {
        let unknown = wishlists.add(&ana.id, &product).await;
        assert!(matches!(unknown, Err(Error::NotFound(Entity::Product))), "{unknown:?}");
    }
    test.raw_sql("UPDATE product SET active = 1");
    assert_eq!(wishlists.list(&ana.id).await.expect("a list").len(), 1);
    let again = wishlists.add(&ana.id, &vela).await;
    assert!(matches!(again, Err(Error::Conflict(Conflict::WishlistItem))), "{again:?}");
    wishlists.remove(&ana.id, &vela).await.expect("removed");
    let gone = wishlists.remove(&ana.id, &vela).await;
    assert!(matches!(gone, Err(Error::NotFound(Entity::WishlistItem))), "{gone:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_wishes_at_once_one_is_added() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 5, 4990).await;
    let wishlists = test.shop.wishlists();
    let added = join_all((0..20).map(|_| wishlists.add(&ana.id, &vela))).await;
    assert_eq!(added.iter().filter(|added| added.is_ok()).count(), 1);
    assert_eq!(test.count("SELECT count(*) FROM wishlist_item"), 1);
}

#[tokio::test]
async fn a_wishlist_has_an_end() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    test.raw_sql(&format!(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 500)
         INSERT INTO wishlist_item (id, account_id, product_id, created_at)
         SELECT 'w' || n, '{}', 'p' || n, 0 FROM n",
        ana.id
    ));
    let vela = test.product("vela", 5, 4990).await;
    let full = test.shop.wishlists().add(&ana.id, &vela).await;
    assert!(matches!(full, Err(Error::Invalid(_))), "{full:?}");
    assert_eq!(test.count("SELECT count(*) FROM wishlist_item"), 500);
}
