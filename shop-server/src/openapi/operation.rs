//! One operation of the document: what a row's inputs, outputs and access say about it.

use std::collections::{BTreeMap, BTreeSet};

use hyper::StatusCode;
use serde_json::{Map, Value, json};
use shop_core::api_key::Scope;

use super::components::{self, Header};
use super::examples::Example;
use crate::caller::{Access, GUESTS};
use crate::reply::Code;
use crate::route::Route;

/// What inputs and outputs say about a row.
#[derive(Debug, Default)]
pub(crate) struct Operation {
    parameters: Vec<Value>,
    body: Option<Value>,
    answers: BTreeMap<u16, Answer>,
    failures: BTreeSet<Code>,
}

/// An answer that is no refusal.
#[derive(Debug, Default)]
struct Answer {
    content: Option<Value>,
    headers: BTreeSet<Header>,
}

impl Operation {
    pub(crate) fn takes_json(&mut self, schema: &Value) {
        self.takes_body(true, &json!({ "application/json": { "schema": schema } }));
        self.fails(&[Code::InvalidInput, Code::MalformedJson, Code::UnsupportedContentType]);
    }

    /// A body that may be left out.
    pub(crate) fn may_take_json(&mut self, schema: &Value) {
        self.takes_json(schema);
        if let Some(body) = &mut self.body {
            body["required"] = false.into();
        }
    }

    /// A body that is read as it comes, whatever its `Content-Type` says; none is an empty one.
    pub(crate) fn takes_raw_json(&mut self) {
        self.takes_body(false, &json!({ "application/json": { "schema": {} } }));
    }

    /// Takes a form with one file.
    pub(crate) fn takes_file(&mut self, field: &str) {
        let file = json!({ "type": "string", "contentMediaType": "application/octet-stream" });
        let form = json!({ "type": "object", "properties": { field: file }, "required": [field] });
        self.takes_body(true, &json!({ "multipart/form-data": { "schema": form } }));
        self.fails(&[Code::InvalidInput, Code::MalformedForm, Code::UnsupportedContentType]);
    }

    /// Takes a form of one field that has one value.
    pub(crate) fn takes_form(&mut self, field: &str, value: &str) {
        let form = json!({
            "type": "object", "properties": { field: { "const": value } }, "required": [field]
        });
        let content = json!({
            "application/x-www-form-urlencoded": { "schema": form },
            "multipart/form-data": { "schema": form }
        });
        self.takes_body(true, &content);
        self.fails(&[Code::MalformedForm]);
    }

    fn takes_body(&mut self, required: bool, content: &Value) {
        self.body = Some(json!({ "required": required, "content": content }));
        self.fails(&[Code::BrokenBody, Code::RequestTimeout, Code::PayloadTooLarge]);
    }

    /// Adds the fields of a struct's schema as parameters.
    pub(crate) fn takes_parameters(&mut self, place: &str, schema: &Value) {
        let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let (field, about) = as_parameter(field);
            let mut parameter = json!({
                "name": name, "in": place, "schema": field,
                "required": place == "path" || required.iter().any(|one| one == name),
            });
            if let Some(about) = about {
                parameter["description"] = about;
            }
            self.parameters.push(parameter);
        }
        self.fails(&[if place == "path" { Code::NotFound } else { Code::InvalidInput }]);
    }

    pub(crate) fn takes_header(&mut self, name: &str, about: &str, schema: &Value) {
        self.parameters.push(json!({
            "name": name, "in": "header", "required": false, "description": about, "schema": schema
        }));
    }

    pub(crate) fn answers_json(&mut self, status: StatusCode, schema: &Value) {
        let content = json!({ "application/json": { "schema": schema } });
        self.answers.entry(status.as_u16()).or_default().content = Some(content);
    }

    /// 200 with bytes of some other type, which the row names.
    pub(crate) fn answers_file(&mut self) {
        self.answers.entry(200).or_default();
    }

    /// Every answer that is no refusal may have this header.
    pub(crate) fn answers_with(&mut self, header: Header) {
        for answer in self.answers.values_mut() {
            answer.headers.insert(header);
        }
    }

    pub(crate) fn parameter_names(&self, place: &str) -> Vec<String> {
        let here = self.parameters.iter().filter(|parameter| parameter["in"] == place);
        here.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
    }

    pub(crate) fn fails(&mut self, codes: &[Code]) {
        self.failures.extend(codes);
    }

    /// Adds what the row says beside its inputs and outputs.
    pub(super) fn complete(&mut self, route: &Route) {
        self.fails(access_failures(route.access));
        if matches!(route.access, Access::Shopper) && !route.method.is_safe() {
            self.fails(&[Code::RateLimited]);
        }
        if route.own_pages_only {
            self.fails(&[Code::ForeignOrigin]);
        }
        if route.rate.is_some() || route.access.scope().is_some() {
            self.fails(&[Code::RateLimited]);
        }
        self.fails(&[Code::InternalError, Code::Busy]);
        self.fails(route.fails);
        self.answers_with(Header::RequestId);
        if route.access.scope().is_some() {
            for header in [Header::Limit, Header::Remaining, Header::Reset] {
                self.answers_with(header);
            }
        }
        route.headers.iter().for_each(|header| self.answers_with(*header));
        self.answers_media(route.media);
        if route.cached || route.tagged {
            self.answers_from_cache();
        }
    }

    fn answers_media(&mut self, types: &[&str]) {
        let file = |kind: &&str| ((*kind).to_owned(), media(kind));
        let content: Map<String, Value> = types.iter().map(file).collect();
        if let (Some(answer), false) = (self.answers.get_mut(&200), content.is_empty()) {
            answer.content = Some(content.into());
        }
    }

    fn answers_from_cache(&mut self) {
        self.takes_header(
            "If-None-Match",
            "The `ETag` of an answer that one still has: 304 while it is the same.",
            &json!({ "type": "string" }),
        );
        self.answers.entry(304).or_default().headers.insert(Header::RequestId);
        self.answers_with(Header::ETag);
        self.answers_with(Header::CacheControl);
    }

    /// The document's value for it, with an example of each thing that has one.
    pub(super) fn into_value(
        mut self,
        example: Option<&Example>,
        shared: &mut components::Shared,
    ) -> Map<String, Value> {
        if let Some(example) = example {
            example.fill(&mut self.parameters, self.body.as_mut());
        }
        let mut value = Map::new();
        if !self.parameters.is_empty() {
            value.insert("parameters".to_owned(), self.parameters.into());
        }
        if let Some(body) = self.body {
            value.insert("requestBody".to_owned(), body);
        }
        let mut responses = Map::new();
        for (status, answer) in self.answers {
            let shown = example.filter(|example| example.status == status);
            responses.insert(status.to_string(), answer.into_value(status, shown));
        }
        let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
        for code in self.failures {
            by_status.entry(code.status().as_u16()).or_default().push(code);
        }
        for (status, codes) in by_status {
            responses.insert(status.to_string(), shared.refusal(status, &codes));
        }
        value.insert("responses".to_owned(), responses.into());
        value
    }
}

impl Answer {
    fn into_value(self, status: u16, example: Option<&Example>) -> Value {
        let headers: Map<String, Value> = self
            .headers
            .into_iter()
            .map(|header| (header.name().to_owned(), header.link()))
            .collect();
        let about = match status {
            201 => "It was made; this is it",
            304 => "What one has is still the same",
            _ => "Done",
        };
        let mut value = json!({ "description": about, "headers": headers });
        if let Some(mut content) = self.content {
            if let (Some(example), Some(json)) =
                (example.and_then(|it| it.answer.as_ref()), content.get_mut("application/json"))
            {
                json["example"] = example.clone();
            }
            value["content"] = content;
        }
        value
    }
}

fn access_failures(access: Access) -> &'static [Code] {
    match access {
        Access::Public | Access::Guest => &[],
        Access::Own => &[Code::Unauthenticated],
        Access::Order => {
            &[Code::Unauthenticated, Code::InvalidOrderLink, Code::TwoFactorRequiredByShop]
        }
        Access::Shopper | Access::Session => {
            &[Code::Unauthenticated, Code::TwoFactorRequiredByShop]
        }
        Access::Staff | Access::Customer => &[Code::Unauthenticated, Code::Forbidden],
        Access::Admin => &[Code::Unauthenticated, Code::Forbidden, Code::TwoFactorRequiredByShop],
        Access::Key(_) | Access::PublicOrKey(_) => &[Code::InvalidApiKey],
        Access::SessionOrKey(_) => {
            &[Code::Unauthenticated, Code::TwoFactorRequiredByShop, Code::InvalidApiKey]
        }
    }
}

/// What a file of a type is; only texts have a shape that JSON Schema knows.
fn media(kind: &str) -> Value {
    if kind.starts_with("text/") || kind.contains("openmetrics") || kind == "application/xml" {
        json!({ "schema": { "type": "string" } })
    } else {
        json!({ "schema": { "type": "string", "contentMediaType": kind } })
    }
}

/// A field's schema without its description, and without the `null` that no text can say: a
/// parameter is there or it is not.
fn as_parameter(field: &Value) -> (Value, Option<Value>) {
    let mut field = field.as_object().cloned().unwrap_or_default();
    let about = field.remove("description");
    if field.get("default").is_some_and(Value::is_null) {
        field.remove("default");
    }
    if let Some(types) = field.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            field.insert("type".to_owned(), only);
        }
    }
    if let Some(choices) = field.get("anyOf").and_then(Value::as_array)
        && let [only] =
            choices.iter().filter(|choice| choice["type"] != "null").collect::<Vec<_>>()[..]
        && choices.len() == 2
    {
        return (only.clone(), about);
    }
    (field.into(), about)
}

/// What the row says by itself, in sentences.
pub(super) fn facts(route: &Route) -> String {
    let mut facts = vec![access(route)];
    if let Some(rate) = route.rate {
        let (times, minutes) = (rate.max, rate.window.as_secs() / 60);
        let window =
            if minutes == 1 { "a minute".to_owned() } else { format!("{minutes} minutes") };
        facts.push(format!("One address may call {times} times in {window}."));
    }
    if route.access == Access::Shopper && !route.method.is_safe() {
        facts.push(format!("One address may call {} times in a minute as a guest.", GUESTS.max));
    }
    if route.cached {
        facts.push("Answers are kept until what they show changes, and have an `ETag`.".to_owned());
    }
    facts.join(" ")
}

fn access(route: &Route) -> String {
    let scope = route.access.scope().map(Scope::as_str).unwrap_or_default();
    match route.access {
        Access::Public => "Public.".to_owned(),
        Access::Guest => "Public; where the setting `carts.guests` is on, the cookie of a guest's cart counts.".to_owned(),
        Access::Shopper => {
            "Needs a session, or where the setting `carts.guests` is on the cookie of a guest's cart, \
             which the first change sets."
                .to_owned()
        }
        Access::Session | Access::Own => "Needs a session.".to_owned(),
        Access::Order => {
            "Needs a session, or for that one order the token of the link in a mail about it \
             (`X-Order-Token`, or `t` in the query). The order's number is as good as its id."
                .to_owned()
        }
        Access::Customer => "Needs a session of a customer.".to_owned(),
        Access::Admin | Access::Staff => "Needs a session of an admin.".to_owned(),
        Access::Key(_) => format!("Needs a key with the scope `{scope}`."),
        Access::PublicOrKey(_) => {
            format!("Public; a key that is sent must have the scope `{scope}`.")
        }
        Access::SessionOrKey(_) => {
            format!("Needs a session, or a key with the scope `{scope}`.")
        }
    }
}
