//! What people and programs do all the time: shoppers look, order and pay, staff work, stock is
//! synchronised.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::crowd::Crowd;
use super::minute::{Ended, Met};
use super::shop::{Shop, Shopper};
use super::wire::{PROXY, Request, ask, connect};

/// How many shop at a time.
const SHOPPERS: usize = 12;
/// How long everybody thinks between two requests.
const PAUSE: Duration = Duration::from_millis(40);
const PATHS: [&str; 6] = [
    "/api/products",
    "/api/categories",
    "/api/products?limit=5&sort=price_asc",
    "/api/products/search?q=vela",
    "/api/products/vela-de-estoque",
    "/api/products?inStock=true&limit=50",
];
const STAFF_PATHS: [&str; 5] = [
    "/api/admin/dashboard",
    "/api/admin/orders?limit=50",
    "/api/admin/customers?limit=50",
    "/api/admin/products?limit=50",
    "/api/admin/webhooks",
];

/// Everybody who uses the shop, until they are told to end. The last is staff, the one before a
/// program.
pub(crate) fn start(shop: &Shop, met: &Arc<Met>) -> Crowd<()> {
    let (to, shoppers, product) = (shop.address(), shop.shoppers.clone(), shop.product.clone());
    let (admin, key, met) = (shop.admin.clone(), shop.api_key.clone(), Arc::clone(met));
    Crowd::of(SHOPPERS + 2, move |number, stop| {
        let mut line = Line { to, stream: None, met: &met };
        let mut round = number;
        while !stop.load(Ordering::Relaxed) {
            round += 1;
            if let Some(shopper) = shoppers.get(number).filter(|_| number < SHOPPERS) {
                shop_around(&mut line, shopper, &product, round);
            } else if number == SHOPPERS {
                synchronise(&mut line, &key, &product, round);
            } else {
                let path = STAFF_PATHS[round % STAFF_PATHS.len()];
                line.ask(&Request::get(path).session(&admin), Ended::Looked);
                wait(stop, 10);
            }
            std::thread::sleep(PAUSE);
        }
    })
}

/// Waits for so many pauses, or until it is the end.
fn wait(stop: &AtomicBool, pauses: u32) {
    for _ in 0..pauses {
        if !stop.load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
        }
    }
}

fn shop_around(line: &mut Line<'_>, who: &Shopper, product: &str, round: usize) {
    if !round.is_multiple_of(12) {
        let path = PATHS[round % PATHS.len()];
        line.ask(&Request::get(path).client(&who.ip), Ended::Looked);
        return;
    }
    let own = |request: Request| request.session(&who.token).client(&who.ip);
    let post = |path: &str, body: &Value| own(Request::json("POST", path, &body.to_string()));
    let order = json!({
        "addressId": who.address_id, "cartItems": [{ "productId": product, "quantity": 1 }],
    });
    let key = format!("{}-{round}", who.email);
    let placed = post("/api/orders", &order).header("idempotency-key", &key);
    let Some(order) = line.ask(&placed, Ended::Ordered) else { return };
    let id = order["id"].as_str().unwrap_or_default();
    let order = json!({ "orderId": id });
    match round / 12 % 4 {
        0 => line.ask(&post("/api/payments/pix", &order), Ended::Looked),
        1 => line.ask(&post(&format!("/api/orders/{id}/cancel"), &json!({})), Ended::Looked),
        // Not the list: it grows with each order of the few shoppers, and memory with it.
        2 => line.ask(&own(Request::get(&format!("/api/orders/{id}"))), Ended::Looked),
        _ => {
            let card = json!({
                "orderId": id, "token": "tok_approved", "paymentMethodId": "visa", "installments": 1,
            });
            line.ask(&post("/api/payments/provider1/card", &card), Ended::Looked)
        }
    };
}

/// A program says how much there is.
fn synchronise(line: &mut Line<'_>, key: &str, product: &str, round: usize) {
    let change = json!({ "type": "delta", "productId": product, "delta": 1 + round % 3 });
    let request = Request::json("POST", "/api/webhooks/stock", &change.to_string());
    line.ask(&request.header("authorization", &format!("Bearer {key}")), Ended::Looked);
}

/// A connection that is kept.
struct Line<'l> {
    to: SocketAddr,
    stream: Option<TcpStream>,
    met: &'l Met,
}

impl Line<'_> {
    /// The answer of a success, which is noted with its time.
    fn ask(&mut self, request: &Request, kind: fn(Duration) -> Ended) -> Option<Value> {
        let start = Instant::now();
        let stream = self.stream.take().map_or_else(|| connect(PROXY, self.to, false), Ok);
        let answered = stream.and_then(|mut stream| {
            let answer = ask(&mut stream, request)?;
            Ok((stream, answer))
        });
        let Ok((stream, answer)) = answered else {
            self.met.note(Ended::Broken);
            return None;
        };
        self.stream = Some(stream);
        self.met.note(match answer.status {
            0..400 => kind(start.elapsed()),
            400..500 => Ended::Refused,
            503 => Ended::Unavailable,
            _ => Ended::Broken,
        });
        (answer.status < 300).then(|| answer.json())
    }
}
