use serde_json::json;
use shop_core::account::{Address, AddressPatch, NewAddress};
use shop_core::error::Entity;
use shop_core::id::{AccountId, AddressId};
use shop_core::{Error, Result, Shop};

use super::account::{TestShop, register};

fn home(change: serde_json::Value) -> NewAddress {
    let mut address = json!({
        "label": "Casa", "street": "Rua das Flores", "number": "12 B", "complement": "",
        "district": "Centro", "city": "São Paulo", "state": "sp", "zipCode": "01001-000"
    });
    let (Some(all), serde_json::Value::Object(change)) = (address.as_object_mut(), change) else {
        panic!("not an object");
    };
    all.extend(change);
    serde_json::from_value(address).expect("a valid address")
}

fn patch(json: serde_json::Value) -> AddressPatch {
    serde_json::from_value(json).expect("a valid patch")
}

async fn customer(shop: &Shop, email: &str) -> AccountId {
    register(shop, email).await.account.id
}

async fn add(shop: &Shop, account: &AccountId, label: &str) -> Address {
    shop.addresses().create(account, home(json!({ "label": label }))).await.expect("created")
}

/// Labels in the list's order, the default with a star.
async fn labels(shop: &Shop, account: &AccountId) -> Vec<String> {
    let addresses = shop.addresses().list(account).await.expect("a list");
    let star = |address: &Address| if address.is_default { "*" } else { "" };
    addresses.iter().map(|address| format!("{}{}", address.label, star(address))).collect()
}

#[tokio::test]
async fn an_address_is_kept_as_it_was_entered() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let ana = customer(shop, "ana@example.com").await;
    let created = shop.addresses().create(&ana, home(json!({}))).await.expect("created");
    let expected = json!({
        "id": created.id, "label": "Casa", "street": "Rua das Flores", "number": "12 B",
        "complement": null, "district": "Centro", "city": "São Paulo", "state": "SP",
        "zipCode": "01001000", "isDefault": true
    });
    assert_eq!(serde_json::to_value(&created).expect("JSON"), expected);
    assert_eq!(shop.addresses().list(&ana).await.expect("a list"), [created]);
}

#[tokio::test]
async fn the_first_address_is_the_default_until_another_one_asks() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let ana = customer(shop, "ana@example.com").await;
    let first = shop.addresses().create(&ana, home(json!({ "isDefault": false }))).await;
    assert!(first.expect("created").is_default);
    add(shop, &ana, "Mãe").await;
    assert_eq!(labels(shop, &ana).await, ["Casa*", "Mãe"]);
    let work = home(json!({ "label": "Trabalho", "isDefault": true }));
    assert!(shop.addresses().create(&ana, work).await.expect("created").is_default);
    assert_eq!(labels(shop, &ana).await, ["Trabalho*", "Mãe", "Casa"]);
}

#[tokio::test]
async fn deleting_the_default_promotes_the_newest_other() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let ana = customer(shop, "ana@example.com").await;
    let (one, two, three) =
        (add(shop, &ana, "1").await, add(shop, &ana, "2").await, add(shop, &ana, "3").await);
    shop.addresses().delete(&ana, &one.id).await.expect("deleted");
    assert_eq!(labels(shop, &ana).await, ["3*", "2"]);
    shop.addresses().delete(&ana, &two.id).await.expect("deleted");
    assert_eq!(labels(shop, &ana).await, ["3*"]);
    shop.addresses().delete(&ana, &three.id).await.expect("deleted");
    assert!(labels(shop, &ana).await.is_empty());
    assert!(add(shop, &ana, "4").await.is_default);
}

#[tokio::test]
async fn a_patch_moves_the_default_and_keeps_what_it_does_not_name() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let ana = customer(shop, "ana@example.com").await;
    let (one, two) = (add(shop, &ana, "1").await, add(shop, &ana, "2").await);
    let update = async |id: &AddressId, json| {
        let id = id.clone();
        shop.addresses().update(&ana, &id, patch(json)).await
    };

    let changed = update(&two.id, json!({ "isDefault": true, "complement": "ap. 3" })).await;
    let mut expected = two;
    (expected.is_default, expected.complement) = (true, Some("ap. 3".to_owned()));
    assert_eq!(changed.expect("changed"), expected);
    assert_eq!(labels(shop, &ana).await, ["2*", "1"]);

    let changed = update(&expected.id, json!({ "isDefault": false, "complement": null })).await;
    assert_eq!(changed.expect("changed").complement, None);
    assert_eq!(labels(shop, &ana).await, ["1*", "2"]);

    shop.addresses().delete(&ana, &expected.id).await.expect("deleted");
    let alone = update(&one.id, json!({ "isDefault": false })).await.expect("unchanged");
    assert!(alone.is_default, "the only address is the default");
}

#[tokio::test]
async fn other_peoples_addresses_are_not_found() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let ana = customer(shop, "ana@example.com").await;
    let eva = customer(shop, "eva@example.com").await;
    let home = add(shop, &ana, "Casa").await;
    add(shop, &eva, "Casa da Eva").await;

    let not_found = |outcome: Result<()>| {
        assert!(matches!(outcome, Err(Error::NotFound(Entity::Address))), "{outcome:?}");
    };
    let theft = patch(json!({ "label": "Minha", "isDefault": true }));
    not_found(shop.addresses().update(&eva, &home.id, theft).await.map(drop));
    not_found(shop.addresses().delete(&eva, &home.id).await);
    not_found(shop.addresses().delete(&ana, &"nothing".into()).await);
    assert_eq!(shop.addresses().list(&ana).await.expect("a list"), [home]);
    assert_eq!(labels(shop, &eva).await, ["Casa da Eva*"]);
}

#[tokio::test]
async fn a_book_holds_a_hundred_addresses() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let ana = customer(shop, "ana@example.com").await;
    for number in 0..100 {
        add(shop, &ana, &number.to_string()).await;
    }
    let one_more = shop.addresses().create(&ana, home(json!({}))).await;
    assert!(matches!(one_more, Err(Error::Invalid(_))), "{one_more:?}");
}

#[test]
fn wrong_fields_are_refused() {
    let valid = serde_json::to_value(json!({
        "label": "Casa", "street": "Rua", "number": "1", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    }));
    let valid = valid.expect("JSON");
    assert!(serde_json::from_value::<NewAddress>(valid.clone()).is_ok());
    for (field, wrong) in [
        ("label", json!("")),
        ("label", json!("x".repeat(61))),
        ("street", json!("x".repeat(201))),
        ("number", json!("x".repeat(21))),
        ("complement", json!("x".repeat(101))),
        ("district", json!(" ")),
        ("city", json!("x".repeat(121))),
        ("state", json!("XX")),
        ("zipCode", json!("0100100")),
        ("isDefault", json!("yes")),
    ] {
        let mut address = valid.clone();
        address[field] = wrong.clone();
        assert!(serde_json::from_value::<NewAddress>(address).is_err(), "{field}: {wrong}");
    }
}
