//! Clients that go away between a provider's answer and its booking.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Counter, card};
use crate::fakes::provider::Trouble;
use crate::http::client::Client;

/// Sends a request, waits until the provider has it, and goes away: the server has closed the
/// connection when this returns.
async fn post_and_leave(counter: &Counter, caller: &Client, path: &str, body: &Value) {
    counter.check();
    let mut connection = TcpStream::connect(counter.server.address).await.expect("a connection");
    let (body, token) = (body.to_string(), caller.token().expect("a session"));
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncookie: token={token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(request.as_bytes()).await.expect("sent");
    tokio::select! {
        () = counter.mercado_pago.is_asked() => {}
        () = counter.stripe.is_asked() => {}
    }
    connection.shutdown().await.expect("half closed");
    let mut rest = Vec::new();
    let ended = connection.read_to_end(&mut rest);
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("closed").ok();
    assert_eq!(String::from_utf8_lossy(&rest), "", "it was answered before it left");
}

/// Waits for what is booked, without anything else being asked of the shop.
async fn becomes(counter: &Counter, sql: &str) {
    let booked = async {
        while counter.server.test.count(sql) == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), booked).await.unwrap_or_else(|_| panic!("{sql}"));
}

#[tokio::test]
async fn a_card_is_booked_although_its_client_has_gone() {
    let counter = Counter::patient(60_000).await;
    counter.mercado_pago.has(Trouble::AnswersLate);
    let body = card(&counter.order, "mp-approved");
    post_and_leave(&counter, &counter.ana, "/api/payments/provider1/card", &body).await;
    counter.mercado_pago.has(Trouble::None);
    becomes(&counter, "SELECT count(*) FROM payment WHERE status = 'PAID'").await;
    assert_eq!(counter.status().await, super::paid());
    // The answer is stored for a client that repeats the request.
    assert_eq!(counter.check().len(), 1, "the provider was asked again");
}

#[tokio::test]
async fn a_pix_code_an_intent_and_a_refund_are_booked_although_their_clients_have_gone() {
    let counter = Counter::patient(60_000).await;
    let pay = json!({ "orderId": counter.order.id });
    counter.mercado_pago.has(Trouble::AnswersLate);
    post_and_leave(&counter, &counter.ana, "/api/payments/pix", &pay).await;
    counter.mercado_pago.has(Trouble::None);
    becomes(&counter, "SELECT count(*) FROM payment WHERE pix_code IS NOT NULL").await;

    counter.stripe.has(Trouble::AnswersLate);
    post_and_leave(&counter, &counter.ana, "/api/payments/provider2", &pay).await;
    counter.stripe.has(Trouble::None);
    let opened = "SELECT count(*) FROM payment WHERE method = 'PAYMENT_INTENT'
                  AND provider_payment_id IS NOT NULL";
    becomes(&counter, opened).await;

    counter.pay_by_card("mp-approved").await.expect(200);
    let admin = counter.server.admin().await;
    counter.mercado_pago.has(Trouble::AnswersLate);
    let path = format!("/api/admin/orders/{}/refunds", counter.order.id);
    post_and_leave(&counter, &admin, &path, &json!({ "amount": 10 })).await;
    counter.mercado_pago.has(Trouble::None);
    becomes(&counter, "SELECT count(*) FROM refund WHERE status = 'DONE'").await;
    counter.check();
}
