//! Why an input was not understood.
//!
//! Inputs are read by serde, which stops at the first mistake. Only when it fails is the input
//! walked once more, along the JSON schema of its type, and every wrong field named at once
//! (decision 23). Numbers are looked at as their text, so that money never passes through a float.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use shop_core::Error;
use shop_core::error::FieldErrors;
use shop_core::money::Money;
use shop_core::value::{check_format, messages};

use crate::reply::Failure;

const REQUIRED: &str = "Campo obrigatório";

/// What is wrong with a body that is no `T`.
pub(crate) fn explain_json<T: JsonSchema>(text: &str) -> Failure {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(whole) => explain(schemars::schema_for!(T).as_value(), whole.get()),
        Err(_) => Failure::MalformedJson,
    }
}

/// What is wrong with a query that is no `T`.
pub(crate) fn explain_query<T: JsonSchema>(query: &str) -> Failure {
    let schema = schemars::schema_for!(T);
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap_or_default();
    explain(schema.as_value(), &query_as_json(schema.as_value(), pairs))
}

fn explain(schema: &Value, raw: &str) -> Failure {
    let mut walk = Walk { root: schema, wrong: FieldErrors::default() };
    walk.value(schema, raw, "");
    if walk.wrong.is_empty() {
        // A rule that the schema does not state; the type knew better.
        walk.wrong.add_form("Algum campo tem um valor inválido");
    }
    Error::Invalid(walk.wrong).into()
}

/// The query as the JSON object that its schema describes: numbers and booleans where the schema
/// wants them and the text is one, texts elsewhere.
fn query_as_json(schema: &Value, pairs: Vec<(String, String)>) -> String {
    let mut members = Vec::new();
    for (name, text) in pairs {
        let field = resolve(schema, &schema["properties"][&name]);
        let as_is = wants(field, "integer") && is_number(&text)
            || wants(field, "number") && is_number(&text)
            || wants(field, "boolean") && matches!(&*text, "true" | "false");
        let value = if as_is { text } else { Value::from(text).to_string() };
        members.push(format!("{}:{value}", Value::from(name)));
    }
    format!("{{{}}}", members.join(","))
}

fn is_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text).is_ok()
}

/// Whether a schema allows a type.
fn wants(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(only) => only == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    }
}

/// Follows `$ref`, which points into the root schema.
fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let pointer = schema["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
    match pointer.and_then(|pointer| root.pointer(pointer)) {
        Some(target) => resolve(root, target),
        None => schema,
    }
}

/// One walk along a value and its schema.
struct Walk<'s> {
    root: &'s Value,
    wrong: FieldErrors,
}

impl<'s> Walk<'s> {
    /// Checks the JSON text of one value. `at` is its path, empty for the whole.
    fn value(&mut self, schema: &'s Value, raw: &str, at: &str) {
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

    fn says(&mut self, at: &str, message: impl Into<std::borrow::Cow<'static, str>>) {
        match at {
            "" => self.wrong.add_form(message),
            _ => self.wrong.add(at, message),
        }
    }

    /// One of several schemas must hold. When none does and only one of them is about more than
    /// `null`, that one says what is wrong.
    fn alternatives(&mut self, alternatives: &'s [Value], raw: &str, at: &str) {
        let mut complaints = Vec::new();
        for alternative in alternatives {
            let mut walk = Walk { root: self.root, wrong: FieldErrors::default() };
            walk.value(alternative, raw, at);
            if walk.wrong.is_empty() {
                return;
            }
            if alternative["type"] != "null" {
                complaints.push(walk.wrong);
            }
        }
        let constants: Vec<&Value> =
            alternatives.iter().filter_map(|alternative| alternative.get("const")).collect();
        match complaints.pop() {
            Some(only) if complaints.is_empty() => merge(&mut self.wrong, only),
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
                Some(_) if raw == "null" => REQUIRED,
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
        let Ok(Members(members)) = serde_json::from_str(raw) else { return };
        for required in list(&schema["required"]).iter().filter_map(Value::as_str) {
            if !members.contains_key(required) {
                self.says(&join(at, required), REQUIRED);
            }
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            match members.get(name).map(Vec::as_slice) {
                None | Some([]) => {}
                Some([value]) => self.value(field, value.get(), &join(at, name)),
                Some(_) => self.says(&join(at, name), "Campo repetido"),
            }
        }
    }

    fn array(&mut self, schema: &'s Value, raw: &str, at: &str) {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw) else { return };
        if schema["maxItems"].as_u64().is_some_and(|max| items.len() as u64 > max) {
            self.says(at, messages::max_items(count(&schema["maxItems"])));
        }
        if schema["minItems"].as_u64().is_some_and(|min| (items.len() as u64) < min) {
            self.says(at, messages::min_items(count(&schema["minItems"])));
        }
        let Some(of_item) = schema.get("items") else { return };
        for (n, item) in items.iter().enumerate() {
            self.value(of_item, item.get(), &format!("{at}[{n}]"));
        }
    }

    fn text(&mut self, schema: &Value, raw: &str, at: &str) {
        let Ok(text) = serde_json::from_str::<String>(raw) else {
            return self.says(at, "Contém caracteres inválidos");
        };
        // A secret keeps the spaces at its ends and any character; other texts lose and refuse them.
        let secret = schema["writeOnly"] == true;
        let text = if secret { text.as_str() } else { text.trim() };
        let bounds = (schema["minLength"].as_u64(), schema["maxLength"].as_u64());
        let length = text.chars().count() as u64;
        match bounds {
            (Some(1), _) if length == 0 => self.says(at, REQUIRED),
            (Some(min), _) if length < min => {
                self.says(at, messages::min_characters(min));
            }
            (_, Some(max)) if length > max => {
                self.says(at, messages::max_characters(max));
            }
            (None, None) => {}
            _ if !secret && text.chars().any(is_control) => {
                self.says(at, "Contém caracteres inválidos");
            }
            _ => {}
        }
        let format = schema["format"].as_str().unwrap_or_default();
        if let Err(error) = check_format(format, text) {
            self.says(at, error.0);
        }
    }

    fn number(&mut self, schema: &Value, raw: &str, at: &str) {
        if schema["format"] == "money"
            && let Err(error) = raw.parse::<Money>()
        {
            return self.says(at, error.to_string());
        }
        let Ok(number) = raw.parse::<f64>() else { return };
        if schema["minimum"].as_f64().is_some_and(|min| number < min) {
            self.says(at, messages::at_least(&schema["minimum"]));
        }
        if schema["maximum"].as_f64().is_some_and(|max| number > max) {
            self.says(at, messages::at_most(&schema["maximum"]));
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
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

/// What no person types; line breaks and tabs are fine.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

fn one_of(allowed: &[&Value]) -> String {
    let shown = |value: &&Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let texts: Vec<String> = allowed.iter().filter(|value| !value.is_null()).map(shown).collect();
    format!("Deve ser um destes: {}", texts.join(", "))
}

fn count(number: &Value) -> u64 {
    number.as_u64().unwrap_or_default()
}

fn merge(into: &mut FieldErrors, more: FieldErrors) {
    for (field, messages) in more.field_errors {
        into.field_errors.entry(field).or_default().extend(messages);
    }
    into.form_errors.extend(more.form_errors);
}

/// The members of a JSON object, each with all its values: names may be repeated.
struct Members<'j>(BTreeMap<String, Vec<&'j RawValue>>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members: BTreeMap<String, Vec<&'de RawValue>> = BTreeMap::new();
                while let Some((name, value)) = map.next_entry()? {
                    members.entry(name).or_default().push(value);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
