//! For those who run the server rather than the shop.

use std::time::Duration;

use hyper::Method;
use hyper::header::HeaderValue;
use schemars::JsonSchema;
use serde::Serialize;
use shop_core::{Error, Result};

use crate::caller::Public;
use crate::output::{Document, File, Ok200};
use crate::route::{Call, Route, public};

/// How soon to ask again whether the shop is ready.
const RETRY: Duration = Duration::from_secs(1);
/// The text format of Prometheus.
const METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, "/healthz", "health", health).about("Whether the server is up"),
        public(Method::GET, "/readyz", "readiness", readiness)
            .about("Whether the database answers"),
        public(Method::GET, "/metrics", "metrics", metrics)
            .about("Counts and times, as Prometheus reads them"),
        public(Method::GET, "/api/openapi.json", "openapi", openapi).about("This document"),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Status {
    status: &'static str,
}

async fn health(_: Call<Public>, (): ()) -> Result<Ok200<Status>> {
    Ok(Ok200(Status { status: "ok" }))
}

async fn readiness(call: Call<Public>, (): ()) -> Result<Ok200<Status>> {
    match call.shop().check_ready().await {
        Ok(()) => Ok(Ok200(Status { status: "ok" })),
        Err(error) => {
            tracing::error!(?error, "not ready");
            Err(Error::Busy { retry_after: RETRY })
        }
    }
}

async fn metrics(call: Call<Public>, (): ()) -> Result<File> {
    let failures = call.shop().background_failures();
    let text = call.app.metrics.render(&failures).map_err(Error::from_source)?;
    Ok(File { content_type: METRICS, body: text.into() })
}

async fn openapi(call: Call<Public>, (): ()) -> Result<Document> {
    call.app.openapi().map(Document)
}
