//! The HTTP/1.1 client for the calls that the shop makes to third parties: bounded in time and
//! size, without redirects, and with nothing of what it sends in any log.

use std::error::Error as StdError;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
    USER_AGENT,
};
use hyper::{Method, Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
#[cfg(feature = "nfe")]
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ClientConfig, ConfigBuilder, RootCertStore, client::WantsClientCert};
use tower_service::Service;
use tracing::{Instrument, field};

use crate::clock::Timestamp;
use crate::config::Secret;
use crate::net_guard;
use crate::provider_calls::{CallCounter, CallOutcome, ProviderCalls, ThirdParty};

/// The largest answer that is read unless a client says otherwise: no third party's comes near it.
const MAX_ANSWER: usize = 1024 * 1024;
/// How long the body of an answer may take of which only the beginning is kept.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long an idle connection is kept: less than servers usually keep theirs, so that a request
/// rarely meets one that is being closed.
const IDLE: Duration = Duration::from_secs(15);

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Makes calls. Cheap to clone; clones share their idle connections.
#[derive(Clone)]
pub(crate) struct Http {
    client: Client<HttpsConnector<HttpConnector<Resolver>>, Full<Bytes>>,
    user_agent: HeaderValue,
    timeout: Duration,
    public_only: bool,
    beginning: Option<usize>,
    largest: usize,
    counter: Option<CallCounter>,
}

/// How a client differs from the usual one.
#[derive(Default)]
pub(crate) struct HttpOptions {
    /// Opens a connection for each request. Otherwise the next request to the same host may use
    /// the idle connection of the one before.
    pub(crate) one_request_per_connection: bool,
    /// Connects to public addresses only ([`net_guard`]).
    pub(crate) public_only: bool,
    /// Keeps only so many bytes of an answer's body and does not wait for the rest.
    pub(crate) beginning: Option<usize>,
    /// Reads answers of up to so many bytes, instead of [`MAX_ANSWER`].
    pub(crate) largest: Option<usize>,
    /// TLS with a certificate of the client's own ([`tls_with_certificate`]).
    pub(crate) tls: Option<ClientConfig>,
}

/// A call to be made.
pub(crate) struct Call(Request<Full<Bytes>>);

/// An answer, read to its end, or as far as anybody wants to know.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Whether it says that the request itself is wrong, so that it had no effect and will have
    /// none. Other statuses speak of the moment, of the shop's settings, or of another call with
    /// the same key; and a page of HTML with one of these is a proxy's, or that of a site under
    /// maintenance.
    pub(crate) fn is_refusal(&self) -> bool {
        let says_so = matches!(self.status, 400 | 402 | 404 | 405 | 410 | 413 | 415 | 422);
        says_so && serde_json::from_slice::<serde::de::IgnoredAny>(&self.body).is_ok()
    }

    /// Whether it says that there is no such thing.
    pub(crate) fn is_unknown(&self) -> bool {
        self.status == 404 && self.is_refusal()
    }

    /// How long `Retry-After` asks to wait, in seconds or until an instant (RFC 9110).
    pub(crate) fn retry_after(&self, now: Timestamp) -> Option<Duration> {
        let until = || now.until_http_date(self.header(&RETRY_AFTER)?);
        self.retry_after_seconds().or_else(until)
    }

    /// The same, where it is said in seconds.
    pub(crate) fn retry_after_seconds(&self) -> Option<Duration> {
        self.header(&RETRY_AFTER)?.parse().ok().map(Duration::from_secs)
    }

    fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }
}

/// Why a call brought no answer. Never holds what was sent.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum HttpError {
    /// It could not be reached, or broke off.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("no answer in time")]
    TooSlow,
    /// Its answer was larger than any that makes sense.
    #[error("the answer is too large")]
    TooLarge,
    /// It cannot be asked with these settings.
    #[error("unusable settings: {0}")]
    Unusable(&'static str),
    /// Only public addresses are called here, and it has another one.
    #[error("the address is not a public one")]
    NotPublic,
}

impl Call {
    pub(crate) fn get(base: &str, path: &str) -> Result<Self, HttpError> {
        Self::new(Method::GET, base, path, Bytes::new())
    }

    /// A POST of JSON.
    pub(crate) fn post(
        base: &str,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<Self, HttpError> {
        let call = Self::new(Method::POST, base, path, body.to_string().into())?;
        Ok(call.header(CONTENT_TYPE, JSON))
    }

    /// A call that accepts JSON.
    pub(crate) fn new(
        method: Method,
        base: &str,
        path: &str,
        body: Bytes,
    ) -> Result<Self, HttpError> {
        Self::at(method, &format!("{}{path}", base.trim_end_matches('/')), body)
    }

    /// A call of exactly this address.
    pub(crate) fn at(method: Method, url: &str, body: Bytes) -> Result<Self, HttpError> {
        let unusable = |_| HttpError::Unusable("the address is none");
        let uri: Uri = url.parse().map_err(unusable)?;
        match (uri.scheme_str(), uri.host()) {
            (Some("https" | "http"), Some(_)) => {}
            (Some(_), Some(_)) => {
                return Err(HttpError::Unusable("the address is neither https nor http"));
            }
            _ => return Err(HttpError::Unusable("the address is none")),
        }
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        request.headers_mut().insert(ACCEPT, JSON);
        Ok(Self(request))
    }

    /// Adds a header, or replaces it.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers_mut().insert(name, value);
        self
    }

    /// Adds the token that the call is made with.
    pub(crate) fn bearer(self, token: &Secret) -> Result<Self, HttpError> {
        self.secret(AUTHORIZATION, &format!("Bearer {}", token.reveal()))
    }

    /// Adds a header whose value is a secret.
    pub(crate) fn secret(self, name: HeaderName, value: &str) -> Result<Self, HttpError> {
        let unusable = |_| HttpError::Unusable("the token cannot stand in a header");
        let mut value = HeaderValue::from_str(value).map_err(unusable)?;
        value.set_sensitive(true);
        Ok(self.header(name, value))
    }
}

impl Http {
    /// A client that names `contact` in its `User-Agent` and gives each call `timeout`, from
    /// looking up the name to the end of the answer.
    pub(crate) fn new(
        contact: &str,
        timeout: Duration,
        options: HttpOptions,
    ) -> Result<Self, HttpError> {
        let HttpOptions { one_request_per_connection, public_only, beginning, largest, tls } =
            options;
        let largest = largest.unwrap_or(MAX_ANSWER);
        let user_agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        let user_agent = HeaderValue::from_str(&format!("{user_agent} ({contact})"))
            .map_err(|_| HttpError::Unusable("the contact cannot stand in a header"))?;
        let tls = match tls {
            Some(tls) => tls,
            None => trusting(&[])?.with_no_client_auth(),
        };
        let mut http = HttpConnector::new_with_resolver(Resolver { public_only });
        http.enforce_http(false);
        http.set_nodelay(true);
        let https = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(if one_request_per_connection { 0 } else { 4 })
            // What is sent again, and under which key, is for those to decide who ask.
            .retry_canceled_requests(false)
            .build(https);
        let counter = None;
        Ok(Self { client, user_agent, timeout, public_only, beginning, largest, counter })
    }

    /// The same client, whose calls are counted as those of a third party.
    pub(crate) fn counted(mut self, calls: &Arc<ProviderCalls>, provider: ThirdParty) -> Self {
        self.counter = Some(CallCounter::new(calls, provider));
        self
    }

    /// Makes a call and reads the answer, whatever its status. Dropping the future closes the
    /// connection; the request may have been received.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer, HttpError> {
        let under_way = self.counter.as_ref().map(CallCounter::begin);
        let provider = self.counter.as_ref().map_or("receiver", |it| it.provider.as_str());
        // Neither the address nor the error: both may hold what others must not read.
        let span = tracing::debug_span!(
            "http.call",
            provider,
            method = %call.0.method(),
            status = field::Empty,
            outcome = field::Empty,
        );
        let exchange = self.exchange(call).instrument(span.clone());
        let answer = tokio::time::timeout(self.timeout, exchange);
        let answer = answer.await.unwrap_or(Err(HttpError::TooSlow));
        let outcome = outcome(&answer);
        span.record("outcome", outcome.as_str());
        if let Ok(answer) = &answer {
            span.record("status", answer.status);
        }
        if let Some(call) = under_way {
            call.ended(outcome);
        }
        answer
    }

    async fn exchange(&self, Call(mut request): Call) -> Result<Answer, HttpError> {
        request.headers_mut().insert(USER_AGENT, self.user_agent.clone());
        // An address in the place of a name is not resolved, so it is looked at here.
        let host = request.uri().host().unwrap_or_default().trim_matches(['[', ']']);
        if self.public_only && net_guard::is_closed_host(host) {
            return Err(HttpError::NotPublic);
        }
        let response = self.client.request(request).await.map_err(|error| failed(&error))?;
        let (parts, body) = response.into_parts();
        let body = match self.beginning {
            Some(bytes) => beginning(body, bytes).await,
            None => whole(body, self.largest).await?,
        };
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }
}

/// Finds the addresses that a new connection is tried at. Nothing asks again between this and the
/// connection, so a guarded client connects to the addresses that were looked at and no others.
#[derive(Debug, Clone)]
struct Resolver {
    public_only: bool,
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = Box<dyn StdError + Send + Sync>;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let public_only = self.public_only;
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if public_only && !net_guard::all_public(&found) {
                return Err(HttpError::NotPublic.into());
            }
            Ok(found.into_iter())
        })
    }
}

fn outcome(answer: &Result<Answer, HttpError>) -> CallOutcome {
    match answer {
        Ok(answer) if answer.status < 400 => CallOutcome::Answered,
        Ok(answer) if answer.status < 500 => CallOutcome::Refused,
        Ok(_) => CallOutcome::Failed,
        Err(HttpError::Unreachable(_)) => CallOutcome::Unreachable,
        Err(HttpError::TooSlow) => CallOutcome::Timeout,
        Err(HttpError::TooLarge | HttpError::Unusable(_) | HttpError::NotPublic) => {
            CallOutcome::Unusable
        }
    }
}

async fn whole(body: Incoming, largest: usize) -> Result<Bytes, HttpError> {
    let body = Limited::new(body, largest).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() { HttpError::TooLarge } else { failed(&*error) }
    })?;
    Ok(body.to_bytes())
}

/// What comes of a body until it is enough, ends, breaks off, or dawdles.
async fn beginning(mut body: Incoming, enough: usize) -> Bytes {
    let mut read = BytesMut::new();
    let reading = async {
        while let Some(Ok(frame)) = body.frame().await {
            let room = enough - read.len();
            let data = frame.into_data().unwrap_or_default();
            read.extend_from_slice(&data[..data.len().min(room)]);
            if read.len() == enough {
                return;
            }
        }
    };
    // The end is not waited for: the status has said what counts.
    drop(tokio::time::timeout(PATIENCE, reading).await);
    read.freeze()
}

/// Why an exchange failed: the innermost cause, since those around it only say where it happened.
fn failed(error: &(dyn StdError + 'static)) -> HttpError {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match cause.downcast_ref() {
        Some(HttpError::NotPublic) => HttpError::NotPublic,
        _ => HttpError::Unreachable(cause.to_string()),
    }
}

/// TLS that trusts the usual certificates and `roots`, which are in PEM.
fn trusting(roots: &[u8]) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, HttpError> {
    let mut store = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for root in CertificateDer::pem_slice_iter(roots) {
        let root = root.map_err(|_| HttpError::Unusable("the file of roots is no PEM"))?;
        store.add(root).map_err(|_| HttpError::Unusable("a root is no certificate"))?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| HttpError::Unusable("TLS"))?;
    Ok(config.with_root_certificates(store))
}

/// TLS that shows a certificate: a chain in DER, the own one first, and its private key as PKCS#8.
/// `roots` are certificates in PEM that are trusted besides the usual ones.
#[cfg(feature = "nfe")]
pub(crate) fn tls_with_certificate(
    chain: &[Vec<u8>],
    key: &[u8],
    roots: &[u8],
) -> Result<ClientConfig, HttpError> {
    let chain = chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.to_vec()));
    trusting(roots)?
        .with_client_auth_cert(chain, key)
        .map_err(|_| HttpError::Unusable("the certificate cannot be shown"))
}

#[cfg(test)]
mod tests;
