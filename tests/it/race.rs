//! Two hundred buyers for the last fifty units, over HTTP.

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::NewVariant;

use crate::binary::{Server, order};
use crate::core::fixture::{Buyer, TestShop, input};

/// Buyers that order at the same moment.
const BUYERS: usize = 200;

/// Everybody orders at once, each from the next of the servers; how many got something.
async fn rush(servers: Vec<Server>, token: String, body: Value) -> usize {
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
            answers.map(|answer| answer.expect("an answer")).filter(is_placed).count()
        });
        servers.into_iter().for_each(Server::kill);
        placed
    });
    rush.await.expect("a rush")
}

/// Placed, or refused for the one reason there may be.
fn is_placed((status, body): &(u16, Value)) -> bool {
    if *status != 201 {
        assert_eq!((*status, &body["code"]), (400, &json!("insufficient_stock")), "{body}");
    }
    *status == 201
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
    let placed = rush(vec![Server::start(&test.database())], token, body).await;
    assert_eq!((placed, test.stock(vela.as_str())), (50, 0));
    test.check_ledger();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_server_processes_on_one_file_sell_the_last_fifty_units_once() {
    let (test, buyer, token) = stage().await;
    let vela = test.product("vela", 50, 1990).await;
    let line = json!({ "productId": vela, "quantity": 1 });
    let servers = (0..2).map(|_| Server::start(&test.database())).collect();
    let body = json!({ "addressId": buyer.address, "cartItems": [line, line] });
    let placed = rush(servers, token, body).await;
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
    let option = types.add_option(&Actor::System, &size, input(json!({ "value": "200 g" }))).await;
    let variant: NewVariant = input(json!({
        "price": 29.9, "stock": 50, "values": [{ "variantOptionId": option.expect("an option").id }]
    }));
    let variant = test
        .shop
        .products()
        .add_variant(&Actor::System, &vela, variant)
        .await
        .expect("a variant")
        .id;
    let body = json!({ "addressId": buyer.address, "cartItems": [
        { "productId": vela, "variantId": variant, "quantity": 1 }
    ]});
    let servers = (0..2).map(|_| Server::start(&test.database())).collect();
    let placed = rush(servers, token, body).await;
    assert_eq!((placed, test.stock(variant.as_str()), test.stock(vela.as_str())), (50, 0, 7));
    // The product's own row counts its variants' sales, for the list of the most popular.
    let sold = format!("SELECT sold FROM stock WHERE item_id = '{vela}'");
    assert_eq!(test.count(&sold), 50);
    assert_eq!(test.count("SELECT count(*) FROM order_item WHERE variant = '200 g'"), 50);
    test.check_ledger();
}
