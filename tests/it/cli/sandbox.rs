use serde_json::{Value, json};

use super::Cli;
use crate::core::fixture::input;
use shop_core::actor::Actor;

#[test]
fn an_unknown_order_cannot_be_paid() {
    let ended = Cli::with_shop().run(&["sandbox", "pay", "PED-20261121-0001"], "");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(3), ""), "{ended:?}");
    assert_eq!(ended.stderr, "error: there is no such order\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn paying_an_order_confirms_it_like_the_provider_would() {
    let cli = Cli::with_shop();
    let shop = cli.shop().await;
    let product = json!({ "name": "Vela", "slug": "vela", "price": 49.9, "stock": 3 });
    let product = shop
        .products()
        .create(&Actor::System, input(product), None)
        .await
        .expect("a product")
        .product;
    let ana = json!({ "name": "Ana", "email": "ana@example.com", "password": "segredo-123" });
    let ana = shop.accounts().register(input(ana)).await.expect("registered").account.id;
    let address = json!({
        "label": "Casa", "street": "Rua das Flores", "number": "1", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    });
    let address = shop.addresses().create(&ana, input(address)).await.expect("an address");
    let items = json!([{ "productId": product.id, "quantity": 1 }]);
    let order = input(json!({ "addressId": address.id, "cartItems": items }));
    let order = shop.orders().place(&ana, order, None).await.expect("placed").order;

    let ended = cli.run(&["sandbox", "pay", &order.order_number, "--format", "json"], "");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let paid: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(paid["status"], "PROCESSING");
    assert_eq!(paid["payment"], json!({ "method": "PIX", "status": "PAID" }));
    // Done by another process, and seen by this one.
    let seen = shop.orders().get_for_customer(&ana, &order.id).await.expect("there");
    assert_eq!(serde_json::to_value(seen).expect("JSON"), paid);
    let ended = cli.run(&["sandbox", "pay", &order.order_number], "");
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (Some(5), "error: refused: the order is already paid\n")
    );
}
