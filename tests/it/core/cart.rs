use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::cart::Cart;
use shop_core::error::{Entity, Refusal};
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop, input};

async fn add(test: &TestShop, buyer: &Buyer, item: Value) -> Result<Cart> {
    test.shop.carts().add(&buyer.id, input(item)).await
}

#[tokio::test]
async fn the_same_line_again_adds_its_quantity() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 5, 1990).await;
    let line = json!({ "productId": vela, "quantity": 2 });
    add(&test, &buyer, line.clone()).await.expect("added");
    let cart = add(&test, &buyer, line.clone()).await.expect("added");
    assert_eq!((cart.items.len(), cart.items[0].quantity), (1, 4));
    assert_eq!((cart.items[0].total.cents(), cart.subtotal.cents()), (7960, 7960));
    assert_eq!(cart.items[0].product.slug, "vela");
    let over = add(&test, &buyer, line).await;
    assert!(
        matches!(over, Err(Error::Refused(Refusal::InsufficientStock { available: 5, .. }))),
        "{over:?}"
    );
    let cart = test.shop.carts().get(&buyer.id).await.expect("a cart");
    assert_eq!(cart.items[0].quantity, 4);
}

#[tokio::test]
async fn lines_are_changed_and_taken_out_only_by_their_owner() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 5, 1990).await;
    let cart = add(&test, &ana, json!({ "productId": vela, "quantity": 2 })).await.expect("added");
    let line = &cart.items[0].id;
    let carts = test.shop.carts();
    let three = || input(json!({ "quantity": 3 }));
    let theirs = carts.set_quantity(&bia.id, line, three()).await;
    assert!(matches!(theirs, Err(Error::NotFound(Entity::CartItem))), "{theirs:?}");
    let theirs = carts.remove(&bia.id, line).await;
    assert!(matches!(theirs, Err(Error::NotFound(Entity::CartItem))), "{theirs:?}");
    let cart = carts.set_quantity(&ana.id, line, three()).await.expect("changed");
    assert_eq!(cart.items[0].quantity, 3);
    let over = carts.set_quantity(&ana.id, line, input(json!({ "quantity": 6 }))).await;
    assert!(matches!(over, Err(Error::Refused(_))), "{over:?}");
    // Others bought: fewer units than before are taken, though more than there are, and no more.
    test.buy(&bia, &vela, 4).await.expect("an order");
    let two = || input(json!({ "quantity": 2 }));
    assert_eq!(carts.set_quantity(&ana.id, line, two()).await.expect("fewer").items[0].quantity, 2);
    let more = carts.set_quantity(&ana.id, line, three()).await;
    assert!(matches!(more, Err(Error::Refused(_))), "{more:?}");
    assert!(carts.remove(&ana.id, line).await.expect("removed").items.is_empty());
}

#[tokio::test]
async fn what_is_unknown_or_off_sale_does_not_get_into_a_cart() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 5, 1990).await;
    let unknown = add(&test, &buyer, json!({ "productId": "none", "quantity": 1 })).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::Product))), "{unknown:?}");
    let variant = json!({ "productId": vela, "variantId": "none", "quantity": 1 });
    let variant = add(&test, &buyer, variant).await;
    assert!(matches!(variant, Err(Error::NotFound(Entity::Variant))), "{variant:?}");
    let hidden =
        json!({ "name": "Oculta", "slug": "oculta", "price": 10, "stock": 5, "active": false });
    let hidden = test
        .shop
        .products()
        .create(&Actor::System, input(hidden), None)
        .await
        .expect("a product")
        .product
        .id;
    let hidden = add(&test, &buyer, json!({ "productId": hidden, "quantity": 1 })).await;
    assert!(matches!(hidden, Err(Error::Refused(Refusal::InactiveProduct { .. }))), "{hidden:?}");
    assert!(test.shop.carts().get(&buyer.id).await.expect("a cart").items.is_empty());
}

#[tokio::test]
async fn clearing_takes_everything_out() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    for name in ["vela", "difusor"] {
        let product = test.product(name, 5, 1990).await;
        add(&test, &buyer, json!({ "productId": product, "quantity": 1 })).await.expect("added");
    }
    let cart = test.shop.carts().clear(&buyer.id).await.expect("cleared");
    assert_eq!((cart.items.len(), cart.subtotal.cents()), (0, 0));
}
