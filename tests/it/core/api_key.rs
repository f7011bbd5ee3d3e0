//! API keys: random, kept as a hash only, and checked anew with each call.

use std::time::Duration;

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::api_key::{ApiKey, NewApiKey, Scope};
use shop_core::error::{Credential, Entity};
use shop_core::{Error, Result};

use super::fixture::{START, TestShop, input};

fn refused(outcome: Result<ApiKey>) -> bool {
    matches!(outcome, Err(Error::Unauthenticated(Credential::ApiKey)))
}

#[tokio::test]
async fn a_key_is_prefix_and_32_random_bytes_and_only_its_hash_is_kept() {
    let test = TestShop::open().await;
    let (one, other) = (test.key(&[Scope::ProductsRead]).await, test.key(&Scope::ALL).await);
    let raw = one.raw.reveal();
    let random = raw.strip_prefix("svc_live_").expect("the prefix");
    assert_eq!(random.len(), 43);
    assert!(random.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
    assert_ne!(raw, other.raw.reveal());
    assert_eq!(one.key.key_prefix, raw[..16]);
    assert!(!format!("{one:?}").contains(random));
    let kept = test.data.everything();
    let known = |text: &str| kept.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(known(&raw[..16]), "the prefix is there");
    // The byte that happens to stand behind the prefix may be the next one of the key.
    assert!(!known(&raw[..20]), "and no more of it");
}

#[tokio::test]
async fn a_key_opens_what_its_scopes_name_and_nothing_else() {
    let test = TestShop::open().await;
    let made = test.key(&[Scope::OrdersRead, Scope::StockWrite, Scope::OrdersRead]).await;
    assert_eq!(made.key.scopes, [Scope::StockWrite, Scope::OrdersRead]);
    let keys = test.shop.api_keys();
    for scope in Scope::ALL {
        let verified = keys.verify(made.raw.reveal(), scope).await;
        match scope {
            Scope::OrdersRead | Scope::StockWrite => {
                assert_eq!(verified.expect("holds").id, made.key.id);
            }
            _ => assert!(refused(verified), "{scope}"),
        }
    }
}

#[tokio::test]
async fn what_is_not_quite_the_key_is_refused() {
    let test = TestShop::open().await;
    let made = test.key(&Scope::ALL).await;
    let raw = made.raw.reveal();
    let bare = raw.strip_prefix("svc_live_").expect("the prefix");
    for wrong in [
        String::new(),
        "svc_live_".to_owned(),
        bare.to_owned(),
        format!("svc_test_{bare}"),
        format!("SVC_LIVE_{bare}"),
        format!("{raw} "),
        format!("{raw}A"),
        raw[..raw.len() - 1].to_owned(),
        made.key.key_prefix.clone(),
        made.key.id.to_string(),
    ] {
        assert!(refused(test.shop.api_keys().verify(&wrong, Scope::ProductsRead).await), "{wrong}");
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_at_the_next_call_also_by_another_process() {
    let test = TestShop::open().await;
    let made = test.key(&[Scope::ProductsRead]).await;
    let (raw, other) = (made.raw.reveal(), test.open_again().await);
    for shop in [&test.shop, &other] {
        shop.api_keys().verify(raw, Scope::ProductsRead).await.expect("holds");
    }
    let revoked = test.shop.api_keys().revoke(&Actor::System, &made.key.id).await.expect("ended");
    assert_eq!((revoked.active, revoked.revoked_at), (false, Some(START)));
    for shop in [&test.shop, &other] {
        assert!(refused(shop.api_keys().verify(raw, Scope::ProductsRead).await));
    }
    test.advance_hours(1);
    let again = test.shop.api_keys().revoke(&Actor::System, &made.key.id).await.expect("ended");
    assert_eq!(again, revoked, "the first time counts");
    let unknown = test.shop.api_keys().revoke(&Actor::System, &"none".into()).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::ApiKey))), "{unknown:?}");
}

#[tokio::test]
async fn a_key_holds_until_just_before_it_expires() {
    let test = TestShop::open().await;
    let new = |expires_at| -> NewApiKey {
        input(json!({ "name": "ERP", "scopes": ["products:read"], "expiresAt": expires_at }))
    };
    let keys = test.shop.api_keys();
    for past in [START, START.minus(Duration::from_secs(1))] {
        let wrong = keys.create(&Actor::System, new(past)).await;
        let Err(Error::Invalid(fields)) = wrong else { panic!("{wrong:?}") };
        assert!(fields.field_errors.contains_key("expiresAt"));
    }
    let end = START.plus(Duration::from_secs(60));
    let made = keys.create(&Actor::System, new(end)).await.expect("a key");
    test.clock.advance(Duration::from_millis(59_999));
    keys.verify(made.raw.reveal(), Scope::ProductsRead).await.expect("holds");
    test.clock.advance(Duration::from_millis(1));
    assert!(refused(keys.verify(made.raw.reveal(), Scope::ProductsRead).await));
    assert!(!keys.list().await.expect("a list")[0].active);
    let none = keys.create(&Actor::System, input(json!({ "name": "x", "scopes": [] }))).await;
    assert!(matches!(none, Err(Error::Invalid(_))), "{none:?}");
}

#[tokio::test]
async fn the_last_use_is_shown_at_once_and_written_down_once_a_minute() {
    let test = TestShop::open().await;
    let made = test.key(&[Scope::ProductsRead]).await;
    let keys = test.shop.api_keys();
    let shown = async || keys.list().await.expect("a list")[0].last_used_at;
    let written = "SELECT coalesce(max(last_used_at), 0) FROM api_key";
    let used = async || keys.verify(made.raw.reveal(), Scope::ProductsRead).await.expect("holds");
    assert_eq!(shown().await, None);
    assert_eq!(used().await.last_used_at, None, "before this use there was none");
    assert_eq!((shown().await, test.count(written)), (Some(START), 0));
    test.shop.run_due().await.expect("done");
    assert_eq!(test.count(written), START.millis());
    test.clock.advance(Duration::from_secs(30));
    let later = test.shop.now();
    used().await;
    test.shop.run_due().await.expect("done");
    assert_eq!((shown().await, test.count(written)), (Some(later), START.millis()));
    test.clock.advance(Duration::from_secs(30));
    test.shop.run_due().await.expect("done");
    assert_eq!((shown().await, test.count(written)), (Some(later), later.millis()));
    // A refused key was not used.
    test.advance_hours(1);
    assert!(refused(keys.verify(made.raw.reveal(), Scope::OrdersRead).await));
    assert_eq!(shown().await, Some(later));
}

#[tokio::test]
async fn uses_are_written_down_when_the_background_work_ends() {
    let test = TestShop::open().await;
    let made = test.key(&[Scope::ProductsRead]).await;
    test.shop.run_due().await.expect("done");
    test.shop.api_keys().verify(made.raw.reveal(), Scope::ProductsRead).await.expect("holds");
    test.shop.run_background(std::future::ready(())).await;
    assert_eq!(test.count("SELECT last_used_at FROM api_key"), START.millis());
}

#[tokio::test]
async fn making_and_ending_a_key_stand_in_the_audit_log_without_the_key() {
    let test = TestShop::open().await;
    let made = test.key(&[Scope::OrdersRead]).await;
    test.shop.api_keys().revoke(&Actor::System, &made.key.id).await.expect("ended");
    let log = test.shop.audit().list(input(json!({}))).await.expect("a log").data;
    let [ended, begun] = &log[..] else { panic!("{log:?}") };
    assert_eq!((&*begun.action, &*ended.action), ("api_key.create", "api_key.revoke"));
    assert_eq!(begun.resource_id, made.key.id.as_str());
    assert_eq!(begun.after["scopes"], json!(["orders:read"]));
    assert_eq!(ended.before["revokedAt"], json!(null));
    assert_eq!(ended.after["revokedAt"], json!(START));
    assert!(!format!("{log:?}").contains(&made.raw.reveal()[16..]));
}
