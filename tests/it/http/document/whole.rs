//! The document is whole: each operation says what it is, what it takes, what it answers with, and
//! shows an example of each that holds.

use serde_json::Value;

use super::{DOCUMENT, Document, Operation};

/// This document is too large to stand in itself.
const WITHOUT_EXAMPLE: [&str; 1] = ["openapi"];

fn operations() -> Vec<(Operation, &'static Value)> {
    let paths = DOCUMENT.value["paths"].as_object().expect("paths");
    let methods = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods").iter();
        methods.map(|(method, described)| {
            (Operation { path: path.clone(), method: method.clone() }, described)
        })
    });
    methods.collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn says(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() > 3)
}

#[test]
fn every_operation_says_what_it_is_and_which_callers_it_admits() {
    let tags = list(&DOCUMENT.value["tags"]);
    assert!(tags.iter().all(|tag| says(&tag["description"])));
    assert!(operations().len() > 140);
    for (_, operation) in operations() {
        let name = operation["operationId"].as_str().expect("a name");
        for field in ["summary", "description"] {
            assert!(says(&operation[field]), "{name} has no {field}");
        }
        assert!(operation["security"].is_array(), "{name}");
        let tag = &operation["tags"][0];
        assert!(tags.iter().any(|known| known["name"] == *tag), "{name}: {tag}");
    }
}

#[test]
fn every_parameter_is_described() {
    for (_, operation) in operations() {
        for parameter in list(&operation["parameters"]) {
            let name = format!("{}, {}", operation["operationId"], parameter["name"]);
            assert!(says(&parameter["description"]), "{name} has no description");
            assert!(parameter["schema"].is_object(), "{name} has no schema");
        }
    }
}

#[test]
fn every_answer_is_described_and_every_refusal_names_its_codes() {
    for (_, operation) in operations() {
        let name = &operation["operationId"];
        let responses = operation["responses"].as_object().expect("responses");
        assert!(responses.keys().any(|status| status.starts_with('2')), "{name}");
        assert!(responses.contains_key("500") && responses.contains_key("503"), "{name}");
        for (status, response) in responses {
            let response = DOCUMENT.resolve(response);
            assert!(says(&response["description"]), "{name} {status}");
            assert!(response["headers"]["X-Request-Id"].is_object(), "{name} {status}");
            let mut waits = ["429", "503"].contains(&status.as_str());
            if status.starts_with(['4', '5']) {
                let schema = &response["content"]["application/json"]["schema"];
                let codes = list(&schema["allOf"][1]["properties"]["code"]["enum"]);
                assert!(!codes.is_empty(), "{name} {status}");
                waits |= codes.iter().any(|code| code == "import_under_way");
            }
            assert_eq!(waits, response["headers"]["Retry-After"].is_object(), "{name} {status}");
        }
    }
}

#[test]
fn every_example_is_what_its_schema_says() {
    let mut seen = 0;
    for (_, operation) in operations() {
        let name = operation["operationId"].as_str().expect("a name");
        for parameter in list(&operation["parameters"]) {
            if let Some(example) = parameter.get("example") {
                holds(&DOCUMENT, name, &parameter["schema"], example);
            }
        }
        let body = &operation["requestBody"]["content"]["application/json"];
        let answers = operation["responses"].as_object().expect("responses");
        let success = answers.iter().find(|(status, _)| status.starts_with('2'));
        let answer = &success.expect("a success").1["content"]["application/json"];
        for json in [body, answer].into_iter().filter(|json| json.is_object()) {
            let Some(example) = json.get("example") else {
                assert!(WITHOUT_EXAMPLE.contains(&name), "{name} has no example");
                continue;
            };
            holds(&DOCUMENT, name, &json["schema"], example);
            seen += 1;
        }
        for response in answers.values().map(|response| DOCUMENT.resolve(response)) {
            let json = &response["content"]["application/json"];
            for example in json["examples"].as_object().into_iter().flat_map(|it| it.values()) {
                holds(&DOCUMENT, name, &json["schema"], &DOCUMENT.resolve(example)["value"]);
            }
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn every_webhook_shows_what_it_sends() {
    let webhooks = DOCUMENT.value["webhooks"].as_object().expect("webhooks");
    assert!(webhooks.len() > 7);
    for (name, webhook) in webhooks {
        let operation = &webhook["post"];
        assert!(says(&operation["summary"]) && says(&operation["description"]), "{name}");
        assert!(!list(&operation["security"]).is_empty(), "{name}");
        let json = &operation["requestBody"]["content"]["application/json"];
        holds(&DOCUMENT, name, &json["schema"], &json["example"]);
    }
}

fn holds(document: &Document, name: &str, schema: &Value, example: &Value) {
    if let Err(why) = document.check(schema, example) {
        panic!("the example of {name}: {why}\n{example:#}");
    }
}
