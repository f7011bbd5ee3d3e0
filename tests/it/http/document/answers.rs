//! Every JSON answer of these tests, for validators in other languages (`tests/foreign`).
//! `RECORD_ANSWERS=FILE` adds them to a file, one a line.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::sync::{LazyLock, Mutex};

use serde_json::{Value, json};

use super::{Document, Exchange, Operation};

struct Recorder {
    file: File,
    /// What was written already.
    seen: HashSet<String>,
}

static RECORDER: LazyLock<Option<Mutex<Recorder>>> = LazyLock::new(|| {
    let path = std::env::var_os("RECORD_ANSWERS")?;
    let file = File::options().create(true).append(true).open(path).expect("the file");
    Some(Mutex::new(Recorder { file, seen: HashSet::new() }))
});

/// Adds an answer, if it is JSON, with the place of its schema in the document.
pub(super) fn record(document: &Document, operation: &Operation, exchange: &Exchange<'_>) {
    let Some(recorder) = &*RECORDER else { return };
    let Ok(body) = serde_json::from_slice::<Value>(&exchange.answer.body) else { return };
    let status = exchange.answer.status.as_u16();
    let Operation { path, method } = operation;
    let response = &document.get(operation)["responses"][status.to_string()];
    let response = match response["$ref"].as_str() {
        Some(shared) => shared.trim_start_matches('#').to_owned(),
        None => format!("/paths/{}/{method}/responses/{status}", path.replace('/', "~1")),
    };
    let line = json!({
        "operation": document.get(operation)["operationId"],
        "status": status,
        "schema": format!("{response}/content/application~1json/schema"),
        "body": body,
    });
    let line = line.to_string() + "\n";
    let mut recorder = recorder.lock().expect("a lock");
    if recorder.seen.insert(line.clone()) {
        recorder.file.write_all(line.as_bytes()).expect("written");
    }
}
