#![expect(dead_code, reason = "these types are only read and described")]

use serde::Deserialize;
use serde_json::json;
use shop_core::value::{Cep, Email, OptionalText, Quantity, Text};

use super::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Order {
    name: Text<2, 5>,
    email: Email,
    zip_code: Option<Cep>,
    notes: Option<OptionalText<5>>,
    price: Option<Money>,
    sort: Option<Sort>,
    gift: Option<bool>,
    cart_items: Vec<Line>,
    extra: Option<Line>,
    #[serde(default)]
    wrapped: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Line {
    quantity: Quantity,
    #[serde(default)]
    wrapped: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    /// The latest first.
    Newest,
    /// The cheapest first.
    PriceAsc,
}

fn details(failure: Failure) -> Value {
    match failure {
        Failure::Invalid(wrong) => serde_json::to_value(wrong).expect("can be written"),
        Failure::MalformedJson => json!("malformed"),
        other => panic!("{other:?}"),
    }
}

fn unread(body: &str) -> Failure {
    read_json::<Order>(body, Null::Absent).err().expect("a failure")
}

fn wrong(body: &str) -> Value {
    assert!(serde_json::from_str::<Order>(body).is_err(), "{body} is an order");
    details(unread(body))
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let body = json!({
        "name": " x ", "zipCode": "1", "notes": "too long", "price": "1", "sort": "best",
        "gift": "yes", "cartItems": [{"quantity": 1}, {"quantity": 0}, {"quantity": 1.5}, {}, 7],
        "extra": {"quantity": "2"}, "unknown": {"is": "ignored"}
    });
    let expected = json!({
        "name": ["Deve ter no mínimo 2 caracteres"],
        "email": ["Campo obrigatório"],
        "zipCode": ["CEP inválido"],
        "notes": ["Deve ter no máximo 5 caracteres"],
        "price": ["Deve ser um número"],
        "sort": ["Deve ser um destes: newest, price_asc"],
        "gift": ["Deve ser verdadeiro ou falso"],
        "cartItems[1].quantity": ["Deve ser maior ou igual a 1"],
        "cartItems[2].quantity": ["Deve ser um número inteiro"],
        "cartItems[3].quantity": ["Campo obrigatório"],
        "cartItems[4]": ["Deve ser um objeto"],
        "extra.quantity": ["Deve ser um número inteiro"],
    });
    assert_eq!(wrong(&body.to_string()), json!({ "fieldErrors": expected, "formErrors": [] }));
}

#[test]
fn a_repeated_or_unspeakable_field_is_named() {
    let body = r#"{"name":"ana","name":"bia","email":"a@b.co","cartItems":[],"notes":"\u0000"}"#;
    let expected = json!({ "name": ["Campo repetido"], "notes": ["Contém caracteres inválidos"] });
    assert_eq!(wrong(body)["fieldErrors"], expected);
}

fn read(body: &Value, null: Null) -> Result<Order, Failure> {
    read_json(&body.to_string(), null)
}

fn whole() -> Value {
    json!({ "name": "ana", "email": "a@b.co", "cartItems": [] })
}

#[test]
fn null_and_an_empty_text_are_absent_where_something_is_made() {
    let mut body = whole();
    body["wrapped"] = Value::Null;
    body["zipCode"] = "".into();
    body["extra"] = Value::Null;
    body["cartItems"] = json!([{ "quantity": 1, "wrapped": null }]);
    let order = read(&body, Null::Absent).expect("an order");
    assert!(!order.wrapped && order.zip_code.is_none() && order.cart_items.len() == 1);
    let wrong = read(&body, Null::Clears).err().expect("what cannot be cleared");
    assert_eq!(details(wrong)["fieldErrors"], json!({ "wrapped": ["Campo obrigatório"] }));
    let mut body = whole();
    body["name"] = "".into();
    let wrong = read(&body, Null::Absent).err().expect("what must not be empty");
    assert_eq!(details(wrong)["fieldErrors"]["name"], json!(["Deve ter no mínimo 2 caracteres"]));
}

#[test]
fn no_more_than_a_hundred_mistakes_are_named_and_the_rest_is_counted() {
    let mut body = whole();
    body["cartItems"] = vec![json!({ "quantity": 0 }); 1000].into();
    let wrong = details(read(&body, Null::Absent).err().expect("a failure"));
    assert_eq!(wrong["fieldErrors"].as_object().map(serde_json::Map::len), Some(100));
    assert_eq!(wrong["formErrors"], json!(["Há mais 900 erros"]));
}

#[test]
fn a_list_that_is_too_long_is_not_walked() {
    #[derive(Deserialize, JsonSchema)]
    struct Numbers {
        #[schemars(length(max = 3))]
        numbers: Vec<i64>,
    }
    let schema = schemars::schema_for!(Numbers);
    let normal = |body: &str| normal::json(schema.as_value(), body, Null::Absent);
    assert_eq!(normal(r#"{"numbers":[1.0,2.0,3.0]}"#), r#"{"numbers":[1,2,3]}"#);
    let too_long = r#"{"numbers":[1.0,2.0,3.0,4.0]}"#;
    assert_eq!(normal(too_long), too_long);
    let wrong = details(read_json::<Numbers>(too_long, Null::Absent).err().expect("a failure"));
    let expected = json!({ "numbers": ["Deve ter no máximo 3 itens"] });
    assert_eq!(wrong, json!({ "fieldErrors": expected, "formErrors": [] }));
}

#[test]
fn a_body_nested_without_end_is_refused_like_any_other() {
    let body = format!(r#"{{"cartItems":{}"#, "[".repeat(60_000));
    assert_eq!(details(unread(&body)), "malformed");
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(30_000), "]".repeat(30_000));
    assert_eq!(wrong(&deep)["fieldErrors"]["name"], json!(["Campo obrigatório"]));
}
