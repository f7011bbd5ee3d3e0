//! Inputs that were not understood at once, and why.
//!
//! Inputs are read by serde, which stops at the first mistake. Only when it fails is the input
//! brought into the form that its JSON schema describes and read again; when that fails too, it is
//! walked along the schema, and every wrong field is named at once. Numbers are looked at as their
//! text, so that money never passes through a float.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use shop_core::money::{AskedAmount, Money};
use shop_core::value::{InvalidValue, check_characters, trim};

use crate::format;
use crate::normal::{self, Null};
use crate::portuguese::{self, FieldTexts};
use crate::raw_json;
use crate::reply::Failure;
use crate::schema::{allows_null, is_too_long, list, resolve, subject, wants};

/// How many messages an answer has: enough for a form, and for a program to see what is wrong with
/// its list.
const MOST: usize = 100;

/// Reads a JSON text that serde did not take as it stands.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read_json<T: DeserializeOwned + JsonSchema>(
    text: &str,
    null: Null,
) -> Result<T, Failure> {
    let whole: &RawValue = serde_json::from_str(text).map_err(|_| Failure::MalformedJson)?;
    let schema = schemars::schema_for!(T);
    let text = normal::json(schema.as_value(), whole.get(), null);
    // No row takes a list, and serde would take one for a struct, field by field in their order.
    if !text.starts_with('[')
        && let Ok(value) = serde_json::from_str(&text)
    {
        return Ok(value);
    }
    Err(explain(schema.as_value(), &text))
}

/// Reads a query that serde did not take as it stands.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read_query<T: DeserializeOwned + JsonSchema>(query: &str) -> Result<T, Failure> {
    let schema = schemars::schema_for!(T);
    let parameters = normal::parameters(schema.as_value(), query);
    let normal = serde_urlencoded::to_string(&parameters).unwrap_or_default();
    serde_urlencoded::from_str(&normal)
        .map_err(|_| explain(schema.as_value(), &query_as_json(schema.as_value(), parameters)))
}

fn explain(schema: &Value, raw: &str) -> Failure {
    let mut walk = Walk { root: schema, wrong: Wrong::default() };
    walk.value(schema, raw, "");
    Failure::Invalid(walk.wrong.into_texts())
}

/// The query as the JSON object that its schema describes: numbers and booleans where the schema
/// wants them and the text is one, texts elsewhere.
fn query_as_json(schema: &Value, pairs: Vec<(String, String)>) -> String {
    let mut members = Vec::new();
    for (name, text) in pairs {
        let field = subject(schema, &schema["properties"][&name]);
        let as_is = wants(field, "integer") && is_number(&text)
            || wants(field, "number") && is_number(&text)
            || wants(field, "boolean") && matches!(&*text, "true" | "false");
        let value = if as_is { text } else { Value::from(text).to_string() };
        members.push(format!("{}:{value}", Value::from(name)));
    }
    format!("{{{}}}", members.join(","))
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// What is wrong, up to [`MOST`] messages; the rest is counted.
#[derive(Default)]
struct Wrong {
    texts: FieldTexts,
    shown: usize,
    more: usize,
}

impl Wrong {
    fn add(&mut self, at: &str, message: Cow<'static, str>) {
        if self.shown == MOST {
            self.more += 1;
            return;
        }
        self.shown += 1;
        match at {
            "" => self.texts.form_errors.push(message),
            _ => self.texts.field_errors.entry(at.to_owned()).or_default().push(message),
        }
    }

    fn append(&mut self, other: Self) {
        for (field, messages) in other.texts.field_errors {
            for message in messages {
                self.add(&field, message);
            }
        }
        for message in other.texts.form_errors {
            self.add("", message);
        }
        self.more += other.more;
    }

    fn is_empty(&self) -> bool {
        self.shown == 0
    }

    fn into_texts(mut self) -> FieldTexts {
        if self.is_empty() {
            // A rule that the schema does not state; the type knew better.
            self.texts.form_errors.push("Algum campo tem um valor inválido".into());
        }
        match self.more {
            0 => {}
            1 => self.texts.form_errors.push("Há mais 1 erro".into()),
            more => self.texts.form_errors.push(format!("Há mais {more} erros").into()),
        }
        self.texts
    }
}

/// One walk along a value and its schema.
struct Walk<'s> {
    root: &'s Value,
    wrong: Wrong,
}

impl<'s> Walk<'s> {
    /// Checks the JSON text of one value. `at` is its path, empty for the whole.
    fn value(&mut self, schema: &'s Value, raw: &str, at: &str) {
        if raw == "null" && !allows_null(self.root, schema) {
            return self.is(at, &InvalidValue::Required);
        }
        let schema = resolve(self.root, schema);
        for part in list(&schema["allOf"]) {
            self.value(part, raw, at);
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(alternatives) = schema[choice].as_array() {
                self.alternatives(alternatives, raw, at);
            }
        }
        if !self.allowed_type(schema, raw, at) || !self.allowed_value(schema, raw, at) {
            return;
        }
        match raw.as_bytes().first() {
            Some(b'{') => self.object(schema, raw, at),
            Some(b'[') => self.array(schema, raw, at),
            Some(b'"') => self.text(schema, raw, at),
            Some(b'-' | b'0'..=b'9') => self.number(schema, raw, at),
            _ => {}
        }
    }

    fn is(&mut self, at: &str, wrong: &InvalidValue) {
        self.says(at, portuguese::text(wrong));
    }

    fn says(&mut self, at: &str, message: impl Into<Cow<'static, str>>) {
        self.wrong.add(at, message.into());
    }

    /// One of several schemas must hold. When none does and only one of them is about more than
    /// `null`, or about a value of this type, that one says what is wrong.
    fn alternatives(&mut self, alternatives: &'s [Value], raw: &str, at: &str) {
        let mut complaints = Vec::new();
        for alternative in alternatives {
            let mut walk = Walk { root: self.root, wrong: Wrong::default() };
            walk.value(alternative, raw, at);
            if walk.wrong.is_empty() {
                return;
            }
            if alternative["type"] != "null" {
                complaints.push((alternative["type"].as_str(), walk.wrong));
            }
        }
        let is_about = |of: Option<&str>| of.is_some_and(|name| is_of_type(raw, name));
        if complaints.iter().filter(|(of, _)| is_about(*of)).count() == 1 {
            complaints.retain(|(of, _)| is_about(*of));
        }
        let constants: Vec<&Value> =
            alternatives.iter().filter_map(|alternative| alternative.get("const")).collect();
        match complaints.pop() {
            Some((_, only)) if complaints.is_empty() => self.wrong.append(only),
            _ if constants.len() == alternatives.len() => self.says(at, one_of(&constants)),
            _ => self.says(at, "Valor inválido"),
        }
    }

    fn allowed_type(&mut self, schema: &Value, raw: &str, at: &str) -> bool {
        let types: Vec<&str> = match &schema["type"] {
            Value::String(only) => vec![only],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        if types.iter().any(|name| is_of_type(raw, name)) {
            return true;
        }
        self.says(
            at,
            match types.iter().find(|name| **name != "null") {
                Some(&"string") => "Deve ser um texto",
                Some(&"integer") => "Deve ser um número inteiro",
                Some(&"number") => "Deve ser um número",
                Some(&"boolean") => "Deve ser verdadeiro ou falso",
                Some(&"array") => "Deve ser uma lista",
                Some(&"object") => "Deve ser um objeto",
                _ => "Valor inválido",
            },
        );
        false
    }

    fn allowed_value(&mut self, schema: &Value, raw: &str, at: &str) -> bool {
        let allowed: Vec<&Value> = match (schema.get("const"), schema["enum"].as_array()) {
            (Some(only), _) => vec![only],
            (None, Some(several)) => several.iter().collect(),
            (None, None) => return true,
        };
        let value: Option<Value> = serde_json::from_str(raw).ok();
        let fine = value.is_some_and(|value| allowed.contains(&&value));
        if !fine {
            self.says(at, one_of(&allowed));
        }
        fine
    }

    fn object(&mut self, schema: &'s Value, raw: &str, at: &str) {
        let properties = &schema["properties"];
        // Each known member once, and whether it came again.
        let mut members: BTreeMap<String, (&str, bool)> = BTreeMap::new();
        raw_json::each_member(raw, |name, value| {
            if properties.get(&name).is_some() {
                let again = members.contains_key(&name);
                members.entry(name).or_insert((value, false)).1 |= again;
            }
        });
        for required in list(&schema["required"]).iter().filter_map(Value::as_str) {
            if !members.contains_key(required) {
                self.is(&join(at, required), &InvalidValue::Required);
            }
        }
        for (name, field) in properties.as_object().into_iter().flatten() {
            match members.get(name) {
                None => {}
                Some((value, false)) => self.value(field, value, &join(at, name)),
                Some((_, true)) => self.says(&join(at, name), "Campo repetido"),
            }
        }
    }

    fn array(&mut self, schema: &'s Value, raw: &str, at: &str) {
        if is_too_long(schema, raw) {
            let most = schema["maxItems"].as_u64().unwrap_or_default();
            return self.is(at, &InvalidValue::MaxItems { most });
        }
        let too_short = |least: &u64| raw_json::count_items(raw, *least) < *least;
        if let Some(least) = schema["minItems"].as_u64().filter(too_short) {
            self.is(at, &InvalidValue::MinItems { least });
        }
        let Some(of_item) = schema.get("items") else { return };
        raw_json::each_item(raw, |n, item| self.value(of_item, item, &format!("{at}[{n}]")));
    }

    fn text(&mut self, schema: &Value, raw: &str, at: &str) {
        let Ok(text) = serde_json::from_str::<String>(raw) else {
            return self.is(at, &InvalidValue::Characters);
        };
        // A secret keeps the spaces at its ends and any character; other texts lose and refuse
        // them.
        let secret = schema["writeOnly"] == true;
        let text = if secret { text.as_str() } else { trim(&text) };
        let bounds = (schema["minLength"].as_u64(), schema["maxLength"].as_u64());
        let length = text.chars().count() as u64;
        let wrong = match bounds {
            (Some(1), _) if length == 0 => Err(InvalidValue::Required),
            (Some(least), _) if length < least => Err(InvalidValue::MinCharacters { least }),
            (_, Some(most)) if length > most => Err(InvalidValue::MaxCharacters { most }),
            (Some(_), _) | (_, Some(_)) if !secret && check_characters(text).is_err() => {
                Err(InvalidValue::Characters)
            }
            _ => format::check(schema["format"].as_str().unwrap_or_default(), text),
        };
        if let Err(wrong) = wrong {
            self.is(at, &wrong);
        }
    }

    fn number(&mut self, schema: &Value, raw: &str, at: &str) {
        let read = match schema["format"].as_str() {
            Some("money") => Money::from_number(raw),
            Some("asked-amount") => raw.parse().map(AskedAmount::get),
            _ => return self.range(schema, raw, at),
        };
        match read {
            Ok(amount) => self.range(schema, &Money::to_string(&amount), at),
            Err(error) => self.is(at, &error.into()),
        }
    }

    fn range(&mut self, schema: &Value, number: &str, at: &str) {
        let Ok(number) = number.parse::<f64>() else { return };
        if schema["minimum"].as_f64().is_some_and(|min| number < min) {
            self.says(at, portuguese::at_least(&schema["minimum"]));
        }
        if schema["maximum"].as_f64().is_some_and(|max| number > max) {
            self.says(at, portuguese::at_most(&schema["maximum"]));
        }
    }
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn is_of_type(raw: &str, name: &str) -> bool {
    match (raw.as_bytes().first(), name) {
        (Some(b'-' | b'0'..=b'9'), "integer") => !raw.contains(['.', 'e', 'E']),
        (first, _) => match first {
            Some(b'{') => name == "object",
            Some(b'[') => name == "array",
            Some(b'"') => name == "string",
            Some(b't' | b'f') => name == "boolean",
            Some(b'n') => name == "null",
            _ => name == "number",
        },
    }
}

fn one_of(allowed: &[&Value]) -> String {
    let shown = |value: &&Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let texts: Vec<String> = allowed.iter().filter(|value| !value.is_null()).map(shown).collect();
    format!("Deve ser um destes: {}", texts.join(", "))
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
