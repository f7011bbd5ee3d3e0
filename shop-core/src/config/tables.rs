//! The tables of settings: what they are called, how they are written, what holds where they are
//! not set, and what is said to a value that is none. Overrides, defaults, `config show` and errors
//! come from them; docs/configuration.md is held against them.
//!
//! The shop has a table, and so may a program that reads settings of its own from the same file:
//! see [`ProgramConfig`](super::ProgramConfig).

use serde::de::DeserializeOwned;

use super::Config;
use super::keys::{Key, flag, list, number, secret, text};

/// The settings that are read from one file: the shop's and those of one program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tables {
    program: &'static [Key],
    /// Whether a table with settings of the program alone can be read.
    is_readable: fn(toml::Table) -> bool,
}

impl Tables {
    /// The shop's settings alone.
    pub(super) const SHOP: Self = Self { program: &[], is_readable: |_| false };

    /// The shop's settings, and those of a program.
    pub(super) const fn with<P: DeserializeOwned>(program: &'static [Key]) -> Self {
        Self { program, is_readable: |table| table.try_into::<P>().is_ok() }
    }

    pub(super) fn keys(self) -> impl Iterator<Item = &'static Key> {
        shop_keys().chain(self.program)
    }

    pub(super) fn find(self, name: &str) -> Option<&'static Key> {
        self.keys().find(|key| key.name == name)
    }

    /// Whether a key is the program's.
    pub(super) fn is_of_program(self, name: &str) -> bool {
        self.program.iter().any(|key| key.name == name)
    }

    /// Whether a table in which a key alone is set can be read.
    pub(super) fn is_readable(self, key: &Key, alone: toml::Table) -> bool {
        if self.is_of_program(key.name) {
            (self.is_readable)(alone)
        } else {
            alone.try_into::<Config>().is_ok()
        }
    }

    /// Whether keys stand below a name: `payments.pix`.
    pub(super) fn is_section(self, name: &str) -> bool {
        self.keys().any(|key| key.name.strip_prefix(name).is_some_and(|it| it.starts_with('.')))
    }

    /// The key that was probably meant by a name that is no key: one of the same last name in
    /// another section, else the one that is spelt most alike.
    pub(super) fn nearest(self, name: &str) -> Option<&'static Key> {
        let last = |name: &'static str| name.rsplit('.').next();
        let written = name.rsplit('.').next();
        let elsewhere: Vec<_> = self.keys().filter(|key| last(key.name) == written).collect();
        if let [only] = elsewhere[..] {
            return Some(only);
        }
        let alike = self.keys().map(|key| (strsim::osa_distance(key.name, name), key));
        let (distance, key) = alike.min_by_key(|(distance, key)| (*distance, key.name))?;
        (distance <= 1 + name.len() / 5).then_some(key)
    }
}

/// The shop's settings of all topics.
pub(super) fn shop_keys() -> impl Iterator<Item = &'static Key> {
    KEYS.iter().chain(NFE)
}

const WEB: &str = "an address that begins with http:// or https:// and names a host";
const FOLDER: &str = "the path of a folder";
const MILLIS: &str = "a whole number of milliseconds, 1 to 600000";
const LIMIT: (i64, i64) = (0, 1_000_000);
const ORDERS: &str = "a whole number of orders, 0 (no limit) or more";
const REFUSALS: &str = "a whole number of refused cards, 1 or more";
const LINK: &str = "a path that begins with / or an http(s) address";
const MAILBOX: &str = "an e-mail address, alone or as `Name <address>`";
const WEBHOOK_SECRET: &str = "a text: what the provider shows where its webhooks are set";
const TOKEN: &str = "a text: what the carrier gave";

const KEYS: &[Key] = &[
    text("environment", Some("development"), "development or production"),
    text("database", Some("shop.db"), "a file, or postgres://user:password@host/name"),
    text("database_read", None, "the postgres:// URL of a replica, beside another one as database"),
    number(
        "database_file_readers",
        (1, 64),
        "8",
        "how many connections read a SQLite file at once, 1 to 64",
    ),
    text(
        "base_url",
        None,
        "an address that begins with http:// or https:// and names a host, without ? and #, for \
         example https://loja.com.br",
    ),
    secret("jwt_secret", "a text of 32 bytes or more"),
    text("order_prefix", Some("PED"), "1 to 10 capital letters or digits"),
    text("uploads_dir", None, FOLDER),
    number(
        "orders.unpaid_ttl_hours",
        (0, 1_000_000),
        "72",
        "a whole number of hours, 0 (never) to 1000000",
    ),
    number(
        "orders.unpaid_pix_ttl_hours",
        (0, 1_000_000),
        "24",
        "a whole number of hours, 0 (as for the others) to 1000000",
    ),
    number(
        "orders.max_units_per_order",
        LIMIT,
        "500",
        "a whole number of units, 0 (no limit) or more",
    ),
    number("orders.max_open_unpaid", LIMIT, "20", ORDERS),
    number("orders.max_per_hour", LIMIT, "30", ORDERS),
    number("orders.max_per_hour_per_ip", LIMIT, "120", ORDERS),
    number(
        "returns.withdrawal_days",
        (7, 3650),
        "7",
        "a whole number of days, 7 (what the law gives) to 3650",
    ),
    number(
        "returns.defect_days",
        (30, 3650),
        "90",
        "a whole number of days, 30 (what the law gives for goods that perish) to 3650",
    ),
    text("returns.refund_freight", Some("whole"), "whole or share"),
    number("stock.low_threshold", (0, 1_000_000_000), "5", "a whole number of units, 0 or more"),
    flag("carts.guests", "false"),
    flag("staff.require_two_factor", "false"),
    number(
        "api.requests_per_minute",
        (0, 4_294_967_295),
        "600",
        "a whole number of requests, 0 (no limit) or more",
    ),
    number("payments.timeout_ms", (1, 600_000), "15000", MILLIS),
    number("payments.card_refusals_per_hour", (1, 1_000_000), "20", REFUSALS),
    number("payments.card_refusals_per_hour_per_ip", (1, 1_000_000), "60", REFUSALS),
    text("payments.provider1.url", Some("https://api.mercadopago.com"), WEB),
    secret("payments.provider1.access_token", "a text: the access token that Mercado Pago shows"),
    secret("payments.provider1.webhook_secret", WEBHOOK_SECRET),
    number(
        "payments.provider1.webhook_tolerance_seconds",
        (1, 31_536_000),
        "86400",
        "a whole number of seconds, 1 to 31536000",
    ),
    text("payments.provider2.url", Some("https://api.stripe.com"), WEB),
    secret("payments.provider2.secret_key", "a text: the secret key that Stripe shows"),
    secret("payments.provider2.webhook_secret", WEBHOOK_SECRET),
    text("payments.provider2.signature_header", Some("stripe-signature"), "the name of a header"),
    text(
        "payments.pix.key",
        Some("pix@velas.example"),
        "a PIX key: an e-mail address in small letters, a CPF or a CNPJ without punctuation, a \
         phone number as +5511987654321, or a random key as 123e4567-e89b-42d3-a456-426614174000",
    ),
    text("payments.pix.merchant_name", Some("Loja de Velas"), "the receiver's name"),
    text("payments.pix.merchant_city", Some("São Paulo"), "the receiver's city"),
    text("shipping.origin_cep", None, "a CEP of eight digits, for example 01001-000"),
    text(
        "shipping.free_from",
        Some("150.00"),
        "an amount as a text, for example \"199.90\", or never",
    ),
    text("shipping.fallback_price", Some("0.00"), "an amount as a text, for example \"25.90\""),
    number(
        "shipping.quotes_per_minute_per_ip",
        LIMIT,
        "30",
        "a whole number of quotes, 0 (no limit) or more",
    ),
    number("shipping.timeout_ms", (1, 600_000), "8000", MILLIS),
    text("shipping.contact_email", None, "an e-mail address"),
    list(
        "shipping.tracking_urls",
        Some(""),
        "carriers and their https:// pages with {code} where the tracking code goes, for example \
         Rapidex=https://rapidex.example/{code} (in a file also a table)",
    ),
    text("shipping.sender.name", None, "the name of the shop or the person"),
    text("shipping.sender.document", None, "a CNPJ or a CPF"),
    text("shipping.sender.street", None, "a street"),
    text("shipping.sender.number", None, "a house number, as a text"),
    text("shipping.sender.complement", None, "floor, room and the like"),
    text("shipping.sender.district", None, "a district"),
    text("shipping.sender.city", None, "a city"),
    text("shipping.sender.state", None, "two letters of a state"),
    text("shipping.sender.zip_code", None, "eight digits"),
    text("shipping.sender.phone", None, "a telephone number"),
    text("shipping.sender.email", None, "an e-mail address"),
    text("shipping.sender.state_registration", None, "a state registration (IE), as a text"),
    text("shipping.labels.provider", Some("none"), "none, sandbox or melhor-envio"),
    text("shipping.labels.service", None, "the provider's number of a service, as a text"),
    text(
        "shipping.labels.max_over_quote",
        Some("5.00"),
        "an amount as a text, for example \"5.00\"",
    ),
    text(
        "shipping.cep.url",
        Some("https://viacep.com.br"),
        "an address that begins with http:// or https:// and names a host, or offline",
    ),
    text("shipping.melhor_envio.url", Some("https://melhorenvio.com.br"), WEB),
    secret("shipping.melhor_envio.token", TOKEN),
    text("shipping.melhor_envio.client_id", None, "the number of the application, as a text"),
    secret("shipping.melhor_envio.client_secret", "a text: the application's secret"),
    number("shipping.melhor_envio.timeout_ms", (1, 600_000), "30000", MILLIS),
    text("shipping.correios.url", Some("https://api.correios.com.br"), WEB),
    text("shipping.correios.contract", None, "the number of the contract, as a text"),
    secret("shipping.correios.token", TOKEN),
    text("shipping.correios.user", None, "the user of Meu Correios"),
    secret("shipping.correios.access_code", TOKEN),
    text("shipping.correios.card", None, "the number of the posting card, as a text"),
    list(
        "shipping.correios.services",
        Some("03220, 03298"),
        "codes of services (in a file a list of texts, in a variable with commas between)",
    ),
    flag("shipping.correios.declare_value", "false"),
    flag("shipping.correios.receipt", "false"),
    flag("shipping.correios.own_hand", "false"),
    text("shipping.frenet.url", Some("https://api.frenet.com.br"), WEB),
    secret("shipping.frenet.token", TOKEN),
    text("mail.outbox_dir", None, FOLDER),
    secret(
        "mail.smtp_url",
        "smtps://user:password@host, smtp://user:password@host:587?tls=required, or \
         smtp://localhost",
    ),
    text("mail.from", Some("Loja de Velas <loja@velas.example>"), MAILBOX),
    text("mail.links.home", Some("/"), LINK),
    text("mail.links.login", Some("/login"), LINK),
    text("mail.links.orders", Some("/pedidos"), LINK),
    text(
        "mail.links.order",
        Some("/pedido/{number}?t={token}"),
        "a path that begins with / or an http(s) address, with {number} or {id} in it",
    ),
    text(
        "mail.links.reset_password",
        Some("/reset-password?token={token}"),
        "a path that begins with / or an http(s) address, with {token} in it",
    ),
    text("mail.links.webhooks", Some("/admin/webhooks"), LINK),
    text(
        "site.product_url",
        None,
        "an http(s) address with {slug} in it, which may begin with {base_url}, for example \
         {base_url}/produto/{slug}",
    ),
    text("mail.contact_to", None, MAILBOX),
    number(
        "mail.per_address_per_hour",
        LIMIT,
        "20",
        "a whole number of mails, 0 (no limit) or more",
    ),
    text("export.decimal", Some("comma"), "comma or point"),
    flag("webhooks.allow_insecure", "false"),
];

#[cfg(not(feature = "nfe"))]
const NFE: &[Key] = &[];

#[cfg(feature = "nfe")]
const CFOP: &str = "four digits";
#[cfg(feature = "nfe")]
const SHORT_TEXT: &str = "a text";
#[cfg(feature = "nfe")]
const PATH: &str = "the path of a file";

#[cfg(feature = "nfe")]
const NFE: &[Key] = &[
    text("nfe.issuer", Some("sandbox"), "sandbox or sefaz"),
    text("nfe.issue", Some("manual"), "manual, when_paid or when_sent"),
    text("nfe.environment", Some("homologacao"), "homologacao or producao"),
    number("nfe.series", (0, 999), "1", "a whole number, 0 to 999"),
    number("nfe.first_number", (1, 999_999_999), "1", "a whole number, 1 to 999999999"),
    text("nfe.certificate_path", None, PATH),
    secret("nfe.certificate_password", "a text: the certificate's password"),
    text("nfe.url", None, WEB),
    text("nfe.ca_file", None, PATH),
    number("nfe.timeout_ms", (1, 600_000), "30000", MILLIS),
    text("nfe.logo", None, PATH),
    text("nfe.tax_share_percent", None, "a percentage with at most four decimals, as a text"),
    flag("nfe.mail_customer", "true"),
    text("nfe.company.cnpj", None, "a CNPJ of fourteen characters whose check digits are right"),
    text("nfe.company.name", None, SHORT_TEXT),
    text("nfe.company.trade_name", None, SHORT_TEXT),
    text("nfe.company.state_registration", None, "the digits of the IE, as a text, or ISENTO"),
    text("nfe.company.regime", None, "simples or mei"),
    text("nfe.company.street", None, SHORT_TEXT),
    text("nfe.company.number", None, "the house's number, as a text"),
    text("nfe.company.complement", None, SHORT_TEXT),
    text("nfe.company.district", None, SHORT_TEXT),
    text("nfe.company.city_code", None, "the seven digits that IBGE gives the city, as a text"),
    text("nfe.company.state", None, "the two capital letters of a state, for example SP"),
    text("nfe.company.zip_code", None, "a CEP of eight digits, for example 01001-000"),
    text("nfe.company.phone", None, "the digits of a telephone number, as a text"),
    text(
        "nfe.responsible.cnpj",
        None,
        "a CNPJ of fourteen characters whose check digits are right",
    ),
    text("nfe.responsible.contact", None, "a text of 2 to 60 characters"),
    text("nfe.responsible.email", None, "an e-mail address of 6 to 60 characters"),
    text("nfe.responsible.phone", None, "6 to 14 digits, as a text"),
    text("nfe.responsible.csrt_id", None, "two digits, as a text, for example \"01\""),
    secret("nfe.responsible.csrt", "a text: the CSRT that the state gave"),
    text("nfe.defaults.ncm", None, "eight digits, as a text"),
    number("nfe.defaults.origin", (0, 8), "0", "a whole number, 0 to 8"),
    text("nfe.defaults.csosn", Some("102"), "102, 103, 300, 400, 500 or 900, as a text"),
    text("nfe.defaults.unit", Some("UN"), "1 to 6 letters or digits"),
    text("nfe.defaults.production", Some("own"), "own or resale"),
    text("nfe.cfop.own", None, CFOP),
    text("nfe.cfop.own_interstate", None, CFOP),
    text("nfe.cfop.resale", None, CFOP),
    text("nfe.cfop.resale_interstate", None, CFOP),
    list(
        "nfe.ibs_cbs.rates",
        Some(""),
        "days, ascending, with the percentages of IBS for the state and for the city and of CBS, \
         for example 2026-01-01=0.10/0/0.90 (in a file also tables)",
    ),
];
