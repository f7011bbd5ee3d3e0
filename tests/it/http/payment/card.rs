use hyper::Method;
use serde_json::{Value, json};
use shop_server::ServeOptions;

use super::{Counter, card, open, order, paid};
use crate::fakes::mercado_pago::LAST_FOUR;
use crate::fakes::provider::Trouble;
use crate::http::TestServer;

const PATH: &str = "/api/payments/provider1/card";

#[tokio::test]
async fn a_card_is_charged_with_what_the_provider_wants() {
    let counter = Counter::open().await;
    let charge = counter.pay_by_card("mp-approved").await.expect(200);
    let expected = json!({
        "status": "approved", "paymentId": "1300000000", "orderId": counter.order.id,
        "installments": 2, "lastFourDigits": LAST_FOUR,
    });
    assert_eq!(charge, expected);
    assert_eq!(counter.status().await, paid());
    let asked = counter.check();
    let [create] = &asked[..] else { panic!("{asked:?}") };
    let body = create.json();
    assert_eq!((&body["token"], &body["issuer_id"]), (&json!("mp-approved"), &json!(24)));
    assert_eq!(body["transaction_amount"], json!(99.8));
    assert_eq!((&body["installments"], &body["payment_method_id"]), (&json!(2), &json!("master")));
    assert_eq!(counter.pay_by_card("mp-approved.2").await.refused(400).1, "already_paid");
    assert!(counter.check().is_empty());
}

#[tokio::test]
async fn a_charge_whose_answer_got_lost_is_found_behind_many_refusals() {
    let counter = Counter::open().await;
    for n in 0..60 {
        if n % 15 == 0 {
            counter.server.test.advance_hours(1);
        }
        counter.pay_by_card(&format!("mp-cc_rejected_other_reason.{n}")).await.refused(422);
    }
    counter.mercado_pago.has(Trouble::StallsAfter);
    counter.pay_by_card("mp-approved").await;
    counter.mercado_pago.has(Trouble::None);
    let payments = counter.server.test.shop.payments();
    payments.reconcile(&counter.order.id).await.expect("asked");
    assert_eq!(counter.status().await, paid());
}

#[tokio::test]
async fn each_refusal_of_the_issuer_is_a_422_with_its_own_words() {
    let counter = Counter::open().await;
    let rejected = "Pagamento recusado. Use outro meio de pagamento";
    for (token, code, text) in [
        ("bad_filled_card_number", "card_bad_number", "Confira o número do cartão"),
        ("bad_filled_date", "card_bad_expiry_date", "Confira a validade do cartão"),
        ("bad_filled_other", "card_bad_data", "Confira os dados do cartão"),
        (
            "bad_filled_security_code",
            "card_bad_security_code",
            "Confira o código de segurança do cartão",
        ),
        (
            "call_for_authorize",
            "card_call_for_authorize",
            "Autorize o pagamento junto ao banco emissor do cartão",
        ),
        ("card_disabled", "card_disabled", "Ative o cartão junto ao banco emissor"),
        ("insufficient_amount", "card_insufficient_amount", "Saldo ou limite insuficiente"),
        (
            "invalid_installments",
            "card_invalid_installments",
            "O cartão não aceita esse número de parcelas",
        ),
        (
            "duplicated_payment",
            "card_duplicated_payment",
            "Pagamento repetido. Confira se o pedido já foi pago",
        ),
        (
            "max_attempts",
            "card_max_attempts",
            "Limite de tentativas atingido. Use outro meio de pagamento",
        ),
        (
            "3ds_mandatory",
            "card_authentication_required",
            "O banco exige autenticação do cartão. Use outro meio de pagamento",
        ),
        ("high_risk", "card_high_risk", rejected),
        ("blacklist", "card_blacklisted", rejected),
        ("card_error", "card_error", rejected),
        ("other_reason", "card_rejected", rejected),
    ] {
        let answer = counter.pay_by_card(&format!("mp-cc_rejected_{token}")).await;
        assert_eq!(answer.refused(422), (text.to_owned(), code.to_owned()), "{token}");
    }
    assert_eq!(counter.status().await, ("PENDING".to_owned(), "FAILED".to_owned()));
    counter.pay_by_card("mp-approved").await.expect(200);
    assert_eq!(counter.status().await, paid());
    assert_eq!(counter.mercado_pago.charges(&counter.order.order_number), 1);
    counter.check();
}

#[tokio::test]
async fn other_refusals_have_their_status_and_code() {
    let counter = Counter::open().await;
    let (text, code) = counter.pay_by_card("made-up").await.refused(400);
    assert_eq!(
        (text.as_str(), code.as_str()),
        ("Token do cartão inválido. Informe o cartão novamente", "invalid_card_token")
    );
    assert_eq!(
        counter.pay_by_card("").await.wrong_fields()["token"].as_array().map(Vec::len),
        Some(1)
    );
    let anonymous = counter.server.anonymous();
    let body = card(&counter.order, "mp-approved");
    assert_eq!(anonymous.post(PATH, &body).await.refused(401).1, "unauthenticated");
    let bia = counter.server.customer("bia").await;
    assert_eq!(bia.post(PATH, &body).await.refused(404).1, "order_not_found");
    counter.ana.post(PATH, &json!({})).await.refused(400);
    let mut many = body.clone();
    many["installments"] = json!(0);
    assert!(counter.ana.post(PATH, &many).await.wrong_fields()["installments"].is_array());
    counter.mercado_pago.has(Trouble::Fails(500));
    assert_eq!(counter.pay_by_card("mp-approved").await.refused(500).1, "provider_failure");
    counter.mercado_pago.has(Trouble::None);
    // It is not known whether the first was charged, so no other is.
    let (text, code) = counter.pay_by_card("mp-approved.2").await.refused(409);
    assert_eq!(
        (text.as_str(), code.as_str()),
        (
            "Há um pagamento deste pedido em análise. Tente de novo em alguns minutos ou fale com a loja",
            "payment_in_process"
        )
    );
    counter.pay_by_card("mp-approved").await.expect(200);
    assert_eq!(counter.mercado_pago.charges(&counter.order.order_number), 1);
}

#[tokio::test]
async fn a_card_under_review_is_in_process_until_its_notice() {
    let counter = Counter::open().await;
    let charge = counter.pay_by_card("mp-in-process").await.expect(200);
    assert_eq!(charge["status"], "in_process");
    assert_eq!(counter.status().await, open());
    assert_eq!(counter.pay_by_card("mp-approved").await.refused(409).1, "payment_in_process");
    counter.mercado_pago.approve_latest();
    counter.notify().await.expect(200);
    assert_eq!(counter.status().await, paid());
    assert_eq!(counter.mercado_pago.charges(&counter.order.order_number), 1);
}

#[tokio::test]
async fn an_answer_that_gets_lost_is_cleared_up_and_never_charged_twice() {
    for (forgets, trouble) in [
        (false, Trouble::StallsAfter),
        (true, Trouble::StallsAfter),
        (false, Trouble::Garbage),
        (true, Trouble::Garbage),
    ] {
        let counter = Counter::open().await;
        counter.mercado_pago.books(|ledger| ledger.forgets_metadata = forgets);
        counter.mercado_pago.has(trouble);
        assert_eq!(counter.pay_by_card("mp-approved").await.refused(500).1, "provider_failure");
        counter.mercado_pago.has(Trouble::None);
        // Another card finds out that the first was charged.
        assert_eq!(counter.pay_by_card("mp-approved.2").await.refused(400).1, "already_paid");
        assert_eq!(counter.status().await, paid(), "{trouble:?}");
        assert_eq!(counter.mercado_pago.charges(&counter.order.order_number), 1);
        counter.check();
    }
}

#[tokio::test]
async fn the_same_request_again_has_the_same_key() {
    let counter = Counter::open().await;
    counter.mercado_pago.has(Trouble::StallsAfter);
    counter.pay_by_card("mp-approved").await.refused(500);
    counter.mercado_pago.has(Trouble::None);
    let charge = counter.pay_by_card("mp-approved").await.expect(200);
    assert_eq!(
        (&charge["status"], &charge["paymentId"]),
        (&json!("approved"), &json!("1300000000"))
    );
    let keys: Vec<_> =
        counter.check().iter().map(|it| it.header("x-idempotency-key").to_owned()).collect();
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]));
}

#[tokio::test]
async fn a_key_gives_the_first_answer_again_byte_for_byte() {
    let counter = Counter::open().await;
    let json = ("content-type", "application/json");
    let send = async |token: &str| {
        let body = card(&counter.order, token).to_string();
        let headers = [json, ("idempotency-key", "k-1")];
        counter.ana.send(Method::POST, PATH, &headers, body).await
    };
    let first = send("mp-approved").await;
    first.expect(200);
    assert_eq!(send("mp-approved").await.body, first.body);
    assert_eq!(send("mp-approved.2").await.refused(422).1, "idempotency_key_reused");
    assert_eq!(counter.check().len(), 1);
}

#[tokio::test]
async fn who_tries_out_cards_is_stopped() {
    let server = TestServer::start_with(|_| {}, ServeOptions::default()).await;
    let ana = server.customer("ana").await;
    let order = order(&server, &ana).await;
    for n in 0..20 {
        let (token, status) = match n % 2 {
            0 => (format!("tok_cc_rejected_high_risk_{n}"), 422),
            _ => (format!("made-up-{n}"), 400),
        };
        ana.post(PATH, &card(&order, &token)).await.refused(status);
    }
    let stopped = ana.post(PATH, &card(&order, "tok_approved")).await;
    assert_eq!(stopped.refused(429).1, "rate_limited");
    assert_eq!(stopped.header("retry-after"), Some("3600"));
    // By account, not by address.
    let bia = server.customer("bia").await;
    let vela = &order.items[0].product_id;
    let theirs = server.test.buy(bia.buyer(), vela, 1).await.expect("placed");
    bia.post(PATH, &card(&theirs, "tok_approved")).await.expect(200);
    server.test.advance_hours(1);
    ana.post(PATH, &card(&order, "tok_approved")).await.expect(200);
}

#[tokio::test]
async fn only_refusals_of_the_provider_count_as_tries() {
    let adapt = |config: &mut shop_core::Config| {
        config.payments.card_refusals_per_hour = 2.try_into().expect("a limit");
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    let ana = server.customer("ana").await;
    let order = order(&server, &ana).await;
    for _ in 0..3 {
        ana.post(PATH, &Value::Null).await.refused(400);
        ana.post(PATH, &json!({ "orderId": order.id })).await.refused(400);
        let nobodys = json!({ "orderId": "none", "token": "tok_approved",
            "paymentMethodId": "visa", "installments": 1 });
        ana.post(PATH, &nobodys).await.refused(404);
        // The same refused request again is the same answer, without a call.
        ana.post(PATH, &card(&order, "tok_cc_rejected_high_risk")).await.refused(422);
        // Its outcome is not known, so it does not count as refused.
        ana.post(PATH, &card(&order, "tok_error")).await.refused(500);
    }
    server.test.raw_sql("UPDATE payment SET status = 'FAILED' WHERE status = 'PENDING'");
    ana.post(PATH, &card(&order, "tok_made_up")).await.refused(400);
    assert_eq!(ana.post(PATH, &card(&order, "tok_approved")).await.refused(429).1, "rate_limited");
}

#[tokio::test]
async fn all_accounts_behind_one_address_share_a_limit() {
    let adapt = |config: &mut shop_core::Config| {
        config.payments.card_refusals_per_hour_per_ip = 3.try_into().expect("a limit");
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    let vela = server.test.product("vela", 100, 4990).await;
    for (name, last) in [("ana", false), ("bia", false), ("eva", false), ("lia", true)] {
        let buyer = server.customer(name).await;
        let order = server.test.buy(buyer.buyer(), &vela, 1).await.expect("placed");
        let status = if last { 429 } else { 422 };
        buyer.post(PATH, &card(&order, "tok_cc_rejected_high_risk")).await.refused(status);
    }
}

#[tokio::test]
async fn a_wrong_token_and_a_wrong_bank_are_named_and_an_empty_bank_is_none() {
    let mut counter = Counter::open().await;
    counter.ana = counter.ana.writing_otherwise();
    let pay = async |token: &str, issuer: Value| {
        let mut body = card(&counter.order, token);
        body["issuerId"] = issuer;
        counter.ana.post(PATH, &body).await
    };
    for issuer in [json!("abc"), json!("-1"), json!(-1), json!("9".repeat(19)), json!(1e18)] {
        let wrong = pay("tok é", issuer.clone()).await.wrong_fields();
        let fields = [&wrong["token"], &wrong["issuerId"]].map(|of| of.as_array().map(Vec::len));
        assert_eq!(fields, [Some(1); 2], "{issuer}: {wrong}");
    }
    assert_eq!(pay("", json!("1")).await.wrong_fields()["token"], json!(["Campo obrigatório"]));
    assert!(counter.check().is_empty());
    pay("mp-approved", json!("")).await.expect(200);
    let asked = counter.check();
    assert!(asked[0].json().get("issuer_id").is_none_or(Value::is_null), "{asked:?}");
}
