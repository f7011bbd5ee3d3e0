//! The inbound stock webhook (`/api/webhooks/stock`).

use bytes::Bytes;
use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::stock::{StockDelta, StockOutcome, StockSet, StockSync, StockUpdate};
use shop_core::{Error, Result};

use crate::app::Head;
use crate::check;
use crate::input::{Input, Json, Repeat};
use crate::key::{Key, StockWrite};
use crate::openapi::{Operation, Schemas};
use crate::output::{Ok200, Replayed};
use crate::reply::{Code, Failure};
use crate::route::{Call, Route, key};

/// Some 20000 items with long SKUs.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

pub(super) fn rows() -> Vec<Route> {
    vec![
        key(StockWrite, Method::POST, "/api/webhooks/stock", "updateStock", update)
            .about("Take over what another program knows about stock, in one transaction")
            .body_limit(BODY_LIMIT),
    ]
}

/// A [`StockUpdate`]. What is JSON but none of its three shapes is a 422.
struct Told(StockUpdate);

#[derive(Deserialize, JsonSchema)]
struct Tag {
    #[serde(rename = "type")]
    kind: Kind,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Sync,
    Set,
    Delta,
}

impl Input for Told {
    const HAS_BODY: bool = true;

    fn parse(head: &Head, body: &Bytes) -> Result<Self, Failure> {
        Json::parse(head, body).map(|Json(update)| Self(update)).map_err(|failure| {
            let Failure::Shop(Error::Invalid(_)) = failure else { return failure };
            // Which of the shapes it is meant to be decides what is wrong with it.
            let text = str::from_utf8(body).unwrap_or_default();
            let explained = match serde_json::from_str(text) {
                Err(_) => check::explain_json::<Tag>(text),
                Ok(Tag { kind: Kind::Sync }) => check::explain_json::<StockSync>(text),
                Ok(Tag { kind: Kind::Set }) => check::explain_json::<StockSet>(text),
                Ok(Tag { kind: Kind::Delta }) => check::explain_json::<StockDelta>(text),
            };
            match explained {
                Failure::Shop(Error::Invalid(fields)) => Failure::Unprocessable(fields),
                other => other,
            }
        })
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        Json::<StockUpdate>::describe(operation, schemas);
        operation.fails(&[Code::InvalidStructure]);
    }
}

async fn update(
    call: Call<Key<StockWrite>>,
    (Repeat(key), Told(update)): (Repeat, Told),
) -> Result<Replayed<Ok200<StockOutcome>>> {
    let by = call.caller.actor();
    let outcome = call.shop().stock().update(&by, update, key).await?;
    let replayed = outcome.replayed;
    Ok(Replayed(Ok200(outcome), replayed))
}
