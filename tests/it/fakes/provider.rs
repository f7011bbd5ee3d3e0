//! A payment provider with books of its own, that checks what it is sent and misbehaves on demand.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

/// What is wrong with a provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Trouble {
    /// Nothing.
    None,
    /// It answers calls that change something with this status and does nothing.
    Fails(u16),
    /// It answers them with something that is no JSON, and does what it is told.
    Garbage,
    /// It does what it is told, and a proxy in front of it answers everybody with this status and a
    /// page.
    Page(u16),
    /// It answers everybody that they shall come back in an hour.
    Busy,
    /// It takes them, does nothing and says nothing.
    StallsBefore,
    /// It does what it is told, and says nothing.
    StallsAfter,
    /// It takes questions and says nothing.
    StallsReading,
    /// It does what it is told, and answers once nothing is wrong with it any more.
    AnswersLate,
}

/// A call, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A form's fields.
    pub(crate) fn form(&self) -> HashMap<String, String> {
        serde_urlencoded::from_bytes(&self.body).unwrap_or_default()
    }
}

/// What a provider knows, and how it answers. `Err` is what is wrong with a call.
pub(crate) trait Books: Default + Send + 'static {
    fn answer(&mut self, asked: &Asked) -> Result<(u16, Value), String>;
}

struct State<B> {
    books: B,
    trouble: Trouble,
    asked: Vec<Asked>,
    complaints: Vec<String>,
}

pub(crate) struct Provider<B> {
    address: SocketAddr,
    state: Arc<Mutex<State<B>>>,
}

impl<B> Clone for Provider<B> {
    fn clone(&self) -> Self {
        Self { address: self.address, state: Arc::clone(&self.state) }
    }
}

impl<B: Books> Provider<B> {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = State {
            books: B::default(),
            trouble: Trouble::None,
            asked: Vec::new(),
            complaints: Vec::new(),
        };
        let provider = Self { address, state: Arc::new(Mutex::new(state)) };
        let serving = provider.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let provider = serving.clone();
                let service = service_fn(move |request| answer(provider.clone(), request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        provider
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn has(&self, trouble: Trouble) {
        self.state.lock().expect("a lock").trouble = trouble;
    }

    /// Looks into the books, or changes them as the provider's own staff would.
    pub(crate) fn books<T>(&self, look: impl FnOnce(&mut B) -> T) -> T {
        look(&mut self.state.lock().expect("a lock").books)
    }

    /// Every call since this was asked last. Fails when one of them was wrong.
    #[track_caller]
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let mut state = self.state.lock().expect("a lock");
        assert_eq!(state.complaints, Vec::<String>::new());
        std::mem::take(&mut state.asked)
    }

    /// Waits until it is asked something, and has done what it does about it.
    pub(crate) async fn is_asked(&self) {
        let asked = async {
            while self.state.lock().expect("a lock").asked.is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), asked).await.expect("a call");
    }
}

async fn answer<B: Books>(
    provider: Provider<B>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let asked = Asked {
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body: body.collect().await.expect("a body").to_bytes(),
    };
    let answered = {
        let mut state = provider.state.lock().expect("a lock");
        let trouble = state.trouble;
        let reads = asked.method == Method::GET;
        let answered = match trouble {
            Trouble::Busy => Some((429, Value::Null.to_string())),
            Trouble::Fails(status) if !reads => Some((status, Value::Null.to_string())),
            Trouble::StallsBefore if !reads => None,
            Trouble::StallsReading if reads => None,
            _ => {
                let (status, body) = state.books.answer(&asked).unwrap_or_else(|why| {
                    state.complaints.push(format!("{} {}: {why}", asked.method, asked.path));
                    (500, Value::Null)
                });
                match trouble {
                    Trouble::StallsAfter if !reads => None,
                    Trouble::Page(status) => Some((status, "<html>".to_owned())),
                    Trouble::Garbage if !reads => Some((200, "<html>".to_owned())),
                    _ => Some((status, body.to_string())),
                }
            }
        };
        state.asked.push(asked);
        answered
    };
    let Some((status, text)) = answered else { return std::future::pending().await };
    while provider.state.lock().expect("a lock").trouble == Trouble::AnswersLate {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut response = Response::new(Full::new(Bytes::from(text)));
    if status == 429 {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("3600"));
    }
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    Ok(response)
}

/// What was answered to each idempotency key, and to which call.
#[derive(Default)]
pub(crate) struct Keys(HashMap<String, (Bytes, (u16, Value))>);

impl Keys {
    /// The first answer of a key; `Err` when it came with another call.
    pub(crate) fn known(&self, key: &str, asked: &Asked) -> Option<Result<(u16, Value), ()>> {
        let (body, answer) = self.0.get(key)?;
        Some(if *body == asked.body { Ok(answer.clone()) } else { Err(()) })
    }

    pub(crate) fn keep(&mut self, key: &str, asked: &Asked, answer: &(u16, Value)) {
        self.0.insert(key.to_owned(), (asked.body.clone(), answer.clone()));
    }
}
