//! The OpenAPI 3.1 document, made from the endpoint table.

mod events;

use bytes::Bytes;
use hyper::StatusCode;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use shop_core::Result;
use shop_core::error::Error;

use crate::caller::{Access, GUESTS};
use crate::route::Route;

/// A part of the table with a heading of its own.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) routes: Vec<Route>,
}

/// What inputs and outputs say about a row.
#[derive(Debug, Default)]
pub(crate) struct Operation {
    parameters: Vec<Value>,
    body: Option<Value>,
    responses: Map<String, Value>,
}

impl Operation {
    pub(crate) fn takes_json(&mut self, schema: &Value) {
        let content = json!({ "application/json": { "schema": schema } });
        self.body = Some(json!({ "required": true, "content": content }));
    }

    /// A body that may be left out.
    pub(crate) fn may_take_json(&mut self, schema: &Value) {
        let content = json!({ "application/json": { "schema": schema } });
        self.body = Some(json!({ "required": false, "content": content }));
    }

    /// Takes a form with one file.
    pub(crate) fn takes_file(&mut self, field: &str) {
        let file = json!({ "type": "string", "contentMediaType": "application/octet-stream" });
        let form = json!({ "type": "object", "properties": { field: file }, "required": [field] });
        let content = json!({ "multipart/form-data": { "schema": form } });
        self.body = Some(json!({ "required": true, "content": content }));
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
    }

    pub(crate) fn takes_header(&mut self, name: &str, about: &str) {
        self.parameters.push(json!({
            "name": name, "in": "header", "required": false, "description": about,
            "schema": { "type": "string", "minLength": 1, "maxLength": 255 }
        }));
    }

    pub(crate) fn answers_json(&mut self, status: StatusCode, schema: &Value) {
        self.responses.insert(
            status.as_str().to_owned(),
            json!({
                "description": status.canonical_reason().unwrap_or_default(),
                "content": { "application/json": { "schema": schema } }
            }),
        );
    }

    pub(crate) fn answers_file(&mut self) {
        let response = json!({ "description": "The file", "content": { "*/*": {} } });
        self.responses.insert("200".to_owned(), response);
    }

    pub(crate) fn parameter_names(&self, place: &str) -> Vec<String> {
        let here = self.parameters.iter().filter(|parameter| parameter["in"] == place);
        here.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
    }

    pub(crate) fn fails(&mut self, status: u16, about: &str) {
        let content = json!({
            "application/json": { "schema": { "$ref": "#/components/schemas/Error" } }
        });
        self.responses
            .insert(status.to_string(), json!({ "description": about, "content": content }));
    }

    /// What follows from the row itself.
    fn add_refusals(&mut self, route: &Route) {
        if self.body.is_some() {
            self.fails(413, "The body is too large");
        }
        if self.body.is_some() || !self.parameter_names("query").is_empty() {
            self.fails(400, "The input is wrong; `details` names every wrong field");
        }
        if !self.parameter_names("path").is_empty() {
            self.fails(404, "There is no such thing, or it is somebody else's");
        }
        if route.access == Access::Shopper && !route.method.is_safe() {
            self.fails(429, &format!("More than {} calls in a minute by guests", GUESTS.max));
        }
        match route.access {
            Access::Public | Access::Guest | Access::Shopper => {}
            Access::Session | Access::Customer | Access::Admin => {
                self.fails(401, "No valid session");
            }
            Access::Key(_) => self.fails(401, "No API key that holds and has the scope"),
            Access::PublicOrKey(_) => {
                self.fails(401, "An API key that does not hold or lacks the scope");
            }
            Access::SessionOrKey(_) => {
                self.fails(401, "No valid session, and no API key that holds and has the scope");
            }
        }
        if route.access.scope().is_some() {
            self.fails(429, "More calls with one API key in a minute than the shop allows");
        }
        if matches!(route.access, Access::Customer | Access::Admin) {
            self.fails(403, "A session of another role");
        }
        if let Some(rate) = route.rate {
            let minutes = rate.window.as_secs() / 60;
            self.fails(429, &format!("More than {} calls in {minutes} minutes", rate.max));
        }
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
    (field.into(), about)
}

/// The schemas of everything that goes over the wire, as it is read and as it is written.
pub(crate) struct Schemas {
    input: SchemaGenerator,
    output: SchemaGenerator,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Self {
            input: settings().for_deserialize().into_generator(),
            output: settings().for_serialize().into_generator(),
        }
    }
}

impl Schemas {
    pub(crate) fn input<T: JsonSchema>(&mut self) -> Value {
        self.input.subschema_for::<T>().to_value()
    }

    /// The schema of a struct itself, not a reference to it.
    pub(crate) fn input_fields<T: JsonSchema>(&mut self) -> Value {
        T::json_schema(&mut self.input).to_value()
    }

    pub(crate) fn output<T: JsonSchema>(&mut self) -> Value {
        self.output.subschema_for::<T>().to_value()
    }

    /// All named schemas, and the names that mean one thing in inputs and another in outputs.
    fn into_components(mut self) -> (Map<String, Value>, Vec<String>) {
        let mut all = self.output.take_definitions(true);
        let mut ambiguous = Vec::new();
        for (name, schema) in self.input.take_definitions(true) {
            match all.get(&name) {
                Some(other) if *other != schema => ambiguous.push(name),
                _ => drop(all.insert(name, schema)),
            }
        }
        (all, ambiguous)
    }
}

/// The document.
///
/// # Errors
/// When two different types go by one name.
pub(crate) fn document(groups: &[Group]) -> Result<Bytes> {
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    for group in groups {
        for route in &group.routes {
            let path = paths.entry(route.path).or_insert_with(|| json!({}));
            path[route.method.as_str().to_lowercase()] = operation(group.name, route, &mut schemas);
        }
    }
    let webhooks = events::webhooks(&mut schemas);
    let (mut components, ambiguous) = schemas.into_components();
    if !ambiguous.is_empty() {
        return Err(Error::internal(format!("two types are called {}", ambiguous.join(", "))));
    }
    components.insert("Error".to_owned(), error_schema());
    let tags: Vec<Value> = groups.iter().map(|group| json!({ "name": group.name })).collect();
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Shop service",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Amounts are decimal numbers in BRL, times ISO 8601 UTC with \
                            milliseconds, ids opaque texts. Texts for people are in Brazilian \
                            Portuguese; programs go by `code`."
        },
        "tags": tags,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "apiKey": {
                    "type": "http", "scheme": "bearer", "bearerFormat": "svc_live_..",
                    "description": "A key from POST /api/admin/api-keys; `x-scope` names the \
                                    scope that it must have."
                },
                "cart": { "type": "apiKey", "in": "cookie", "name": "cart" },
                "cookie": { "type": "apiKey", "in": "cookie", "name": "token" },
                "token": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" }
            }
        }
    });
    serde_json::to_vec_pretty(&document).map(Bytes::from).map_err(Error::from_source)
}

fn operation(tag: &str, route: &Route, schemas: &mut Schemas) -> Value {
    let mut operation = Operation::default();
    (route.describe)(&mut operation, schemas);
    operation.add_refusals(route);
    let Operation { parameters, body, responses } = operation;
    let mut value = json!({
        "operationId": route.operation,
        "summary": route.about,
        "tags": [tag],
        "responses": responses,
    });
    if !parameters.is_empty() {
        value["parameters"] = parameters.into();
    }
    if let Some(body) = body {
        value["requestBody"] = body;
    }
    let session = [json!({ "cookie": [] }), json!({ "token": [] })];
    match route.access {
        Access::Public | Access::Guest => {}
        Access::Key(_) => value["security"] = json!([{ "apiKey": [] }]),
        Access::PublicOrKey(_) => value["security"] = json!([{}, { "apiKey": [] }]),
        Access::SessionOrKey(_) => {
            let [cookie, token] = session;
            value["security"] = json!([cookie, token, { "apiKey": [] }]);
        }
        Access::Shopper => {
            let [cookie, token] = session;
            value["security"] = json!([{}, { "cart": [] }, cookie, token]);
        }
        Access::Session | Access::Customer | Access::Admin => value["security"] = json!(session),
    }
    if let Some(scope) = route.access.scope() {
        value["x-scope"] = scope.as_str().into();
    }
    match route.access {
        Access::Public
        | Access::Guest
        | Access::Shopper
        | Access::Session
        | Access::Key(_)
        | Access::PublicOrKey(_)
        | Access::SessionOrKey(_) => {}
        Access::Customer => value["x-role"] = "CUSTOMER".into(),
        Access::Admin => value["x-role"] = "ADMIN".into(),
    }
    value
}

fn error_schema() -> Value {
    let messages = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "description": "What every refusal looks like.",
        "required": ["error", "code", "requestId"],
        "properties": {
            "error": { "type": "string", "description": "For people." },
            "code": { "type": "string", "description": "For programs; stable." },
            "requestId": { "type": "string", "description": "Also in the header X-Request-Id." },
            "details": {
                "type": "object",
                "description": "What is wrong with the input.",
                "properties": {
                    "fieldErrors": { "type": "object", "additionalProperties": messages.clone() },
                    "formErrors": messages
                }
            }
        }
    })
}
