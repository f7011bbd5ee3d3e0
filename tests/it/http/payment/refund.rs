use hyper::Method;
use serde_json::json;

use super::{Counter, open, paid};
use crate::fakes::provider::Trouble;
use crate::http::client::{Answer, Client};

const JSON: (&str, &str) = ("content-type", "application/json");

fn path(counter: &Counter) -> String {
    format!("/api/admin/orders/{}/refunds", counter.order.id)
}

async fn with_key(admin: &Client, counter: &Counter, key: &str, amount: f64) -> Answer {
    let headers = [JSON, ("idempotency-key", key)];
    let body = json!({ "amount": amount }).to_string();
    admin.send(Method::POST, &path(counter), &headers, body).await
}

#[tokio::test]
async fn a_card_is_given_back_in_parts_and_then_whole() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    counter.pay_by_card("mp-approved").await.expect(200);
    counter.check();
    let first = with_key(&admin, &counter, "k", 9.8).await;
    assert_eq!(first.expect(201)["status"], "DONE");
    assert_eq!(with_key(&admin, &counter, "k", 9.8).await.body, first.body);
    assert_eq!(with_key(&admin, &counter, "k", 9.9).await.refused(422).1, "idempotency_key_reused");
    let asked = counter.check();
    let [call] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(
        (call.path.as_str(), call.json()),
        ("/v1/payments/1300000000/refunds", json!({ "amount": 9.8 }))
    );
    assert_eq!(call.header("x-idempotency-key"), first.json()["id"].as_str().expect("an id"));
    assert_eq!(counter.status().await, paid());
    let (text, code) = with_key(&admin, &counter, "k2", 90.01).await.refused(400);
    assert_eq!(
        (text.as_str(), code.as_str()),
        ("Só é possível reembolsar até R$ 90,00", "refund_too_large")
    );
    let rest = admin.post(&path(&counter), &json!({ "reason": "Desistência" })).await.expect(201);
    assert_eq!((&rest["amount"], &rest["reason"]), (&json!(90.0), &json!("Desistência")));
    assert_eq!(counter.status().await, ("REFUNDED".to_owned(), "REFUNDED".to_owned()));
    let all = admin.get(&path(&counter)).await.expect(200);
    assert_eq!(all, json!([first.json(), rest]));
    assert_eq!(admin.post(&path(&counter), &json!({})).await.refused(400).1, "nothing_to_refund");
    // The provider's own notice about it changes nothing more.
    counter.notify().await.expect(200);
    assert_eq!(admin.get(&path(&counter)).await.expect(200), all);
    counter.check();
}

#[tokio::test]
async fn a_whole_refund_names_its_amount_too() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    counter.pay_by_card("mp-approved").await.expect(200);
    counter.check();
    admin.post(&path(&counter), &json!({})).await.expect(201);
    // Without one the provider would give back whatever is left.
    assert_eq!(counter.check()[0].json(), json!({ "amount": 99.8 }));
}

#[tokio::test]
async fn an_intent_is_given_back_in_cents() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    counter.open_intent().await.expect(200);
    let event = counter.stripe.complete_latest("evt_1");
    counter.tell(&event).await.expect(200);
    counter.check();
    let done = admin.post(&path(&counter), &json!({ "amount": 5 })).await.expect(201);
    let asked = counter.check();
    let form = asked[0].form();
    assert_eq!((&*form["payment_intent"], &*form["amount"]), ("pi_3Q0000", "500"));
    assert_eq!(asked[0].header("idempotency-key"), done["id"].as_str().expect("an id"));
    assert_eq!(done["providerRefundId"], "re_1");
    admin.post(&path(&counter), &json!({})).await.expect(201);
    assert_eq!(counter.status().await, ("REFUNDED".to_owned(), "REFUNDED".to_owned()));
}

#[tokio::test]
async fn a_refund_that_is_not_answered_is_asked_for_again_with_its_key() {
    for trouble in [
        Trouble::StallsBefore,
        Trouble::Fails(500),
        // Done and not answered: the key answers what became of it.
        Trouble::StallsAfter,
    ] {
        let counter = Counter::open().await;
        let admin = counter.server.admin().await;
        counter.pay_by_card("mp-approved").await.expect(200);
        counter.check();
        counter.mercado_pago.has(trouble);
        let open = admin.post(&path(&counter), &json!({ "amount": 50.0 })).await.expect(201);
        assert_eq!(open["status"], "PENDING");
        // What is on its way cannot be given back once more.
        let more = admin.post(&path(&counter), &json!({ "amount": 49.81 })).await;
        assert_eq!(more.refused(400).1, "refund_too_large");
        counter.mercado_pago.has(Trouble::None);
        counter.server.test.clock.advance(std::time::Duration::from_secs(180));
        counter.server.test.shop.run_due().await.expect("done");
        let all = admin.get(&path(&counter)).await.expect(200);
        assert_eq!((&all[0]["status"], all.as_array().map(Vec::len)), (&json!("DONE"), Some(1)));
        let asked = counter.check();
        let keys: Vec<_> = asked.iter().filter(|it| it.method == Method::POST).collect();
        assert_eq!(keys.len(), 2, "{trouble:?}");
        assert!(keys.iter().all(|it| it.header("x-idempotency-key") == all[0]["id"]));
    }
}

#[tokio::test]
async fn what_goes_back_in_the_providers_panel_is_not_taken_for_a_refund_that_never_arrived() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    counter.pay_by_card("mp-approved").await.expect(200);
    counter.mercado_pago.has(Trouble::Fails(500));
    admin.post(&path(&counter), &json!({ "amount": 10 })).await.expect(201);
    counter.mercado_pago.has(Trouble::None);
    counter.mercado_pago.latest(|payment| {
        payment["transaction_amount_refunded"] = json!(20.0);
        payment["refunds"] = json!([{ "id": 99, "status": "approved", "amount": 20.0 }]);
    });
    some_time_later(&counter).await;
    let all = admin.get(&path(&counter)).await.expect(200);
    let booked = |n: usize| (all[n]["origin"].clone(), all[n]["amount"].clone());
    assert_eq!(
        [booked(0), booked(1)],
        [("SHOP".into(), 10.0.into()), ("PROVIDER".into(), 20.0.into())]
    );
    counter.mercado_pago.latest(|payment| {
        assert_eq!(payment["transaction_amount_refunded"], 30.0, "both went back");
    });
}

/// What the background does a while later.
async fn some_time_later(counter: &Counter) {
    counter.server.test.clock.advance(std::time::Duration::from_secs(180));
    counter.server.test.shop.run_due().await.expect("done");
}

/// How often staff finds a text in the notes of the order.
async fn noted(admin: &Client, counter: &Counter, text: &str) -> usize {
    let order = admin.get(&format!("/api/admin/orders/{}", counter.order.id)).await.expect(200);
    order["internalNotes"].to_string().matches(text).count()
}

#[tokio::test]
async fn a_refund_that_was_taken_and_failed_later_gives_nothing_back() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    counter.open_intent().await.expect(200);
    counter.tell(&counter.stripe.complete_latest("evt_1")).await.expect(200);
    counter.stripe.books(|ledger| ledger.refunds_slowly = true);
    let begun = admin.post(&path(&counter), &json!({})).await.expect(201);
    assert_eq!((&begun["status"], &begun["amount"]), (&json!("PENDING"), &json!(99.8)));
    // The provider counts it already, and says so.
    counter.tell(&counter.stripe.refunded("evt_2")).await.expect(200);
    some_time_later(&counter).await;
    assert_eq!(counter.status().await, paid());
    assert_eq!(admin.get(&path(&counter)).await.expect(200)[0]["status"], "PENDING");
    let late = counter.stripe.refunded("evt_4");
    counter.tell(&counter.stripe.fail_latest_refund("evt_3")).await.expect(200);
    some_time_later(&counter).await;
    assert_eq!(counter.status().await, paid());
    counter.tell(&late).await.expect(200);
    assert_eq!(counter.status().await, paid());
    let all = admin.get(&path(&counter)).await.expect(200);
    assert_eq!((&all[0]["status"], all.as_array().map(Vec::len)), (&json!("FAILED"), Some(1)));
    assert_eq!(noted(&admin, &counter, "Reembolso de R$ 99,80 recusado").await, 1);
    counter.stripe.books(|ledger| ledger.refunds_slowly = false);
    assert_eq!(admin.post(&path(&counter), &json!({})).await.expect(201)["status"], "DONE");
    assert_eq!(counter.status().await, ("REFUNDED".to_owned(), "REFUNDED".to_owned()));
    counter.check();
}

#[tokio::test]
async fn a_refund_that_fails_beside_a_dispute_leaves_what_is_left_with_the_shop() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    counter.open_intent().await.expect(200);
    counter.tell(&counter.stripe.complete_latest("evt_1")).await.expect(200);
    counter.stripe.books(|ledger| ledger.refunds_slowly = true);
    admin.post(&path(&counter), &json!({ "amount": 60 })).await.expect(201);
    counter.tell(&counter.stripe.refunded("evt_2")).await.expect(200);
    counter.tell(&counter.stripe.dispute("evt_3", 3980)).await.expect(200);
    assert_eq!(counter.status().await.1, "CHARGED_BACK", "nothing is left");
    counter.tell(&counter.stripe.fail_latest_refund("evt_4")).await.expect(200);
    some_time_later(&counter).await;
    assert_eq!(counter.status().await, paid());
    counter.server.test.check_books().await;
    counter.stripe.books(|ledger| ledger.refunds_slowly = false);
    assert_eq!(admin.post(&path(&counter), &json!({})).await.expect(201)["amount"], 60.0);
}

/// A refund whose notice comes before its answer; what staff got in the end.
async fn overtaken(counter: &Counter, admin: &Client) -> serde_json::Value {
    counter.stripe.has(Trouble::AnswersLate);
    let (whole, path) = (json!({}), path(counter));
    let notice = async {
        while counter.stripe.books(|ledger| ledger.refunds.is_empty()) {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        counter.tell(&counter.stripe.refunded("evt_2")).await.expect(200);
        counter.stripe.has(Trouble::None);
    };
    let (answer, ()) = tokio::join!(admin.post(&path, &whole), notice);
    answer.expect(201)
}

#[tokio::test]
async fn a_notice_that_overtakes_the_answer_costs_a_refund_neither_its_id_nor_its_state() {
    for (slowly, status, note) in [
        (true, "PENDING", "Reembolso de R$ 99,80 recusado"),
        (false, "DONE", "O reembolso de R$ 99,80 falhou depois de feito"),
    ] {
        let counter = Counter::patient(60_000).await;
        let admin = counter.server.admin().await;
        counter.open_intent().await.expect(200);
        counter.tell(&counter.stripe.complete_latest("evt_1")).await.expect(200);
        counter.stripe.books(|ledger| ledger.refunds_slowly = slowly);
        let refund = overtaken(&counter, &admin).await;
        assert_eq!(
            (&refund["status"], &refund["providerRefundId"]),
            (&status.into(), &"re_1".into())
        );
        assert_eq!(counter.status().await == paid(), slowly, "nothing is back before it is done");
        counter.tell(&counter.stripe.fail_latest_refund("evt_3")).await.expect(200);
        some_time_later(&counter).await;
        assert_eq!(noted(&admin, &counter, note).await, 1, "staff hears that it failed");
        counter.check();
    }
}

#[tokio::test]
async fn staff_is_told_once_of_a_refund_that_failed_after_it_was_done() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    counter.open_intent().await.expect(200);
    counter.tell(&counter.stripe.complete_latest("evt_1")).await.expect(200);
    admin.post(&path(&counter), &json!({ "amount": 10 })).await.expect(201);
    let event = counter.stripe.fail_latest_refund("evt_2");
    for _ in 0..2 {
        counter.tell(&event).await.expect(200);
    }
    assert_eq!(noted(&admin, &counter, "O reembolso de R$ 10,00 falhou depois de feito").await, 1);
    counter.check();
}

#[tokio::test]
async fn refunds_that_take_time_are_each_followed_by_their_own_id() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    counter.pay_by_card("mp-approved").await.expect(200);
    counter.mercado_pago.books(|ledger| ledger.refunds_slowly = true);
    for _ in 0..2 {
        let begun = admin.post(&path(&counter), &json!({ "amount": 10 })).await.expect(201);
        assert_eq!(begun["status"], "PENDING");
    }
    counter.mercado_pago.latest(|payment| {
        payment["refunds"][0]["status"] = "approved".into();
        payment["refunds"][1]["status"] = "rejected".into();
        payment["transaction_amount_refunded"] = json!(10.0);
    });
    some_time_later(&counter).await;
    let all = admin.get(&path(&counter)).await.expect(200);
    assert_eq!((&all[0]["status"], &all[1]["status"]), (&json!("DONE"), &json!("FAILED")));
    assert_eq!(counter.status().await, paid());
    let left = admin.post(&path(&counter), &json!({ "amount": 89.81 })).await.refused(400);
    assert_eq!(left.0, "Só é possível reembolsar até R$ 89,80");
    counter.check();
}

#[tokio::test]
async fn refusals_have_their_status_and_code() {
    let counter = Counter::open().await;
    let admin = counter.server.admin().await;
    let path = path(&counter);
    assert_eq!(counter.server.anonymous().get(&path).await.refused(401).1, "unauthenticated");
    assert_eq!(counter.ana.post(&path, &json!({})).await.refused(403).1, "forbidden");
    assert_eq!(admin.post(&path, &json!({})).await.refused(400).1, "nothing_to_refund");
    let nowhere = "/api/admin/orders/nothing/refunds";
    assert_eq!(admin.get(nowhere).await.refused(404).1, "order_not_found");
    assert_eq!(admin.post(nowhere, &json!({})).await.refused(404).1, "order_not_found");
    counter.pay_by_pix().await.expect(200);
    assert_eq!(counter.status().await, open());
    counter.mercado_pago.approve_latest();
    counter.notify().await.expect(200);
    assert!(admin.post(&path, &json!({ "amount": 0 })).await.wrong_fields()["amount"].is_array());
    counter.mercado_pago.latest(|payment| payment["transaction_amount_refunded"] = json!(60.0));
    let (text, code) = admin.post(&path, &json!({})).await.refused(422);
    assert_eq!(
        (text.as_str(), code.as_str()),
        ("O provedor de pagamento recusou o reembolso", "refund_declined")
    );
    assert_eq!(admin.get(&path).await.expect(200)[0]["status"], "FAILED");
}
