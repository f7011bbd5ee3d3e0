//! A shop that is open: its server, its staff, something to sell, and shoppers with accounts.

use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Value, json};

use super::server::Server;
use super::wire::{Answer, PROXY, Request, ask, connect};

/// How many shop at a time.
pub(crate) const SHOPPERS: usize = 64;

/// A customer of the demonstration, whose account attackers know.
pub(crate) const CUSTOMER: (&str, &str) = ("cliente@velas.example", "velas-demo-123");
const ADMIN: (&str, &str) = ("admin@velas.example", "admin-demo-123");
const PASSWORD: &str = "lavanda-e-mel-64";

/// Somebody with an account, an address to ship to, and an IP address of their own.
#[derive(Debug, Clone)]
pub(crate) struct Shopper {
    pub(crate) token: String,
    pub(crate) email: String,
    /// Where the proxy says that the shopper is.
    pub(crate) ip: String,
    pub(crate) address_id: String,
}

impl Shopper {
    /// The log-in of this shopper, with the right password.
    pub(crate) fn log_in(&self) -> Request {
        log_in((&self.email, PASSWORD)).client(&self.ip)
    }
}

/// A shop that can be attacked.
pub(crate) struct Shop {
    pub(crate) server: Server,
    /// The session of an admin.
    pub(crate) admin: String,
    /// A key of a program that tells the shop about its stock.
    pub(crate) api_key: String,
    /// A product of which there is enough for everybody.
    pub(crate) product: String,
    pub(crate) shoppers: Vec<Shopper>,
}

pub(crate) fn log_in((email, password): (&str, &str)) -> Request {
    let body = json!({ "email": email, "password": password }).to_string();
    Request::json("POST", "/api/auth/login", &body)
}

impl Shop {
    pub(crate) fn open(binary: &Path, settings: Vec<(&'static str, String)>) -> Self {
        let server = Server::start(binary, settings);
        let to = server.address;
        let admin = succeed(to, &log_in(ADMIN)).token.expect("a session");
        let made = |path: &str, body: &Value| {
            let request = Request::json("POST", path, &body.to_string()).session(&admin);
            succeed(to, &request).json()
        };
        let key = json!({ "name": "ERP", "scopes": ["stock:write"] });
        let api_key = text(&made("/api/admin/api-keys", &key), "rawKey");
        let product = json!({ "name": "Vela de estoque", "slug": "vela-de-estoque", "price": 10, "stock": 99_999 });
        let product = text(&made("/api/admin/products", &product), "id");
        let shoppers = (0..SHOPPERS).map(|number| register(to, number)).collect();
        Self { server, admin, api_key, product, shoppers }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address
    }
}

fn register(to: SocketAddr, number: usize) -> Shopper {
    let (email, ip) =
        (format!("compradora-{number}@example.com"), format!("198.51.100.{}", number + 1));
    let new = json!({ "name": "Ana Souza", "email": email, "password": PASSWORD }).to_string();
    succeed(to, &Request::json("POST", "/api/auth/register", &new).client(&ip));
    // Not every version starts a session at once.
    let token = succeed(to, &log_in((&email, PASSWORD)).client(&ip)).token.expect("a session");
    let address = json!({
        "label": "Casa", "street": "Av. Paulista", "number": "1000", "district": "Bela Vista",
        "city": "São Paulo", "state": "SP", "zipCode": "01310-100"
    });
    let request = Request::json("POST", "/api/user/addresses", &address.to_string());
    let address_id = text(&succeed(to, &request.session(&token).client(&ip)).json(), "id");
    Shopper { token, email, ip, address_id }
}

/// Asks what must not fail.
pub(crate) fn succeed(to: SocketAddr, request: &Request) -> Answer {
    let mut stream = connect(PROXY, to, false).expect("connects");
    let answer = ask(&mut stream, request).expect("an answer");
    assert!(answer.status < 300, "{request:?}: {} {}", answer.status, answer.json());
    answer
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("{field} of {value}")).to_owned()
}
