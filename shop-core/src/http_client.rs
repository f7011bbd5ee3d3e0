//! A small HTTP/1.1 client for the calls that the shop makes to third parties: one connection a
//! call, bounded in time and size, that follows no redirect and writes nothing of what it sends to
//! any log.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::{self, Either};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{
    ACCEPT, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT,
};
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
#[cfg(feature = "nfe")]
use tokio_rustls::rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject,
};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::clock::Timestamp;
use crate::net_guard;

/// The largest answer that is read: no third party's comes near it.
const MAX_ANSWER: usize = 1024 * 1024;
/// How long the body of an answer may take of which only the beginning is kept.
const PATIENCE: Duration = Duration::from_secs(1);

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Makes calls. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Http {
    tls: TlsConnector,
    user_agent: HeaderValue,
    timeout: Duration,
    /// Whether only addresses of the world are called ([`net_guard`]).
    public_only: bool,
    /// How much of an answer is kept where nobody needs the whole of it.
    beginning: Option<usize>,
}

/// A call to be made.
pub(crate) struct Call {
    uri: Uri,
    request: Request<Full<Bytes>>,
}

/// An answer, read to its end, or as far as anybody wants to know.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
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
        let (Some(target), Some(host)) = (uri.path_and_query(), host_header(&uri)) else {
            return Err(HttpError::Unusable("the address is none"));
        };
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = Uri::from(target.clone());
        request.headers_mut().insert(HOST, host);
        request.headers_mut().insert(ACCEPT, JSON);
        Ok(Self { uri, request })
    }

    /// Adds a header, or replaces it.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.request.headers_mut().insert(name, value);
        self
    }

    /// Adds a header beside those of the same name.
    pub(crate) fn one_more_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.request.headers_mut().append(name, value);
        self
    }

    /// Adds a header whose value is a secret.
    pub(crate) fn secret(self, name: HeaderName, value: &str) -> Result<Self, HttpError> {
        let unusable = |_| HttpError::Unusable("the token cannot stand in a header");
        let mut value = HeaderValue::from_str(value).map_err(unusable)?;
        value.set_sensitive(true);
        Ok(self.header(name, value))
    }
}

fn host_header(uri: &Uri) -> Option<HeaderValue> {
    let authority = uri.authority()?.as_str();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    HeaderValue::from_str(host).ok()
}

impl Http {
    /// A client that says on whose behalf it calls.
    pub(crate) fn new(contact: &str, timeout: Duration) -> Result<Self, HttpError> {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| HttpError::Unusable("TLS"))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let user_agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        let user_agent = HeaderValue::from_str(&format!("{user_agent} ({contact})"))
            .map_err(|_| HttpError::Unusable("the contact cannot stand in a header"))?;
        let tls = Arc::new(config).into();
        Ok(Self { tls, user_agent, timeout, public_only: false, beginning: None })
    }

    /// Calls nobody who is not a part of the world, whatever name he goes by.
    pub(crate) fn public_only(self, public_only: bool) -> Self {
        Self { public_only, ..self }
    }

    /// Keeps the beginning of answers and waits no longer for the rest: the status counts.
    pub(crate) fn beginning_only(self, bytes: usize) -> Self {
        Self { beginning: Some(bytes), ..self }
    }

    /// Makes a call and reads the answer, whatever its status.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer, HttpError> {
        tokio::time::timeout(self.timeout, self.exchange(call))
            .await
            .unwrap_or(Err(HttpError::TooSlow))
    }

    async fn exchange(&self, call: Call) -> Result<Answer, HttpError> {
        let Call { uri, mut request } = call;
        request.headers_mut().insert(USER_AGENT, self.user_agent.clone());
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(HttpError::Unusable("the address is neither https nor http")),
        };
        let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
        let stream = self.connect(host, port).await?;
        if !tls {
            return self.converse(stream, request).await;
        }
        let name = ServerName::try_from(host.to_owned());
        let name = name.map_err(|_| HttpError::Unusable("the address has no host"))?;
        let stream = self.tls.connect(name, stream).await.map_err(unreachable)?;
        self.converse(stream, request).await
    }

    async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, HttpError> {
        if !self.public_only {
            return TcpStream::connect((host, port)).await.map_err(unreachable);
        }
        // Connected to are the addresses that were looked at, and no others.
        let resolved = tokio::net::lookup_host((host, port)).await.map_err(unreachable)?;
        let Some(addresses) = net_guard::all_public(resolved) else {
            return Err(HttpError::NotPublic);
        };
        TcpStream::connect(addresses.as_slice()).await.map_err(unreachable)
    }

    /// Sends the request and reads the answer. Dropping it closes the connection.
    async fn converse<S>(
        &self,
        stream: S,
        request: Request<Full<Bytes>>,
    ) -> Result<Answer, HttpError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(unreachable)?;
        let answer = async {
            let response = sender.send_request(request).await.map_err(unreachable)?;
            let (parts, body) = response.into_parts();
            let body = match self.beginning {
                Some(bytes) => beginning(body, bytes).await,
                None => whole(body).await?,
            };
            Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
        };
        match future::select(Box::pin(answer), Box::pin(connection)).await {
            Either::Left((answer, _)) => answer,
            // The connection has ended; what it brought may still be there to be read.
            Either::Right((_, answer)) => answer.await,
        }
    }
}

async fn whole(body: Incoming) -> Result<Bytes, HttpError> {
    let body = Limited::new(body, MAX_ANSWER).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() { HttpError::TooLarge } else { unreachable(error) }
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
    // Nobody waits for the end: the status has said what counts.
    drop(tokio::time::timeout(PATIENCE, reading).await);
    read.freeze()
}

fn unreachable(error: impl std::fmt::Display) -> HttpError {
    HttpError::Unreachable(error.to_string())
}

#[cfg(feature = "nfe")]
impl Http {
    /// The same, showing a certificate of its own: a chain in DER, the own one first, and its
    /// private key as PKCS#8. `roots` are certificates in PEM that are trusted besides the usual
    /// ones.
    pub(crate) fn with_certificate(
        self,
        chain: &[Vec<u8>],
        key: &[u8],
        roots: &[u8],
    ) -> Result<Self, HttpError> {
        let mut store = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for root in CertificateDer::pem_slice_iter(roots) {
            let unusable = |_| HttpError::Unusable("the file of roots is no PEM");
            let root = root.map_err(unusable)?;
            store.add(root).map_err(|_| HttpError::Unusable("a root is no certificate"))?;
        }
        let chain = chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.to_vec()));
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| HttpError::Unusable("TLS"))?
            .with_root_certificates(store)
            .with_client_auth_cert(chain, key)
            .map_err(|_| HttpError::Unusable("the certificate cannot be shown"))?;
        Ok(Self { tls: Arc::new(config).into(), ..self })
    }
}
