//! What Melhor Envio's answers have in common: ids, refusals, lists.

use serde_json::Value;

use crate::http_client::{Answer as HttpAnswer, HttpError};
use crate::shipment::provider::{LabelAnswer, LabelError};
use crate::shipping::client::answer::text;

/// How much of a refusal's text is kept.
const MAX_WORDS: usize = 300;

/// Whatever keeps an answer from coming leaves it open whether the call had its effect.
impl From<HttpError> for LabelError {
    fn from(error: HttpError) -> Self {
        Self::Unclear(error.to_string())
    }
}

/// What may stand in a path: its ids are UUIDs, its codes letters and digits.
pub(super) fn is_id(id: &str) -> bool {
    let fine = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    (1..=64).contains(&id.len()) && id.bytes().all(fine)
}

pub(super) fn json(answer: &HttpAnswer) -> LabelAnswer<Value> {
    serde_json::from_slice(&answer.body)
        .map_err(|_| LabelError::Unclear("its answer is no JSON".to_owned()))
}

/// An answer that lacks what every answer has.
pub(super) fn garbage() -> LabelError {
    LabelError::Unclear("its answer is of no known shape".to_owned())
}

/// What an answer that is no success means. 403 says that the shop's access lacks a right, which
/// only a new connection can bring.
pub(super) fn failure(answer: &HttpAnswer) -> LabelError {
    match answer.status {
        401 | 403 => LabelError::NotConnected,
        _ if answer.is_refusal() => LabelError::Refused(words(answer)),
        status => LabelError::Unclear(format!("it answered {status}")),
    }
}

/// Whether a refused payment speaks of the wallet.
pub(super) fn speaks_of_balance(answer: &HttpAnswer) -> bool {
    let said = String::from_utf8_lossy(&answer.body).to_lowercase();
    ["saldo", "wallet"].iter().any(|word| said.contains(word))
}

/// Why it refused, in its own words: what it says of each field, else its `error`, else its
/// `message`, else the status.
fn words(answer: &HttpAnswer) -> String {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let of_fields = || {
        let each = body["errors"].as_object()?.iter().filter_map(|(field, said)| {
            let said = said.as_str().or_else(|| said[0].as_str())?;
            Some(format!("{field}: {said}"))
        });
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| each.join("; "))
    };
    let said = of_fields()
        .or_else(|| text(&body, "error").map(str::to_owned))
        .or_else(|| text(&body, "message").map(str::to_owned));
    said.map_or_else(|| answer.status.to_string(), |said| kept(&said))
}

/// As much of a text as is kept, without what is no letter.
pub(super) fn kept(said: &str) -> String {
    said.chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect()
}

/// A page of a list: its entries, and whether another page follows. A list without pages is bare.
pub(super) fn page(body: &Value) -> Option<(&[Value], bool)> {
    let entries = body.as_array().or_else(|| body["data"].as_array())?;
    let number = |field: &str| body[field].as_u64().or_else(|| body["meta"][field].as_u64());
    let more = number("current_page") < number("last_page");
    Some((entries, more && !entries.is_empty()))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderMap;
    use serde_json::json;

    use super::*;

    fn answer(status: u16, body: &str) -> HttpAnswer {
        HttpAnswer { status, headers: HeaderMap::new(), body: body.to_owned().into() }
    }

    #[test]
    fn each_kind_of_failure_is_told_apart() {
        let unauthenticated = answer(401, r#"{"message":"Unauthenticated."}"#);
        assert!(matches!(failure(&unauthenticated), LabelError::NotConnected));
        let no_right = answer(403, r#"{"message":"This action is unauthorized."}"#);
        assert!(matches!(failure(&no_right), LabelError::NotConnected));
        for status in [408, 409, 429, 500, 502, 503, 504, 302] {
            let unclear = failure(&answer(status, "<html>"));
            assert!(matches!(unclear, LabelError::Unclear(_)), "{status}: {unclear:?}");
        }
        let refused = |status: u16, body: &str| match failure(&answer(status, body)) {
            LabelError::Refused(why) => why,
            other => panic!("{other:?}"),
        };
        let fields = r#"{"message":"The given data was invalid.",
            "errors":{"to.document":["O campo to.document é inválido."]}}"#;
        assert_eq!(refused(422, fields), "to.document: O campo to.document é inválido.");
        assert_eq!(refused(422, r#"{"error":"Transportadora"}"#), "Transportadora");
        assert_eq!(refused(400, r#"{"message":"Erro\u0007"}"#), "Erro");
        assert_eq!(refused(404, "{}"), "404");
        let page = failure(&answer(404, "<html>página</html>"));
        assert!(matches!(page, LabelError::Unclear(_)), "{page:?}");
        assert_eq!(refused(422, &json!({ "error": "x".repeat(900) }).to_string()).len(), 300);
    }

    #[test]
    fn a_payment_that_is_refused_for_want_of_balance_is_told_from_others() {
        assert!(speaks_of_balance(&answer(422, r#"{"error":"Saldo insuficiente"}"#)));
        assert!(speaks_of_balance(&answer(400, r#"{"message":"Not enough Wallet balance"}"#)));
        assert!(!speaks_of_balance(&answer(422, r#"{"error":"Envio expirado"}"#)));
    }

    #[test]
    fn lists_have_pages_or_none() {
        let paged = json!({ "current_page": 1, "data": [{}], "last_page": 2 });
        assert_eq!(page(&paged).map(|(entries, more)| (entries.len(), more)), Some((1, true)));
        let last = json!({ "meta": { "current_page": 2, "last_page": 2 }, "data": [{}] });
        assert_eq!(page(&last).map(|(entries, more)| (entries.len(), more)), Some((1, false)));
        let bare = json!([{}, {}]);
        assert_eq!(page(&bare).map(|(entries, more)| (entries.len(), more)), Some((2, false)));
        assert!(page(&json!({ "message": "ok" })).is_none());
    }
}
