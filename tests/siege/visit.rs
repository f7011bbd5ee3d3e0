//! What shoppers do for a while, and what they meet: they look around, place orders and log in.

use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::json;

use super::crowd::Crowd;
use super::shop::{Shop, Shopper};
use super::wire::{PROXY, Request, ask, connect};

/// How long a shopper thinks between two requests.
const PAUSE: Duration = Duration::from_millis(50);
const PATHS: [&str; 4] = [
    "/api/products",
    "/api/categories",
    "/api/products?limit=5&sort=price_asc",
    "/api/products/search?q=vela",
];

/// What each shopper does in which time. An account may have 20 orders that await payment, and an
/// address may log in ten times in a quarter of an hour, so both are few.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visit {
    pub(crate) time: Duration,
    pub(crate) orders: u32,
    pub(crate) log_ins: u32,
}

/// What shoppers met: the times of what was answered, and what was not answered as it should be.
#[derive(Debug, Default)]
pub(crate) struct Met {
    pub(crate) looks: Times,
    pub(crate) orders: Times,
    pub(crate) log_ins: Times,
    /// Answers of 500 and above.
    pub(crate) server_errors: usize,
    /// Answers of 400 to 499: all that shoppers ask for is allowed.
    pub(crate) refused: usize,
    /// Connections that broke, or never came about.
    pub(crate) broken: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// The time that this part of all stays below, in milliseconds, as text.
    pub(crate) fn quantile(&mut self, percent: usize) -> String {
        self.0.sort_unstable();
        let at = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        let millis = |time: &Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
        self.0.get(at).map_or("none".to_owned(), millis)
    }
}

impl Met {
    fn join(mut self, other: Self) -> Self {
        self.looks.0.extend(other.looks.0);
        self.orders.0.extend(other.orders.0);
        self.log_ins.0.extend(other.log_ins.0);
        self.server_errors += other.server_errors;
        self.refused += other.refused;
        self.broken += other.broken;
        self
    }
}

/// Lets all shoppers visit the shop at once.
pub(crate) fn visit(shop: &Shop, visit: Visit) -> Met {
    let (to, shoppers, product) = (shop.address(), shop.shoppers.clone(), shop.product.clone());
    let crowd = Crowd::of(shoppers.len(), move |number, stop| {
        let mut one = Visitor {
            shopper: &shoppers[number],
            product: &product,
            to,
            stream: None,
            met: Met::default(),
        };
        let start = Instant::now();
        let (mut orders, mut log_ins, mut looks) = (0, 0, number);
        // Spread over the visit, so that not all do the same at once.
        #[expect(clippy::cast_precision_loss, reason = "a few hundred shoppers")]
        let due = |done: u32, all: u32| {
            let part = (f64::from(done) + number as f64 / shoppers.len() as f64) / f64::from(all);
            start.elapsed() >= visit.time.mul_f64(part)
        };
        while !stop.load(Ordering::Relaxed) {
            if orders < visit.orders && due(orders, visit.orders) {
                orders += 1;
                one.order();
            } else if log_ins < visit.log_ins && due(log_ins, visit.log_ins) {
                log_ins += 1;
                one.log_in();
            } else {
                looks += 1;
                one.look(PATHS[looks % PATHS.len()]);
            }
            std::thread::sleep(PAUSE);
        }
        one.met
    });
    std::thread::sleep(visit.time);
    crowd.end().into_iter().fold(Met::default(), Met::join)
}

/// One shopper, on one connection through the proxy.
struct Visitor<'v> {
    shopper: &'v Shopper,
    product: &'v str,
    to: SocketAddr,
    stream: Option<TcpStream>,
    met: Met,
}

impl Visitor<'_> {
    fn look(&mut self, path: &str) {
        let time = self.ask(&Request::get(path).client(&self.shopper.ip));
        self.met.looks.0.extend(time);
    }

    fn order(&mut self) {
        let body = json!({
            "addressId": self.shopper.address_id,
            "cartItems": [{ "productId": self.product, "quantity": 1 }],
        });
        let request = Request::json("POST", "/api/orders", &body.to_string());
        let request = request.session(&self.shopper.token).client(&self.shopper.ip);
        let time = self.ask(&request);
        self.met.orders.0.extend(time);
    }

    fn log_in(&mut self) {
        let time = self.ask(&self.shopper.log_in());
        self.met.log_ins.0.extend(time);
    }

    /// How long the answer took, with the connection where there is none; `None` if it was no
    /// success.
    fn ask(&mut self, request: &Request) -> Option<Duration> {
        let start = Instant::now();
        let stream = self.stream.take().map_or_else(|| connect(PROXY, self.to, false), Ok);
        let answered = stream.and_then(|mut stream| {
            let answer = ask(&mut stream, request)?;
            Ok((stream, answer.status))
        });
        let Ok((stream, status)) = answered else {
            self.met.broken += 1;
            return None;
        };
        let time = start.elapsed();
        self.stream = Some(stream);
        self.met.server_errors += usize::from(status >= 500);
        self.met.refused += usize::from((400..500).contains(&status));
        (status < 400).then_some(time)
    }
}
