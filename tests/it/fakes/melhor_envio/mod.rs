//! Melhor Envio with a wallet that really loses money: each payment takes it, also the second one
//! of the same label, for there is no idempotency key. It fails on demand, before it does what it
//! is told or after.

mod books;
mod oauth;
pub(crate) mod pdf;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use sha2::Sha256;
use shop_core::Config;
use shop_core::config::Secret;
use tokio::net::TcpListener;

pub(crate) use self::books::Books;
use super::provider::Asked;

/// The number of the shop's application.
pub(crate) const CLIENT_ID: &str = "4242";
/// The application's secret.
pub(crate) const CLIENT_SECRET: &str = "hush-melhor-envio-app-1";
/// A token made in the panel.
pub(crate) const PANEL_TOKEN: &str = "hush-panel-1";
/// What is in the wallet at the start, in cents.
pub(crate) const WALLET: i64 = 10_000_000;

/// What goes wrong with one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// The connection breaks before the call had its effect.
    LostBefore,
    /// The connection breaks after it.
    LostAfter,
    /// It answers with this status and no JSON, before the call had its effect.
    FailsBefore(u16),
    /// The same, after it.
    FailsAfter(u16),
    /// It refuses with this status, and says so in JSON.
    Refuses(u16),
    /// It does what it is told, and answers 200 with no JSON.
    Garbage,
    /// It does what it is told, and answers 204 without a body.
    Empty,
    /// The access token ends before the call.
    TokenEnds,
    /// It does nothing and says nothing.
    StallsBefore,
    /// It does what it is told, and says nothing.
    StallsAfter,
}

/// An answer: a status and JSON, a file, or a page for people.
pub(super) enum Reply {
    Json(u16, Value),
    File(Vec<u8>),
    Page(String),
}

type Chooser = Box<dyn FnMut(&Asked) -> Fault + Send>;

struct State {
    books: Books,
    /// Faults of the next calls whose path ends so.
    next: VecDeque<(&'static str, Fault)>,
    chooser: Chooser,
    asked: Vec<Asked>,
    complaints: Vec<String>,
    /// Whether a call met a fault by which it is not answered.
    stalls: bool,
}

/// The fake.
#[derive(Clone)]
pub(crate) struct MelhorEnvio {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl MelhorEnvio {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = State {
            books: Books::new(format!("http://{address}")),
            next: VecDeque::new(),
            chooser: Box::new(|_| Fault::None),
            asked: Vec::new(),
            complaints: Vec::new(),
            stalls: false,
        };
        let fake = Self { address, state: Arc::new(Mutex::new(state)) };
        let serving = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let fake = serving.clone();
                let service = service_fn(move |request| answer(fake.clone(), request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        fake
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A shop that has the application, and is not connected.
    pub(crate) fn adapt(&self, config: &mut Config) {
        let settings = &mut config.shipping.melhor_envio;
        settings.url = self.url();
        settings.client_id = Some(CLIENT_ID.to_owned());
        settings.client_secret = Some(Secret::new(CLIENT_SECRET));
        settings.timeout_ms = 5000;
        config.shipping.origin_cep = Some("01001-000".parse().expect("a code"));
    }

    /// The same for a process.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("SHOP_SHIPPING__MELHOR_ENVIO__URL", self.url()),
            ("SHOP_SHIPPING__MELHOR_ENVIO__CLIENT_ID", CLIENT_ID.to_owned()),
            ("SHOP_SHIPPING__MELHOR_ENVIO__CLIENT_SECRET", CLIENT_SECRET.to_owned()),
            ("SHOP_SHIPPING__MELHOR_ENVIO__TIMEOUT_MS", "5000".to_owned()),
            ("SHOP_SHIPPING__ORIGIN_CEP", "01001-000".to_owned()),
        ]
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("a lock")
    }

    /// The next call whose path ends so meets a fault.
    pub(crate) fn next(&self, path: &'static str, fault: Fault) {
        self.state().next.push_back((path, fault));
    }

    /// Every call from now on meets what this says.
    pub(crate) fn faults(&self, chooser: impl FnMut(&Asked) -> Fault + Send + 'static) {
        self.state().chooser = Box::new(chooser);
    }

    /// Nothing goes wrong from now on.
    pub(crate) fn is_well(&self) {
        self.state().next.clear();
        self.faults(|_| Fault::None);
    }

    /// Forgets what the next calls were to meet; whether one of them was not answered since.
    pub(crate) fn forgets_plans(&self) -> bool {
        let mut state = self.state();
        state.next.clear();
        std::mem::take(&mut state.stalls)
    }

    /// Whether a call waits for an answer that will not come.
    pub(crate) fn has_stalled(&self) -> bool {
        self.state().stalls
    }

    /// Looks into the books, or changes them as the provider's own staff and the carriers would.
    pub(crate) fn books<T>(&self, look: impl FnOnce(&mut Books) -> T) -> T {
        look(&mut self.state().books)
    }

    /// Every call since this was asked last. Fails when one of them was wrong.
    #[track_caller]
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let mut state = self.state();
        assert_eq!(state.complaints, Vec::<String>::new());
        std::mem::take(&mut state.asked)
    }

    /// Waits until a call came whose path ends so, and was done as far as it will be.
    pub(crate) async fn is_asked(&self, path: &str) {
        let asked = async {
            while self.state().asked.iter().all(|asked| !asked.path.ends_with(path)) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), asked).await.expect("a call");
    }

    /// The notice that it sends of a label: the body, and what stands in `X-ME-Signature`.
    pub(crate) fn notice(&self, id: &str, event: &str) -> (String, String) {
        let label = self.books(|books| books.label(id).cloned().unwrap_or_default());
        let data = json!({
            "id": id, "protocol": label["protocol"], "status": label["status"],
            "tracking": label["tracking"], "self_tracking": label["self_tracking"],
            "user_id": "1f2e", "tags": label["tags"], "posted_at": label["posted_at"],
        });
        let body = json!({ "event": event, "data": data }).to_string();
        let signature = sign(CLIENT_SECRET, &body);
        (body, signature)
    }
}

/// Signs a body as Melhor Envio does.
pub(crate) fn sign(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key");
    mac.update(body.as_bytes());
    STANDARD.encode(mac.finalize().into_bytes())
}

/// What becomes of a call.
enum Outcome {
    Says(Reply),
    SaysText(u16, &'static str),
    Breaks,
    Stalls,
}

impl State {
    fn fault(&mut self, asked: &Asked) -> Fault {
        let planned = self.next.iter().position(|(path, _)| asked.path.ends_with(path));
        match planned.and_then(|at| self.next.remove(at)) {
            Some((_, fault)) => fault,
            None => (self.chooser)(asked),
        }
    }

    fn outcome(&mut self, asked: &Asked) -> Outcome {
        const PAGE: &str = "<html>Manutenção</html>";
        let fault = self.fault(asked);
        match fault {
            Fault::LostBefore => return Outcome::Breaks,
            Fault::StallsBefore => return Outcome::Stalls,
            Fault::FailsBefore(status) => return Outcome::SaysText(status, PAGE),
            Fault::Refuses(status) => {
                let said = json!({ "error": "Não foi possível concluir a operação." });
                return Outcome::Says(Reply::Json(status, said));
            }
            Fault::TokenEnds => self.books.oauth.end_access(),
            _ => {}
        }
        let done = self.books.answer(asked).unwrap_or_else(|why| {
            self.complaints.push(format!("{} {}: {why}", asked.method, asked.path));
            Reply::Json(500, Value::Null)
        });
        match fault {
            Fault::LostAfter => Outcome::Breaks,
            Fault::StallsAfter => Outcome::Stalls,
            Fault::FailsAfter(status) => Outcome::SaysText(status, PAGE),
            Fault::Garbage => Outcome::SaysText(200, PAGE),
            Fault::Empty => Outcome::SaysText(204, ""),
            _ => Outcome::Says(done),
        }
    }
}

async fn answer(
    fake: MelhorEnvio,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let asked = Asked {
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body,
    };
    let outcome = {
        let mut state = fake.state();
        let outcome = state.outcome(&asked);
        state.stalls |= matches!(outcome, Outcome::Stalls);
        state.asked.push(asked);
        outcome
    };
    let (status, kind, body) = match outcome {
        Outcome::Breaks => return Err(std::io::Error::other("broken off")),
        Outcome::Stalls => return std::future::pending().await,
        Outcome::SaysText(status, text) => {
            (status, "text/html", Bytes::from_static(text.as_bytes()))
        }
        Outcome::Says(Reply::File(bytes)) => (200, "application/pdf", bytes.into()),
        Outcome::Says(Reply::Page(page)) => (200, "text/html; charset=utf-8", page.into()),
        Outcome::Says(Reply::Json(204, _)) => (204, "application/json", Bytes::new()),
        Outcome::Says(Reply::Json(status, body)) => {
            (status, "application/json", body.to_string().into())
        }
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    response.headers_mut().insert(CONTENT_TYPE, kind.parse().expect("a value"));
    Ok(response)
}
