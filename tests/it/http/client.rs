//! A small HTTP client that keeps its cookies.

use std::net::SocketAddr;
use std::sync::Mutex;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use super::document::{self, Exchange};
use crate::core::fixture::Buyer;

/// A caller with a browser.
pub(crate) struct Client {
    address: SocketAddr,
    token: Mutex<Option<String>>,
    /// The cookie of a guest's cart.
    cart: Mutex<Option<String>>,
    /// What a program sends as `Authorization`, without `Bearer`.
    key: Option<String>,
    buyer: Option<Buyer>,
    /// Whether bodies are written otherwise than the document says, and yet taken.
    otherwise: bool,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            token: Mutex::new(None),
            cart: Mutex::new(None),
            key: None,
            buyer: None,
            otherwise: false,
        }
    }

    pub(crate) fn with_token(self, token: String) -> Self {
        Self { token: Mutex::new(Some(token)), ..self }
    }

    /// A program with a key.
    pub(crate) fn with_key(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    /// Of this client's requests only the answers are held against the document.
    pub(crate) fn writing_otherwise(self) -> Self {
        Self { otherwise: true, ..self }
    }

    pub(crate) fn of(self, buyer: Buyer) -> Self {
        Self { buyer: Some(buyer), ..self }
    }

    /// The account of the caller, as the library knows it.
    pub(crate) fn buyer(&self) -> &Buyer {
        self.buyer.as_ref().expect("a customer")
    }

    pub(crate) fn token(&self) -> Option<String> {
        self.token.lock().expect("a lock").clone()
    }

    pub(crate) fn with_cart(self, cart: &str) -> Self {
        Self { cart: Mutex::new(Some(cart.to_owned())), ..self }
    }

    pub(crate) fn cart(&self) -> Option<String> {
        self.cart.lock().expect("a lock").clone()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send_json(Method::POST, path, body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send_json(Method::PATCH, path, body).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send_json(Method::PUT, path, body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], "").await
    }

    async fn send_json(&self, method: Method, path: &str, body: &Value) -> Answer {
        let json = [("content-type", "application/json")];
        self.send(method, path, &json, body.to_string()).await
    }

    /// Sends a request on a connection of its own, with the cookies, and keeps those it gets.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Answer {
        let sent: Bytes = body.into();
        let mut request = Request::new(Full::new(sent.clone()));
        *request.method_mut() = method.clone();
        *request.uri_mut() = path.parse().expect("a path");
        let host = self.address.to_string();
        request.headers_mut().insert(HOST, host.parse().expect("a value"));
        for (name, value) in [("token", self.token()), ("cart", self.cart())] {
            if let Some(value) = value {
                let cookie = format!("{name}={value}").parse().expect("a value");
                request.headers_mut().append(COOKIE, cookie);
            }
        }
        if let Some(key) = &self.key {
            let bearer = format!("Bearer {key}").parse().expect("a value");
            request.headers_mut().insert(AUTHORIZATION, bearer);
        }
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("a name");
            request.headers_mut().insert(name, value.parse().expect("a value"));
        }
        let stream = TcpStream::connect(self.address).await.expect("connects");
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.expect("shakes hands");
        tokio::spawn(connection);
        let response = sender.send_request(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let answer = Answer { status: parts.status, headers: parts.headers, body };
        self.keep_cookies(&answer);
        let sent = if self.otherwise { Bytes::new() } else { sent };
        document::hold(&Exchange { method: &method, path, sent: &sent, answer: &answer });
        answer
    }

    fn keep_cookies(&self, answer: &Answer) {
        for cookie in answer.headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("text");
            let pair = cookie.split(';').next().and_then(|pair| pair.split_once('='));
            let (name, value) = pair.expect("a name and a value");
            let kept = match name {
                "token" => &self.token,
                "cart" => &self.cart,
                other => panic!("what is the cookie {other}?"),
            };
            *kept.lock().expect("a lock") = Some(value.to_owned()).filter(|v| !v.is_empty());
        }
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}: {}", self.status, String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }

    /// The cookie of this name, with its attributes.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.headers.get_all(SET_COOKIE).into_iter();
        let mut texts = cookies.map(|cookie| cookie.to_str().expect("text"));
        texts.find(|text| text.split('=').next() == Some(name))
    }

    /// The body, once the status is what it must be.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        let body = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status.as_u16(), status, "{body}");
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    /// The error's text for people and its code, once it is an error of the right kind.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> (String, String) {
        let body = self.expect(status);
        assert_eq!(self.header(CONTENT_TYPE.as_str()), Some("application/json; charset=utf-8"));
        assert_eq!(body["requestId"].as_str(), self.header("x-request-id"));
        let text = |name: &str| body[name].as_str().expect("a text").to_owned();
        (text("error"), text("code"))
    }

    /// The messages about fields, once the input was refused.
    #[track_caller]
    pub(crate) fn wrong_fields(&self) -> Value {
        let (error, code) = self.refused(400);
        assert_eq!((error.as_str(), code.as_str()), ("Dados inválidos", "invalid_input"));
        self.json()["details"]["fieldErrors"].clone()
    }
}
