//! Settings that are wrong are told by key, value and place, all at once.

use shop_core::Config;
use shop_core::config::{Environment, Finding, Loaded, ProgramConfig, Severity, Sources};
use shop_core::maintenance::Database;
use shop_server::config::ServerConfig;

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
        ("SHOP_SHIPPING__CORREIOS__SERVICES", "03220, 03298 ,04014"),
        ("SHOP_CARTS__GUESTS", "true"),
        ("X", "y"),
    ];
    let toml = "order_prefix = 'VELA'\n[shipping]\norigin_cep = '20000000'";
    let config = Config::load(&sources(toml, &overrides)).expect("usable").config;
    assert_eq!(config.shipping.origin_cep.expect("set").as_str(), "01001000");
    assert_eq!(config.order_prefix, "123");
    assert!(config.carts.guests && !Config::default().carts.guests);
    assert_eq!(config.shipping.correios.services, ["03220", "03298", "04014"]);
}

#[test]
fn everything_is_told_at_once() {
    let toml = "databse = 1\norder_prefix = 'vela'\nbase_url = \"loja sem esquema\"\n\
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
        "shop.toml:1: databse: there is no such setting; did you mean database?",
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
    let told = errors("order_prefix = 'A'\norder_prefix = 'hush'", &[]);
    assert!(told.len() == 1 && told[0].starts_with("shop.toml:2: it is no TOML"), "{told:?}");
}

#[test]
fn a_variable_that_is_no_setting_is_a_warning() {
    let loaded = Config::load(&sources("", &[("SHOP_DATABSE", "hush"), ("SHOP_LOG", "info")]));
    let warnings = loaded.expect("usable").warnings;
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(warning.severity, Severity::Warning);
    let told = "SHOP_DATABSE: there is no such setting; did you mean SHOP_DATABASE?";
    assert_eq!(warning.to_string(), told);
}

#[test]
fn the_address_of_products_names_them_and_is_one() {
    for good in ["{base_url}/produto/{slug}", "https://velas.example/p?s={slug}"] {
        assert!(Config::load(&sources("", &[("SHOP_SITE__PRODUCT_URL", good)])).is_ok(), "{good}");
    }
    for bad in ["/produto/{slug}", "{base_url}/produto", "{base_url}/{slug}/{id}"] {
        let told = errors("", &[("SHOP_SITE__PRODUCT_URL", bad)]);
        let wanted = format!("SHOP_SITE__PRODUCT_URL: site.product_url = \"{bad}\": expected");
        assert!(told.len() == 1 && told[0].starts_with(&wanted), "{told:?}");
    }
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
    let named = [&set[..], &[("SHOP_MAIL__FROM", "Loja de Velas <loja@loja.com.br>")]].concat();
    let loaded = Config::load(&sources("", &named)).expect("usable");
    let sample = loaded.warnings.iter().find(|it| it.key == "mail.from").expect("a warning");
    assert!(sample.what.contains("the sample's name"), "{sample}");
    let named = [&set[..], &[("SHOP_MAIL__FROM", "Velas da Ana <loja@loja.com.br>")]].concat();
    let loaded = Config::load(&sources("", &named)).expect("usable");
    assert!(loaded.warnings.iter().all(|it| it.key != "mail.from"), "{:?}", loaded.warnings);
    assert!(Config::default().warnings().is_empty());
}

/// The library knows no setting of a server, and a server's settings are read by the server.
#[test]
fn settings_of_the_server_are_read_by_the_server_and_by_nothing_else() {
    let toml = "order_prefix = 'VELA'\nlisten = '127.0.0.1:1'\n[server]\nbody_memory_mb = 32\n";
    let told = errors(toml, &[]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("shop.toml:2: listen: there is no such setting"), "{told:?}");
    let loaded = ServerConfig::load(&sources(toml, &[("SHOP_LISTEN", "127.0.0.1:2")]));
    let Loaded { config, program, .. } = loaded.expect("usable");
    assert_eq!(config.order_prefix, "VELA");
    assert_eq!((program.listen.port(), program.limits.body_memory_mb), (2, 32));
}

#[test]
fn a_mistake_in_a_file_with_settings_of_the_server_is_told_once() {
    let toml = "order_prefix = 'vela'\nlisten = 'x'\nlistn = 'y'\n[server]\nbody = 1\n";
    let told: Vec<_> = ServerConfig::findings(&sources(toml, &[("SHOP_PAGES_DIR", "no-folder")]))
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .map(|it| (it.source.clone().unwrap_or_default(), it.key.clone()))
        .collect();
    let expected = [
        ("shop.toml:2", "listen"),
        ("shop.toml:3", "listn"),
        ("shop.toml:5", "server.body"),
        ("shop.toml:1", "order_prefix"),
        ("SHOP_PAGES_DIR", "pages_dir"),
    ];
    assert_eq!(told, expected.map(|(source, key)| (source.to_owned(), key.to_owned())));
}

#[tokio::test]
async fn numbers_that_a_program_fills_in_are_held_to_the_ranges_of_the_files() {
    let mut config = Config { database_file_readers: 0, ..Config::default() };
    config.payments.timeout_ms = 0;
    config.shipping.melhor_envio.timeout_ms = u64::MAX;
    config.returns.withdrawal_days = 6;
    let error = format!("{:?}", shop_core::Shop::open(config).await.expect_err("unusable"));
    for key in [
        "database_file_readers",
        "payments.timeout_ms",
        "shipping.melhor_envio.timeout_ms",
        "returns.withdrawal_days",
    ] {
        assert!(error.contains(&format!("\"{key}\"")), "{key}: {error}");
    }
}

/// Programs log their settings with `{:?}`.
#[test]
fn debug_shows_no_secret_of_settings() {
    let url = "postgres://loja:hush@db/loja";
    let text = format!("database = '{url}'\ndatabase_read = '{url}'\njwt_secret = '{}'", STRONG.1);
    let sources = sources(&text, &[("SHOP_MAIL__SMTP_URL", "smtps://loja:hush@mail.example")]);
    let loaded = Config::load(&sources).expect("usable");
    let database = Database::at(url);
    let builder = shop_core::Shop::builder(loaded.config.clone());
    let shown = format!("{:?} {loaded:?} {builder:?} {sources:?} {database:?}", loaded.config);
    assert!(!shown.contains("hush") && !shown.contains(STRONG.1), "{shown}");
    assert_eq!(shown.matches("postgres://loja:********@db/loja").count(), 7, "{shown}");
    assert!(shown.contains("shop.toml") && shown.contains("SHOP_MAIL__SMTP_URL"), "{shown}");
    assert!(shown.contains("order_prefix: \"PED\""), "{shown}");
}
