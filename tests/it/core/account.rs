use std::time::Duration;

use futures_util::future::join_all;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use shop_core::account::{
    Account, ChangePassword, LogIn, PasswordAttempt, ProfilePatch, Register, Role, Session,
};
use shop_core::clock::{ManualClock, Timestamp};
use shop_core::config::Secret;
use shop_core::error::{Conflict, Credential, Entity};
use shop_core::value::Cpf;
use shop_core::{Config, Error, Result, Shop};
use tempfile::TempDir;

use crate::database::Database;

const PASSWORD: &str = "correct horse";
/// Not a whole second, so that the rules about seconds show.
const START: Timestamp = Timestamp::from_millis(1_795_266_068_900);
/// In milliseconds.
const WEEK: u64 = 7 * 24 * 60 * 60 * 1000;

/// A shop on a file of its own, at a time of its own.
pub(super) struct TestShop {
    pub(super) shop: Shop,
    pub(super) clock: ManualClock,
    data: Database,
    dir: TempDir,
}

impl TestShop {
    pub(super) async fn open() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (clock, data) = (ManualClock::at(START), Database::new(dir.path()));
        let shop = open_in(&data, &clock, None).await;
        Self { shop, clock, data, dir }
    }

    /// Another process on the same file.
    async fn open_again(&self, jwt_secret: Option<&str>) -> Shop {
        open_in(&self.data, &self.clock, jwt_secret).await
    }
}

async fn open_in(data: &Database, clock: &ManualClock, jwt_secret: Option<&str>) -> Shop {
    let database = data.name().to_owned();
    let config = Config { database, jwt_secret: jwt_secret.map(Secret::new), ..Config::default() };
    Shop::builder(config).clock(clock.clone()).open().await.expect("a shop")
}

fn registration(email: &str) -> Register {
    Register {
        name: "Ana Souza".parse().expect("a name"),
        email: email.parse().expect("an e-mail"),
        password: PASSWORD.parse().expect("a password"),
    }
}

pub(super) async fn register(shop: &Shop, email: &str) -> Session {
    shop.accounts().register(registration(email)).await.expect("registered")
}

async fn log_in(shop: &Shop, email: &str, password: &str) -> Result<Session> {
    let input =
        LogIn { email: email.to_owned(), password: PasswordAttempt::from(password), code: None };
    shop.sessions().log_in(input).await
}

async fn change_password(shop: &Shop, account: &Account, from: &str, to: &str) -> Result<Session> {
    let input = ChangePassword {
        current_password: from.into(),
        new_password: to.parse().expect("a password"),
    };
    shop.accounts().change_password(&account.id, input).await
}

async fn is_live(shop: &Shop, token: &str) -> bool {
    match shop.sessions().verify(token).await {
        Ok(_) => true,
        Err(Error::Unauthenticated(Credential::Session)) => false,
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_registers_is_a_customer_and_logged_in() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let session = register(shop, "Ana@Example.com").await;
    let account = shop.sessions().verify(&session.token).await.expect("a live session");
    assert_eq!(account, session.account);
    assert_eq!(account.role, Role::Customer);
    assert_eq!(account.email.as_str(), "Ana@Example.com");
    assert!(account.is_active);
    assert_eq!(account.created_at, START);
    assert_eq!(shop.accounts().get(&account.id).await.expect("known"), account);
}

#[tokio::test]
async fn registering_emits_customer_created_and_making_an_admin_does_not() {
    let test = TestShop::open().await;
    let session = register(&test.shop, "ana@example.com").await;
    let admin = test.shop.accounts().create_admin(registration("eva@example.com")).await;
    assert_eq!(admin.expect("created").role, Role::Admin);
    drop(test.shop);

    let events = test.data.rows("SELECT name, payload FROM event");
    let [row] = &events[..] else { panic!("{events:?}") };
    let [Some(name), Some(payload)] = &row[..] else { panic!("{events:?}") };
    assert_eq!(name, "customer.created");
    let payload: serde_json::Value = serde_json::from_str(payload).expect("JSON");
    let expected = serde_json::json!({
        "id": session.account.id, "name": "Ana Souza", "email": "ana@example.com",
        "createdAt": START
    });
    assert_eq!(payload, expected);
}

#[tokio::test]
async fn the_same_email_in_another_case_is_taken() {
    let TestShop { shop, .. } = &TestShop::open().await;
    register(shop, "ana@example.com").await;
    let again = shop.accounts().register(registration(" ANA@example.COM ")).await;
    assert!(matches!(again, Err(Error::Conflict(Conflict::Email))), "{again:?}");
    let admin = shop.accounts().create_admin(registration("Ana@example.com")).await;
    assert!(matches!(admin, Err(Error::Conflict(Conflict::Email))), "{admin:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_registrations_of_one_email_at_once_make_one_account() {
    let TestShop { shop, .. } = &TestShop::open().await;
    // From clients of their own: of one client, or one name, only a share may wait at once.
    let register = async |client| {
        let accounts = shop.accounts().from_client([192, 0, 2, client].into());
        accounts.register(registration("ana@example.com")).await
    };
    let all = join_all((0..50).map(register)).await;
    let (made, refused): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
    assert_eq!((made.len(), refused.len()), (1, 49));
    for refused in refused {
        assert!(matches!(refused, Err(Error::Conflict(Conflict::Email))), "{refused:?}");
    }
}

#[tokio::test]
async fn the_right_password_logs_in_and_everything_else_is_one_error() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let registered = register(shop, "ana@example.com").await;
    let session = log_in(shop, " ANA@example.com", PASSWORD).await.expect("logged in");
    assert_eq!(session.account, registered.account);
    assert!(is_live(shop, &session.token).await);
    for (email, password) in [
        ("ana@example.com", "wrong horse"),
        ("ana@example.com", "correct horse "),
        ("ana@example.com", ""),
        ("eva@example.com", PASSWORD),
        ("not an e-mail", PASSWORD),
        ("", ""),
    ] {
        let outcome = log_in(shop, email, password).await;
        let refused = matches!(outcome, Err(Error::Unauthenticated(Credential::Login)));
        assert!(refused, "{email:?} {password:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_session_ends_at_exactly_seven_days() {
    let TestShop { shop, clock, .. } = &TestShop::open().await;
    let Session { token, .. } = register(shop, "ana@example.com").await;
    // Tokens count whole seconds: issued at .900, over at .000 of the same second a week later.
    clock.advance(Duration::from_millis(WEEK - 901));
    assert!(is_live(shop, &token).await);
    clock.advance(Duration::from_millis(1));
    assert!(!is_live(shop, &token).await);
}

#[tokio::test]
async fn a_new_password_ends_all_sessions_even_of_the_same_second_but_the_new_one() {
    let TestShop { shop, clock, .. } = &TestShop::open().await;
    let old = register(shop, "ana@example.com").await;
    let other = log_in(shop, "ana@example.com", PASSWORD).await.expect("logged in");
    let new = change_password(shop, &old.account, PASSWORD, "a new password").await;
    let new = new.expect("changed");
    let again = log_in(shop, "ana@example.com", "a new password").await.expect("logged in");
    for wait in [0, 1, 2000] {
        clock.advance(Duration::from_millis(wait));
        assert!(!is_live(shop, &old.token).await);
        assert!(!is_live(shop, &other.token).await);
        assert!(is_live(shop, &new.token).await);
        assert!(is_live(shop, &again.token).await);
    }
    let outcome = log_in(shop, "ana@example.com", PASSWORD).await;
    assert!(matches!(outcome, Err(Error::Unauthenticated(Credential::Login))), "{outcome:?}");
}

#[tokio::test]
async fn two_changes_of_password_in_one_second_end_each_others_sessions() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let Session { account, .. } = register(shop, "ana@example.com").await;
    let first = change_password(shop, &account, PASSWORD, "the second one").await;
    let second = change_password(shop, &account, "the second one", "the third one").await;
    assert!(!is_live(shop, &first.expect("changed").token).await);
    assert!(is_live(shop, &second.expect("changed").token).await);
}

#[tokio::test]
async fn a_wrong_current_password_changes_nothing() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let Session { account, token, .. } = register(shop, "ana@example.com").await;
    let outcome = change_password(shop, &account, "wrong horse", "a new password").await;
    let refused = matches!(outcome, Err(Error::Unauthenticated(Credential::CurrentPassword)));
    assert!(refused, "{outcome:?}");
    assert!(is_live(shop, &token).await);
    assert!(log_in(shop, "ana@example.com", PASSWORD).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_changes_of_password_at_once_one_comes_too_late() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let Session { account, .. } = register(shop, "ana@example.com").await;
    let changes = ["the second one", "the third one"]
        .map(|password| change_password(shop, &account, PASSWORD, password));
    let outcomes = join_all(changes).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
}

#[tokio::test]
async fn a_session_holds_for_other_processes_of_this_shop_and_no_other_secret() {
    let test = TestShop::open().await;
    let Session { token, .. } = register(&test.shop, "ana@example.com").await;
    let same = test.open_again(None).await;
    assert!(is_live(&same, &token).await);
    let other = test.open_again(Some("another secret of 32 bytes or more")).await;
    assert!(!is_live(&other, &token).await);
}

#[tokio::test]
async fn a_session_of_an_account_of_another_shop_does_not_hold() {
    let secret = Some("one secret for two shops, 32 bytes");
    let (one, two) = (TestShop::open().await, TestShop::open().await);
    let Session { token, .. } = register(&one.open_again(secret).await, "ana@example.com").await;
    assert!(!is_live(&two.open_again(secret).await, &token).await);
}

#[test]
fn no_token_survives_a_change() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (test, token) = runtime.block_on(async {
        let test = TestShop::open().await;
        let token = register(&test.shop, "ana@example.com").await.token;
        (test, token)
    });
    let edits = (0..token.len(), any::<char>(), 0..3_usize);
    let outcome = TestRunner::default().run(&edits, |(position, with, length)| {
        let mut changed = token.clone();
        let end = (position + length).min(token.len());
        changed.replace_range(position..end, &with.to_string());
        prop_assume!(changed != token);
        prop_assert!(!runtime.block_on(is_live(&test.shop, &changed)));
        Ok(())
    });
    outcome.expect("no changed token is live");
}

#[tokio::test]
async fn a_profile_keeps_what_the_patch_does_not_name() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let Session { account, token, .. } = register(shop, "ana@example.com").await;
    let patch = |json: serde_json::Value| {
        serde_json::from_value::<ProfilePatch>(json).expect("a valid patch")
    };
    let json = serde_json::json!({ "phone": "11 99999-0000", "cpf": "529.982.247-25" });
    let changed = shop.accounts().update(&account.id, patch(json)).await.expect("changed");
    assert_eq!(changed.phone.as_deref(), Some("11 99999-0000"));
    assert_eq!(changed.cpf.as_ref().map(Cpf::as_str), Some("52998224725"));
    assert_eq!((&changed.name, &changed.email), (&account.name, &account.email));

    let json = serde_json::json!({ "phone": null, "email": "ANA@example.com", "name": "Ana" });
    let changed = shop.accounts().update(&account.id, patch(json)).await.expect("changed");
    assert_eq!(changed.phone, None);
    assert_eq!(changed.email.as_str(), "ANA@example.com");
    assert_eq!(shop.sessions().verify(&token).await.expect("live"), changed);
}

#[tokio::test]
async fn nobody_can_take_anothers_email() {
    let TestShop { shop, .. } = &TestShop::open().await;
    register(shop, "eva@example.com").await;
    let Session { account, .. } = register(shop, "ana@example.com").await;
    let current_password = Some(PasswordAttempt::from(PASSWORD));
    let email = "EVA@example.com".parse().ok();
    let patch = ProfilePatch { email, current_password, ..ProfilePatch::default() };
    let outcome = shop.accounts().update(&account.id, patch).await;
    assert!(matches!(outcome, Err(Error::Conflict(Conflict::Email))), "{outcome:?}");
    assert_eq!(shop.accounts().get(&account.id).await.expect("known"), account);
}

#[tokio::test]
async fn another_e_mail_needs_the_password_that_the_account_has_now() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let Session { account, .. } = register(shop, "ana@example.com").await;
    let change = async |password: Option<&str>| {
        let email = "nova@example.com".parse().ok();
        let current_password = password.map(PasswordAttempt::from);
        let patch = ProfilePatch { email, current_password, ..ProfilePatch::default() };
        shop.accounts().update(&account.id, patch).await
    };
    let missing = change(None).await;
    let Err(Error::Invalid(fields)) = missing else { panic!("{missing:?}") };
    assert!(fields.field_errors.contains_key("currentPassword"));
    let wrong = change(Some("not this one")).await;
    assert!(matches!(wrong, Err(Error::Unauthenticated(Credential::CurrentPassword))), "{wrong:?}");
    assert_eq!(shop.accounts().get(&account.id).await.expect("known"), account);
    let changed = change(Some(PASSWORD)).await.expect("changed");
    assert_eq!(changed.email.as_str(), "nova@example.com");
}

#[tokio::test]
async fn an_unknown_account_is_not_found() {
    let TestShop { shop, .. } = &TestShop::open().await;
    let nobody = "nobody".into();
    let patch = ProfilePatch::default();
    for outcome in
        [shop.accounts().get(&nobody).await, shop.accounts().update(&nobody, patch).await]
    {
        assert!(matches!(outcome, Err(Error::NotFound(Entity::Account))), "{outcome:?}");
    }
}

#[tokio::test]
async fn no_debug_text_and_no_file_holds_the_password() {
    let test = TestShop::open().await;
    let input = registration("ana@example.com");
    let shown = format!("{input:?}");
    let session = test.shop.accounts().register(input).await.expect("registered");
    let shown = format!("{shown} {session:?} {:?}", PasswordAttempt::from(PASSWORD));
    assert!(!shown.contains(PASSWORD) && !shown.contains(&session.token), "{shown}");
    drop(test.shop);
    let mut places = vec![test.data.everything()];
    for file in std::fs::read_dir(test.dir.path()).expect("the folder") {
        places.push(std::fs::read(file.expect("a file").path()).expect("its bytes"));
    }
    for bytes in places {
        assert!(!bytes.windows(PASSWORD.len()).any(|window| window == PASSWORD.as_bytes()));
    }
}
