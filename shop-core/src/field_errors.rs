//! The wrong fields of an input.

use std::collections::BTreeMap;

use crate::value::InvalidValue;

/// The wrong fields of an input, each with what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldErrors {
    /// What is wrong by the field's path (`cartItems[0].quantity`).
    pub field_errors: BTreeMap<String, Vec<InvalidValue>>,
    /// What is wrong with the input as a whole.
    pub form_errors: Vec<InvalidValue>,
}

impl FieldErrors {
    /// Adds what is wrong with a field.
    pub fn add(&mut self, field: impl Into<String>, wrong: impl Into<InvalidValue>) {
        self.field_errors.entry(field.into()).or_default().push(wrong.into());
    }

    /// Adds what is wrong with the input as a whole.
    pub fn add_form(&mut self, wrong: impl Into<InvalidValue>) {
        self.form_errors.push(wrong.into());
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.field_errors.is_empty() && self.form_errors.is_empty()
    }
}

impl std::fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let joined = |wrong: &[InvalidValue]| {
            wrong.iter().map(InvalidValue::to_string).collect::<Vec<_>>().join(", ")
        };
        let of_field = |(field, wrong): (&String, &Vec<_>)| format!("{field}: {}", joined(wrong));
        let fields = self.field_errors.iter().map(of_field);
        let form = self.form_errors.iter().map(InvalidValue::to_string);
        f.write_str(&fields.chain(form).collect::<Vec<_>>().join("; "))
    }
}
