//! The connection with Melhor Envio, and its wire formats, against one that really takes money.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::audit::AuditFilter;
use shop_core::config::Secret;
use shop_core::error::{Credential, Refusal};
use shop_core::money::Money;
use shop_core::shipment::{ConnectAnswer, LabelError, LabelProvider, ProviderLabelStatus};
use shop_core::{Error, Shop};

use super::fixture::{TestShop, input};
use crate::fakes::melhor_envio::{Fault, MelhorEnvio, PANEL_TOKEN};

/// A shop that has the application, and is not connected.
async fn open() -> (TestShop, MelhorEnvio) {
    let fake = MelhorEnvio::start().await;
    let test = TestShop::with(|config| fake.adapt(config)).await;
    (test, fake)
}

/// Staff begin a connection, and the account's holder allows it.
async fn allowed(shop: &Shop, fake: &MelhorEnvio) -> ConnectAnswer {
    let begun = shop.melhor_envio().connect(&Actor::System).await.expect("an address");
    input(json!(fake.books(|books| books.oauth.allow(&begun.address))))
}

pub(crate) async fn connect(shop: &Shop, fake: &MelhorEnvio) {
    let answer = allowed(shop, fake).await;
    let state = shop.melhor_envio().complete(answer).await.expect("connected");
    assert!(state.connected);
}

async fn connected() -> (TestShop, MelhorEnvio) {
    let (test, fake) = open().await;
    connect(&test.shop, &fake).await;
    fake.asked();
    (test, fake)
}

async fn balance(shop: &Shop) -> Result<Money, LabelError> {
    shop.melhor_envio().labels().balance().await
}

#[tokio::test]
async fn staff_connect_the_shop_and_the_answer_counts_once_and_for_an_hour() {
    let (test, fake) = open().await;
    let melhor_envio = test.shop.melhor_envio();
    assert!(matches!(balance(&test.shop).await, Err(LabelError::NotConnected)));
    let begun = allowed(&test.shop, &fake).await;
    let state = melhor_envio.complete(begun.clone()).await.expect("connected");
    let until = test.shop.now().plus(Duration::from_secs(2_592_000));
    assert_eq!((state.connected, state.expires_at), (true, Some(until)));
    assert_eq!(balance(&test.shop).await.expect("a balance"), Money::from_cents(10_000_000));
    let log = test.shop.audit().list(AuditFilter::default()).await.expect("a log");
    assert_eq!(log.data[0].action, "melhor_envio.connect");
    let unknown = |answer: ConnectAnswer| async {
        let refused = melhor_envio.complete(answer).await.expect_err("refused");
        let is = matches!(refused, Error::Unauthenticated(Credential::ConnectState));
        assert!(is, "{refused:?}");
    };
    unknown(begun).await;
    unknown(input(json!({ "state": "made-up", "code": "made-up" }))).await;
    let late = allowed(&test.shop, &fake).await;
    test.advance_hours(1);
    unknown(late).await;
}

#[tokio::test]
async fn a_connection_that_was_not_allowed_or_whose_code_does_not_hold_leaves_the_one_before() {
    let (test, fake) = connected().await;
    let melhor_envio = test.shop.melhor_envio();
    let mut denied = allowed(&test.shop, &fake).await;
    (denied.code, denied.error) = (None, Some("access_denied".to_owned()));
    let refused = melhor_envio.complete(denied).await.expect_err("refused");
    assert!(matches!(refused, Error::Refused(Refusal::NotAllowed)), "{refused:?}");
    let mut forged = allowed(&test.shop, &fake).await;
    forged.code = Some("made-up".to_owned());
    let refused = melhor_envio.complete(forged).await.expect_err("refused");
    assert!(matches!(refused, Error::Provider { name: "melhor-envio", .. }), "{refused:?}");
    assert!(balance(&test.shop).await.is_ok());
}

#[tokio::test]
async fn a_shop_without_an_application_or_a_connection_buys_with_the_token_of_the_panel() {
    let fake = MelhorEnvio::start().await;
    let test = TestShop::with(|config| {
        config.shipping.melhor_envio.url = fake.url();
        config.shipping.melhor_envio.token = Some(Secret::new(PANEL_TOKEN));
    })
    .await;
    let refused = test.shop.melhor_envio().connect(&Actor::System).await.expect_err("refused");
    assert!(matches!(refused, Error::Refused(Refusal::NoLabelApp)), "{refused:?}");
    assert!(balance(&test.shop).await.is_ok());
    let state = test.shop.melhor_envio().state().await.expect("a state");
    assert_eq!((state.connected, state.can_connect, state.connected_at), (true, false, None));
}

#[tokio::test]
async fn a_token_that_ends_is_renewed_and_the_call_made_once_more() {
    let (test, fake) = connected().await;
    fake.next("/balance", Fault::TokenEnds);
    assert!(balance(&test.shop).await.is_ok());
    let paths: Vec<String> = fake.asked().into_iter().map(|asked| asked.path).collect();
    let balance_path = "/api/v2/me/balance".to_owned();
    assert_eq!(paths, [balance_path.clone(), "/oauth/token".to_owned(), balance_path]);
    // One whose end is known is not tried.
    test.advance_hours(30 * 24);
    assert!(balance(&test.shop).await.is_ok());
    assert_eq!(fake.asked().len(), 2);
    assert_eq!(fake.books(|books| books.oauth.renewals), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_all_servers_one_renews_the_tokens() {
    let (test, fake) = connected().await;
    let others = join_all((0..3).map(|_| test.open_again())).await;
    let shops: Vec<&Shop> = others.iter().chain([&test.shop]).collect();
    for round in 1..=5 {
        fake.books(|books| books.oauth.end_access());
        let asked = (0..24).map(|n| balance(shops[n % shops.len()]));
        for answer in join_all(asked).await {
            assert!(answer.is_ok(), "{answer:?}");
        }
        assert_eq!(fake.books(|books| books.oauth.renewals), round);
    }
}

#[tokio::test]
async fn a_refused_renewal_is_told_once_and_the_shop_can_be_connected_anew() {
    let (test, fake) = connected().await;
    fake.books(|books| books.oauth.withdraw());
    for _ in 0..3 {
        assert!(matches!(balance(&test.shop).await, Err(LabelError::NotConnected)));
    }
    let renewals = fake.asked().iter().filter(|asked| asked.path == "/oauth/token").count();
    assert_eq!(renewals, 1);
    let state = test.shop.melhor_envio().state().await.expect("a state");
    assert_eq!(state.refused_at, Some(test.shop.now()));
    connect(&test.shop, &fake).await;
    assert!(balance(&test.shop).await.is_ok());
    assert_eq!(test.shop.melhor_envio().state().await.expect("a state").refused_at, None);
}

#[tokio::test]
async fn a_renewal_without_an_answer_is_tried_again_with_the_same_token() {
    let (test, fake) = connected().await;
    for fault in [Fault::LostBefore, Fault::FailsBefore(503)] {
        fake.books(|books| books.oauth.end_access());
        fake.next("/oauth/token", fault);
        let lost = balance(&test.shop).await;
        assert!(matches!(lost, Err(LabelError::Unclear(_))), "{lost:?}");
        assert!(balance(&test.shop).await.is_ok());
    }
}

#[tokio::test]
async fn a_connection_is_renewed_before_it_ends_though_nothing_is_sent() {
    let (test, fake) = connected().await;
    let renewals = || fake.books(|books| books.oauth.renewals);
    test.advance_hours(22 * 24);
    test.shop.run_due().await.expect("runs");
    assert_eq!(renewals(), 0);
    test.advance_hours(24);
    fake.next("/oauth/token", Fault::FailsBefore(503));
    test.shop.run_due().await.expect("runs");
    test.shop.run_due().await.expect("runs");
    assert_eq!((renewals(), fake.asked().len()), (0, 1), "it is left alone for an hour");
    test.advance_hours(1);
    test.shop.run_due().await.expect("runs");
    test.shop.run_due().await.expect("runs");
    assert_eq!((renewals(), fake.asked().len()), (1, 1));
}

#[tokio::test]
async fn a_shop_that_was_disconnected_makes_no_call() {
    let (test, fake) = connected().await;
    let melhor_envio = test.shop.melhor_envio();
    melhor_envio.disconnect(&Actor::System).await.expect("done");
    melhor_envio.disconnect(&Actor::System).await.expect("done already");
    assert!(matches!(balance(&test.shop).await, Err(LabelError::NotConnected)));
    assert!(fake.asked().is_empty());
    assert!(!melhor_envio.state().await.expect("a state").connected);
}

/// A parcel in the cart, with this tag.
fn in_cart(fake: &MelhorEnvio, tag: &str) -> String {
    let parcel = json!({ "service": 2, "options": { "tags": [{ "tag": tag, "url": null }] } });
    let label = fake.books(|books| books.put(&parcel)).expect("a label");
    label["id"].as_str().expect("an id").to_owned()
}

async fn status(labels: &dyn LabelProvider, id: &str) -> ProviderLabelStatus {
    labels.fetch(id).await.expect("an answer").expect("a label").status
}

#[tokio::test]
async fn what_became_of_a_payment_is_told_by_a_question_whatever_its_answer_was() {
    use ProviderLabelStatus::{InCart, Paid};
    let (test, fake) = connected().await;
    let labels = test.shop.melhor_envio().labels();
    for (fault, is_clear, expected) in [
        (Fault::None, true, Paid),
        (Fault::Empty, true, Paid),
        (Fault::TokenEnds, true, Paid),
        (Fault::LostBefore, false, InCart),
        (Fault::LostAfter, false, Paid),
        (Fault::Garbage, false, Paid),
        (Fault::FailsBefore(503), false, InCart),
        (Fault::FailsBefore(404), false, InCart),
        (Fault::FailsAfter(500), false, Paid),
        (Fault::FailsBefore(429), false, InCart),
    ] {
        let id = in_cart(&fake, "A");
        fake.next("/checkout", fault);
        match labels.pay(&id).await {
            Ok(()) => assert!(is_clear, "{fault:?}"),
            Err(LabelError::Unclear(_)) => assert!(!is_clear, "{fault:?}"),
            other => panic!("{fault:?}: {other:?}"),
        }
        assert_eq!(status(&*labels, &id).await, expected, "{fault:?}");
        assert_eq!(fake.books(|books| books.charges(&id)), i64::from(expected == Paid));
    }
    fake.asked();
}

#[tokio::test]
async fn a_refused_payment_is_paid_where_an_earlier_call_paid_it() {
    let (test, fake) = connected().await;
    let labels = test.shop.melhor_envio().labels();
    let id = in_cart(&fake, "A");
    fake.next("/checkout", Fault::LostAfter);
    assert!(labels.pay(&id).await.is_err());
    fake.next("/checkout", Fault::Refuses(422));
    assert!(labels.pay(&id).await.is_ok());
    let unpaid = in_cart(&fake, "B");
    fake.next("/checkout", Fault::Refuses(422));
    assert!(matches!(labels.pay(&unpaid).await, Err(LabelError::Refused(_))));
    fake.books(|books| books.wallet = 4119);
    assert!(matches!(labels.pay(&unpaid).await, Err(LabelError::InsufficientBalance)));
    assert_eq!(fake.books(|books| (books.charges(&id), books.charges(&unpaid))), (1, 0));
}

#[tokio::test]
async fn an_answer_without_words_is_a_payment_only_where_the_label_is_paid() {
    let (test, fake) = connected().await;
    let labels = test.shop.melhor_envio().labels();
    let id = in_cart(&fake, "A");
    let wallet = fake.books(|books| std::mem::replace(&mut books.wallet, 4119));
    fake.next("/checkout", Fault::Empty);
    assert!(matches!(labels.pay(&id).await, Err(LabelError::Unclear(_))));
    fake.books(|books| books.wallet = wallet);
    fake.next("/checkout", Fault::Empty);
    labels.pay(&id).await.expect("paid");
    assert_eq!(fake.books(|books| books.charges(&id)), 1);
}

#[tokio::test]
async fn a_label_is_made_printed_and_given_back() {
    let (test, fake) = connected().await;
    let labels = test.shop.melhor_envio().labels();
    let id = in_cart(&fake, "A");
    assert!(matches!(labels.generate(&id).await, Err(LabelError::Refused(_))), "not paid");
    labels.pay(&id).await.expect("paid");
    fake.books(|books| books.generation_takes = 2);
    labels.generate(&id).await.expect("begun");
    assert_eq!(labels.document(&id).await.expect("an answer"), None);
    assert_eq!(status(&*labels, &id).await, ProviderLabelStatus::Paid);
    let pdf = labels.document(&id).await.expect("an answer").expect("a file");
    assert!(pdf.starts_with(b"%PDF-"));
    assert_eq!(status(&*labels, &id).await, ProviderLabelStatus::Generated);
    labels.generate(&id).await.expect("made already");
    let given_back = labels.cancel(&id).await.expect("given back");
    assert_eq!(given_back.status, ProviderLabelStatus::Cancelled);
    assert_eq!(labels.cancel(&id).await.expect("already").status, ProviderLabelStatus::Cancelled);
    assert_eq!(fake.books(|books| books.wallet), 10_000_000);
    let posted = in_cart(&fake, "B");
    labels.pay(&posted).await.expect("paid");
    fake.books(|books| books.post(&posted, "AA123456785BR"));
    assert!(matches!(labels.cancel(&posted).await, Err(LabelError::Refused(_))));
    let label = labels.fetch(&posted).await.expect("an answer").expect("a label");
    assert_eq!(label.tracking_code.as_deref(), Some("AA123456785BR"));
    assert!(label.posted_at.is_some());
    fake.asked();
}

#[tokio::test]
async fn labels_are_found_by_their_reference_on_every_page_of_cart_and_orders() {
    let (test, fake) = connected().await;
    let labels = test.shop.melhor_envio().labels();
    let mut wanted = Vec::new();
    for n in 0..12 {
        let id = in_cart(&fake, if n % 4 == 0 { "PED-1-1" } else { "PED-1-10" });
        if n % 4 == 0 {
            wanted.push(id.clone());
        }
        if n >= 6 {
            labels.pay(&id).await.expect("paid");
        }
    }
    let mut found = labels.find("PED-1-1").await.expect("an answer");
    found.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(
        found.iter().map(|label| &label.id).collect::<Vec<_>>(),
        wanted.iter().collect::<Vec<_>>()
    );
    assert!(found.iter().all(|label| label.reference.as_deref() == Some("PED-1-1")));
    assert_eq!(labels.find("PED-1").await.expect("an answer"), []);
    labels.remove_from_cart(&wanted[0]).await.expect("gone");
    labels.remove_from_cart(&wanted[0]).await.expect("gone already");
    assert_eq!(labels.find("PED-1-1").await.expect("an answer").len(), 2);
    assert_eq!(labels.fetch(&wanted[0]).await.expect("an answer"), None);
    assert_eq!(labels.fetch("../balance").await.expect("an answer"), None);
    fake.asked();
}
