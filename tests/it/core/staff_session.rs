//! Sessions of staff in the library.

use std::time::Duration;

use serde_json::json;
use shop_core::Error;
use shop_core::account::{Account, SetActive};
use shop_core::actor::Actor;
use shop_core::error::{Credential, Entity};

use super::fixture::{TestShop, input};

/// An account that runs the shop, with the password that `TestShop::log_in` knows.
pub(super) async fn admin(test: &TestShop, name: &str) -> Account {
    let register = input(json!({
        "name": name, "email": format!("{name}@example.com"), "password": "segredo-123"
    }));
    test.shop.accounts().create_admin(register).await.expect("an admin")
}

fn is_over(verified: Result<Account, Error>) -> bool {
    matches!(verified, Err(Error::Unauthenticated(Credential::Session)))
}

#[tokio::test]
async fn only_sessions_of_staff_are_kept_and_only_by_the_hash_of_their_token() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    test.log_in("ana").await;
    assert!(test.shop.sessions().list(&buyer.id).await.expect("a list").is_empty());
    let eva = admin(&test, "eva").await;
    let token = test.log_in("eva").await;
    let identity = test.shop.sessions().identify(&token).await.expect("a session");
    let listed = test.shop.sessions().list(&eva.id).await.expect("a list");
    assert_eq!(identity.session.as_ref(), Some(&listed[0].id));
    assert_eq!(test.count("SELECT count(*) FROM staff_session"), 1);
    let kept = test.count(&format!(
        "SELECT count(*) FROM staff_session WHERE token_hash = '{token}'
           OR length(token_hash) <> 64"
    ));
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn a_token_whose_session_is_gone_is_no_session() {
    let test = TestShop::open().await;
    admin(&test, "eva").await;
    let token = test.log_in("eva").await;
    test.raw_sql("DELETE FROM staff_session");
    assert!(is_over(test.shop.sessions().verify(&token).await));
}

#[tokio::test]
async fn sessions_end_with_the_password_and_with_a_suspension_and_by_themselves() {
    let test = TestShop::open().await;
    let (eva, other) = (admin(&test, "eva").await, admin(&test, "bea").await);
    let held = async || test.shop.sessions().list(&eva.id).await.expect("a list").len();
    test.log_in("eva").await;
    assert_eq!(held().await, 1);
    let by = Actor::Admin(other.id);
    let password = "segredo-123".parse().expect("a password");
    test.shop.accounts().set_admin_password(&by, &eva.id, password).await.expect("set");
    assert_eq!(held().await, 0);

    test.clock.advance(Duration::from_secs(2));
    test.log_in("eva").await;
    for active in [false, true] {
        let set = SetActive { active };
        test.shop.accounts().set_admin_active(&by, &eva.id, set).await.expect("set");
        assert_eq!(held().await, 0);
    }

    test.clock.advance(Duration::from_secs(2));
    test.log_in("eva").await;
    test.advance_hours(7 * 24);
    assert_eq!(held().await, 0);
    let due = test.shop.run_due().await.expect("done");
    assert_eq!(due.staff_sessions_forgotten, 3);
    assert_eq!(test.count("SELECT count(*) FROM staff_session"), 0);
}

#[tokio::test]
async fn the_last_use_is_written_down_once_a_minute() {
    let test = TestShop::open().await;
    let eva = admin(&test, "eva").await;
    let token = test.log_in("eva").await;
    let started = test.shop.now();
    test.shop.run_due().await.expect("done");
    test.clock.advance(Duration::from_secs(59));
    test.shop.sessions().verify(&token).await.expect("a session");
    let noted = || test.count("SELECT last_used_at FROM staff_session");
    test.shop.run_due().await.expect("done");
    assert_eq!(noted(), started.millis(), "within a minute nothing is written");
    let listed = test.shop.sessions().list(&eva.id).await.expect("a list");
    assert_eq!(listed[0].last_used_at, test.shop.now());
    let used = test.shop.now();
    test.clock.advance(Duration::from_secs(1));
    test.shop.run_due().await.expect("done");
    assert_eq!(noted(), used.millis());
    let listed = test.open_again().await.sessions().list(&eva.id).await.expect("a list");
    assert_eq!(listed[0].last_used_at, used);
}

#[tokio::test]
async fn an_account_has_a_hundred_sessions_and_loses_the_one_that_is_idle_for_longest() {
    let test = TestShop::open().await;
    let eva = admin(&test, "eva").await;
    let (idle, used) = (test.log_in("eva").await, test.log_in("eva").await);
    test.clock.advance(Duration::from_secs(60));
    for n in 0..98 {
        test.raw_sql(&format!(
            "INSERT INTO staff_session (id, account_id, token_hash, created_at, last_used_at,
               expires_at) VALUES ('s{n}', '{}', 'h{n}', 0, {1}, {1} + 1000000)",
            eva.id,
            test.shop.now().millis()
        ));
    }
    test.shop.sessions().verify(&used).await.expect("a session");
    test.shop.run_due().await.expect("done");
    test.log_in("eva").await;
    let listed = test.shop.sessions().list(&eva.id).await.expect("a list");
    assert_eq!(listed.len(), 100);
    assert!(is_over(test.shop.sessions().verify(&idle).await));
    test.shop.sessions().verify(&used).await.expect("a session");
}

#[tokio::test]
async fn a_session_ends_by_its_id_and_the_others_with_one_call() {
    let test = TestShop::open().await;
    let eva = admin(&test, "eva").await;
    let (by, sessions) = (Actor::Admin(eva.id.clone()), test.shop.sessions());
    let tokens = [test.log_in("eva").await, test.log_in("eva").await, test.log_in("eva").await];
    let mut ids = Vec::new();
    for token in &tokens {
        let identity = sessions.identify(token).await.expect("a session");
        ids.push(identity.session.expect("of staff"));
    }
    sessions.end(&by, &eva.id, &ids[0]).await.expect("ended");
    assert!(is_over(sessions.verify(&tokens[0]).await));
    let again = sessions.end(&by, &eva.id, &ids[0]).await;
    assert!(matches!(again, Err(Error::NotFound(Entity::Session))), "{again:?}");
    assert_eq!(sessions.end_others(&by, &eva.id, &ids[1]).await.expect("ended"), 1);
    assert!(is_over(sessions.verify(&tokens[2]).await));
    sessions.log_out(&tokens[1]).await.expect("ended");
    assert!(is_over(sessions.verify(&tokens[1]).await));
    sessions.log_out("no token").await.expect("nothing to end");
}
