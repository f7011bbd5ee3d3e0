//! A bare order server: hyper, the digest of a cookie, JSON in and out, and one thread that writes
//! the rows of all orders that wait in one durable commit. No checks, mails, coupons or limits.

use std::path::Path;
use std::sync::mpsc::{self, Receiver};

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full};
use hyper::header::{COOKIE, HeaderValue};
use hyper::{Response, StatusCode};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::json;
use sha2::Sha256;
use tokio::sync::oneshot;

use super::peers;

/// Orders in one commit, at most.
const MAX_GROUP: usize = 256;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    address_id: String,
    cart_items: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    product_id: String,
    quantity: i64,
}

type Job = (Order, oneshot::Sender<Vec<u8>>);

pub(crate) async fn serve(file: &Path) {
    let (queue, jobs) = mpsc::channel::<Job>();
    let conn = peers::connect(file);
    std::thread::spawn(move || write(&conn, &jobs));
    let key = Hmac::<Sha256>::new_from_slice(b"of a benchmark").expect("a key");
    peers::listen(move |request| {
        let (queue, key) = (queue.clone(), key.clone());
        async move {
            let Some(digest) = digest(&key, request.headers().get(COOKIE)) else {
                return refused(StatusCode::UNAUTHORIZED);
            };
            std::hint::black_box(digest);
            let body = request.into_body().collect().await.expect("a body").to_bytes();
            let Ok(order) = serde_json::from_slice(&body) else {
                return refused(StatusCode::BAD_REQUEST);
            };
            let (done, answer) = oneshot::channel();
            queue.send((order, done)).expect("the writer");
            let mut response = peers::answer(answer.await.expect("written").into());
            *response.status_mut() = StatusCode::CREATED;
            response
        }
    })
    .await;
}

/// The digest of the cookie. Another server signed it, so there is nothing to compare it with.
fn digest(key: &Hmac<Sha256>, cookie: Option<&HeaderValue>) -> Option<Vec<u8>> {
    let mut mac = key.clone();
    mac.update(cookie?.to_str().ok()?.strip_prefix("token=")?.as_bytes());
    Some(mac.finalize().into_bytes().to_vec())
}

fn refused(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = peers::answer(Bytes::new());
    *response.status_mut() = status;
    response
}

fn write(conn: &Connection, jobs: &Receiver<Job>) {
    let (account, items) = peers::account_and_items(conn);
    // Numbers that one commit an order, which writes to the same file, does not reach.
    let mut n = peers::first_order(conn) + 1_000_000_000;
    let run = |sql: &str| conn.prepare_cached(sql).and_then(|mut s| s.execute([])).expect(sql);
    while let Ok(first) = jobs.recv() {
        run("BEGIN IMMEDIATE");
        let mut answers = Vec::new();
        for (order, done) in std::iter::once(first).chain(jobs.try_iter()).take(MAX_GROUP) {
            peers::plain_order(conn, &account, n, &items).expect("an order");
            answers.push((done, answer(n, &order)));
            n += 1;
        }
        run("COMMIT");
        for (done, answer) in answers {
            drop(done.send(answer));
        }
    }
}

fn answer(n: i64, order: &Order) -> Vec<u8> {
    let item = |Item { product_id, quantity }: &Item| json!({ "productId": product_id, "quantity": quantity, "price": 1.0, "total": 1.0 });
    let items: Vec<_> = order.cart_items.iter().map(item).collect();
    let order = json!({
        "id": format!("plain-{n:032}"), "orderNumber": n, "addressId": order.address_id,
        "subtotal": 1.0, "shipping": 1.0, "discount": 0.0, "total": 2.0, "status": "PENDING",
        "items": items,
    });
    serde_json::to_vec(&order).expect("JSON")
}
