//! Examples of requests and their answers: what the tests of the whole shop really sent and got,
//! written to `examples.json` by them (`RECORD_EXAMPLES`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use shop_core::Result;
use shop_core::error::Error;

/// One request that was done, and its answer.
#[derive(Debug, Deserialize)]
pub(super) struct Example {
    /// What stood in the path's braces and in the query.
    #[serde(default)]
    parameters: Map<String, Value>,
    body: Option<Value>,
    pub(super) status: u16,
    pub(super) answer: Option<Value>,
}

/// All examples, by operation.
///
/// # Errors
/// When the file is no JSON of this shape.
pub(super) fn all() -> Result<BTreeMap<String, Example>> {
    serde_json::from_str(include_str!("examples.json")).map_err(Error::from_source)
}

impl Example {
    /// Shows what was sent.
    pub(super) fn fill(&self, parameters: &mut [Value], body: Option<&mut Value>) {
        for parameter in parameters {
            let sent = parameter["name"].as_str().and_then(|name| self.parameters.get(name));
            if let Some(sent) = sent {
                parameter["example"] = sent.clone();
            }
        }
        let json = body.and_then(|body| body.pointer_mut("/content/application~1json"));
        if let (Some(json), Some(sent)) = (json, &self.body) {
            json["example"] = sent.clone();
        }
    }
}
