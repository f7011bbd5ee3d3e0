//! Amounts of money in the forms and formats that serde has.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use shop_core::money::Money;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Priced {
    price: Money,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flattened {
    name: String,
    #[serde(flatten)]
    priced: Priced,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Named { name: String },
    Priced(Priced),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Priced(Priced),
}

/// Reads back what was written, in each form and format.
fn read_back(price: Money) -> [Option<Money>; 8] {
    let json = serde_json::to_string(&Priced { price }).expect("JSON");
    let value: serde_json::Value = serde_json::from_str(&json).expect("a value");
    let toml = toml::to_string(&Priced { price }).expect("TOML");
    let mut cbor = Vec::new();
    ciborium::into_writer(&Priced { price }, &mut cbor).expect("CBOR");
    let flat = Flattened { name: "Vela".to_owned(), priced: Priced { price } };
    let flat = serde_json::to_string(&flat).expect("JSON");
    let tagged = serde_json::to_string(&Tagged::Priced(Priced { price })).expect("JSON");
    [
        serde_json::from_str(&json).map(|Priced { price }| price).ok(),
        serde_json::from_value(value).map(|Priced { price }| price).ok(),
        toml::from_str(&toml).map(|Priced { price }| price).ok(),
        ciborium::from_reader(cbor.as_slice()).map(|Priced { price }| price).ok(),
        serde_json::from_str(&flat).map(|flat: Flattened| flat.priced.price).ok(),
        serde_json::from_str(&tagged).map(|Tagged::Priced(Priced { price })| price).ok(),
        match serde_json::from_str(&json).ok() {
            Some(Untagged::Priced(Priced { price })) => Some(price),
            _ => None,
        },
        serde_json::from_str(&json)
            .map(|price: std::collections::HashMap<String, Money>| {
                price.get("price").copied().unwrap_or_default()
            })
            .ok(),
    ]
}

#[test]
fn whole_reais_are_read_in_every_form_and_a_text_in_none() {
    let untagged = |text| serde_json::from_str::<Untagged>(text).ok();
    let price = Money::from_cents(1200);
    assert_eq!(untagged(r#"{"price":12}"#), Some(Untagged::Priced(Priced { price })));
    assert_eq!(untagged(r#"{"price":"12"}"#), None);
    assert_eq!(untagged(r#"{"price":0.001}"#), None);
    assert_eq!(toml::from_str::<Priced>("price = 12").ok(), Some(Priced { price }));
}

proptest! {
    #[test]
    fn amounts_are_read_back_in_every_form_and_format(cents in -9_999_999_999_i64..=9_999_999_999) {
        let price = Money::from_cents(cents);
        proptest::prop_assert_eq!(read_back(price), [Some(price); 8]);
    }
}
