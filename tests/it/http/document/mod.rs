//! The OpenAPI document. Whatever any test sends and gets over HTTP is held against it: the status,
//! the error's code, the type and the shape of every answer, and the shape of every body that was
//! taken.

mod answers;
mod examples;
mod whole;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use bytes::Bytes;
use hyper::Method;
use hyper::header::CONTENT_TYPE;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::client::Answer;

/// A request and its answer.
pub(crate) struct Exchange<'a> {
    pub(crate) method: &'a Method,
    /// With its query.
    pub(crate) path: &'a str,
    pub(crate) sent: &'a Bytes,
    pub(crate) answer: &'a Answer,
}

/// An operation of the document.
struct Operation {
    path: String,
    method: String,
}

/// The document, ready to be asked.
struct Document {
    value: Value,
    paths: matchit::Router<String>,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../shop-server/openapi.json");
    let text = std::fs::read(file).expect("the document");
    let value: Value = serde_json::from_slice(&text).expect("JSON");
    let mut paths = matchit::Router::new();
    for path in value["paths"].as_object().expect("paths").keys() {
        paths.insert(path, path.clone()).expect("a path of its own");
    }
    Document { value, paths, validators: Mutex::default() }
});

/// Fails the test whose exchange the document does not tell of.
#[track_caller]
pub(crate) fn hold(exchange: &Exchange<'_>) {
    let Some(operation) = DOCUMENT.operation(exchange) else { return };
    if let Err(why) = DOCUMENT.tells(&operation, exchange) {
        let Exchange { method, path, answer, .. } = exchange;
        let body = String::from_utf8_lossy(&answer.body);
        panic!("not as openapi.json says: {why}\n{method} {path}\n{} {body}", answer.status);
    }
    examples::record(&DOCUMENT, &operation, exchange);
    answers::record(&DOCUMENT, &operation, exchange);
}

impl Document {
    /// What was asked for, if the document has it.
    fn operation(&self, exchange: &Exchange<'_>) -> Option<Operation> {
        let path = exchange.path.split('?').next().unwrap_or_default();
        let path = self.paths.at(path).ok()?.value.clone();
        let method = exchange.method.as_str().to_lowercase();
        self.value["paths"][&path].get(&method)?;
        Some(Operation { path, method })
    }

    fn get(&self, operation: &Operation) -> &Value {
        &self.value["paths"][&operation.path][&operation.method]
    }

    /// Follows a reference.
    fn resolve<'v>(&'v self, value: &'v Value) -> &'v Value {
        match value["$ref"].as_str().and_then(|to| self.value.pointer(&to[1..])) {
            Some(target) => self.resolve(target),
            None => value,
        }
    }

    fn tells(&self, operation: &Operation, exchange: &Exchange<'_>) -> Result<(), String> {
        let Answer { status, headers, body } = exchange.answer;
        let described = self.get(operation);
        let response = described["responses"].get(status.as_str());
        let response = self.resolve(response.ok_or("no such status")?);
        let content = &response["content"];
        if body.is_empty() && content.is_null() {
            return Ok(());
        }
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.ok_or("no content type")?;
        let media = content.get(kind).or_else(|| content.get(kind.split(';').next()?));
        let media = media.ok_or_else(|| format!("no such content type: {kind}"))?;
        if !kind.starts_with("application/json") {
            return Ok(());
        }
        let answer = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        self.check(&media["schema"], &answer).map_err(|why| format!("the answer: {why}"))?;
        let taken = &described["requestBody"]["content"]["application/json"]["schema"];
        match serde_json::from_slice(exchange.sent) {
            Ok(sent) if status.is_success() && taken.is_object() => {
                self.check(taken, &sent).map_err(|why| format!("the request: {why}"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a value is what a schema of the document says.
    fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let key = schema.to_string();
        let known = self.validators.lock().expect("a lock").get(&key).cloned();
        let validator = known.unwrap_or_else(|| {
            let schemas = &self.value["components"]["schemas"];
            let whole = json!({ "allOf": [schema], "components": { "schemas": schemas } });
            let made = jsonschema::draft202012::new(&whole);
            let made = Arc::new(made.unwrap_or_else(|error| panic!("{error}: {schema}")));
            self.validators.lock().expect("a lock").insert(key, Arc::clone(&made));
            made
        });
        let wrong = validator.iter_errors(value);
        let wrong: Vec<String> =
            wrong.map(|error| format!("{}: {error}", error.instance_path())).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }
}
