//! Other ways to write the same input, brought into the one that serde takes.
//!
//! Programs in other languages have one kind of number, forms send what was left empty, and a query
//! has nothing but texts. What such an input means is clear where its schema says what is wanted.

use std::borrow::Cow;

use serde_json::Value;
use shop_core::value::{trim, whole_number};

use crate::raw_json;
use crate::schema::{allows_null, is_too_long, list, resolve, subject, wants};

/// What `null` says of a field that cannot hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Null {
    /// That it is left out: where something is made, as if it were not there.
    Absent,
    /// That it is to be cleared, which is wrong: where something is changed.
    Clears,
}

/// A JSON text with numbers, `null` and empty texts written as the schema wants them. `null` counts
/// for the fields of the whole; those of objects within it are always new.
pub(crate) fn json(schema: &Value, text: &str, null: Null) -> String {
    let mut normal = Normal { root: schema, out: String::with_capacity(text.len()) };
    normal.value(schema, text, null);
    normal.out
}

struct Normal<'s> {
    root: &'s Value,
    out: String,
}

impl<'s> Normal<'s> {
    fn value(&mut self, schema: &'s Value, raw: &str, null: Null) {
        let nullable = allows_null(self.root, schema);
        let schema = subject(self.root, schema);
        match raw.as_bytes().first() {
            Some(b'{') if schema["properties"].is_object() => self.object(schema, raw, null),
            // One that is too long is wrong whatever it holds, and has more than is worth a walk.
            Some(b'[') if schema["items"].is_object() && !is_too_long(schema, raw) => {
                self.array(&schema["items"], raw);
            }
            Some(b'"') if nullable && is_empty_text(raw) && is_left_empty(self.root, schema) => {
                self.out.push_str("null");
            }
            Some(b'-' | b'0'..=b'9') if wants(schema, "integer") => self.out.push_str(&whole(raw)),
            _ => self.out.push_str(raw),
        }
    }

    fn object(&mut self, schema: &'s Value, raw: &str, null: Null) {
        self.out.push('{');
        let start = self.out.len();
        raw_json::each_member(raw, |name, value| {
            let field = schema["properties"].get(&name);
            let left_out = value == "null"
                && null == Null::Absent
                && field.is_some_and(|field| !allows_null(self.root, field));
            if left_out {
                return;
            }
            if self.out.len() > start {
                self.out.push(',');
            }
            self.out.push_str(&Value::from(name).to_string());
            self.out.push(':');
            match field {
                Some(field) => self.value(field, value, Null::Absent),
                None => self.out.push_str(value),
            }
        });
        self.out.push('}');
    }

    fn array(&mut self, of_item: &'s Value, raw: &str) {
        self.out.push('[');
        raw_json::each_item(raw, |place, item| {
            if place > 0 {
                self.out.push(',');
            }
            self.value(of_item, item, Null::Absent);
        });
        self.out.push(']');
    }
}

fn is_empty_text(raw: &str) -> bool {
    trim(raw.trim_matches('"')).is_empty()
}

/// Whether an empty text means that nothing was filled in: it is none of the values that the schema
/// is about, and a form may send it (none sends a list as a text). Where nothing means everything,
/// as all of the money for a refund, the schema says `x-emptyText: refused`, and an empty text is
/// wrong.
fn is_left_empty(root: &Value, schema: &Value) -> bool {
    let schema = resolve(root, schema);
    let alternatives = ["anyOf", "oneOf"].map(|choice| list(&schema[choice])).concat();
    let words = schema.get("const").into_iter().chain(list(&schema["enum"]));
    if !alternatives.is_empty() {
        return alternatives.iter().all(|one| is_left_empty(root, one));
    }
    if wants(schema, "array") || schema["x-emptyText"] == "refused" {
        return false;
    }
    schema.get("type").is_some() && !wants(schema, "string")
        || schema["minLength"].as_u64().is_some_and(|min| min > 0)
        || schema.get("format").is_some()
        || words.clone().count() > 0 && words.into_iter().all(|word| *word != "")
}

/// `5` for `5.0` and `5e0`.
fn whole(raw: &str) -> Cow<'_, str> {
    whole_number(raw).map_or(Cow::from(raw), |number| number.to_string().into())
}

/// The query without the parameters that have no value: they count as absent.
pub(crate) fn without_empty(query: &str) -> Cow<'_, str> {
    let has_value = |pair: &&str| pair.split_once('=').is_some_and(|(_, value)| !value.is_empty());
    if query.is_empty() || query.split('&').all(|pair| has_value(&pair)) {
        return query.into();
    }
    query.split('&').filter(has_value).collect::<Vec<_>>().join("&").into()
}

/// The parameters of a query with numbers and booleans written as the schema wants them, without
/// the space around them. `True` is what Python makes of a boolean, `1` what forms do.
pub(crate) fn parameters(schema: &Value, query: &str) -> Vec<(String, String)> {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap_or_default();
    let normal = |(name, text): (String, String)| {
        let field = subject(schema, resolve(schema, &schema["properties"][&name]));
        let trimmed = text.trim();
        let text = match trimmed.to_ascii_lowercase().as_str() {
            "true" | "1" if wants(field, "boolean") => "true".to_owned(),
            "false" | "0" if wants(field, "boolean") => "false".to_owned(),
            _ if wants(field, "integer") => whole(trimmed).into_owned(),
            _ => trimmed.to_owned(),
        };
        (name, text)
    };
    pairs.into_iter().map(normal).filter(|(_, text)| !text.is_empty()).collect()
}
