//! One address that asks for shipping to one place after another, with a carrier that counts.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{Attack, Outcome, flood};
use crate::crowd::Crowd;
use crate::shop::Shop;
use crate::wire::{Request, attacker};

const NUMBER: usize = 16;
/// What a carrier takes to answer.
const CARRIER_TIME: Duration = Duration::from_millis(50);
const OFFER: &str = r#"{"ShippingSevicesArray":[{"ServiceCode":"1","ServiceDescription":"PAC",
    "Carrier":"Transportadora","ShippingPrice":"20.00","DeliveryTime":"5","Error":false}]}"#;

/// The attack, and the carrier that it is about.
pub(super) struct ShippingQuotes {
    carrier: SocketAddr,
    calls: Arc<AtomicUsize>,
}

impl ShippingQuotes {
    pub(super) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let carrier = listener.local_addr().expect("its address");
        let calls = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&calls);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                std::thread::spawn(move || while answer(&stream, &counted).is_some() {});
            }
        });
        Self { carrier, calls }
    }
}

impl Attack for ShippingQuotes {
    fn name(&self) -> &'static str {
        "16 connections of one address that ask a carrier through the shop"
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("SHOP_SHIPPING__ORIGIN_CEP", "01001-000".to_owned()),
            ("SHOP_SHIPPING__FRENET__URL", format!("http://{}", self.carrier)),
            ("SHOP_SHIPPING__FRENET__TOKEN", "transportadora".to_owned()),
        ]
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        self.calls.store(0, Ordering::Relaxed);
        // Another postal code and value each time, so that no quote is known already.
        flood((attacker(0), shop.address()), NUMBER, |number, asked| {
            let cep = 1_000_000 + number * 100_000 + asked % 100_000;
            Request::get(&format!("/api/shipping/calculate?cep={cep:08}&subtotal={asked}"))
        })
    }

    fn tell(&self, outcome: Outcome) -> String {
        let calls = self.calls.load(Ordering::Relaxed);
        format!("{} answers, the carrier was asked {calls} times", outcome.done)
    }
}

/// Reads one call and answers it; `None` when there are no more.
fn answer(stream: &TcpStream, calls: &AtomicUsize) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    calls.fetch_add(1, Ordering::Relaxed);
    std::thread::sleep(CARRIER_TIME);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
    let mut stream = stream;
    stream.write_all(format!("{head} {}\r\n\r\n{OFFER}", OFFER.len()).as_bytes()).ok()
}
