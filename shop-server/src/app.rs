//! One request, from its head to its answer.

use std::convert::Infallible;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, Ready, ready};
use hyper::header::{
    AUTHORIZATION, CACHE_CONTROL, HOST, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode, Version};
use percent_encoding::percent_decode_str;
use shop_core::config::Environment;
use shop_core::value::Origin;
use shop_core::{Config, Error, Shop};
use tokio::sync::Semaphore;
use tracing::{Instrument, Span, field};

use crate::body::RequestBody;
use crate::cache::{self, Cache, Stamp};
use crate::caller::{self, Access, Admin, Caller};
use crate::cors::{self, Segment};
use crate::etag::{self, Tagged};
use crate::event_stream::EventStreams;
use crate::figures::LatestFigures;
use crate::metrics::{Metrics, RowMetrics};
use crate::output::JSON;
use crate::pages;
use crate::parser::Parser;
use crate::payload::Payload;
use crate::rate_limit::{Client, Quota, RateLimiter};
use crate::readiness::Readiness;
use crate::reply::{self, Failure};
use crate::request_id::{RequestId, RequestIds};
use crate::route::{Arrival, Route};
use crate::routes;
use crate::serve::ServeOptions;
use crate::table::{Found, Row, Table};

/// Everything that requests share.
pub(crate) struct App {
    pub(crate) shop: Shop,
    pub(crate) options: ServeOptions,
    pub(crate) metrics: Metrics,
    pub(crate) figures: LatestFigures,
    openapi: OnceLock<Bytes>,
    /// The origins of the shop's own pages.
    origins: Vec<Origin>,
    table: Table,
    cache: Cache,
    pub(crate) limiter: RateLimiter,
    /// One permit for each byte of request bodies that may be in memory.
    pub(crate) body_budget: Arc<Semaphore>,
    pub(crate) parser: Parser,
    pub(crate) readiness: Readiness,
    pub(crate) streams: EventStreams,
    pub(crate) ids: RequestIds,
    /// Counts what no row answers.
    elsewhere: RowMetrics,
}

/// A request without its body.
pub(crate) struct Head {
    pub(crate) id: RequestId,
    pub(crate) parts: Parts,
    /// The path's parameters, decoded.
    pub(crate) params: Vec<(String, String)>,
    pub(crate) client: IpAddr,
    /// What the key that the request came with has left.
    pub(crate) quota: OnceLock<Quota>,
}

/// An answer that is there at once, or one that takes a while.
pub(crate) type Answer = Either<
    Ready<Result<Response<Payload>, Infallible>>,
    BoxFuture<'static, Result<Response<Payload>, Infallible>>,
>;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Any cache may store the answer, and must ask about it each time.
const REVALIDATE: HeaderValue = HeaderValue::from_static("public, max-age=0, must-revalidate");

impl App {
    pub(crate) fn new(shop: Shop, options: ServeOptions) -> shop_core::Result<Self> {
        let config = shop.config();
        let mistakes = options.cookies.mistakes(config.environment, config.base_url.as_deref());
        if let Some((key, what)) = mistakes.first() {
            return Err(Error::internal(format!("{key}: {what}")));
        }
        let cache = Cache::default();
        let metrics = Metrics::new(&cache);
        let routes = routes::groups().into_iter().flat_map(|group| group.routes);
        let table = Table::new(routes, &metrics).map_err(Error::from_source)?;
        Ok(Self {
            origins: own_origins(shop.config(), &options),
            elsewhere: metrics.row("", ""),
            limiter: RateLimiter::default(),
            ids: RequestIds::new(),
            readiness: Readiness::default(),
            streams: EventStreams::default(),
            body_budget: Arc::new(Semaphore::new(options.body_memory.min(Semaphore::MAX_PERMITS))),
            parser: Parser::default(),
            shop,
            options,
            metrics,
            figures: LatestFigures::default(),
            openapi: OnceLock::new(),
            table,
            cache,
        })
    }

    /// A kept answer that was made from the present data, handed to `use_it`.
    pub(crate) fn kept<T>(
        &self,
        key: &str,
        now: Stamp,
        use_it: impl FnOnce(&Tagged) -> T,
    ) -> Option<T> {
        if self.options.cache { self.cache.get(key, now, use_it) } else { None }
    }

    /// Keeps an answer that was made from data read after `stamp`.
    pub(crate) fn keep(&self, key: &str, stamp: Stamp, tagged: Tagged) {
        if self.options.cache {
            self.cache.put(key, stamp, tagged);
        }
    }

    /// The OpenAPI document, made when it is first asked for: it takes longer than the whole start.
    pub(crate) fn openapi(&self) -> shop_core::Result<Bytes> {
        if let Some(document) = self.openapi.get() {
            return Ok(document.clone());
        }
        let document = crate::openapi::document(&routes::groups())?;
        let document = Bytes::from(serde_json::to_vec(&document).map_err(Error::from_source)?);
        Ok(self.openapi.get_or_init(|| document).clone())
    }
}

fn own_origins(config: &Config, options: &ServeOptions) -> Vec<Origin> {
    let own = Origin::of_url(&config.base_url());
    own.into_iter().chain(options.allowed_origins.clone()).collect()
}

fn is_production(app: &App) -> bool {
    app.shop.config().environment == Environment::Production
}

/// Answers a request: at once where the answer is in the cache, before anything is set up for it.
pub(crate) fn handle(app: &Arc<App>, peer: IpAddr, request: Request<RequestBody>) -> Answer {
    let (id, start) = (app.ids.next(), Instant::now());
    let (method, path) = (request.method(), request.uri().path());
    let found = app.table.find(method, path).0;
    let row = if let Found::Row(row) = found { Some(row) } else { None };
    let visit = Visit { id, start, span: span(id, method, row) };
    let at_once = visit.span.in_scope(|| answer_at_once(app, found, &request, id));
    if let Some(response) = at_once {
        let finished = visit.finish(app, row, (method, path, request.headers()), response);
        return Either::Left(ready(Ok(finished)));
    }
    let (app, span) = (Arc::clone(app), visit.span.clone());
    let answer = async move { Ok(take_time(&app, peer, request, visit).await) };
    Either::Right(Box::pin(answer.instrument(span)))
}

/// What everything that happens for a request is in, for those who collect traces. Neither the path
/// nor the query are told: both may hold what people typed.
fn span(id: RequestId, method: &Method, row: Option<&Row>) -> Span {
    let route = row.map_or("", |row| row.route.path);
    tracing::debug_span!("request", request = %id, %method, route, status = field::Empty)
}

/// What needs no work: a refusal of the head, or an answer of the cache.
fn answer_at_once(
    app: &App,
    found: Found<'_>,
    request: &Request<RequestBody>,
    id: RequestId,
) -> Option<Response<Payload>> {
    if !has_one_host(request) {
        return Some(reply::render(Failure::BadHost, id));
    }
    match found {
        Found::Row(row) => from_cache(app, row, request),
        Found::Nothing => pages::from_cache(app, request),
        Found::Options(_) | Found::OtherMethods(_) => None,
    }
}

/// Whether it is clear which host a request is for: HTTP/1.1 has one header that says so, HTTP/1.0
/// may have none. What came by another program's server is that server's to judge.
fn has_one_host(request: &Request<RequestBody>) -> bool {
    let mut hosts = request.headers().get_all(HOST).into_iter();
    let (first, second) = (hosts.next(), hosts.next());
    let wanted = request.version() == Version::HTTP_11 && request.body().is_own();
    second.is_none() && (first.is_some() || !wanted)
}

/// Answers a request that the cache does not.
async fn take_time(
    app: &Arc<App>,
    peer: IpAddr,
    request: Request<RequestBody>,
    visit: Visit,
) -> Response<Payload> {
    let (parts, body) = request.into_parts();
    let client = caller::client_ip(peer, &parts.headers, &app.options.trusted_proxies);
    let (found, params) = app.table.find(&parts.method, parts.uri.path());
    let params = decoded(&params);
    let head = Head { id: visit.id, parts, params, client, quota: OnceLock::new() };
    // Held to the end: what a handler is called with is made of the body.
    let _lease = body.lease();
    let answered = AssertUnwindSafe(answer(app, found, &head, body)).catch_unwind().await;
    let mut response = answered
        .unwrap_or(Err(Failure::Panic))
        .unwrap_or_else(|failure| reply::render(failure, visit.id));
    if let Some(quota) = head.quota.get() {
        quota.mark(response.headers_mut());
    }
    let row = if let Found::Row(row) = found { Some(row) } else { None };
    let Parts { method, uri, headers, .. } = &head.parts;
    visit.finish(app, row, (method, uri.path(), headers), response)
}

fn decoded(params: &matchit::Params<'_, '_>) -> Vec<(String, String)> {
    let decode = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
    params.iter().map(|(name, text)| (name.to_owned(), decode(text))).collect()
}

/// What a request that the cache does not answer is answered with.
async fn answer(
    app: &Arc<App>,
    found: Found<'_>,
    head: &Head,
    body: RequestBody,
) -> Result<Response<Payload>, Failure> {
    match found {
        Found::Row(row) => answer_row(app, row, head, body).await,
        Found::Options(methods) => {
            let listed = &app.options.allowed_origins;
            Ok(cors::preflight(methods, &head.parts.headers, listed))
        }
        Found::OtherMethods(methods) => {
            guard_back_office(app, head).await?;
            Err(Failure::NoSuchMethod(methods.allow.clone()))
        }
        Found::Nothing => elsewhere(app, head).await,
    }
}

async fn answer_row(
    app: &Arc<App>,
    row: &Row,
    head: &Head,
    body: RequestBody,
) -> Result<Response<Payload>, Failure> {
    refuse_foreign_page(app, &row.route, head)?;
    // Read before the data, so that a change in between makes the answer old, never too new.
    let stamp = Stamp::now(app.shop.generations());
    let response = run_within_rate(app, &row.route, head, body).await?;
    let Parts { headers, uri, .. } = &head.parts;
    if response.status() != StatusCode::OK {
        return Ok(response);
    }
    if row.route.tagged {
        return Ok(etag::tag(response, headers));
    }
    if !row.route.cached {
        return Ok(response);
    }
    // What comes piece by piece is never kept.
    let Some(body) = response.body().whole().cloned() else { return Ok(response) };
    let tagged = Tagged::new(body, JSON, REVALIDATE);
    let response = tagged.answer(headers);
    app.keep(&cache::key(uri, &row.query_names), stamp, tagged);
    Ok(response)
}

fn refuse_foreign_page(app: &App, route: &Route, head: &Head) -> Result<(), Failure> {
    let headers = &head.parts.headers;
    // A page that logs a browser in decides in whose account the shopper types address and CPF.
    let logs_in = route.access == Access::Guest;
    let by_cookie = || caller::calls_by_cookie(headers, &app.options.cookies);
    if route.own_pages_only
        && (logs_in || by_cookie())
        && cors::is_foreign(headers, &app.origins, is_production(app))
    {
        return Err(Failure::ForeignOrigin);
    }
    Ok(())
}

/// Calls a row's handler. A request that could not be read does not count against the row's rate.
async fn run_within_rate(
    app: &Arc<App>,
    route: &Route,
    head: &Head,
    body: RequestBody,
) -> Result<Response<Payload>, Failure> {
    let Some(rate) = route.rate else { return route.run(Arrival { app, head, body }).await };
    let (client, now) = (Client::Network(head.client), app.shop.now());
    app.limiter.admit(rate, client.clone(), now).map_err(Failure::TooMany)?;
    let answered = route.run(Arrival { app, head, body }).await;
    if answered.as_ref().is_err_and(Failure::is_unreadable) {
        app.limiter.take_back(rate, client, now);
    }
    answered
}

fn from_cache(app: &App, row: &Row, request: &Request<RequestBody>) -> Option<Response<Payload>> {
    // A call with a key is checked and counted first.
    let has_key =
        row.route.access.scope().is_some() && request.headers().contains_key(AUTHORIZATION);
    if !row.route.cached || has_key {
        return None;
    }
    let key = cache::key(request.uri(), &row.query_names);
    let now = Stamp::now(app.shop.generations());
    app.kept(&key, now, |tagged| tagged.answer(request.headers()))
}

/// Of the back office's part of the API strangers learn nothing, not even what there is.
async fn guard_back_office(app: &Arc<App>, head: &Head) -> Result<(), Failure> {
    let path = head.parts.uri.path();
    if path == "/api/admin" || path.starts_with("/api/admin/") {
        Admin::identify(app, head).await?;
    }
    Ok(())
}

/// What no row has: pages, and the rest of `/api/`.
async fn elsewhere(app: &Arc<App>, head: &Head) -> Result<Response<Payload>, Failure> {
    let path = head.parts.uri.path();
    guard_back_office(app, head).await?;
    let for_pages = matches!(head.parts.method, Method::GET | Method::HEAD)
        && path != "/api"
        && !path.starts_with("/api/");
    if for_pages { pages::answer(app, head).await } else { Err(Failure::NoSuchPath) }
}

/// A request's name, when it came, and its span.
struct Visit {
    id: RequestId,
    start: Instant,
    span: Span,
}

impl Visit {
    /// What every answer has: its headers, its line in the log and its count.
    fn finish(
        self,
        app: &App,
        row: Option<&Row>,
        (method, path, asked): (&Method, &str, &HeaderMap),
        mut response: Response<Payload>,
    ) -> Response<Payload> {
        let headers = response.headers_mut();
        row.map_or_else(|| Segment::of(path), |row| row.segment).mark(headers);
        cors::admit(asked, &app.options.allowed_origins, headers);
        headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        headers.insert(REQUEST_ID, self.id.to_header());
        headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
        let took = self.start.elapsed();
        let status = response.status();
        self.span.record("status", status.as_u16());
        row.map_or(&app.elsewhere, |row| &row.metrics).observe(status, took);
        self.log(method, path, status, took);
        response
    }

    /// One line a request, without its query, which may hold what people typed.
    fn log(&self, method: &Method, path: &str, status: StatusCode, took: std::time::Duration) {
        let (request, status, micros) = (self.id, status.as_u16(), took.as_micros());
        if status >= 500 {
            tracing::error!(%request, %method, path, status, micros, "request");
        } else if status < 400 && method.is_safe() {
            tracing::debug!(%request, %method, path, status, micros, "request");
        } else {
            tracing::info!(%request, %method, path, status, micros, "request");
        }
    }
}
