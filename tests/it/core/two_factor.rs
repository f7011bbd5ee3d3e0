//! Two-factor log-ins of staff in the library.

use std::time::Duration;

use serde_json::json;
use shop_core::account::{LogIn, TwoFactorEnrolment};
use shop_core::actor::Actor;
use shop_core::audit::AuditFilter;
use shop_core::config::Secret;
use shop_core::error::{Conflict, Credential, Refusal};
use shop_core::{Error, Shop};

use super::fixture::{JWT_SECRET, TestShop, input};
use super::staff_session::admin;
use crate::database;
use crate::fakes::authenticator::Authenticator;
use crate::fakes::smtp::{SmtpBehaviour, SmtpServer};

fn log_in(code: Option<&str>) -> LogIn {
    input(json!({ "email": "eva@example.com", "password": "segredo-123", "code": code }))
}

/// Eva enrols; her authenticator, what was shown of it, and her recovery codes.
async fn enrol(test: &TestShop) -> (Authenticator, TwoFactorEnrolment, Vec<Secret>) {
    let eva =
        test.shop.accounts().get_by_email(&"eva@example.com".parse().expect("an e-mail")).await;
    let (id, two_factor) = (eva.expect("Eva").id, test.shop.two_factor());
    let password = input(json!({ "currentPassword": "segredo-123" }));
    let begun = two_factor.begin(&id, password).await.expect("begun");
    let authenticator = Authenticator::typed(begun.secret.reveal());
    let code = input(json!({ "code": authenticator.code(test.shop.now()) }));
    let codes = two_factor.confirm(&id, code, None).await.expect("confirmed");
    test.clock.advance(Duration::from_secs(30));
    (authenticator, begun, codes)
}

#[tokio::test]
async fn neither_the_secret_nor_a_recovery_code_is_in_the_database() {
    if !database::is_file("what a database's file holds of a second factor") {
        return;
    }
    let test = TestShop::open().await;
    admin(&test, "eva").await;
    let (_, begun, codes) = enrol(&test).await;
    let mut bytes = Vec::new();
    for end in ["", "-wal"] {
        let file = format!("{}{end}", test.database().display());
        bytes.extend(std::fs::read(file).unwrap_or_default());
    }
    let kept = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(kept("eva@example.com"));
    assert!(!kept(begun.secret.reveal()));
    for code in &codes {
        assert!(!kept(code.reveal()) && !kept(&code.reveal().replace('-', "")));
    }
    assert!(!format!("{begun:?} {codes:?}").contains(begun.secret.reveal()));
}

#[tokio::test]
async fn with_another_session_secret_recovery_codes_count_and_staff_enrols_again() {
    let test = TestShop::with(|config| config.jwt_secret = Some(Secret::new(JWT_SECRET))).await;
    let eva = admin(&test, "eva").await;
    let (authenticator, _, codes) = enrol(&test).await;
    let mut config = test.shop.config().clone();
    config.jwt_secret = Some(Secret::new(JWT_SECRET.chars().rev().collect::<String>()));
    let shop = Shop::builder(config).clock(test.clock.clone()).open().await.expect("opens");
    let code = authenticator.code(shop.now());
    let refused = shop.sessions().log_in(log_in(Some(&code))).await;
    let wrong = Err(Error::Unauthenticated(Credential::TwoFactorCode));
    assert_eq!(format!("{refused:?}"), format!("{:?}", wrong as Result<(), _>));
    shop.sessions().log_in(log_in(Some(codes[0].reveal()))).await.expect("logs in");
    let disable = input(json!({ "currentPassword": "segredo-123", "code": codes[1].reveal() }));
    shop.two_factor().disable(&eva.id, disable).await.expect("disabled");
    let password = input(json!({ "currentPassword": "segredo-123" }));
    shop.two_factor().begin(&eva.id, password).await.expect("begun again");
}

#[tokio::test]
async fn of_two_log_ins_with_one_code_one_counts() {
    let test = TestShop::open().await;
    admin(&test, "eva").await;
    let (authenticator, _, codes) = enrol(&test).await;
    for code in [authenticator.code(test.shop.now()), codes[0].reveal().to_owned()] {
        let (a, b) = (test.shop.sessions(), test.shop.sessions());
        let both = tokio::join!(a.log_in(log_in(Some(&code))), b.log_in(log_in(Some(&code))));
        assert_eq!(usize::from(both.0.is_ok()) + usize::from(both.1.is_ok()), 1, "{both:?}");
    }
}

#[tokio::test]
async fn a_customer_has_no_second_factor() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let password = input(json!({ "currentPassword": "segredo-123" }));
    let begun = test.shop.two_factor().begin(&ana.id, password).await;
    assert!(matches!(begun, Err(Error::Forbidden)), "{begun:?}");
    // What a customer sends as a code makes no difference.
    let with_code =
        input(json!({ "email": "ana@example.com", "password": "segredo-123", "code": "1" }));
    test.shop.sessions().log_in(with_code).await.expect("logs in");
}

#[tokio::test]
async fn a_program_that_embeds_the_shop_is_told_who_must_enrol_first() {
    let test = TestShop::with(|config| config.staff.require_two_factor = true).await;
    admin(&test, "eva").await;
    let token = test.log_in("eva").await;
    let refused = test.shop.sessions().verify(&token).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::TwoFactorRequired))), "{refused:?}");
    let identity = test.shop.sessions().identify(&token).await.expect("a session");
    assert!(identity.must_enrol && identity.admitted().is_err());
    let (authenticator, _, _) = enrol(&test).await;
    let code = authenticator.code(test.shop.now());
    let session = test.shop.sessions().log_in(log_in(Some(&code))).await.expect("logs in");
    test.shop.sessions().verify(&session.token).await.expect("admitted");
}

#[tokio::test]
async fn each_change_of_the_second_factor_is_told_by_mail_and_kept_in_the_audit_log() {
    let server = SmtpServer::start(SmtpBehaviour::Takes).await;
    let url = Secret::new(server.url());
    let test = TestShop::with(|config| config.mail.smtp_url = Some(url)).await;
    let eva = admin(&test, "eva").await;
    let (authenticator, _, _) = enrol(&test).await;
    let code = authenticator.code(test.shop.now());
    let disable = input(json!({ "currentPassword": "segredo-123", "code": code }));
    test.shop.two_factor().disable(&eva.id, disable).await.expect("disabled");
    let (authenticator, _, _) = enrol(&test).await;
    let code = authenticator.code(test.shop.now());
    let renew = input(json!({ "currentPassword": "segredo-123", "code": code }));
    test.shop.two_factor().renew_recovery_codes(&eva.id, renew).await.expect("new codes");
    let (two_factor, by) = (test.shop.two_factor(), Actor::System);
    two_factor.reset(&by, &eva.id).await.expect("reset");
    let again = two_factor.reset(&by, &eva.id).await;
    let nothing = matches!(again, Err(Error::Conflict(Conflict::TwoFactorNotEnabled)));
    assert!(nothing, "{again:?}");
    test.shop.run_due().await.expect("done");
    let subjects: Vec<String> =
        server.received().iter().map(|mail| mail.header("Subject").expect("a subject")).collect();
    let (on, off, reset) = (
        "A verificação em duas etapas está ativa",
        "A verificação em duas etapas foi desativada",
        "A verificação em duas etapas foi redefinida",
    );
    let renewed = "Seus códigos de recuperação foram trocados";
    assert_eq!(subjects, [on, off, on, renewed, reset]);
    assert!(server.received()[4].html().contains("encerrou as suas sessões"));
    let log = test.shop.audit().list(AuditFilter::default()).await.expect("a log");
    let actions: Vec<&str> = log.data.iter().take(5).map(|entry| &*entry.action).collect();
    let (enable, disable) = ("two_factor.enable", "two_factor.disable");
    let renew = "two_factor.renew_recovery_codes";
    assert_eq!(actions, ["two_factor.reset", renew, enable, disable, enable]);
    assert!(log.data.iter().take(5).all(|entry| entry.before.is_empty() && entry.after.is_empty()));
}
