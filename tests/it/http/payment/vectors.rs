//! What the providers' official libraries made, sent to the real server.

use serde::Deserialize;
use shop_core::clock::Timestamp;
use shop_core::config::Secret;
use shop_core::payment::crc16;
use shop_core::settlement::{ProviderNotice, SignedEvent};

use super::{deliver, deliver_event};
use crate::http::TestServer;

#[derive(Deserialize)]
struct Vectors {
    notices_of_provider1: Vec<Notice>,
    events_of_provider2: Vec<Event>,
    br_codes: Vec<BrCode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Notice {
    name: String,
    secret: String,
    data_id: Option<String>,
    request_id: Option<String>,
    signature: String,
}

#[derive(Deserialize)]
struct Event {
    name: String,
    secret: String,
    timestamp: i64,
    body: String,
    signature: String,
}

#[derive(Deserialize)]
struct BrCode {
    name: String,
    code: String,
    parsed: serde_json::Value,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../vectors/payments.json")).expect("vectors")
}

/// When the vectors were made.
const AT: i64 = 1_760_000_000;

async fn server(seconds: i64, tolerance: u64, secrets: [&str; 2]) -> TestServer {
    let [secret1, secret2] = secrets.map(Secret::new);
    TestServer::start_at(Timestamp::from_millis(seconds * 1000), move |config| {
        config.payments.provider1.webhook_secret = Some(secret1);
        config.payments.provider1.webhook_tolerance_seconds = tolerance;
        config.payments.provider2.webhook_secret = Some(secret2);
    })
    .await
}

fn notice(vector: &Notice, signature: &str) -> ProviderNotice {
    ProviderNotice {
        data_id: vector.data_id.clone(),
        request_id: vector.request_id.clone(),
        signature: Some(signature.to_owned()),
        kind: None,
    }
}

/// The text with its last hexadecimal digit changed.
fn changed(text: &str) -> String {
    let (rest, last) = text.split_at(text.len() - 1);
    format!("{rest}{}", if last == "0" { "1" } else { "0" })
}

#[tokio::test]
async fn notices_of_the_official_library_hold_and_changed_ones_do_not() {
    let server = server(AT + 10, 300, ["test-mp-webhook-secret-0001", "x"]).await;
    for vector in vectors().notices_of_provider1 {
        assert_eq!(vector.secret, "test-mp-webhook-secret-0001");
        // Without an id `deliver` sends an empty one, which is none: it holds and says nothing.
        let answer = deliver(&server, notice(&vector, &vector.signature)).await;
        assert_eq!(answer.status.as_u16(), 200, "{}", vector.name);
        let forged = deliver(&server, notice(&vector, &changed(&vector.signature))).await;
        assert_eq!(forged.refused(401).1, "invalid_signature", "{}", vector.name);
        let mut other = notice(&vector, &vector.signature);
        other.data_id = Some("123456780".to_owned());
        deliver(&server, other).await.refused(401);
    }
}

#[tokio::test]
async fn notices_hold_until_the_configured_limit() {
    let vector = vectors().notices_of_provider1.remove(0);
    let sent = notice(&vector, &vector.signature);
    for (seconds, tolerance, status) in [
        (AT + 300, 300, 200),
        (AT + 301, 300, 401),
        (AT - 300, 300, 200),
        (AT - 301, 300, 401),
        (AT + 86_400, 86_400, 200),
        (AT + 86_401, 86_400, 401),
    ] {
        let server = server(seconds, tolerance, [&vector.secret, "x"]).await;
        let answer = deliver(&server, sent.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{seconds} {tolerance}");
    }
    let server = server(AT, 300, ["another", "x"]).await;
    deliver(&server, sent).await.refused(401);
}

#[tokio::test]
async fn events_of_the_official_library_hold_and_changed_ones_do_not() {
    for vector in vectors().events_of_provider2 {
        assert_eq!(vector.timestamp, AT);
        let event = |body: &str, signature: &str| SignedEvent {
            signature: Some(signature.to_owned()),
            body: body.as_bytes().to_vec(),
        };
        for (seconds, status) in [(AT, 200), (AT + 300, 200), (AT + 301, 401), (AT - 301, 401)] {
            let server = server(seconds, 300, ["x", &vector.secret]).await;
            let sent = event(&vector.body, &vector.signature);
            let answer = deliver_event(&server, sent).await;
            assert_eq!(answer.status.as_u16(), status, "{} at {seconds}", vector.name);
        }
        let server = server(AT, 300, ["x", &vector.secret]).await;
        let other_body = vector.body.replacen("evt_", "evt-", 1);
        deliver_event(&server, event(&other_body, &vector.signature)).await.refused(401);
        let other_signature = changed(&vector.signature);
        deliver_event(&server, event(&vector.body, &other_signature)).await.refused(401);
        let server = self::server(AT, 300, ["x", "whsec_other"]).await;
        deliver_event(&server, event(&vector.body, &vector.signature)).await.refused(401);
    }
}

#[test]
fn the_checksums_of_independent_pix_codes_are_ours() {
    for BrCode { name, code, parsed } in vectors().br_codes {
        let (text, checksum) = code.split_at(code.len() - 4);
        let right = checksum == format!("{:04X}", crc16(text.as_bytes()));
        assert_eq!(right, parsed["error"] != true, "{name}");
    }
}
