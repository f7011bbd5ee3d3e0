//! For operators of the server.

use std::time::Duration;

use bytes::Bytes;
use hyper::Response;
use hyper::header::HeaderValue;
use serde_json::{Map, Value};
use shop_core::Error;

use crate::app::Head;
use crate::input::Input;
use crate::openapi::{Operation, Schemas};
use crate::output::{Document, Output};
use crate::payload::Payload;
use crate::readiness::{self, Report};
use crate::reply;
use crate::request_id::RequestId;
use crate::routes::prelude::*;

/// How soon to ask again whether the shop is ready.
const RETRY: Duration = Duration::from_secs(1);
/// The text format of Prometheus.
const METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, "/healthz", "health", health).about("Whether the server is up"),
        public(Method::GET, "/readyz", "readiness", readiness)
            .about("Whether the database answers and takes writes"),
        public(Method::GET, "/metrics", "metrics", metrics)
            .about("Counts and times, as Prometheus reads them")
            .media(&["application/openmetrics-text; version=1.0.0; charset=utf-8"]),
        public(Method::GET, "/api/openapi.json", "openapi", openapi)
            .about("This document")
            .details("`/docs` shows it to people.")
            .headers(&[Header::CacheControl]),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Status {
    status: &'static str,
}

async fn health(_: Call<Public>) -> Result<Status> {
    Ok(Status { status: "ok" })
}

async fn readiness(call: Call<Public>, verbose: Verbose) -> Result<Ready> {
    let report = call.app.readiness.report(call.shop()).await;
    if report.status == readiness::Status::Failing && verbose.0.is_none() {
        return Err(Error::Busy { retry_after: RETRY });
    }
    Ok(Ready { report, verbose })
}

/// The request's id where the query has `verbose`, with or without a value.
struct Verbose(Option<RequestId>);

impl Input for Verbose {
    fn parse(head: &Head, _: &Bytes) -> std::result::Result<Self, Failure> {
        let query = head.parts.uri.query().unwrap_or_default();
        let asked = query.split('&').any(|pair| pair.split('=').next() == Some("verbose"));
        Ok(Self(asked.then_some(head.id)))
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        operation.takes_parameters("query", &schemas.input::<ReadinessQuery>());
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "describes what `Verbose` looks for")]
struct ReadinessQuery {
    /// Present, with or without a value: the answer names each check, also where one fails.
    verbose: Option<String>,
}

/// A report, in full or in one word.
struct Ready {
    report: Report,
    verbose: Verbose,
}

impl Output for Ready {
    fn render(self) -> Result<Response<Payload>> {
        let Self { report, verbose: Verbose(id) } = self;
        match id {
            None => Status { status: "ok" }.render(),
            Some(id) if report.status == readiness::Status::Failing => explained(&report, id),
            Some(_) => report.render(),
        }
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        ReadyStatus::describe(operation, schemas);
    }
}

/// The refusal that any busy server answers with, and the report in it.
fn explained(report: &Report, id: RequestId) -> Result<Response<Payload>> {
    let mut response = reply::render(Failure::Shop(Error::Busy { retry_after: RETRY }), id);
    let read = |bytes: &[u8]| serde_json::from_slice::<Map<String, Value>>(bytes);
    let refusal = response.body().whole().map(|body| read(body)).transpose();
    let mut body = refusal.map_err(Error::from_source)?.unwrap_or_default();
    body.extend(
        read(&serde_json::to_vec(report).map_err(Error::from_source)?)
            .map_err(Error::from_source)?,
    );
    let body = serde_json::to_vec(&body).map_err(Error::from_source)?;
    *response.body_mut() = Payload::Whole(body.into());
    Ok(response)
}

/// What `/readyz` answers.
#[derive(Debug, Serialize, JsonSchema)]
struct ReadyStatus {
    /// `ok`, or `failing`.
    status: readiness::Status,
    /// Each check, where `verbose` asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<Vec<readiness::Outcome>>,
}

async fn metrics(call: Call<Public>) -> Result<File> {
    let failures = call.shop().background_failures();
    let of_shop = call.app.figures.registry(call.shop()).await;
    let text = call.app.metrics.render(&failures, &of_shop).map_err(Error::from_source)?;
    Ok(File { content_type: METRICS, body: text.into() })
}

async fn openapi(call: Call<Public>) -> Result<Document> {
    call.app.openapi().map(Document)
}
