//! Carts before log-in (docs/decisions.md, "Orders and stock").

use futures_util::future::join_all;
use serde_json::json;
use shop_core::cart::{Cart, CartOwner, GuestToken};
use shop_core::error::{Entity, Refusal};
use shop_core::id::ProductId;
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop, input};

async fn add(
    test: &TestShop,
    owner: impl Into<CartOwner>,
    product: &ProductId,
    quantity: i64,
) -> Result<Cart> {
    let item = input(json!({ "productId": product, "quantity": quantity }));
    test.shop.carts().add(owner, item).await
}

/// Slugs and quantities of a cart.
fn lines(cart: &Cart) -> Vec<(&str, i64)> {
    cart.items.iter().map(|item| (item.product.slug.as_str(), item.quantity)).collect()
}

fn guest() -> GuestToken {
    GuestToken::generate().expect("a token")
}

async fn cart_of(test: &TestShop, buyer: &Buyer) -> Cart {
    test.shop.carts().get(&buyer.id).await.expect("a cart")
}

#[tokio::test]
async fn a_guests_cart_is_his_own_and_has_the_rules_of_every_cart() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 5, 1990).await;
    let (ana, bia) = (guest(), guest());
    let cart = add(&test, &ana, &vela, 2).await.expect("added");
    assert_eq!((lines(&cart), cart.subtotal.cents()), (vec![("vela", 2)], 3980));
    let over = add(&test, &ana, &vela, 4).await;
    assert!(matches!(over, Err(Error::Refused(Refusal::InsufficientStock { .. }))), "{over:?}");
    let (carts, line) = (test.shop.carts(), &cart.items[0].id);
    assert!(carts.get(&bia).await.expect("a cart").items.is_empty());
    let theirs = carts.remove(&bia, line).await;
    assert!(matches!(theirs, Err(Error::NotFound(Entity::CartItem))), "{theirs:?}");
    let one = carts.set_quantity(&ana, line, input(json!({ "quantity": 1 }))).await;
    assert_eq!(lines(&one.expect("changed")), [("vela", 1)]);
    assert!(carts.clear(&ana).await.expect("cleared").items.is_empty());
    assert_eq!(test.count("SELECT count(*) FROM guest_cart"), 0);
}

#[tokio::test]
async fn only_the_hash_of_a_guests_token_is_stored() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 5, 1990).await;
    let guest = guest();
    add(&test, &guest, &vela, 1).await.expect("added");
    let known = format!(
        "SELECT count(*) FROM cart_item WHERE owner LIKE '%{}%' OR length(owner) <> 64",
        guest.reveal()
    );
    assert_eq!(test.count(&known), 0);
    assert_eq!(test.count("SELECT count(*) FROM cart_item JOIN guest_cart USING (owner)"), 1);
}

#[tokio::test]
async fn merging_adds_up_to_the_stock_and_drops_what_cannot_be_bought() {
    let test = TestShop::open().await;
    let (ana, guest) = (test.buyer("ana").await, guest());
    let vela = test.product("vela", 5, 1000).await;
    let difusor = test.product("difusor", 9, 1000).await;
    for name in ["spray", "oculta", "esgotada", "apagada"] {
        let product = test.product(name, 3, 1000).await;
        add(&test, &guest, &product, 2).await.expect("added");
    }
    add(&test, &ana.id, &vela, 3).await.expect("added");
    add(&test, &ana.id, &difusor, 1).await.expect("added");
    add(&test, &guest, &vela, 4).await.expect("added");
    add(&test, &guest, &difusor, 2).await.expect("added");
    test.raw_sql(
        "UPDATE product SET active = 0 WHERE slug = 'oculta';
         UPDATE stock SET quantity = 0 WHERE item_id IN
           (SELECT id FROM product WHERE slug = 'esgotada');
         UPDATE stock SET quantity = 1 WHERE item_id IN
           (SELECT id FROM product WHERE slug = 'spray');
         DELETE FROM stock WHERE item_id IN (SELECT id FROM product WHERE slug = 'apagada');
         DELETE FROM product WHERE slug = 'apagada'",
    );
    let cart = test.shop.carts().merge(&guest, &ana.id).await.expect("merged");
    let mut merged = lines(&cart);
    merged.sort_unstable();
    assert_eq!(merged, [("difusor", 3), ("spray", 1), ("vela", 5)]);
    assert!(test.shop.carts().get(&guest).await.expect("a cart").items.is_empty());
    assert_eq!(test.count("SELECT count(*) FROM guest_cart"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn merging_twice_or_at_once_adds_once() {
    let test = TestShop::open().await;
    let (ana, other) = (test.buyer("ana").await, test.open_again().await);
    let vela = test.product("vela", 500, 1000).await;
    for round in 1..=10 {
        let guest = guest();
        add(&test, &guest, &vela, 3).await.expect("added");
        let merges = (0..8).map(|n| {
            let shop = if n % 2 == 0 { &test.shop } else { &other };
            async { shop.carts().merge(&guest, &ana.id).await.map(drop) }
        });
        for merged in join_all(merges).await {
            merged.expect("merged");
        }
        assert_eq!(lines(&cart_of(&test, &ana).await), [("vela", 3 * round)]);
    }
}

#[tokio::test]
async fn the_cart_of_another_customer_joins_no_account() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 9, 1000).await;
    add(&test, &bia.id, &vela, 2).await.expect("added");
    let cart = test.shop.carts().merge(&bia.id, &ana.id).await.expect("read");
    assert!(cart.items.is_empty());
    assert_eq!(lines(&cart_of(&test, &bia).await), [("vela", 2)]);
}

#[tokio::test]
async fn a_full_cart_takes_more_of_what_it_has_and_nothing_else() {
    let test = TestShop::open().await;
    let (ana, guest) = (test.buyer("ana").await, guest());
    let vela = test.product("vela", 9, 1000).await;
    let nova = test.product("nova", 9, 1000).await;
    add(&test, &ana.id, &vela, 1).await.expect("added");
    for n in 1..200 {
        test.raw_sql(&format!(
            "INSERT INTO cart_item (id, owner, product_id, item_id, quantity, created_at)
             VALUES ('l{n}', '{}', 'p{n}', 'p{n}', 1, 0)",
            ana.id
        ));
    }
    add(&test, &guest, &nova, 1).await.expect("added");
    add(&test, &guest, &vela, 1).await.expect("added");
    let cart = test.shop.carts().merge(&guest, &ana.id).await.expect("merged");
    assert_eq!(lines(&cart), [("vela", 2)]);
    assert_eq!(test.count("SELECT count(*) FROM cart_item"), 200);
}

#[tokio::test]
async fn more_than_one_transaction_forgets_is_forgotten_in_one_round() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 9, 1000).await;
    let numbers = || (0..1_201).map(|n| n.to_string());
    let carts: Vec<_> = numbers().map(|n| format!("('{n}', 1)")).collect();
    let lines: Vec<_> =
        numbers().map(|n| format!("('{n}', '{n}', '{vela}', '{vela}', 1, 1)")).collect();
    let events: Vec<_> = numbers().map(|n| format!("('provider2', '{n}', 1)")).collect();
    let keys: Vec<_> = numbers().map(|n| format!("('s', '{n}', 'f', '{{}}', 1)")).collect();
    test.raw_sql(&format!(
        "INSERT INTO guest_cart (owner, touched_at) VALUES {};
         INSERT INTO cart_item (id, owner, product_id, item_id, quantity, created_at) VALUES {};
         INSERT INTO payment_event (provider, event_id, received_at) VALUES {};
         INSERT INTO idempotency (scope, key, fingerprint, answer, created_at) VALUES {}",
        carts.join(", "),
        lines.join(", "),
        events.join(", "),
        keys.join(", "),
    ));
    let done = test.shop.run_due().await.expect("runs");
    assert_eq!((done.guest_carts_purged, done.keys_forgotten), (1_201, 1_201));
    assert_eq!(done.payment_events_forgotten, 1_201);
    assert_eq!(test.count("SELECT count(*) FROM cart_item"), 0);
}

#[tokio::test]
async fn a_guests_cart_is_thrown_away_30_days_after_its_last_change() {
    let test = TestShop::open().await;
    let (ana, idle, busy) = (test.buyer("ana").await, guest(), guest());
    let vela = test.product("vela", 9, 1000).await;
    add(&test, &ana.id, &vela, 1).await.expect("added");
    add(&test, &idle, &vela, 1).await.expect("added");
    add(&test, &busy, &vela, 1).await.expect("added");
    test.advance_hours(30 * 24 - 1);
    add(&test, &busy, &vela, 1).await.expect("added");
    let purged = async || test.shop.run_due().await.expect("runs").guest_carts_purged;
    assert_eq!(purged().await, 0);
    test.advance_hours(1);
    assert_eq!((purged().await, purged().await), (1, 0));
    let carts = test.shop.carts();
    assert!(carts.get(&idle).await.expect("a cart").items.is_empty());
    assert_eq!(lines(&carts.get(&busy).await.expect("a cart")), [("vela", 2)]);
    test.advance_hours(40 * 24);
    assert_eq!(purged().await, 1);
    assert_eq!(lines(&cart_of(&test, &ana).await), [("vela", 1)]);
}

#[tokio::test]
async fn a_migration_takes_out_lines_without_an_owner() {
    let test = TestShop::open().await;
    let (ana, lost) = (test.buyer("ana").await, guest());
    let vela = test.product("vela", 9, 1000).await;
    add(&test, &ana.id, &vela, 1).await.expect("added");
    add(&test, &lost, &vela, 1).await.expect("added");
    add(&test, &guest(), &vela, 1).await.expect("added");
    test.raw_sql("DELETE FROM guest_cart WHERE owner = (SELECT min(owner) FROM guest_cart)");
    test.raw_sql(include_str!("../../../shop-core/migrations/0083_ownerless_cart_lines.sql"));
    assert_eq!(test.count("SELECT count(*) FROM cart_item"), 2);
    assert_eq!(lines(&cart_of(&test, &ana).await), [("vela", 1)]);
    test.check_books().await;
}
