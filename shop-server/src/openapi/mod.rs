//! The OpenAPI 3.1 document, made from the endpoint table.

mod components;
mod events;
mod examples;
mod links;
mod operation;
mod schemas;

use serde_json::{Map, Value, json};
use shop_core::Result;
use shop_core::error::Error;

pub(crate) use self::components::Header;
pub(crate) use self::operation::Operation;
pub(crate) use self::schemas::Schemas;
use crate::caller::Access;
use crate::route::Route;

/// A part of the table with a heading of its own.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    /// What it is about, in a sentence.
    pub(crate) about: &'static str,
    pub(crate) routes: Vec<Route>,
}

/// The document.
///
/// # Errors
/// When two different types go by one name.
pub(crate) fn document(groups: &[Group]) -> Result<Value> {
    let (mut schemas, mut shared) = (Schemas::default(), components::Shared::default());
    let examples = examples::all()?;
    let mut paths = Map::new();
    for group in groups {
        for route in &group.routes {
            let path = paths.entry(route.path).or_insert_with(|| json!({}));
            let mut operation = Operation::default();
            (route.describe)(&mut operation, &mut schemas);
            operation.complete(route);
            let rest = operation.into_value(examples.get(route.operation), &mut shared);
            path[route.method.as_str().to_lowercase()] = whole(group.name, route, rest);
        }
    }
    let webhooks = events::webhooks(&mut schemas);
    let (components, ambiguous) = schemas.into_components();
    if !ambiguous.is_empty() {
        return Err(Error::internal(format!("two types are called {}", ambiguous.join(", "))));
    }
    links::add(&mut paths, &components);
    let tags = groups.iter().map(|group| json!({ "name": group.name, "description": group.about }));
    let webhook_tag = json!({ "name": events::TAG, "description": events::ABOUT });
    Ok(json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Shop service",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "description": "Amounts are decimal numbers in BRL, times ISO 8601 UTC with \
                            milliseconds, ids opaque texts. Texts for people are in Brazilian \
                            Portuguese; programs go by `code`. Fields that are not known are \
                            ignored, and so are parameters of a query without a value. `null` is \
                            as good as absent where something is made; in a PATCH it clears what \
                            may be empty. Formats that JSON Schema does not know: `money` has at \
                            most two decimals, `asked-amount` is rounded to cents, `date-or-time` \
                            is ISO 8601 with or without a time, in São Paulo where it has no \
                            offset."
        },
        "servers": [{ "url": "/", "description": "Where this document came from" }],
        "tags": tags.chain([webhook_tag]).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": webhooks,
        "components": shared.into_components(components),
    }))
}

fn whole(tag: &str, route: &Route, mut rest: Map<String, Value>) -> Value {
    let about = [route.details, &operation::facts(route)].join("\n\n").trim().to_owned();
    let mut value = json!({
        "operationId": route.operation,
        "summary": route.about,
        "description": about,
        "tags": [tag],
        "security": security(route),
    });
    if let Some(value) = value.as_object_mut() {
        value.append(&mut rest);
    }
    if let Some(scope) = route.access.scope() {
        value["x-scope"] = scope.as_str().into();
    }
    match route.access {
        Access::Public
        | Access::Guest
        | Access::Shopper
        | Access::Session
        | Access::Own
        | Access::Order
        | Access::Key(_)
        | Access::PublicOrKey(_)
        | Access::SessionOrKey(_) => {}
        Access::Customer => value["x-role"] = "CUSTOMER".into(),
        Access::Admin | Access::Staff => value["x-role"] = "ADMIN".into(),
    }
    value
}

fn security(route: &Route) -> Value {
    if let Some(signature) = route.signature {
        return json!([{ signature: [] }]);
    }
    match route.access {
        Access::Public | Access::Guest => json!([]),
        Access::Key(_) => json!([{ "apiKey": [] }]),
        Access::PublicOrKey(_) => json!([{}, { "apiKey": [] }]),
        Access::SessionOrKey(_) => json!([{ "cookie": [] }, { "token": [] }, { "apiKey": [] }]),
        Access::Order => json!([{ "cookie": [] }, { "token": [] }, { "orderToken": [] }]),
        Access::Shopper => json!([{}, { "cart": [] }, { "cookie": [] }, { "token": [] }]),
        Access::Session | Access::Own | Access::Customer | Access::Admin | Access::Staff => {
            json!([{ "cookie": [] }, { "token": [] }])
        }
    }
}
