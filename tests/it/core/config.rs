//! Settings that are wrong are told by key, value and place, all at once.

use shop_core::Config;
use shop_core::config::{Environment, Finding, Severity, Sources};

fn sources(toml: &str, overrides: &[(&str, &str)]) -> Sources {
    let overrides = overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Sources { file: Some("shop.toml".into()), toml: toml.to_owned(), overrides }
}

fn errors(toml: &str, overrides: &[(&str, &str)]) -> Vec<String> {
    let error = Config::load(&sources(toml, overrides)).expect_err("unusable");
    assert!(!error.to_string().contains("hush"), "{error}");
    error.findings().iter().map(Finding::to_string).collect()
}

#[test]
fn an_override_beats_the_file_and_keeps_its_text() {
    let overrides = [
        ("SHOP_SHIPPING__ORIGIN_CEP", "01001000"),
        ("SHOP_ORDER_PREFIX", "123"),
        ("SHOP_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8 ,::1"),
        ("SHOP_CARTS__GUESTS", "true"),
        ("X", "y"),
    ];
    let toml = "order_prefix = 'VELA'\n[shipping]\norigin_cep = '20000000'";
    let config = Config::load(&sources(toml, &overrides)).expect("usable").config;
    assert_eq!(config.shipping.origin_cep.expect("set").as_str(), "01001000");
    assert_eq!(config.order_prefix, "123");
    assert!(config.carts.guests && !Config::default().carts.guests);
    let networks: Vec<String> = config.trusted_proxies.iter().map(ToString::to_string).collect();
    assert_eq!(networks, ["127.0.0.1/32", "10.0.0.0/8", "::1/128"]);
    let toml = "trusted_proxies = ['127.0.0.1', '::1']";
    let config = Config::load(&sources(toml, &[])).expect("usable").config;
    assert_eq!(config.trusted_proxies.len(), 2);
}

#[test]
fn everything_is_told_at_once() {
    let toml = "listn = 1\norder_prefix = 'vela'\nbase_url = \"loja sem esquema\"\n\
                [orders]\nunpaid_ttl_hours = 'x'\n[mail]\nsmtp_url = 'smtp://a:hush@b'\n\
                [shipping]\nfrenet = { token = 5 }\n[ordrs]\nunpaid_ttl_hours = 1\n\
                [payments]\npix = 'hush'\n[empty]\n";
    let overrides = [("SHOP_STOCK__LOW_THRESHOLD", "few"), ("PATH", "/hush")];
    let mut told = errors(toml, &overrides);
    told.sort();
    let starts = [
        "SHOP_STOCK__LOW_THRESHOLD: stock.low_threshold = \"few\": expected a whole number",
        "shop.toml:11: ordrs.unpaid_ttl_hours: there is no such setting; did you mean \
         orders.unpaid_ttl_hours?",
        "shop.toml:13: payments.pix: it is a section",
        "shop.toml:14: empty: there is no such setting",
        "shop.toml:1: listn: there is no such setting; did you mean listen?",
        "shop.toml:2: order_prefix = \"vela\": expected 1 to 10 capital letters or digits",
        "shop.toml:3: base_url = \"loja sem esquema\": expected an address that begins",
        "shop.toml:5: orders.unpaid_ttl_hours = \"x\": expected a whole number",
        "shop.toml:7: mail.smtp_url = \"********\": expected smtps://",
        "shop.toml:9: shipping.frenet.token = \"********\": expected a text",
    ];
    assert_eq!(told.len(), starts.len(), "{told:#?}");
    for start in starts {
        assert!(told.iter().any(|line| line.starts_with(start)), "{start}: {told:#?}");
    }
}

#[test]
fn a_text_that_is_no_toml_is_told_by_its_line() {
    let told = errors("a = 1\njwt_secret = 'hush", &[]);
    assert!(told.len() == 1 && told[0].starts_with("shop.toml:2: it is no TOML"), "{told:?}");
    let told = errors("listen = '127.0.0.1:1'\nlisten = 'hush'", &[]);
    assert!(told.len() == 1 && told[0].starts_with("shop.toml:2: it is no TOML"), "{told:?}");
}

#[test]
fn a_variable_that_is_no_setting_is_a_warning() {
    let loaded = Config::load(&sources("", &[("SHOP_LISTN", "hush"), ("SHOP_LOG", "info")]));
    let warnings = loaded.expect("usable").warnings;
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(warning.severity, Severity::Warning);
    let told = "SHOP_LISTN: there is no such setting; did you mean SHOP_LISTEN?";
    assert_eq!(warning.to_string(), told);
}

const STRONG: (&str, &str) =
    ("SHOP_JWT_SECRET", "mW0q3hXgkzJ4uT7bQyP1vN8cR5sLdE2fT6sW1xRnJc5uQe7LgHa2");

#[test]
fn a_public_address_needs_a_word_about_the_environment() {
    let public = ("SHOP_BASE_URL", "https://loja.com.br");
    let told = errors("", &[public]);
    assert!(told[0].contains("SHOP_ENVIRONMENT=production"), "{told:?}");
    for environment in ["development", "production"] {
        let set = [public, ("SHOP_ENVIRONMENT", environment), STRONG];
        assert!(Config::load(&sources("", &set)).is_ok(), "{environment}");
    }
    for private in ["https://localhost:8443", "https://192.168.0.7", "http://loja.com.br"] {
        assert!(Config::load(&sources("", &[("SHOP_BASE_URL", private)])).is_ok(), "{private}");
    }
}

#[test]
fn production_needs_an_address_and_secrets_that_cannot_be_guessed() {
    let production = ("SHOP_ENVIRONMENT", "production");
    let told = errors("", &[production]).join("\n");
    assert!(told.contains("jwt_secret: production needs one"), "{told}");
    assert!(told.contains("base_url: production needs it"), "{told}");
    let with = |key, value| errors("", &[production, STRONG, (key, value)]).join("\n");
    for key in ["SHOP_JWT_SECRET", "SHOP_PAYMENTS__PROVIDER1__WEBHOOK_SECRET"] {
        let told = with(key, "replace me: openssl rand -base64 48");
        assert!(told.contains(key) && told.contains("it can be guessed"), "{told}");
        assert!(!told.contains("replace me"), "{told}");
    }
    assert!(with("SHOP_BASE_URL", "http://loja.com.br").contains("https://"));
    let set = [production, STRONG, ("SHOP_BASE_URL", "https://loja.com.br")];
    let loaded = Config::load(&sources("", &set)).expect("usable");
    assert_eq!(loaded.config.environment, Environment::Production);
    let warned: Vec<_> = loaded.warnings.iter().map(|it| it.key.as_str()).collect();
    for key in ["payments.provider1.access_token", "mail.smtp_url"] {
        assert!(warned.contains(&key), "{warned:?}");
    }
    assert!(Config::default().warnings().is_empty());
}
