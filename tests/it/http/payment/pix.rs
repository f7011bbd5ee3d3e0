use futures_util::future::join_all;
use hyper::Method;
use serde_json::json;
use shop_server::ServeOptions;

use super::{Counter, deliver, open, order, paid};
use crate::core::payment::read_qr;
use crate::fakes::mercado_pago::{MercadoPago, PIX_CODE, WEBHOOK_SECRET};
use crate::fakes::provider::Trouble;
use crate::fakes::signature;
use crate::http::TestServer;

#[tokio::test]
async fn a_pix_code_is_the_providers_own() {
    let counter = Counter::open().await;
    let charge = counter.pay_by_pix().await.expect(200);
    assert_eq!((&charge["qrCodeText"], &charge["amount"]), (&json!(PIX_CODE), &json!(99.8)));
    assert_eq!(read_qr(charge["qrCode"].as_str().expect("a picture")), PIX_CODE);
    let asked = counter.check();
    let [create] = &asked[..] else { panic!("{asked:?}") };
    let body = create.json();
    assert_eq!(body["transaction_amount"], json!(99.8));
    assert_eq!(body["external_reference"], json!(counter.order.order_number));
    assert_eq!(body["payer"]["email"], "ana@example.com");
    assert_eq!(create.header("x-idempotency-key"), charge["paymentId"].as_str().expect("an id"));
    // The provider's limit is 30 minutes from when it hears of it, so it is told a minute more.
    assert_eq!(body["date_of_expiration"], "2026-11-21T12:31:00.000-03:00");
    assert_eq!(charge["expiresAt"], "2026-11-21T15:30:00.000Z");
    assert_eq!(counter.pay_by_pix().await.expect(200), charge);
    assert!(counter.check().is_empty(), "a code that is good is not made again");
}

#[tokio::test]
async fn the_providers_own_picture_is_shown_where_it_draws_one() {
    let counter = Counter::open().await;
    counter.mercado_pago.books(|ledger| ledger.picture = Some("iVBORw0KGgo=".to_owned()));
    let charge = counter.pay_by_pix().await.expect(200);
    assert_eq!(charge["qrCode"], "iVBORw0KGgo=");
    assert_eq!(counter.pay_by_pix().await.expect(200), charge);
    counter.server.test.advance_hours(25);
    counter.server.test.shop.run_due().await.expect("done");
    let kept = "SELECT count(*) FROM payment WHERE pix_picture IS NOT NULL";
    assert_eq!(counter.server.test.count(kept), 0);
}

#[tokio::test]
async fn a_provider_that_fails_is_a_500_and_the_next_call_has_the_same_key() {
    let counter = Counter::open().await;
    let mut keys = Vec::new();
    for trouble in [
        Trouble::Fails(500),
        Trouble::Fails(503),
        Trouble::Fails(429),
        Trouble::Fails(401),
        Trouble::StallsBefore,
        Trouble::Garbage,
        Trouble::StallsAfter,
    ] {
        counter.mercado_pago.has(trouble);
        let (text, code) = counter.pay_by_pix().await.refused(500);
        assert_eq!(
            (text.as_str(), code.as_str()),
            ("Falha no provedor externo. Tente novamente", "provider_failure")
        );
        keys.extend(counter.check().iter().map(|it| it.header("x-idempotency-key").to_owned()));
    }
    counter.mercado_pago.has(Trouble::None);
    let charge = counter.pay_by_pix().await.expect(200);
    assert!(keys.iter().all(|key| *key == charge["paymentId"]), "{keys:?}");
    assert_eq!(counter.server.test.count("SELECT count(*) FROM payment"), 1);
}

#[tokio::test]
async fn a_request_that_the_provider_refuses_ends_its_attempt() {
    let counter = Counter::open().await;
    counter.mercado_pago.has(Trouble::Fails(400));
    counter.pay_by_pix().await.refused(500);
    counter.mercado_pago.has(Trouble::None);
    counter.pay_by_pix().await.expect(200);
    assert_eq!(
        counter.server.test.count("SELECT count(*) FROM payment WHERE status = 'FAILED'"),
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_notices_at_once_are_one_payment() {
    let counter = Counter::open().await;
    counter.pay_by_pix().await.expect(200);
    counter.notify().await.expect(200);
    assert_eq!(counter.status().await, open(), "the provider says that it is not paid");
    counter.mercado_pago.approve_latest();
    for answer in join_all((0..100).map(|_| counter.notify())).await {
        assert_eq!(answer.expect(200), json!({ "received": true }));
    }
    assert_eq!(counter.status().await, paid());
    let events = "SELECT count(*) FROM event WHERE name = 'order.paid'";
    assert_eq!(counter.server.test.count(events), 1);
    assert_eq!(counter.pay_by_pix().await.refused(400).1, "already_paid");
    counter.check();
}

#[tokio::test]
async fn approved_then_pending_then_approved_stays_paid() {
    let counter = Counter::open().await;
    counter.pay_by_pix().await.expect(200);
    for status in ["approved", "pending", "approved", "cancelled", "rejected"] {
        counter.mercado_pago.latest(|payment| payment["status"] = status.into());
        counter.notify().await.expect(200);
        assert_eq!(counter.status().await, paid(), "{status}");
    }
    counter.mercado_pago.latest(|payment| payment["status"] = "charged_back".into());
    counter.notify().await.expect(200);
    assert_eq!(counter.status().await.1, "CHARGED_BACK");
}

#[tokio::test]
async fn money_that_does_not_fit_is_kept_for_review() {
    for (field, value) in [
        ("transaction_amount", json!(99.79)),
        ("currency_id", json!("USD")),
        ("external_reference", json!("PED-20261121-9999")),
    ] {
        let counter = Counter::open().await;
        counter.pay_by_pix().await.expect(200);
        counter.mercado_pago.approve_latest();
        counter.mercado_pago.latest(|payment| payment[field] = value);
        counter.notify().await.expect(200);
        let review = ("PENDING".to_owned(), "REVIEW".to_owned());
        assert_eq!(counter.status().await, review, "{field}");
    }
}

#[tokio::test]
async fn a_notice_that_the_provider_cannot_confirm_now_is_a_500_so_that_it_comes_again() {
    let counter = Counter::open().await;
    counter.pay_by_pix().await.expect(200);
    counter.mercado_pago.approve_latest();
    counter.mercado_pago.has(Trouble::StallsReading);
    assert_eq!(counter.notify().await.refused(500).1, "provider_failure");
    counter.mercado_pago.has(Trouble::None);
    counter.notify().await.expect(200);
    assert_eq!(counter.status().await, paid());
}

#[tokio::test]
async fn forged_notices_are_refused_and_call_no_provider() {
    let counter = Counter::open().await;
    counter.pay_by_pix().await.expect(200);
    counter.mercado_pago.approve_latest();
    counter.check();
    let now = counter.seconds();
    for (secret, seconds) in [
        ("another", now),
        (WEBHOOK_SECRET, now - 24 * 3600 - 1),
        (WEBHOOK_SECRET, now + 24 * 3600 + 1),
    ] {
        let forged = signature::notice(secret, "1300000000", seconds);
        let (text, code) = deliver(&counter.server, forged).await.refused(401);
        assert_eq!((text.as_str(), code.as_str()), ("Assinatura inválida", "invalid_signature"));
    }
    assert!(counter.check().is_empty());
    assert_eq!(counter.status().await, open());
    // Signed, and about something that is no payment, or about another shop's payment.
    for id in ["999", "../users/me", "%2e%2e"] {
        let other = signature::notice(WEBHOOK_SECRET, id, now);
        let status = deliver(&counter.server, other).await.status.as_u16();
        assert!([200, 401].contains(&status), "{id}: {status}");
    }
    assert_eq!(counter.status().await, open());
}

#[tokio::test]
async fn the_provider_is_asked_for_signed_notices_only() {
    let mercado_pago = MercadoPago::start().await;
    let adapt = |config: &mut shop_core::Config| {
        mercado_pago.adapt(config);
        config.base_url = Some("https://loja.example".to_owned());
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    let ana = server.customer("ana").await;
    let order = order(&server, &ana).await;
    ana.post("/api/payments/pix", &json!({ "orderId": order.id })).await.expect(200);
    let asked = mercado_pago.asked();
    let url = "https://loja.example/api/payments/provider1/webhook?source_news=webhooks";
    assert_eq!(asked[0].json()["notification_url"], url);
    // The notice comes to that address, with its own parameters behind.
    mercado_pago.approve_latest();
    let notice = mercado_pago.notice(server.test.shop.now().seconds());
    let id = notice.data_id.expect("an id");
    let path =
        format!("/api/payments/provider1/webhook?source_news=webhooks&data.id={id}&type=payment");
    let (request, signature) = (notice.request_id.expect("it"), notice.signature.expect("it"));
    let headers = [("x-request-id", request.as_str()), ("x-signature", signature.as_str())];
    server.anonymous().send(Method::POST, &path, &headers, "{}").await.expect(200);
    let paid = ana.get(&format!("/api/orders/{}", order.id)).await.expect(200);
    assert_eq!(paid["payment"], json!({ "method": "PIX", "status": "PAID" }));
}
