//! Another password by a link.

use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};
use shop_core::Error;
use shop_core::config::Secret;
use shop_core::error::{Credential, Refusal};
use tokio::task::JoinSet;

use super::fixture::{TestShop, input};
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

struct Forgetful {
    test: TestShop,
    server: SmtpServer,
}

impl Forgetful {
    /// A shop where ana, who has an account, is known.
    async fn new() -> Self {
        let server = SmtpServer::start(SmtpBehaviour::Takes).await;
        let url = Secret::new(server.url());
        let test = TestShop::with(|config| config.mail.smtp_url = Some(url)).await;
        test.buyer("ana").await;
        Self { test, server }
    }

    async fn forgot(&self, email: &str) {
        let forgot = input(json!({ "email": email }));
        self.test.shop.accounts().forgot_password(forgot).await.expect("answered");
    }

    /// The tokens of all links that were sent.
    async fn tokens(&self) -> Vec<String> {
        self.test.shop.run_due().await.expect("done");
        self.server.received().iter().filter_map(token).collect()
    }

    async fn reset(&self, token: &str, password: &str) -> Result<(), Error> {
        let reset = input(json!({ "token": token, "password": password }));
        self.test.shop.accounts().reset_password(reset).await
    }

    async fn log_in(&self, password: &str) -> Result<String, Error> {
        let login = json!({ "email": "ana@example.com", "password": password });
        self.test.shop.sessions().log_in(input(login)).await.map(|session| session.token)
    }
}

/// What the link of a mail carries, if it has one.
fn token(mail: &Received) -> Option<String> {
    let text = mail.text();
    let (_, rest) = text.split_once("http://127.0.0.1:8080/reset-password?token=")?;
    rest.split_whitespace().next().map(str::to_owned)
}

#[track_caller]
fn assert_refused(outcome: Result<(), Error>) {
    assert!(matches!(outcome, Err(Error::Refused(Refusal::ResetLink))), "{outcome:?}");
}

#[tokio::test]
async fn a_link_sets_the_password_once_and_ends_all_sessions() {
    let ana = Forgetful::new().await;
    let session = ana.test.log_in("ana").await;
    ana.forgot(" ANA@example.com").await;
    ana.forgot("ana@example.com").await;
    let tokens = ana.tokens().await;
    let [first, second] = &tokens[..] else { panic!("{} links", tokens.len()) };
    assert_ne!(first, second);
    ana.reset(first, "another-one").await.expect("reset");
    // In the very second of the change, too.
    let outcome = ana.test.shop.sessions().verify(&session).await;
    assert!(matches!(outcome, Err(Error::Unauthenticated(Credential::Session))), "{outcome:?}");
    ana.log_in("segredo-123").await.expect_err("the old password");
    let session = ana.log_in("another-one").await.expect("the new one");
    ana.test.shop.sessions().verify(&session).await.expect("live");
    assert_refused(ana.reset(first, "a-third-one").await);
    assert_refused(ana.reset(second, "a-third-one").await);
    assert_refused(ana.reset("nonsense", "a-third-one").await);
    assert_refused(ana.reset("", "a-third-one").await);
    ana.log_in("another-one").await.expect("nothing changed");
}

#[tokio::test]
async fn a_link_is_good_for_an_hour() {
    let ana = Forgetful::new().await;
    ana.forgot("ana@example.com").await;
    let token = ana.tokens().await.remove(0);
    ana.test.clock.advance(Duration::from_secs(3600));
    assert_refused(ana.reset(&token, "another-one").await);
    ana.forgot("ana@example.com").await;
    let token = ana.tokens().await.remove(1);
    ana.test.clock.advance(Duration::from_millis(3_599_999));
    ana.reset(&token, "another-one").await.expect("in time");
    ana.test.advance_hours(2);
    ana.test.shop.run_due().await.expect("done");
    assert_eq!(ana.test.count("SELECT count(*) FROM password_reset"), 0);
}

#[tokio::test]
async fn of_those_who_use_a_link_at_once_one_is_in_time() {
    let ana = Forgetful::new().await;
    ana.forgot("ana@example.com").await;
    let token = ana.tokens().await.remove(0);
    let mut resets = JoinSet::new();
    for n in 0..6 {
        let shop = ana.test.shop.clone();
        let reset = input(json!({ "token": token, "password": format!("password-{n}") }));
        resets.spawn(async move { shop.accounts().reset_password(reset).await });
    }
    let outcomes = resets.join_all().await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
}

#[tokio::test]
async fn another_password_or_another_e_mail_ends_the_links() {
    let ana = Forgetful::new().await;
    let session = ana.test.log_in("ana").await;
    let id = ana.test.shop.sessions().verify(&session).await.expect("live").id;
    ana.forgot("ana@example.com").await;
    let change = json!({ "currentPassword": "segredo-123", "newPassword": "another-one" });
    ana.tokens().await;
    ana.test.shop.accounts().change_password(&id, input(change)).await.expect("changed");
    ana.forgot("ana@example.com").await;
    ana.tokens().await;
    let change = json!({ "currentPassword": "another-one", "email": "nova@example.com" });
    ana.test.shop.accounts().update(&id, input(change)).await.expect("changed");
    let tokens = ana.tokens().await;
    assert_eq!(tokens.len(), 2);
    for token in tokens {
        assert_refused(ana.reset(&token, "a-third-one").await);
    }
}

#[tokio::test]
async fn who_has_no_account_or_asks_too_often_gets_no_mail() {
    let ana = Forgetful::new().await;
    ana.test.buyer("eva").await;
    ana.test.raw_sql("UPDATE account SET active = 0 WHERE email = 'eva@example.com'");
    for email in ["bia@example.com", "eva@example.com"] {
        ana.forgot(email).await;
    }
    assert_eq!(ana.tokens().await.len(), 0);
    for _ in 0..8 {
        ana.forgot("ana@example.com").await;
    }
    assert_eq!(ana.tokens().await.len(), 5);
    // Each question leaves one row, whatever its answer: the time it takes says nothing.
    assert_eq!(ana.test.count("SELECT count(*) FROM password_reset"), 10);
}

#[tokio::test]
async fn no_table_and_no_file_ever_holds_what_a_link_carries() {
    let ana = Forgetful::new().await;
    ana.forgot("ana@example.com").await;
    let token = ana.tokens().await.remove(0);
    let hash = hex::encode(Sha256::digest(token.as_bytes()));
    let holds = |bytes: &[u8], text: &str| {
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    // The write-ahead log is among the files.
    for file in std::fs::read_dir(ana.test.dir.path()).expect("the folder") {
        let path = file.expect("a file").path();
        if let Ok(bytes) = std::fs::read(&path) {
            assert!(!holds(&bytes, &token), "{}", path.display());
        }
    }
    let everything = ana.test.data.everything();
    assert!(!holds(&everything, &token) && holds(&everything, &hash));
    ana.reset(&token, "another-one").await.expect("it is the link");
}

#[tokio::test]
async fn each_try_of_a_mail_has_a_link_of_its_own_and_the_last_one_holds() {
    let server = SmtpServer::start(SmtpBehaviour::Busy).await;
    let url = Secret::new(server.url());
    let test = TestShop::with(|config| config.mail.smtp_url = Some(url)).await;
    test.buyer("ana").await;
    let ana = Forgetful { test, server };
    ana.tokens().await;
    ana.forgot("ana@example.com").await;
    assert_eq!(ana.tokens().await.len(), 1);
    ana.test.clock.advance(Duration::from_secs(5));
    let tokens = ana.tokens().await;
    let [first, second] = &tokens[..] else { panic!("{} tries", tokens.len()) };
    assert_refused(ana.reset(first, "another-one").await);
    ana.reset(second, "another-one").await.expect("the last one");
}

#[tokio::test]
async fn a_link_that_cannot_leave_within_its_hour_does_not_leave() {
    let ana = Forgetful::new().await;
    ana.tokens().await;
    ana.forgot("ana@example.com").await;
    ana.test.clock.advance(Duration::from_secs(3600));
    assert!(ana.tokens().await.is_empty());
    let given_up = "SELECT count(*) FROM mail WHERE kind = 'password-reset' AND sent_at IS NULL
                    AND next_try_at IS NULL AND last_error IS NOT NULL";
    assert_eq!(ana.test.count(given_up), 1);
}

#[tokio::test]
async fn the_newsletter_of_an_e_mail_is_in_a_copy_once_a_link_to_it_was_followed() {
    let ana = Forgetful::new().await;
    let shop = &ana.test.shop;
    let reader = json!({ "email": "ANA@example.com", "name": "Ana Souza" });
    shop.newsletter().subscribe(input(reader)).await.expect("subscribed");
    let log_in = json!({ "email": "ana@example.com", "password": "segredo-123" });
    let id = shop.sessions().log_in(input(log_in)).await.expect("logged in").account.id;
    let copied = async || shop.accounts().export(&id).await.expect("a copy").newsletter;
    assert_eq!(copied().await, None, "anybody may type that e-mail");
    ana.forgot("ana@example.com").await;
    let token = ana.tokens().await.remove(0);
    ana.reset(&token, "outra-senha").await.expect("reset");
    assert_eq!(copied().await.expect("proved").name.as_deref(), Some("Ana Souza"));
    let other = json!({ "email": "bia@example.com", "currentPassword": "outra-senha" });
    shop.accounts().update(&id, input(other)).await.expect("changed");
    let back = json!({ "email": "ana@example.com", "currentPassword": "outra-senha" });
    shop.accounts().update(&id, input(back)).await.expect("changed");
    assert_eq!(copied().await, None, "another e-mail is not proved");
}

#[tokio::test]
async fn what_admins_change_of_their_own_way_in_is_in_the_audit_log_and_customers_leave_nothing() {
    let forgetful = Forgetful::new().await;
    let (test, accounts) = (&forgetful.test, forgetful.test.shop.accounts());
    let eva = json!({ "name": "Eva Lima", "email": "eva@example.com", "password": "segredo-123" });
    let eva = accounts.create_admin(input(eva)).await.expect("an admin");
    let ana = test.count("SELECT count(*) FROM audit");
    forgetful.forgot("ana@example.com").await;
    forgetful.reset(&forgetful.tokens().await[0], "outra-senha-1").await.expect("reset");
    assert_eq!(test.count("SELECT count(*) FROM audit"), ana, "of a customer");
    forgetful.forgot("eva@example.com").await;
    let token = forgetful.tokens().await.pop().expect("a link");
    forgetful.reset(&token, "outra-senha-2").await.expect("reset");
    let patch = json!({ "email": "eva.lima@example.com", "currentPassword": "outra-senha-2" });
    accounts.update(&eva.id, input(patch)).await.expect("changed");
    let log = test.shop.audit().list(input(json!({ "actorId": eva.id }))).await.expect("a log");
    let log: Vec<_> = log.data.iter().map(|it| (&*it.action, &*it.resource_id)).collect();
    let id = eva.id.as_str();
    assert_eq!(log, [("account.change_email", id), ("account.reset_password", id)]);
}
