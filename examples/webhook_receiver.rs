//! A receiver of webhooks that believes nothing unsigned. It runs beside a shop that really sends:
//! an order is placed and paid, and what arrives is verified by the `standardwebhooks` library.
//! `cargo run -p shop-examples --example webhook_receiver`

use std::error::Error;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use shop_core::Config;
use shop_core::actor::Actor;
use shop_core::clock::SystemClock;
use shop_core::testing::TestShop;
use shop_core::webhook::NewWebhook;
use standardwebhooks::Webhook;
use tokio::net::TcpListener;

/// What both sides know: `whsec_` and random bytes in Base64.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// What the receiver needs: how to verify, and what it has seen.
#[derive(Clone)]
struct Receiver {
    verifier: Arc<Webhook>,
    seen: Arc<Mutex<Vec<(String, String)>>>,
}

/// Verifies first, and only then reads. An event may come twice; its `webhook-id` is the same.
async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if receiver.verifier.verify(&body, &headers).is_err() {
        return StatusCode::UNAUTHORIZED;
    }
    let Ok(event) = serde_json::from_slice::<serde_json::Value>(&body) else {
        return StatusCode::BAD_REQUEST;
    };
    let id = headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
    let name = event["event"].as_str().unwrap_or_default();
    let mut seen = receiver.seen.lock().expect("no panic while it is held");
    if seen.iter().all(|(known, _)| known != id) {
        println!("{name} ({id})");
        seen.push((id.to_owned(), name.to_owned()));
    }
    StatusCode::NO_CONTENT
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let receiver = Receiver {
        verifier: Arc::new(Webhook::new(SECRET)?),
        seen: Arc::new(Mutex::new(Vec::new())),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hook", listener.local_addr()?);
    let app = Router::new().route("/hook", post(receive)).with_state(receiver.clone());
    tokio::spawn(axum::serve(listener, app).into_future());

    // Somebody who does not know the secret is not believed.
    let mut forged = HeaderMap::new();
    forged.insert("webhook-id", "1".parse()?);
    forged.insert("webhook-timestamp", "1760000000".parse()?);
    forged.insert("webhook-signature", "v1,Zm9yZ2Vk".parse()?);
    let refused = receive(State(receiver.clone()), forged, Bytes::from_static(b"{}")).await;
    assert_eq!(refused, StatusCode::UNAUTHORIZED);

    // Signatures are good for five minutes of real time, so this shop has the machine's clock.
    let in_house = |config: &mut Config| config.webhooks.allow_insecure = true;
    let shop = TestShop::with(|builder| builder.clock(SystemClock).configure(in_house)).await?;
    let new = format!(
        r#"{{ "url": "{url}", "secret": "{SECRET}", "events": ["order.created", "order.paid"] }}"#
    );
    let new: NewWebhook = serde_json::from_str(&new)?;
    shop.webhooks().create(&Actor::System, new).await?;

    let order = shop.order().await?;
    shop.payments().create_pix(&order.user_id, &order.id, None).await?;
    shop.sandbox().pay(&order.order_number).await?;
    shop.run_due().await?;

    let seen = receiver.seen.lock().expect("no panic while it is held");
    let names: Vec<&str> = seen.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["order.created", "order.paid"]);
    Ok(())
}
