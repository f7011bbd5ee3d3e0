//! The inbound stock webhook (`/api/webhooks/stock`).

use bytes::Bytes;
use shop_core::inventory::{self, StockUpdate};

use crate::app::Head;
use crate::input::{self, Content, Input};
use crate::openapi::{Operation, Schemas};
use crate::portuguese;
use crate::routes::prelude::*;

/// Some 20000 items with long SKUs.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

pub(super) fn rows() -> Vec<Route> {
    vec![
        key(StockWrite, Method::POST, "/api/webhooks/stock", "updateStock", update)
            .about("Take over what another program knows about stock, in one transaction")
            .fails(&[Code::ProductNotFound, Code::VariantNotFound, Code::InsufficientStock])
            .body_limit(BODY_LIMIT),
    ]
}

/// A [`StockUpdate`]. What is JSON but none of its three shapes is a 422.
struct Report(StockUpdate);

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

impl Input for Report {
    const BODY: Content = Content::Whole;

    fn parse(head: &Head, body: &Bytes) -> Result<Self, Failure> {
        let text = input::json_text(head, body)?;
        let update = input::read_json(head, text).and_then(|Tag { kind }| {
            Ok(match kind {
                Kind::Sync => StockUpdate::Sync(input::read_json(head, text)?),
                Kind::Set => StockUpdate::Set(input::read_json(head, text)?),
                Kind::Delta => StockUpdate::Delta(input::read_json(head, text)?),
            })
        });
        update.map(Self).map_err(|failure| match failure {
            Failure::Invalid(texts) => Failure::Unprocessable(texts),
            other => other,
        })
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        Json::<StockUpdate>::describe(operation, schemas);
        operation.fails(&[Code::InvalidStructure]);
    }
}

/// What became of a [`StockUpdate`].
#[derive(Serialize, JsonSchema)]
struct StockOutcome {
    /// Whether at least a part was done.
    ok: bool,
    /// Items that have the stock now that was asked for.
    updated: usize,
    /// What was not done, for people.
    errors: Vec<String>,
}

impl From<inventory::StockOutcome> for StockOutcome {
    fn from(outcome: inventory::StockOutcome) -> Self {
        let unknown = outcome.unknown_skus.iter().map(String::as_str).map(portuguese::unknown_sku);
        Self { ok: outcome.ok, updated: outcome.updated, errors: unknown.collect() }
    }
}

async fn update(
    call: Call<Key<StockWrite>>,
    Repeat(key): Repeat,
    Report(update): Report,
) -> Result<Replayed<StockOutcome>> {
    let outcome = call.shop().stock().apply(&call.actor(), update, key).await?;
    let replayed = outcome.replayed;
    Ok(Replayed(outcome.into(), replayed))
}
