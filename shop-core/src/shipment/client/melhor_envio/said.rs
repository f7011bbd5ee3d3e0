//! What Melhor Envio says to a payment, to having labels made, and of the wallet.

use serde_json::Value;

use super::answer::{garbage, kept};
use crate::money::Money;
use crate::shipment::provider::{LabelAnswer, LabelError};
use crate::shipping::client::answer::{amount, text};

/// Words by which a payment says that it came to nothing.
const UNPAID: &[&str] = &["canceled", "cancelled", "refused", "rejected", "denied", "failed"];

/// Reads the answer to a payment. What is neither `paid` nor says that it came to nothing may be
/// paid yet, so that the label is asked about.
pub(super) fn paid(body: &Value) -> LabelAnswer<()> {
    match text(&body["purchase"], "status") {
        Some("paid") => Ok(()),
        Some(other) => {
            let said = format!("the payment is {}", kept(other));
            let is_unpaid = UNPAID.contains(&other);
            Err(if is_unpaid { LabelError::Refused(said) } else { LabelError::Unclear(said) })
        }
        None => Err(garbage()),
    }
}

/// Why a label was not generated: `{"<id>": {"status": false, "message": ".."}}`, `{"<id>": ".."}`
/// or `{"error": ".."}`.
pub(super) fn not_generated(body: &Value, id: &str) -> LabelError {
    let of_label = &body[id];
    let said = text(of_label, "message").or_else(|| of_label.as_str());
    let said = said.or_else(|| text(body, "error")).or_else(|| text(body, "message"));
    said.map_or_else(garbage, |said| LabelError::Refused(kept(said)))
}

/// What the wallet holds; a number or a text, and less than nothing where it is in debt.
pub(super) fn balance(body: &Value) -> Option<Money> {
    let debt = match &body["balance"] {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    match debt.strip_prefix('-') {
        Some(debt) => amount(&debt.into()).map(|debt| -debt),
        None => amount(&body["balance"]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_purchase_that_is_paid_took_money() {
        let answer = |status: &str| {
            json!({ "purchase": { "id": "p", "protocol": "PUR-1", "total": 41.2, "discount": 4.33,
                "status": status, "paid_at": null, "transactions": [], "orders": [] },
                "digitable": null, "redirect": null, "message": null, "token": null,
                "payment_id": null })
        };
        assert!(paid(&answer("paid")).is_ok());
        assert!(matches!(paid(&answer("refused")), Err(LabelError::Refused(_))));
        for undecided in ["pending", "processing", "a new word"] {
            let said = paid(&answer(undecided));
            assert!(matches!(said, Err(LabelError::Unclear(_))), "{undecided}: {said:?}");
        }
        assert!(matches!(paid(&json!({ "message": "ok" })), Err(LabelError::Unclear(_))));
    }

    #[test]
    fn every_form_of_a_label_that_was_not_generated_is_read() {
        let why = |body: Value| match not_generated(&body, "a-1") {
            LabelError::Refused(why) => Some(why),
            _ => None,
        };
        let already = json!({ "a-1": { "status": false, "message": "O envio já está gerado" } });
        assert_eq!(why(already).as_deref(), Some("O envio já está gerado"));
        assert_eq!(why(json!({ "a-1": "Sem etiquetas" })).as_deref(), Some("Sem etiquetas"));
        assert_eq!(why(json!({ "error": "Sem CPF" })).as_deref(), Some("Sem CPF"));
        assert_eq!(why(json!({ "b-2": { "status": true } })), None);
    }

    #[test]
    fn a_balance_is_a_text_or_a_number_and_may_be_a_debt() {
        let cents = |body: Value| balance(&body).map(Money::cents);
        let sample = json!({ "balance": "1520.35", "reserved": 22.4, "debts": null });
        assert_eq!(cents(sample), Some(152_035));
        assert_eq!(cents(json!({ "balance": 1520.35 })), Some(152_035));
        assert_eq!(cents(json!({ "balance": "-3.20" })), Some(-320));
        assert_eq!(cents(json!({ "balance": -3.2 })), Some(-320));
        assert_eq!(cents(json!({ "balance": null })), None);
    }
}
