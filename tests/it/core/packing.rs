//! Sides of goods, the boxes that orders travel in, and what carriers are asked about them.

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::id::{OrderId, ProductId};
use shop_core::order::Order;
use shop_core::shipping::packing::PackedParcel;

use super::fixture::{Buyer, TestShop, input};
use crate::fakes::{Behavior, Carriers};

async fn add_box(test: &TestShop, name: &str, inner: [u32; 3], outer: [u32; 3]) {
    let new = json!({ "name": name,
        "innerLength": inner[0], "innerWidth": inner[1], "innerHeight": inner[2],
        "outerLength": outer[0], "outerWidth": outer[1], "outerHeight": outer[2],
        "tareWeight": 0.1, "maxWeight": 5 });
    test.shop.shipping().create_box(&Actor::System, input(new)).await.expect("a box");
}

async fn measure(test: &TestShop, product: &ProductId, sides: [f64; 3]) {
    let patch = json!({ "length": sides[0], "width": sides[1], "height": sides[2], "weight": 0.5 });
    let changed = test.shop.products().update(&Actor::System, product, input(patch), None).await;
    changed.expect("changed");
}

async fn order(test: &TestShop, buyer: &Buyer, items: Value) -> Order {
    let order = json!({ "addressId": buyer.address, "cartItems": items });
    test.place_order(buyer, input(order), None).await.expect("placed").order
}

async fn packing(test: &TestShop, order: &OrderId) -> Vec<PackedParcel> {
    test.shop.orders().get_detail(order).await.expect("an order").packing
}

#[tokio::test]
async fn an_order_keeps_the_plan_that_it_was_quoted_with() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    measure(&test, &vela, [8.0, 8.0, 9.5]).await;
    add_box(&test, "P", [20, 15, 10], [21, 16, 11]).await;
    add_box(&test, "G", [40, 30, 20], [41, 31, 21]).await;
    let placed = order(&test, &buyer, json!([{ "productId": vela, "quantity": 2 }])).await;
    let [parcel] = &packing(&test, &placed.id).await[..] else { panic!("one parcel") };
    let shown = serde_json::to_value(parcel).expect("JSON");
    let expected = json!({ "box": "P", "length": 21.0, "width": 16.0, "height": 11.0,
        "weight": 1.1, "value": 20.0,
        "items": [{ "productId": vela, "variantId": null, "name": "vela", "quantity": 2 }] });
    assert_eq!(shown, expected);

    // It stays, whatever becomes of the boxes.
    for each in test.shop.shipping().list_boxes().await.expect("boxes") {
        test.shop.shipping().delete_box(&Actor::System, &each.id, None).await.expect("deleted");
    }
    assert_eq!(packing(&test, &placed.id).await, std::slice::from_ref(parcel));
}

#[tokio::test]
async fn a_variant_without_sides_has_its_products() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let new = json!({ "name": "Vela", "slug": "vela-g", "price": 10, "stock": 0,
        "length": 30, "width": 20, "height": 10, "weight": 1, "variantRequired": true,
        "variants": [
            { "price": 10, "stock": 9, "values": [{ "variantType": "Tamanho", "value": "G" }] },
            { "price": 10, "stock": 9, "length": 8, "width": 8, "height": 8, "weight": 0.2,
              "values": [{ "variantType": "Tamanho", "value": "P" }] }] });
    let made = test.shop.products().create(&Actor::System, input(new), None).await;
    let product = made.expect("a product").product;
    let weighed = |n: usize| (product.variants[n].weight, product.variants[n].length);
    assert_eq!(weighed(0), (None, None));
    let items: Vec<Value> = product
        .variants
        .iter()
        .map(|variant| json!({ "productId": product.id, "variantId": variant.id, "quantity": 1 }))
        .collect();
    let placed = order(&test, &buyer, json!(items)).await;
    let parcels = packing(&test, &placed.id).await;
    let shown: Vec<_> =
        parcels.iter().map(|it| (it.length.millimetres(), it.weight.grams())).collect();
    assert_eq!(shown, [(300, 1000), (80, 200)]);
    assert_eq!(parcels[1].items[0].name, "Vela (P)");
}

#[tokio::test]
async fn carriers_are_asked_about_each_box() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    measure(&test, &vela, [10.0, 10.0, 10.0]).await;
    add_box(&test, "P", [20, 15, 10], [21, 16, 11]).await;
    for fake in fakes.carriers() {
        fake.behaves(Behavior::Empty);
    }
    order(&test, &buyer, json!([{ "productId": vela, "quantity": 3 }])).await;
    let volume = |weight: f64, value: f64| json!({ "width": 16, "height": 11, "length": 21, "weight": weight, "insurance": value });
    let asked = fakes.melhor_envio.received().remove(0).body;
    assert_eq!(asked["volumes"], json!([volume(1.1, 20.0), volume(0.6, 10.0)]));
    assert_eq!(asked["options"], json!({ "receipt": false, "own_hand": false }));
    let asked = fakes.frenet.received().remove(0).body;
    let item = |weight: f64| json!({ "Weight": weight, "Length": 21, "Height": 11, "Width": 16, "Quantity": 1 });
    assert_eq!(asked["ShippingItemArray"], json!([item(1.1), item(0.6)]));
    assert_eq!(asked["ShipmentInvoiceValue"], 30.0);
    let received = fakes.correios.received();
    let prices = received.iter().find(|it| it.line.starts_with("POST /preco")).expect("asked");
    let asked = prices.body["parametrosProduto"].as_array().expect("a list");
    let told: Vec<_> = asked
        .iter()
        .map(|it| {
            ["coProduto", "nuRequisicao", "psObjeto", "comprimento", "largura", "altura"]
                .map(|key| it[key].as_str().expect("a text"))
        })
        .collect();
    assert_eq!(
        told,
        [
            ["03220", "1", "1100", "21", "16", "11"],
            ["03220", "2", "600", "21", "16", "11"],
            ["03298", "3", "1100", "21", "16", "11"],
            ["03298", "4", "600", "21", "16", "11"],
        ]
    );
    assert!(asked.iter().all(|it| it.get("servicosAdicionais").is_none()));
}

#[tokio::test]
async fn correios_carry_several_boxes_for_the_sum_of_their_prices() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    fakes.melhor_envio.behaves(Behavior::Empty);
    fakes.frenet.behaves(Behavior::Empty);
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    measure(&test, &vela, [30.0, 20.0, 10.0]).await;
    let placed = order(&test, &buyer, json!([{ "productId": vela, "quantity": 2 }])).await;
    assert_eq!(placed.shipping_service.as_deref(), Some("Correios PAC"));
    assert_eq!(placed.shipping.cents(), 2 * 2084);
}

#[tokio::test]
async fn a_value_is_declared_to_correios_where_the_shop_wants_it() {
    let fakes = Carriers::start().await;
    let test = TestShop::with(|config| {
        fakes.adapt(config);
        config.shipping.correios.declare_value = true;
        config.shipping.correios.receipt = true;
    })
    .await;
    fakes.melhor_envio.behaves(Behavior::Empty);
    fakes.frenet.behaves(Behavior::Empty);
    let wanted = json!({ "cep": "24020000", "subtotal": "119.60" });
    test.shop.shipping().calculate(input(wanted)).await.expect("a quote");
    let received = fakes.correios.received();
    let prices = received.iter().find(|it| it.line.starts_with("POST /preco")).expect("asked");
    let asked = &prices.body["parametrosProduto"];
    let services = |code: &str| json!([{ "coServAdicional": "001" }, { "coServAdicional": code }]);
    for (n, code) in [(0, "019"), (1, "064")] {
        assert_eq!(asked[n]["vlDeclarado"], "119.60");
        assert_eq!(asked[n]["servicosAdicionais"], services(code));
    }
}

#[tokio::test]
async fn a_quote_for_items_is_what_their_order_pays() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    measure(&test, &vela, [10.0, 10.0, 10.0]).await;
    add_box(&test, "P", [20, 15, 10], [21, 16, 11]).await;
    let items = format!("{vela}:3");
    // What the items come to counts, whatever the caller says.
    let wanted = json!({ "cep": "01001000", "subtotal": "500", "items": items });
    let quote = test.shop.shipping().calculate(input(wanted)).await.expect("a quote");
    assert_eq!(
        (quote.qualifies_for_free, quote.remaining),
        (false, Some("120.00".parse().expect("money")))
    );
    let body = fakes.melhor_envio.received().remove(0).body;
    assert_eq!(body["volumes"].as_array().map(Vec::len), Some(2));
    // The order is for the same boxes, so nobody is asked again.
    fakes.carriers_behave(Behavior::Fails(500));
    let placed = order(&test, &buyer, json!([{ "productId": vela, "quantity": 3 }])).await;
    assert_eq!(placed.shipping, quote.options[0].price);
    // Another number of boxes is another question.
    let wanted = json!({ "cep": "01001000", "subtotal": "30", "items": format!("{vela}:2") });
    assert!(test.shop.shipping().prepare(input(wanted)).await.expect("packed").would_ask());
}

#[tokio::test]
async fn items_of_a_quote_that_nobody_can_buy_are_refused() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let ask = async |items: &str| {
        let wanted = json!({ "cep": "01001000", "subtotal": "30", "items": items });
        test.shop.shipping().calculate(input(wanted)).await
    };
    assert!(ask("nothing:1").await.is_err());
    for wrong in ["", "x", "x:0", "x:y", ":1", "/v:1", "x/:1", "x:1,", "x:-1"] {
        let wanted = json!({ "cep": "01001000", "subtotal": "30", "items": wrong });
        let read = serde_json::from_value::<shop_core::shipping::CalculateShipping>(wanted);
        assert!(read.is_err(), "{wrong}");
    }
}
