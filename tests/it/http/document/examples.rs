//! The document's examples are what these tests send and get. `RECORD_EXAMPLES=FILE` writes them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

use serde_json::{Map, Value, json};

use super::{Document, Exchange, Operation};

/// What an example may weigh: it should show everything, and be read.
const MOST: usize = 2500;
/// How many of many are enough to see what they are.
const ITEMS: usize = 1;

static RECORDER: LazyLock<Option<Recorder>> = LazyLock::new(|| {
    let file = std::env::var_os("RECORD_EXAMPLES")?.into();
    Some(Recorder { file, best: Mutex::default() })
});

struct Recorder {
    file: PathBuf,
    best: Mutex<BTreeMap<String, Value>>,
}

/// Keeps an exchange where it shows more of its operation than all before it.
pub(super) fn record(document: &Document, operation: &Operation, exchange: &Exchange<'_>) {
    let Some(recorder) = &*RECORDER else { return };
    let name = document.get(operation)["operationId"].as_str().expect("a name");
    let Some(example) = example(document, operation, exchange) else { return };
    let mut best = recorder.best.lock().expect("a lock");
    let weight = |example: &Value| example.to_string().len();
    if weight(&example) > MOST {
        return;
    }
    if best.get(name).is_none_or(|kept| weight(kept) < weight(&example)) {
        best.insert(name.to_owned(), example);
        let text = serde_json::to_string_pretty(&*best).expect("JSON");
        std::fs::write(&recorder.file, text + "\n").expect("written");
    }
}

fn example(document: &Document, operation: &Operation, exchange: &Exchange<'_>) -> Option<Value> {
    let status = exchange.answer.status;
    if !status.is_success() {
        return None;
    }
    let mut example = json!({ "status": status.as_u16() });
    let parameters = parameters(document, operation, exchange)?;
    if !parameters.is_empty() {
        example["parameters"] = parameters.into();
    }
    if let Ok(sent) = serde_json::from_slice(exchange.sent) {
        example["body"] = shown(sent);
    }
    if let Ok(answer) = serde_json::from_slice(&exchange.answer.body) {
        example["answer"] = shown(answer);
    }
    Some(example)
}

/// The parameters that were sent; nothing where one is written otherwise than the document says.
fn parameters(
    document: &Document,
    operation: &Operation,
    exchange: &Exchange<'_>,
) -> Option<Map<String, Value>> {
    let (path, query) = exchange.path.split_once('?').unwrap_or((exchange.path, ""));
    let matched = document.paths.at(path).expect("a path of the document");
    let mut sent: Vec<(String, String)> = serde_urlencoded::from_str(query).expect("a query");
    sent.extend(matched.params.iter().map(|(name, text)| (name.to_owned(), text.to_owned())));
    let known = document.get(operation)["parameters"].as_array().cloned().unwrap_or_default();
    let mut parameters = Map::new();
    for (name, text) in sent {
        let Some(schema) = known.iter().find(|known| known["name"] == name) else { continue };
        let schema = document.resolve(&schema["schema"]);
        let as_is = matches!(schema["type"].as_str(), Some("integer" | "number" | "boolean"));
        let value = if as_is { serde_json::from_str(&text).ok()? } else { Value::from(text) };
        parameters.insert(name, value);
    }
    Some(parameters)
}

/// Without secrets, and without more of the same.
fn shown(value: Value) -> Value {
    match value {
        Value::String(text) if text.starts_with("eyJ") => {
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTlhYTZmNCJ9.c2lnbmF0dXJl".into()
        }
        Value::String(text) if text.starts_with("whsec_") => {
            "whsec_ZXhlbXBsb2RlLXNlZ3JlZG8tZG8td2ViaG9vaw==".into()
        }
        Value::String(text) if text.starts_with("svc_live_") => {
            let letters = text.chars().skip("svc_live_".len()).map(|_| '0');
            format!("svc_live_{}", letters.collect::<String>()).into()
        }
        Value::String(text) if text.len() > 300 => text.chars().take(60).collect::<String>().into(),
        Value::Array(items) => items.into_iter().take(ITEMS).map(shown).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, shown(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}
