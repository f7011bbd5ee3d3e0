//! Two hundred buyers for the last fifty units, or the last uses of a coupon, over HTTP.

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::NewVariant;

use crate::binary::{Server, order};
use crate::core::fixture::{Buyer, TestShop, input};

/// Buyers that order at the same moment.
const BUYERS: usize = 200;

/// Everybody orders at once, each from the next of the servers; how many got something. The others
/// are refused for the one reason there may be.
async fn rush(servers: Vec<Server>, token: String, body: Value, reason: &'static str) -> usize {
    let rush = tokio::task::spawn_blocking(move || {
        let placed = std::thread::scope(|scope| {
            let buyers: Vec<_> = (0..BUYERS)
                .map(|n| {
                    let (address, token, body) =
                        (&servers[n % servers.len()].address, &token, &body);
                    scope.spawn(move || order(address, token, &format!("buyer-{n}"), body))
                })
                .collect();
            let answers = buyers.into_iter().map(|buyer| buyer.join().expect("a buyer"));
            let answers = answers.map(|answer| answer.expect("an answer"));
            answers.filter(|answer| is_placed(answer, reason)).count()
        });
        servers.into_iter().for_each(Server::kill);
        placed
    });
    rush.await.expect("a rush")
}

fn is_placed((status, body): &(u16, Value), reason: &str) -> bool {
    if *status != 201 {
        assert_eq!((*status, &body["code"]), (400, &json!(reason)), "{body}");
    }
    *status == 201
}

/// Why an order is refused when there is nothing left.
const NO_STOCK: &str = "insufficient_stock";

fn start(test: &TestShop, servers: usize) -> Vec<Server> {
    (0..servers).map(|_| Server::start(&test.database())).collect()
}

async fn stage() -> (TestShop, Buyer, String) {
    let test = TestShop::with_machine_clock().await;
    let buyer = test.buyer("ana").await;
    let token = test.log_in("ana").await;
    (test, buyer, token)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_server_sells_the_last_fifty_units_once() {
    let (test, buyer, token) = stage().await;
    let vela = test.product("vela", 50, 1990).await;
    let body = json!({ "addressId": buyer.address,
                       "cartItems": [{ "productId": vela, "quantity": 1 }] });
    let placed = rush(start(&test, 1), token, body, NO_STOCK).await;
    assert_eq!((placed, test.stock(vela.as_str())), (50, 0));
    test.check_ledger();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_server_processes_on_one_database_sell_the_last_fifty_units_once() {
    let (test, buyer, token) = stage().await;
    let vela = test.product("vela", 50, 1990).await;
    let line = json!({ "productId": vela, "quantity": 1 });
    let body = json!({ "addressId": buyer.address, "cartItems": [line, line] });
    let placed = rush(start(&test, 3), token, body, NO_STOCK).await;
    assert_eq!((placed, test.stock(vela.as_str())), (25, 0));
    assert_eq!(test.count("SELECT count(DISTINCT number) FROM orders"), 25);
    assert_eq!(test.count("SELECT last FROM order_day"), 25);
    test.check_ledger();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_variants_units_are_sold_once_and_the_products_own_stay() {
    let (test, buyer, token) = stage().await;
    let vela = test.product("vela", 7, 1990).await;
    let types = test.shop.variant_types();
    let size =
        types.create(&Actor::System, input(json!({ "name": "Tamanho", "slug": "tamanho" }))).await;
    let size = size.expect("a type").id;
    let option =
        types.create_option(&Actor::System, &size, input(json!({ "value": "200 g" }))).await;
    let variant: NewVariant = input(json!({
        "price": 29.9, "stock": 50, "values": [{ "variantOptionId": option.expect("an option").id }]
    }));
    let variant = test
        .shop
        .products()
        .create_variant(&Actor::System, &vela, variant)
        .await
        .expect("a variant")
        .id;
    let body = json!({ "addressId": buyer.address, "cartItems": [
        { "productId": vela, "variantId": variant, "quantity": 1 }
    ]});
    let placed = rush(start(&test, 3), token, body, NO_STOCK).await;
    assert_eq!((placed, test.stock(variant.as_str()), test.stock(vela.as_str())), (50, 0, 7));
    // The product's own row counts its variants' sales, for the list of the most popular.
    let sold = format!("SELECT sold FROM stock WHERE item_id = '{vela}'");
    assert_eq!(test.count(&sold), 50);
    assert_eq!(test.count("SELECT count(*) FROM order_item WHERE variant = '200 g'"), 50);
    test.check_ledger();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_server_processes_give_a_coupon_as_often_as_it_may_be_used() {
    let (test, buyer, token) = stage().await;
    let vela = test.product("vela", 1000, 1990).await;
    let new = json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "maxUses": 30,
                      "active": true });
    let coupon = test.shop.coupons().create(&Actor::System, input(new)).await.expect("a coupon");
    let body = json!({ "addressId": buyer.address, "couponId": coupon.id,
                       "cartItems": [{ "productId": vela, "quantity": 1 }] });
    let placed = rush(start(&test, 3), token, body, "coupon_used_up").await;
    assert_eq!((placed, test.stock(vela.as_str())), (30, 970));
    assert_eq!(test.count("SELECT used_count FROM coupon"), 30);
    assert_eq!(test.count("SELECT count(*) FROM coupon_use"), 30);
    assert_eq!(test.count("SELECT count(*) FROM orders WHERE discount = 199"), 30);
    test.check_ledger();
}
