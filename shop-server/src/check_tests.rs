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
}

#[derive(Deserialize, JsonSchema)]
struct Line {
    quantity: Quantity,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    /// The latest first.
    Newest,
    /// The cheapest first.
    PriceAsc,
}

#[derive(Deserialize, JsonSchema)]
struct ListQuery {
    page: Option<shop_core::page::PageNumber>,
    sort: Option<Sort>,
    featured: Option<bool>,
    #[serde(default, deserialize_with = "Money::deserialize_text")]
    price: Option<Money>,
}

fn details(failure: Failure) -> Value {
    match failure {
        Failure::Shop(Error::Invalid(wrong)) => {
            serde_json::to_value(wrong).expect("can be written")
        }
        Failure::MalformedJson => json!("malformed"),
        other => panic!("{other:?}"),
    }
}

fn wrong(body: &str) -> Value {
    assert!(serde_json::from_str::<Order>(body).is_err(), "{body} is an order");
    details(explain_json::<Order>(body))
}

fn wrong_query(query: &str) -> Value {
    assert!(serde_urlencoded::from_str::<ListQuery>(query).is_err(), "{query} is a page");
    details(explain_query::<ListQuery>(query))["fieldErrors"].clone()
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
fn null_is_missing_where_null_means_nothing() {
    let body = r#"{"name":null,"email":"a@b.co","cartItems":null,"notes":null,"sort":null}"#;
    let expected = json!({ "name": ["Campo obrigatório"], "cartItems": ["Campo obrigatório"] });
    assert_eq!(wrong(body)["fieldErrors"], expected);
}

#[test]
fn money_is_judged_by_its_digits() {
    let of = |price: &str| {
        let body = format!(r#"{{"name":"ana","email":"a@b.co","cartItems":[],"price":{price}}}"#);
        wrong(&body)["fieldErrors"]["price"][0].clone()
    };
    assert_eq!(of("0.005"), "Deve ter no máximo duas casas decimais");
    assert_eq!(of("1e99"), "Valor fora do intervalo permitido");
}

#[test]
fn what_is_no_json_is_malformed_and_what_is_no_object_is_wrong_as_a_whole() {
    for body in ["", "{", "{'a':1}", "{}{}", "nul"] {
        assert_eq!(details(explain_json::<Order>(body)), "malformed", "{body}");
    }
    assert_eq!(wrong("[]")["formErrors"], json!(["Deve ser um objeto"]));
    assert_eq!(wrong("null")["formErrors"], json!(["Campo obrigatório"]));
}

#[test]
fn a_repeated_or_unspeakable_field_is_named() {
    let body = r#"{"name":"ana","name":"bia","email":"a@b.co","cartItems":[],"notes":"\u0000"}"#;
    let expected = json!({ "name": ["Campo repetido"], "notes": ["Contém caracteres inválidos"] });
    assert_eq!(wrong(body)["fieldErrors"], expected);
}

#[test]
fn a_query_is_checked_by_the_same_rules() {
    let expected = json!({
        "page": ["Deve ser maior ou igual a 1"],
        "sort": ["Deve ser um destes: newest, price_asc"],
        "featured": ["Deve ser verdadeiro ou falso"],
        "price": ["Deve ter no máximo duas casas decimais"],
    });
    assert_eq!(wrong_query("page=0&sort=x&featured=1&price=1.001&other=1"), expected);
    assert_eq!(wrong_query("page=x"), json!({ "page": ["Deve ser um número inteiro"] }));
    assert_eq!(wrong_query("page="), json!({ "page": ["Deve ser um número inteiro"] }));
    assert_eq!(wrong_query("page=1&page=2"), json!({ "page": ["Campo repetido"] }));
    assert_eq!(wrong_query("price=abc"), json!({ "price": ["Deve ser um número"] }));
}

#[test]
fn a_body_nested_without_end_is_refused_like_any_other() {
    let body = format!(r#"{{"cartItems":{}"#, "[".repeat(60_000));
    assert_eq!(details(explain_json::<Order>(&body)), "malformed");
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(30_000), "]".repeat(30_000));
    assert_eq!(wrong(&deep)["fieldErrors"]["name"], json!(["Campo obrigatório"]));
}
