//! A stored answer is the first one byte for byte: whatever an order holds, it comes back from its
//! JSON as it went in, and is written again as it was.

use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};
use shop_core::Error;
use shop_core::clock::Timestamp;
use shop_core::error::Refusal;
use shop_core::money::Money;
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::{PaymentMethod, PaymentStatus};

use super::fixture::{TestShop, order_of};

/// Anything that can stand in a text: quotes, controls, letters of every script, emoji.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..12).prop_map(|chars| chars.into_iter().collect())
}

/// An id has at least one character.
fn id() -> impl Strategy<Value = String> {
    (any::<char>(), text()).prop_map(|(first, rest)| format!("{first}{rest}"))
}

fn money() -> impl Strategy<Value = Money> {
    (0..=Money::MAX.cents()).prop_map(Money::from_cents)
}

/// Up to the year 9999, which has the last date of four digits.
fn time() -> impl Strategy<Value = Timestamp> {
    (0..=253_402_300_799_999_i64).prop_map(Timestamp::from_millis)
}

fn payment() -> impl Strategy<Value = Value> {
    let method = option::of(prop::sample::select(PaymentMethod::ALL.to_vec()));
    let status = prop::sample::select(PaymentStatus::ALL.to_vec());
    (method, status).prop_map(|(method, status)| json!({ "method": method, "status": status }))
}

fn address() -> impl Strategy<Value = Value> {
    let state = prop::sample::select(vec!["SP", "RJ", "AC", "RS", "DF"]);
    let lines = (text(), text(), option::of(text()), text(), text());
    (lines, state, 0..=99_999_999_u32).prop_map(|(lines, state, zip)| {
        let (street, number, complement, district, city) = lines;
        json!({
            "street": street, "number": number, "complement": complement, "district": district,
            "city": city, "state": state, "zipCode": format!("{zip:08}"),
        })
    })
}

fn image() -> impl Strategy<Value = Value> {
    (text(), any::<bool>())
        .prop_map(|(url, is_primary)| json!({ "url": url, "isPrimary": is_primary }))
}

fn item() -> impl Strategy<Value = Value> {
    let ids = (id(), id(), option::of(id()));
    let numbers = (1..=10_000_i64, money(), money());
    let names = (text(), option::of(text()), text(), prop::collection::vec(image(), 0..3));
    (ids, numbers, names).prop_map(|(ids, (quantity, price, total), names)| {
        let (id, product, variant) = ids;
        let (name_snapshot, variant_snapshot, name, images) = names;
        json!({
            "id": id, "productId": product, "variantId": variant, "quantity": quantity,
            "price": price, "total": total, "productNameSnapshot": name_snapshot,
            "variantSnapshot": variant_snapshot, "product": { "name": name, "images": images },
        })
    })
}

fn order() -> impl Strategy<Value = Value> {
    let ids = (id(), text(), id(), id());
    let sums = (money(), money(), money(), money());
    let status = prop::sample::select(OrderStatus::ALL.to_vec());
    let texts = (option::of(text()), option::of(text()));
    let parts = (prop::collection::vec(item(), 0..4), address(), payment());
    (ids, sums, status, texts, parts, (time(), time())).prop_map(
        |(ids, sums, status, (notes, shipping_service), parts, (created_at, updated_at))| {
            let (id, order_number, user, address_id) = ids;
            let (subtotal, shipping, discount, total) = sums;
            let (items, address, payment) = parts;
            json!({
                "id": id, "orderNumber": order_number, "userId": user, "addressId": address_id,
                "subtotal": subtotal, "shipping": shipping, "discount": discount, "total": total,
                "status": status, "notes": notes, "trackingCode": shipping_service,
                "carrier": shipping_service, "shippingService": shipping_service, "items": items,
                "address": address, "buyer": null, "payment": payment,
                "createdAt": created_at, "updatedAt": updated_at,
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn an_order_comes_back_from_its_json_and_is_written_as_it_was(given in order()) {
        let order: Order = serde_json::from_str(&given.to_string()).expect("an order");
        prop_assert_eq!(serde_json::to_value(&order).expect("JSON"), given);
        let first = serde_json::to_vec(&order).expect("JSON");
        let read: Order = serde_json::from_slice(&first).expect("an order");
        prop_assert_eq!(&read, &order);
        let again = serde_json::to_vec(&read).expect("JSON");
        prop_assert_eq!(again, first);
    }
}

#[tokio::test]
async fn an_order_of_amounts_that_could_not_be_read_again_is_not_placed() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let vela = test.product("vela", 300, Money::MAX.cents() / 100).await;
    let order = |n: i64| order_of(&ana, json!([{ "productId": vela, "quantity": n }]));
    let refused = test.place_order(&ana, order(101), Some("too-much")).await;
    let out_of_range = matches!(refused, Err(Error::Refused(Refusal::AmountOutOfRange(_))));
    assert!(out_of_range, "{refused:?}");
    assert_eq!(test.stock(vela.as_str()), 300);
    let first = test.place_order(&ana, order(100), Some("just-fits")).await.expect("placed");
    let again = test.place_order(&ana, order(100), Some("just-fits")).await.expect("repeated");
    assert_eq!((again.replayed, again.order), (true, first.order));
}
