use std::fs;

use serde_json::{Value, json};

use super::Cli;
use crate::binary;
use crate::fakes::sefaz;

/// A company that is not the one of the tests' certificate.
const COMPANY: &str = "[nfe.company]\ncnpj = '99888777000100'\nname = 'VELAS LTDA'\n\
    state_registration = '110042490114'\nregime = 'simples'\nstreet = 'RUA A'\nnumber = '1'\n\
    district = 'CENTRO'\ncity_code = '3550308'\nstate = 'SP'\nzip_code = '01001-000'\n";

const TOML: &str = "order_prefix = 'VELA'\n[mail]\nsmtp_url = 'smtps://loja:hush@mail.example'\n";

#[test]
fn every_setting_is_shown_with_its_source_and_without_secrets() {
    let cli = Cli::on_file();
    fs::write(cli.dir.path().join("shop.toml"), TOML).expect("written");
    let environment = [("SHOP_STOCK__LOW_THRESHOLD", "9"), ("SHOP_JWT_SECRET", &"hush".repeat(9))];
    let arguments = ["config", "show", "--config", "shop.toml", "--format", "json", "--database"];
    let arguments = [&arguments[..], &["postgres://a:hush@db/shop"]].concat();
    let shown = cli.run_bare(&arguments, &environment, "");
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let settings: Vec<Value> = serde_json::from_str(&shown.stdout).expect("JSON");
    let found = |key: &str| {
        let setting = settings.iter().find(|it| it["key"] == key).expect("there");
        (setting["value"].as_str().unwrap_or("-"), setting["source"].as_str().expect("a source"))
    };
    assert_eq!(found("order_prefix"), ("VELA", "file"));
    assert_eq!(found("stock.low_threshold"), ("9", "environment"));
    assert_eq!(found("orders.unpaid_ttl_hours"), ("72", "default"));
    assert_eq!(found("jwt_secret"), ("********", "environment"));
    assert_eq!(found("mail.smtp_url"), ("********", "file"));
    assert_eq!(found("database"), ("postgres://a:********@db/shop", "argument"));
    assert_eq!(found("base_url"), ("-", "default"));
    assert!(!shown.stdout.contains("hush"));
    assert!(!cli.dir.path().join("shop.db").exists(), "no shop is opened for it");
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let cli = Cli::on_file();
    let fine = cli.run_bare(&["config", "check"], &[], "");
    assert_eq!(fine.code, Some(0), "{fine:?}");
    fs::write(cli.dir.path().join("file"), "").expect("written");
    let toml = "listn = 'x'\nuploads_dir = 'file/uploads'\npages_dir = 'missing'\n\
                [orders]\nunpaid_ttl_hours = 'two'\n[shipping.frenet]\ntoken = 1234\n\
                [shipping.sender]\ndocument = '11.222.333/0001-82'\n";
    fs::write(cli.dir.path().join("shop.toml"), toml).expect("written");
    let environment = [
        ("SHOP_ENVIRONMENT", "production"),
        ("SHOP_JWT_SECRET", "please-change-me-please-change-me"),
        ("SHOP_API__REQUESTS_PER_MINUTE", "many"),
        ("SHOP_LISTEN_ON", "x"),
        ("SHOP_DATABASE", "nowhere/shop.db"),
    ];
    let arguments = ["config", "check", "--config", "shop.toml", "--format", "json"];
    let wrong = cli.run_bare(&arguments, &environment, "");
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    let found: Vec<Value> = serde_json::from_str(&wrong.stdout).expect("JSON");
    let of = |severity: &str| -> Vec<&str> {
        let found = found.iter().filter(|it| it["severity"] == severity);
        found.map(|it| it["key"].as_str().expect("a key")).collect()
    };
    for key in [
        "listn",
        "uploads_dir",
        "pages_dir",
        "database",
        "orders.unpaid_ttl_hours",
        "shipping.frenet.token",
        "jwt_secret",
        "api.requests_per_minute",
        "base_url",
    ] {
        assert!(of("error").contains(&key), "{key}: {found:?}");
    }
    for key in [
        "payments.provider1.access_token",
        "mail.smtp_url",
        "nfe.issuer",
        "shipping.sender.document",
    ] {
        assert!(of("warning").contains(&key), "{key}: {found:?}");
    }
    let at = |source: &str| found.iter().find(|it| it["source"] == source).expect(source);
    assert_eq!(at("SHOP_LISTEN_ON")["severity"], "warning");
    assert_eq!(at("SHOP_API__REQUESTS_PER_MINUTE")["value"], "many");
    assert_eq!(at("shop.toml:5")["key"], "orders.unpaid_ttl_hours");
    assert!(at("shop.toml:1")["what"].as_str().expect("a text").contains("did you mean listen?"));
    for secret in ["1234", "change-me"] {
        assert!(!wrong.stdout.contains(secret), "{wrong:?}");
    }
    let wrong = format!("{} settings are wrong", of("error").len());
    let table = cli.run_bare(&["config", "check", "--config", "shop.toml"], &environment, "");
    assert!(table.stderr.contains(&wrong), "{table:?}");
}

#[test]
fn a_setting_that_cannot_be_used_is_not_shown_as_if_it_could() {
    let cli = Cli::on_file();
    fs::write(cli.dir.path().join("shop.toml"), "jwt_secret = 'hush'").expect("written");
    let refused = cli.run_bare(&["config", "show", "--config", "shop.toml"], &[], "");
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("see config check"), "{refused:?}");
    fs::write(cli.dir.path().join("shop.toml"), "a = 1\njwt_secret = 'hush").expect("written");
    let broken = cli.run_bare(&["config", "check", "--config", "shop.toml"], &[], "");
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.stdout.contains("shop.toml:2") && !broken.stdout.contains("hush"), "{broken:?}");
}

/// A file, variables, and what is told of them.
type Wrong = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const WRONG: &[Wrong] = &[
    ("base_url = 'loja sem esquema'", &[], "shop.toml:1: base_url = \"loja sem esquema\""),
    ("[orders]\nunpaid_ttl_hours = 'two'", &[], "shop.toml:2: orders.unpaid_ttl_hours"),
    ("listn = '127.0.0.1:1'", &[], "did you mean listen?"),
    ("a = ", &[], "shop.toml:1: it is no TOML"),
    ("", &[("SHOP_TRUSTED_PROXIES", "10.0.0.300")], "SHOP_TRUSTED_PROXIES: trusted_proxies"),
    ("", &[("SHOP_PAYMENTS__PIX__KEY", "loja")], "expected a PIX key"),
    ("", &[("SHOP_JWT_SECRET", "hush")], "jwt_secret = \"********\": expected a text of 32"),
    ("", &[("SHOP_BASE_URL", "https://loja.com.br")], "SHOP_ENVIRONMENT=production"),
    ("", &[("SHOP_ENVIRONMENT", "prod")], "expected development or production"),
    ("", &[("SHOP_PAGES_DIR", "missing")], "SHOP_PAGES_DIR: pages_dir = \"missing\""),
    ("", &[("SHOP_DATABASE_READ", "postgres://a:hush@b/c")], "SHOP_DATABASE_READ"),
    ("", &[("SHOP_DATABASE", "postgres://a:hush@b:port/c")], "in whose password %, :, /, ?"),
    ("", &[("SHOP_DATABASE", " postgres://a:hush@b/c")], "the database's URL cannot be read"),
    ("", &[("SHOP_DATABASE", "shop.db\r")], "SHOP_DATABASE: database = \"shop.db\\r\": it begins"),
    ("", &[("SHOP_DATABASE", "host=b user=a password=hush dbname=c")], "database = \"********\""),
    ("", &[("SHOP_DATABASE", ":memory:")], "database = \":memory:\": a SQLite file is named by"),
    ("", &[("SHOP_DATABASE", "file:shop.db")], "no URI is taken, and no shop is kept in memory"),
    ("database = 'file:m.db?mode=memory&cache=shared'", &[], "no URI is taken"),
    ("", &[("SHOP_DATABASE", "sqlite://shop.db")], "no URI is taken"),
    ("", &[("SHOP_DATABASE", "host=/x password=hush/y")], "postgres://user:password@host/name"),
    ("", &[("SHOP_UPLOADS_DIR", " fotos")], "SHOP_UPLOADS_DIR: uploads_dir = \" fotos\""),
    ("", &[("SHOP_SHIPPING__FRENET__TOKEN", "hush\n")], "SHOP_SHIPPING__FRENET__TOKEN"),
    ("", &[("SHOP_SHIPPING__CORREIOS__USER", "loja ")], "SHOP_SHIPPING__CORREIOS__USER"),
    ("", &[("SHOP_PAYMENTS__PROVIDER1__ACCESS_TOKEN", "hush\n")], "PROVIDER1__ACCESS_TOKEN"),
    ("", &[("SHOP_PAYMENTS__PROVIDER2__SECRET_KEY", "hu\tsh")], "PROVIDER2__SECRET_KEY"),
    ("", &[("SHOP_DATABASE", "postgres://a:hush@b/c?sslmode=on")], "sslmode in the database's"),
    ("", &[("SHOP_DATABASE", "postgres:///loja")], "the database's URL names no host"),
    ("", &[("SHOP_DATABASE", "postgres://")], "SHOP_DATABASE: database = \"postgres://\": the"),
    ("", &[("SHOP_MAIL__SMTP_URL", "smtps://u:hu/sh@host")], "in whose user and password %, :"),
    ("", &[("SHOP_MAIL__SMTP_URL", "smtps://u:1/hush@host")], "SHOP_MAIL__SMTP_URL: mail.smtp"),
    ("", &[("SHOP_MAIL__SMTP_URL", "smtps://u:h#hush@host")], "SHOP_MAIL__SMTP_URL: mail.smtp"),
    ("", &[("SHOP_MAIL__SMTP_URL", "smtps://host:99999")], "the address of the mail server"),
    ("", &[("SHOP_MAIL__SMTP_URL", "smtps://")], "the address of the mail server cannot"),
    ("", &[("SHOP_MAIL__SMTP_URL", "smtps://ho st")], "the address of the mail server cannot"),
    (
        "",
        &[("SHOP_NFE__COMPANY__CITY_CODE", "9999999")],
        "SHOP_NFE__COMPANY__CITY_CODE: nfe.company.city_code = \"9999999\": IBGE gives it to no",
    ),
    (
        "base_url = 'https://loja.example'\nenvironment = 'development'",
        &[("SHOP_COOKIES__DOMAIN", "outra.example")],
        "SHOP_COOKIES__DOMAIN: cookies.domain = \"outra.example\": browsers drop",
    ),
    ("[nfe]\nissuer = 'sefaz'", &[], "nfe.company.cnpj: nfe.issuer = sefaz needs it"),
    (
        "[shipping.labels]\nprovider = 'melhor-envio'",
        &[],
        "(shipping.melhor_envio.client_id and shipping.melhor_envio.client_secret) or a token",
    ),
];

/// Both programs, with the same file and variables: what one calls an error the other does not
/// start with, and says the same about.
#[test]
fn the_server_starts_with_what_config_check_takes_and_with_nothing_else() {
    let cli = Cli::on_file();
    let file = cli.dir.path().join("shop.toml");
    for (toml, environment, told) in WRONG {
        fs::write(&file, toml).expect("written");
        let arguments = ["config", "check", "--config", "shop.toml", "--format", "json"];
        let check = cli.run_bare(&arguments, environment, "");
        assert_eq!(check.code, Some(1), "{told}: {check:?}");
        let server = std::process::Command::new(binary::path("shop-server"))
            .args(["--config", "shop.toml"])
            .current_dir(cli.dir.path())
            .env_clear()
            .envs(environment.iter().copied())
            .output()
            .expect("runs");
        let log = String::from_utf8(server.stderr).expect("text");
        assert_eq!(server.status.code(), Some(1), "{told}: {log}");
        assert!(log.contains(told), "{told}: {log}");
        let found: Vec<Value> = serde_json::from_str(&check.stdout).expect("JSON");
        for error in found.iter().filter(|it| it["severity"] == "error") {
            assert!(log.contains(error["what"].as_str().expect("a text")), "{error}: {log}");
        }
        assert!(!log.contains("hush") && !check.stdout.contains("hush"), "{log}");
    }
}

/// A wrong password would be found out when the server starts, which may be weeks later.
#[test]
fn the_certificate_is_opened_and_belongs_to_the_company() {
    let cli = Cli::on_file();
    let file = |name: &str| sefaz::path(name).display().to_string();
    let (pfx, pem) = (file("company.pfx"), file("ca.pem"));
    let key = "nfe.certificate_path";
    for (issuer, certificate, password, told) in [
        ("sandbox", "a1.pfx", sefaz::PASSWORD, "cannot read a1.pfx"),
        ("sandbox", &pfx, "hush", "nfe.certificate_password is not its password"),
        ("sandbox", &pem, sefaz::PASSWORD, "no PKCS#12 file, or"),
        ("sefaz", &pfx, sefaz::PASSWORD, "it is not of the company nfe.company.cnpj"),
    ] {
        let toml = format!(
            "[nfe]\nissuer = '{issuer}'\ncertificate_path = '{certificate}'\n\
             certificate_password = '{password}'\n{COMPANY}"
        );
        fs::write(cli.dir.path().join("shop.toml"), toml).expect("written");
        // Where the database is has nothing to do with it.
        for database in ["shop.db", "postgres://a@b/c"] {
            let arguments = ["config", "check", "--config", "shop.toml", "--format", "json"];
            let check =
                cli.run_bare(&[&arguments[..], &["--database", database]].concat(), &[], "");
            let found: Vec<Value> = serde_json::from_str(&check.stdout).expect("JSON");
            let found = found.iter().find(|it| it["key"] == key && it["severity"] == "error");
            let what = found.unwrap_or_else(|| panic!("{told}: {check:?}"))["what"].as_str();
            assert!(what.expect("a text").contains(told), "{told}: {check:?}");
            assert!(!check.stdout.contains("hush"), "{check:?}");
        }
        let server = std::process::Command::new(binary::path("shop-server"))
            .args(["--config", "shop.toml"])
            .current_dir(cli.dir.path())
            .env_clear()
            .env("SHOP_LISTEN", "127.0.0.1:0")
            .output()
            .expect("runs");
        let log = String::from_utf8(server.stderr).expect("text");
        assert!(log.contains(key) && log.contains(told), "{told}: {log}");
    }
    let company = COMPANY.replace("99888777000100", "11222333000181");
    let toml = format!(
        "[nfe]\nissuer = 'sefaz'\ncertificate_path = '{pfx}'\ncertificate_password = '{}'\n{company}",
        sefaz::PASSWORD
    );
    fs::write(cli.dir.path().join("shop.toml"), toml).expect("written");
    let fine = cli.run_bare(&["config", "check", "--config", "shop.toml"], &[], "");
    assert_eq!(fine.code, Some(0), "{fine:?}");
}

#[test]
fn a_network_of_everybody_is_no_proxy() {
    let cli = Cli::on_file();
    for network in ["0.0.0.0/0", "::/0"] {
        let networks = [("SHOP_TRUSTED_PROXIES", network)];
        let check = cli.run_bare(&["config", "check", "--format", "json"], &networks, "");
        assert_eq!(check.code, Some(0), "{check:?}");
        let found: Vec<Value> = serde_json::from_str(&check.stdout).expect("JSON");
        let told = found.iter().find(|it| it["key"] == "trusted_proxies").expect("a warning");
        assert_eq!((&told["severity"], &told["value"]), (&json!("warning"), &json!(network)));
    }
}

#[test]
fn what_becomes_of_mails_is_told_as_it_is() {
    let cli = Cli::on_file();
    let production = [("SHOP_ENVIRONMENT", "production")];
    for (database, told) in [
        ("shop.db", "mails are written to a folder and reach nobody"),
        ("postgres://a@b/c", "mails wait and reach nobody"),
    ] {
        let check = cli.run_bare(&["config", "check", "--database", database], &production, "");
        assert!(check.stdout.contains(told), "{check:?}");
    }
}
