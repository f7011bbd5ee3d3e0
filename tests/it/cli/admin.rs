use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use shop_core::account::{BeginTwoFactor, ConfirmTwoFactor, LogIn, Role};

use super::{Cli, Ended};
use crate::fakes::authenticator::Authenticator;

const CREATE: [&str; 7] =
    ["admin", "create", "--name", "Eva Lima", "--email", "eva@example.com", "--password-stdin"];

#[tokio::test]
async fn admin_create_makes_an_account_that_logs_in_with_the_line_of_stdin() {
    let cli = Cli::new();
    let ended = cli.run(&CREATE, " spaces stay \r\nand this is another line\n");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let [head, row] = &lines[..] else { panic!("{ended:?}") };
    assert!(head.starts_with("ID ") && row.ends_with("Eva Lima  eva@example.com  ADMIN  active"));

    let log_in =
        LogIn { email: "EVA@example.com".to_owned(), password: " spaces stay ".into(), code: None };
    let session = cli.shop().await.sessions().log_in(log_in).await.expect("logged in");
    assert_eq!(session.account.role, Role::Admin);
    // No program but a test hashes with less.
    let strong = "password_hash LIKE '$argon2id$v=19$m=19456,t=2,p=1$%'";
    assert_eq!(cli.data.count(&format!("SELECT count(*) FROM account WHERE {strong}")), 1);
}

#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_a_password() {
    let cli = Cli::with_shop();
    let seven = cli.run(&CREATE, "\u{feff}1234567\n");
    assert_eq!(seven.code, Some(1), "{seven:?}");
    assert_eq!(cli.run(&CREATE, "\u{feff}a password\r\n").code, Some(0));
    let log_in =
        LogIn { email: "eva@example.com".to_owned(), password: "a password".into(), code: None };
    cli.shop().await.sessions().log_in(log_in).await.expect("logged in");
}

#[test]
fn a_variable_that_is_no_text_is_named() {
    let cli = Cli::with_shop();
    for name in ["SHOP_DATABASE", "SHOP_ORDERS__UNPAID_TTL_HOURS"] {
        let mut command = cli.command();
        command.args(["admin", "list"]).env(name, OsStr::from_bytes(b"caf\xe9.db"));
        let ended: Ended = command.output().expect("ends").into();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
        assert_eq!(ended.stderr, format!("error: {name}: it is not UTF-8\n"));
    }
    // What belongs to other programs is theirs.
    let mut command = cli.command();
    command.args(["db", "migrate", "--database", "shop.db"]);
    let ended: Ended =
        command.env("OTHER", OsStr::from_bytes(b"\xff")).output().expect("ends").into();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_name_of_a_database_that_is_not_there_makes_no_shop() {
    let cli = Cli::on_file();
    for arguments in [&["admin", "list"][..], &["order", "list"], &["export", "orders"]] {
        let (code, text) = cli.failure(arguments);
        assert!(code == 3 && text.starts_with("there is no shop in "), "{code}: {text}");
    }
    assert!(!cli.database().exists());
    assert_eq!(cli.run(&CREATE, "a password\n").code, Some(0));
    assert_eq!(cli.run(&["admin", "list"], "").code, Some(0));
}

#[test]
fn an_empty_name_of_the_settings_file_is_none() {
    let cli = Cli::with_shop();
    let arguments = ["admin", "list", "--database", cli.data.name()];
    let ended = cli.run_bare(&arguments, &[("SHOP_CONFIG", "")], "");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
}

#[tokio::test]
async fn json_is_the_account_and_no_password() {
    let cli = Cli::with_shop();
    let ended = cli.run(&[&["--format", "json"], &CREATE[..]].concat(), "a password\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&json["email"], &json["role"]), (&"eva@example.com".into(), &"ADMIN".into()));
    assert!(!ended.stdout.contains("assword"), "{ended:?}");
}

#[test]
fn a_refused_account_names_the_field() {
    let cli = Cli::with_shop();
    let refused = |ended: Ended, code, text| {
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(code), ""), "{ended:?}");
        assert_eq!(ended.stderr, format!("error: {text}\n"));
    };
    refused(cli.run(&CREATE, "1234567\n"), 1, "password: it must have 8 to 128 characters");
    refused(cli.run(&CREATE, ""), 1, "password: it must have 8 to 128 characters");
    let long = "x".repeat(129);
    refused(cli.run(&CREATE, &long), 1, "password: it must have 8 to 128 characters");
    let endless = "x".repeat(100_000);
    refused(cli.run(&CREATE, &endless), 1, "password: it must have 8 to 128 characters");
    assert_eq!(cli.run(&CREATE, "12345678").code, Some(0));
    let reset = ["admin", "reset-password", "eva@example.com", "--password-stdin"];
    for bad in ["1234567", long.as_str()] {
        refused(cli.run(&reset, bad), 1, "password: it must have 8 to 128 characters");
    }
    refused(cli.run(&CREATE, "12345678"), 4, "email: another account has it");
}

#[test]
fn wrong_usage_is_exit_code_2_and_names_the_argument() {
    let cli = Cli::new();
    for (arguments, named) in [
        (&CREATE[..6], "--password-stdin"),
        (&["admin", "create", "--password-stdin"], "--email"),
        (&["admin", "create", "--name", " ", "--email", "a@b.co", "--password-stdin"], "--name"),
        (&["admin", "create", "--name", "Ana", "--email", "a", "--password-stdin"], "--email"),
        (&["admin", "create", "--format", "xml"], "--format"),
        (&["admin", "destroy"], "destroy"),
    ] {
        let ended = cli.run(arguments, "a password\n");
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
        assert!(ended.stderr.contains(named), "{named}: {ended:?}");
    }
    assert_eq!(cli.data.tables(), [], "nothing was opened");
}

#[tokio::test]
async fn settings_come_from_file_environment_and_argument_in_rising_order() {
    let cli = Cli::new();
    let file = cli.dir.path().join("my.toml");
    std::fs::write(&file, "database = 'from-file.db'").expect("written");
    let file = file.display().to_string();
    let run = |arguments: &[&str], environment: &[(&str, &str)]| {
        let ended = cli.run_bare(&[arguments, &CREATE].concat(), environment, "a password\n");
        assert_eq!(ended.code, Some(0), "{ended:?}");
    };
    let made = |name: &str| cli.dir.path().join(name).exists();

    run(&["--config", &file], &[]);
    assert!(made("from-file.db"));
    let environment = [("SHOP_DATABASE", "from-environment.db"), ("SHOP_CONFIG", file.as_str())];
    run(&[], &environment);
    assert!(made("from-environment.db"));
    run(&["--database", "from-argument.db"], &environment);
    assert!(made("from-argument.db") && !made("shop.db"));
}

#[test]
fn unusable_settings_are_named() {
    let cli = Cli::with_shop();
    for (arguments, environment, named) in [
        (&["--config", "missing.toml"][..], &[][..], "missing.toml"),
        (&[], &[("SHOP_ORDERS__UNPAID_TTL_HOURS", "x")], "SHOP_ORDERS__UNPAID_TTL_HOURS"),
        (&[], &[("SHOP_ENVIRONMENT", "production")], "jwt_secret"),
    ] {
        let ended = cli.run_bare(&[arguments, &CREATE].concat(), environment, "a password\n");
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
        assert!(ended.stderr.contains(named), "{named}: {ended:?}");
    }
}

#[test]
fn an_unknown_setting_is_a_warning() {
    let environment = [("SHOP_LISTN", "x")];
    let ended = Cli::with_shop().run_bare(&CREATE, &environment, "a password\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(
        ended.stderr,
        "warning: SHOP_LISTN: there is no such setting; did you mean SHOP_LISTEN?\n"
    );
}

#[tokio::test]
async fn a_suspended_admin_is_out_at_once_and_the_last_one_stays() {
    let cli = Cli::with_shop();
    assert_eq!(cli.run(&CREATE, "a password\n").code, Some(0));
    let last = cli.failure(&["admin", "suspend", "eva@example.com"]);
    assert_eq!(last, (4, "it is the only active admin".to_owned()));

    let ivo =
        ["admin", "create", "--name", "Ivo", "--email", "ivo@example.com", "--password-stdin"];
    assert_eq!(cli.run(&ivo, "a password\n").code, Some(0));
    let shop = cli.shop().await;
    let log_in =
        || LogIn { email: "eva@example.com".to_owned(), password: "a password".into(), code: None };
    let session = shop.sessions().log_in(log_in()).await.expect("logged in");
    assert_eq!(cli.json(&["admin", "suspend", "EVA@example.com"])["isActive"], false);
    assert!(shop.sessions().verify(&session.token).await.is_err());
    assert!(shop.sessions().log_in(log_in()).await.is_err());
    let listed = cli.run(&["admin", "list", "--format", "csv"], "").stdout;
    let states: Vec<&str> =
        listed.lines().skip(1).filter_map(|row| row.split(',').next_back()).collect();
    assert_eq!(states, ["suspended", "active"]);
    assert_eq!(cli.json(&["admin", "activate", "eva@example.com"])["isActive"], true);
    shop.sessions().log_in(log_in()).await.expect("logged in again");
    assert!(shop.sessions().verify(&session.token).await.is_err(), "it came back to life");
}

#[tokio::test]
async fn another_password_ends_the_sessions_of_the_old_one() {
    let cli = Cli::with_shop();
    assert_eq!(cli.run(&CREATE, "a password\n").code, Some(0));
    let shop = cli.shop().await;
    let log_in = |password: &str| {
        let log_in =
            LogIn { email: "eva@example.com".to_owned(), password: password.into(), code: None };
        let sessions = shop.sessions();
        async move { sessions.log_in(log_in).await }
    };
    let old = log_in("a password").await.expect("logged in");
    let reset = ["admin", "reset-password", "eva@example.com", "--password-stdin"];
    assert_eq!(cli.run(&reset, "short\n").code, Some(1));
    shop.sessions().verify(&old.token).await.expect("nothing happened yet");
    let done = cli.run(&reset, "another password\n");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!format!("{done:?}").contains("another password"));
    assert!(shop.sessions().verify(&old.token).await.is_err());
    assert!(log_in("a password").await.is_err());
    log_in("another password").await.expect("logged in");
    let log = shop.audit().list(shop_core::audit::AuditFilter::default()).await.expect("a log");
    assert_eq!(log.data[0].action, "account.reset_password");
    assert_eq!(log.data[1].action, "account.create_admin");
}

#[tokio::test]
async fn a_customer_is_no_admin() {
    let cli = Cli::with_shop();
    super::order(&cli.shop().await).await;
    let nobody = (3, "there is no such account".to_owned());
    assert_eq!(cli.failure(&["admin", "suspend", "ana@example.com"]), nobody);
    assert_eq!(cli.failure(&["admin", "activate", "nobody@example.com"]), nobody);
    assert_eq!(cli.run(&["admin", "suspend", "nobody"], "").code, Some(2));
    assert_eq!(cli.run(&["admin", "list"], "").stdout, "ID  NAME  EMAIL  ROLE  STATE\n");
}

#[tokio::test]
async fn reset_totp_ends_the_second_factor_and_the_sessions() {
    let cli = Cli::with_shop();
    assert_eq!(cli.run(&CREATE, "a password\n").code, Some(0));
    let reset = ["admin", "reset-totp", "EVA@example.com"];
    let nothing = (4, "the account has no two-factor log-ins".to_owned());
    assert_eq!(cli.failure(&reset), nothing);
    let shop = cli.shop().await;
    let log_in =
        || LogIn { email: "eva@example.com".to_owned(), password: "a password".into(), code: None };
    let session = shop.sessions().log_in(log_in()).await.expect("logged in");
    let (id, held) = (session.account.id, shop.sessions().identify(&session.token).await);
    let password = BeginTwoFactor { current_password: "a password".into() };
    let begun = shop.two_factor().begin(&id, password).await.expect("begun");
    let code = Authenticator::typed(begun.secret.reveal()).code(shop.now());
    let kept = held.expect("a session").session;
    let code = ConfirmTwoFactor { code: code.as_str().into() };
    shop.two_factor().confirm(&id, code, kept.as_ref()).await.expect("confirmed");
    assert!(shop.sessions().log_in(log_in()).await.is_err());

    assert_eq!(cli.json(&reset)["email"], "eva@example.com");
    assert!(shop.sessions().verify(&session.token).await.is_err());
    shop.sessions().log_in(log_in()).await.expect("logged in by the password alone");
    let log = shop.audit().list(shop_core::audit::AuditFilter::default()).await.expect("a log");
    let reset = &log.data[0];
    assert_eq!(
        (&*reset.action, reset.actor.kind),
        ("two_factor.reset", shop_core::actor::ActorKind::System)
    );
    assert_eq!(cli.failure(&["admin", "reset-totp", "nobody@example.com"]).0, 3);
}
