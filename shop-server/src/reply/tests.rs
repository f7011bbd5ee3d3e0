use hyper::StatusCode;
use shop_core::error::{CouponRefusal, Refusal};

use super::*;
use crate::request_id::RequestIds;

fn body(failure: Failure) -> (u16, serde_json::Value) {
    let response = render(failure, RequestIds::new().next());
    let status = response.status().as_u16();
    (status, serde_json::from_slice(response.body().whole().expect("whole")).expect("JSON"))
}

#[test]
fn a_defect_shows_the_client_nothing_but_the_requests_name() {
    let secret = "disk /dev/sda1 is full";
    let provider = Error::Provider {
        name: "provider1",
        source: std::sync::Arc::new(std::io::Error::other(secret)),
    };
    for (error, code) in
        [(Error::internal(secret), "internal_error"), (provider, "provider_failure")]
    {
        let (status, body) = body(error.into());
        assert_eq!((status, &body["code"]), (500, &code.into()));
        assert!(!body.to_string().contains("sda1"), "{body}");
        assert!(body["requestId"].is_string());
    }
}

#[test]
fn coupons_are_refused_in_the_words_of_the_specification() {
    for (refusal, text) in [
        (CouponRefusal::Inactive, "Cupom inativo"),
        (CouponRefusal::Expired, "Cupom expirado"),
        (CouponRefusal::UsedUp, "Limite de usos atingido"),
        (CouponRefusal::BelowMinimum, "Pedido abaixo do valor mínimo"),
    ] {
        let (status, body) = body(Error::Refused(Refusal::Coupon(refusal)).into());
        assert_eq!((status, &body["error"]), (400, &text.into()));
    }
}

#[test]
fn who_must_wait_is_told_how_long_rounded_up() {
    let wait = |millis| TooMany { max: 10, retry_after: Duration::from_millis(millis) };
    for (millis, header, minutes) in
        [(1, "1", "1 minuto"), (60_000, "60", "1 minuto"), (60_001, "61", "2 minutos")]
    {
        let response = render(Failure::TooMany(wait(millis)), RequestIds::new().next());
        assert_eq!(response.headers()[RETRY_AFTER], header);
        let (status, body) = body(Failure::TooMany(wait(millis)));
        let text = format!("Muitas tentativas. Tente novamente em {minutes}.");
        assert_eq!((status, &body["error"]), (429, &text.into()));
    }
    let busy = Error::Busy { retry_after: Duration::from_secs(2) };
    let response = render(busy.into(), RequestIds::new().next());
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.headers()[RETRY_AFTER], "2");
}

#[test]
fn what_is_filled_in_is_never_taken_for_braces() {
    let name = "{available} {name}".to_owned();
    let refusal = Refusal::InsufficientStock { name, available: 3 };
    let (_, body) = body(Error::Refused(refusal).into());
    assert_eq!(body["error"], "Estoque insuficiente para {available} {name} (disponível: 3)");
}

#[test]
fn every_code_of_the_librarys_errors_has_an_entry_and_answers_with_it() {
    assert!(Error::codes().count() > 80);
    for code in Error::codes() {
        assert_eq!(Code::named(code).map(Code::as_str), Some(code));
    }
    // Of an order; the same code is a 404 where the coupon is the one in the path.
    let (status, body) = body(Failure::UnknownCoupon);
    assert_eq!((status, &body["code"]), (400, &"coupon_not_found".into()));
}

#[test]
fn a_code_and_a_status_stand_once_in_the_catalogue() {
    let mut seen = std::collections::HashSet::new();
    for code in Code::ALL {
        assert!(seen.insert((code.status(), code.as_str())), "{} twice", code.as_str());
        assert!(code.as_str().bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        for sentence in [code.when(), code.then()] {
            assert!(sentence.len() > 3 && !sentence.ends_with('.'), "{}", code.as_str());
        }
    }
}

/// `docs/errors.md`, as the catalogue says it.
fn document() -> String {
    let mut text = String::from(
        "# Errors\n\n\
         Every refusal is JSON: `{error, code, requestId, details?}`. `error` is for people, in \
         Brazilian Portuguese, and may be worded better one day; `code` is for programs and never \
         changes; `requestId` is also in the header `X-Request-Id`, and the log has it. `details` \
         has `fieldErrors` (messages by the field's path, `cartItems[0].quantity`) and \
         `formErrors` (about the input as a whole).\n\n\
         What does not come to be a request is refused without a body: bytes that are no HTTP/1.1 \
         (400), a head of more than 32 KiB or 100 headers (431), a path of more than 65,534 \
         characters (414). A proxy has pages of its own; go by the status where there is no \
         JSON.\n\n\
         `GET /api/openapi.json` says of each endpoint which of these it answers with. What the \
         shop fills into a text stands in braces here.\n\n\
         Made from `shop-server/src/reply/catalogue.rs`; a test holds that it is the same.\n\n\
         | code | status | text | when | what to do |\n|---|---|---|---|---|\n",
    );
    let mut codes = Code::ALL.to_vec();
    codes.sort_by_key(|code| (code.as_str(), code.status()));
    for code in codes {
        let (status, name) = (code.status().as_u16(), code.as_str());
        let (text_, when, then) = (code.text(), code.when(), code.then());
        let row = [format!("`{name}`"), status.to_string()].join(" | ");
        text.extend([["| ", &row, " | ", text_, " | ", when, " | ", then, " |\n"].concat()]);
    }
    text
}

#[test]
fn the_list_of_errors_is_the_catalogue() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/errors.md");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(file, document()).expect("written");
    }
    assert!(
        std::fs::read_to_string(file).unwrap_or_default() == document(),
        "docs/errors.md is not what the catalogue says. If the change is meant:\n\
         UPDATE_SNAPSHOTS=1 cargo test -p shop-server list_of_errors"
    );
}
