//! Every row of the payments, with both providers played by servers that check what they are sent.

mod card;
mod disconnect;
mod intent;
mod metrics;
mod pix;
mod refund;
mod vectors;

use hyper::Method;
use serde_json::{Value, json};
use shop_core::order::Order;
use shop_core::settlement::{ProviderNotice, SignedEvent};
use shop_server::ServeOptions;

use super::TestServer;
use super::client::{Answer, Client};
use crate::fakes::mercado_pago::MercadoPago;
use crate::fakes::stripe::{self, Stripe};
use crate::fakes::{provider, signature};

/// A server with real providers, one customer, and one order of R$ 99,80 of hers.
struct Counter {
    server: TestServer,
    mercado_pago: MercadoPago,
    stripe: Stripe,
    ana: Client,
    order: Order,
}

impl Counter {
    async fn open() -> Self {
        Self::patient(300).await
    }

    /// One that waits so many milliseconds for its providers.
    async fn patient(timeout_ms: u64) -> Self {
        let (mercado_pago, stripe) = (MercadoPago::start().await, Stripe::start().await);
        let adapt = |config: &mut shop_core::Config| {
            mercado_pago.adapt(config);
            stripe.adapt(config);
            config.payments.timeout_ms = timeout_ms;
        };
        let server = TestServer::start_with(adapt, ServeOptions::default()).await;
        let ana = server.customer("ana").await;
        let order = order(&server, &ana).await;
        Self { server, mercado_pago, stripe, ana, order }
    }

    async fn pay_by_card(&self, token: &str) -> Answer {
        self.ana.post("/api/payments/provider1/card", &card(&self.order, token)).await
    }

    async fn pay_by_pix(&self) -> Answer {
        self.ana.post("/api/payments/pix", &json!({ "orderId": self.order.id })).await
    }

    async fn open_intent(&self) -> Answer {
        self.ana.post("/api/payments/provider2", &json!({ "orderId": self.order.id })).await
    }

    /// How the customer sees her order: its status and its payment's.
    async fn status(&self) -> (String, String) {
        let order = self.ana.get(&format!("/api/orders/{}", self.order.id)).await.expect(200);
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (text(&order["status"]), text(&order["payment"]["status"]))
    }

    #[track_caller]
    fn check(&self) -> Vec<provider::Asked> {
        let asked = [self.mercado_pago.asked(), self.stripe.asked()];
        asked.into_iter().flatten().collect()
    }

    fn seconds(&self) -> i64 {
        self.server.test.shop.now().seconds()
    }

    /// The notice about the latest payment, delivered.
    async fn notify(&self) -> Answer {
        deliver(&self.server, self.mercado_pago.notice(self.seconds())).await
    }

    /// An event of provider2, delivered.
    async fn tell(&self, event: &Value) -> Answer {
        let event = signature::event(stripe::WEBHOOK_SECRET, event, self.seconds());
        deliver_event(&self.server, event).await
    }
}

async fn order(server: &TestServer, buyer: &Client) -> Order {
    let vela = server.test.product("vela", 100, 4990).await;
    server.test.buy(buyer.buyer(), &vela, 2).await.expect("placed")
}

fn card(order: &Order, token: &str) -> Value {
    json!({ "orderId": order.id, "token": token, "paymentMethodId": "master", "installments": 2,
            "issuerId": "24" })
}

async fn deliver(server: &TestServer, notice: ProviderNotice) -> Answer {
    let id = notice.data_id.unwrap_or_default();
    let path = format!("/api/payments/provider1/webhook?data.id={id}&type=payment");
    let mut headers = Vec::new();
    if let Some(request) = &notice.request_id {
        headers.push(("x-request-id", request.as_str()));
    }
    if let Some(signature) = &notice.signature {
        headers.push(("x-signature", signature.as_str()));
    }
    let body = json!({ "type": "payment", "action": "payment.updated", "data": { "id": id } });
    server.anonymous().send(Method::POST, &path, &headers, body.to_string()).await
}

async fn deliver_event(server: &TestServer, event: SignedEvent) -> Answer {
    let signature = event.signature.unwrap_or_default();
    let headers = [("stripe-signature", signature.as_str()), ("content-type", "application/json")];
    let path = "/api/payments/provider2/webhook";
    server.anonymous().send(Method::POST, path, &headers, event.body).await
}

fn paid() -> (String, String) {
    ("PROCESSING".to_owned(), "PAID".to_owned())
}

fn open() -> (String, String) {
    ("PENDING".to_owned(), "PENDING".to_owned())
}
