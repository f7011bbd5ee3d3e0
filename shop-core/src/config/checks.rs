//! What must hold of settings: each value, what they say together, and what a real shop needs.

use std::path::Path;

use chrono::NaiveDate;

use super::LabelProviderKind;
use super::finding::{Finding, Findings};
use super::site::is_product_url;
use super::tables::Tables;
use super::texts::is_libpq;
use super::web_address::{is_public, is_web_address};
use super::{Config, ConfigError, Environment, SAMPLE_NAME, Secret, strength};
use crate::error::Error;
use crate::money::Money;
use crate::storage::{self, DatabaseUrl};
use crate::value::{Cnpj, Cpf, Email, is_pix_key};

impl Config {
    /// What may be wrong with a configuration that can be used: weak secrets on a developer's
    /// machine; in production everything that the shop only plays.
    pub fn warnings(&self) -> Vec<Finding> {
        let mut found = Findings::new(Tables::SHOP);
        self.look(&mut found);
        found.apart().1
    }

    /// What may be wrong with it from a day on.
    pub(crate) fn warnings_of_day(&self, day: NaiveDate) -> Vec<Finding> {
        let mut found = Findings::new(Tables::SHOP);
        self.look_at_day(day, &mut found);
        found.list
    }

    #[cfg_attr(
        not(feature = "nfe"),
        expect(unused_variables, clippy::unused_self, reason = "only invoices depend on the day")
    )]
    pub(super) fn look_at_day(&self, day: NaiveDate, found: &mut Findings) {
        #[cfg(feature = "nfe")]
        self.nfe.look_at_day(day, found);
    }

    /// Whether it can be used, however it was filled in.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let mut found = Findings::new(Tables::SHOP);
        self.look(&mut found);
        let (errors, _) = found.apart();
        if errors.is_empty() { Ok(()) } else { Err(ConfigError::new(errors)) }
    }

    pub(super) fn look(&self, found: &mut Findings) {
        self.look_at_values(found);
        self.look_at_numbers(found);
        self.look_at_texts(found);
        self.look_at_links(found);
        self.mail.look(found);
        self.look_at_contradictions(found);
        self.look_at_providers(found);
        self.look_at_secrets(found);
        if self.environment == Environment::Production {
            self.look_at_production(found);
        }
    }

    /// Values of types that take more than the setting does.
    fn look_at_values(&self, found: &mut Findings) {
        let (payments, shipping) = (&self.payments, &self.shipping);
        let is_base = |url: &str| is_web_address(url) && !url.contains(['?', '#']);
        let is_cep_url = |url: &str| url == "offline" || is_web_address(url);
        let contact = shipping.contact_email.as_deref();
        let sender_email = shipping.sender.email.as_deref();
        for (key, is_good) in [
            ("base_url", self.base_url.as_deref().is_none_or(is_base)),
            ("jwt_secret", self.jwt_secret.as_ref().is_none_or(|it| it.reveal().len() >= 32)),
            ("order_prefix", is_prefix(&self.order_prefix)),
            ("payments.provider1.url", is_web_address(&payments.provider1.url)),
            ("payments.provider2.url", is_web_address(&payments.provider2.url)),
            (
                "payments.provider2.signature_header",
                is_header(&payments.provider2.signature_header),
            ),
            ("payments.pix.key", is_pix_key(&payments.pix.key)),
            ("shipping.free_from", shipping.free_from.is_none_or(|it| it >= Money::ZERO)),
            ("shipping.fallback_price", shipping.fallback_price >= Money::ZERO),
            ("shipping.labels.max_over_quote", shipping.labels.max_over_quote >= Money::ZERO),
            ("shipping.sender.email", sender_email.is_none_or(|it| it.parse::<Email>().is_ok())),
            ("shipping.contact_email", contact.is_none_or(|it| it.parse::<Email>().is_ok())),
            ("shipping.cep.url", is_cep_url(&shipping.cep.url)),
            ("shipping.melhor_envio.url", is_web_address(&shipping.melhor_envio.url)),
            ("shipping.correios.url", is_web_address(&shipping.correios.url)),
            ("shipping.frenet.url", is_web_address(&shipping.frenet.url)),
            ("site.product_url", self.site.product_url.as_deref().is_none_or(is_product_url)),
        ] {
            if !is_good {
                found.unexpected(key);
            }
        }
        #[cfg(feature = "nfe")]
        if !self.nfe.url.as_deref().is_none_or(is_web_address) {
            found.unexpected("nfe.url");
        }
    }

    /// Links in mails are addresses with the parts that lead somewhere.
    fn look_at_links(&self, found: &mut Findings) {
        for (key, link, needed) in self.mail.links.each() {
            // Braces stand in no address.
            let filled = link.replace(['{', '}'], "");
            let address = filled.split('#').next().unwrap_or_default();
            let is_address = link.starts_with('/') || is_web_address(address);
            let is_filled = needed.is_empty() || needed.iter().any(|part| link.contains(part));
            if !is_address || !is_filled {
                found.unexpected(key);
            }
        }
    }

    fn look_at_contradictions(&self, found: &mut Findings) {
        if self.environment == Environment::Production && self.jwt_secret.is_none() {
            let what = "production needs one: a text of 32 random bytes, as `openssl rand -base64 48` \
                        makes it";
            found.error("jwt_secret", what.to_owned());
        }
        let is_server =
            |database: &str| matches!(DatabaseUrl::parse(database), DatabaseUrl::Server(_));
        if let Some(replica) = &self.database_read
            && !(is_server(replica) && is_server(&self.database))
        {
            found.unexpected("database_read");
        }
        let databases =
            [("database", Some(&self.database)), ("database_read", self.database_read.as_ref())];
        for (key, database) in databases {
            if let Some(Err(Error::Internal(why))) =
                database.filter(|it| is_server(it)).map(|it| storage::refuse_url(it))
            {
                found.error(key, why.to_string());
            }
        }
        #[cfg(feature = "nfe")]
        self.nfe.look(found);
    }

    /// What is known of a provider is enough to call and to believe it.
    fn look_at_providers(&self, found: &mut Findings) {
        let labels = &self.shipping.melhor_envio;
        if labels.client_id.is_some() != labels.client_secret.is_some() {
            let what = "the application has both an id and a secret: set client_id and \
                        client_secret, or neither";
            found.error("shipping.melhor_envio.client_id", what.to_owned());
        } else if self.shipping.labels.provider == LabelProviderKind::MelhorEnvio
            && labels.client_id.is_none()
            && labels.token.is_none()
        {
            let what = "melhor-envio lets nobody in without an application \
                        (shipping.melhor_envio.client_id and shipping.melhor_envio.client_secret) or \
                        a token of its panel (shipping.melhor_envio.token): set either";
            found.error("shipping.labels.provider", what.to_owned());
        }
        let sender = &self.shipping.sender;
        if sender.document.as_deref().is_some_and(|it| !is_document(it)) {
            let what = "it is neither a CNPJ nor a CPF: no label can be bought with it";
            found.warning("shipping.sender.document", what);
        }
        let payments = &self.payments;
        let providers = [
            ("provider1", &payments.provider1.access_token, &payments.provider1.webhook_secret),
            ("provider2", &payments.provider2.secret_key, &payments.provider2.webhook_secret),
        ];
        for (name, key, secret) in providers {
            if key.is_some() && secret.is_none() {
                let what = "without it no notice of the provider is believed: set what the \
                            provider shows where its webhooks are set";
                found.error(&format!("payments.{name}.webhook_secret"), what.to_owned());
            }
        }
    }

    /// Secrets that strangers can try out.
    fn look_at_secrets(&self, found: &mut Findings) {
        let payments = &self.payments;
        let own = [
            ("jwt_secret", &self.jwt_secret),
            ("payments.provider1.webhook_secret", &payments.provider1.webhook_secret),
            ("payments.provider2.webhook_secret", &payments.provider2.webhook_secret),
        ];
        for (key, secrets) in own {
            let mut each = secrets.iter().flat_map(Secret::each);
            let Some(weakness) = each.find_map(|it| strength::weakness(it.reveal())) else {
                continue;
            };
            if self.environment == Environment::Production {
                found.error(key, weakness);
            } else {
                found.warning(key, &weakness);
            }
        }
    }

    /// What a shop may do without on a developer's machine, and not where people buy.
    fn look_at_production(&self, found: &mut Findings) {
        if self.base_url.as_deref().is_some_and(|url| !url.starts_with("https://")) {
            let what = "production needs an address that begins with https://";
            found.error("base_url", what.to_owned());
        }
        for (is_so, key, what) in self.no_real_shop() {
            if is_so {
                found.warning(key, what);
            }
        }
        #[cfg(feature = "nfe")]
        if self.nfe.issuer == super::IssuerKind::Sandbox {
            found.warning("nfe.issuer", "the sandbox issues the invoices: they do not count");
        }
    }

    /// What no real shop has: whether it is so here, the setting, and why not.
    fn no_real_shop(&self) -> [(bool, &'static str, &'static str); 8] {
        let payments = &self.payments;
        [
            (
                payments.provider1.access_token.is_none(),
                "payments.provider1.access_token",
                "the sandbox plays the provider of PIX and cards: no money comes",
            ),
            (
                payments.provider2.secret_key.is_none(),
                "payments.provider2.secret_key",
                "the sandbox plays the provider of payment intents: no money comes",
            ),
            (self.mail.smtp_url.is_none(), "mail.smtp_url", self.without_mail_server()),
            (
                self.mail.from.email.as_str().ends_with(".example"),
                "mail.from",
                "it is an example's address",
            ),
            (
                self.mail.from.name.as_deref() == Some(SAMPLE_NAME),
                "mail.from",
                "`Loja de Velas` is the sample's name: customers would read it in every mail",
            ),
            (
                self.shipping.labels.provider == LabelProviderKind::Sandbox,
                "shipping.labels.provider",
                "the sandbox plays the provider of labels: no carrier takes them",
            ),
            (self.shipping.origin_cep.is_none(), "shipping.origin_cep", "no carrier is asked"),
            (
                self.webhooks.allow_insecure,
                "webhooks.allow_insecure",
                "webhooks may go to private networks and unencrypted",
            ),
        ]
    }

    /// A server that the world reaches must say what it is: with `environment` forgotten it would
    /// run as on a developer's machine. And production must know its address.
    pub(super) fn look_at_base_url(&self, says_environment: bool, found: &mut Findings) {
        let production = self.environment == Environment::Production;
        let what = match &self.base_url {
            None if production => "production needs it: links in mails would lead to this machine",
            Some(url) if !says_environment && is_public(url) => {
                "it is a public address, and environment is not set: set environment = \
                 \"production\" (SHOP_ENVIRONMENT=production) for a real shop, or \
                 \"development\" if it is none"
            }
            _ => return,
        };
        found.error("base_url", what.to_owned());
    }

    pub(super) fn look_at_folders(&self, found: &mut Findings) {
        if is_libpq(&self.database) {
            // No folder, and its words may be secret.
            return;
        }
        let (uploads, outbox) = (self.uploads_dir(), self.outbox_dir());
        let mut folders = vec![("uploads_dir", uploads.as_path())];
        if let Some(outbox) = outbox.as_deref().filter(|_| self.mail.smtp_url.is_none()) {
            folders.push(("mail.outbox_dir", outbox));
        }
        let url = DatabaseUrl::parse(&self.database);
        if let DatabaseUrl::File(file) = &url {
            let folder = folder_of(file);
            // The other folders are made where they are not there.
            if folder.exists() {
                folders.push(("database", folder));
            } else {
                found.error("database", format!("there is no folder {}", folder.display()));
            }
        }
        for (key, folder) in folders {
            if let Err(why) = can_write(folder) {
                let what = format!("cannot write to {}: {why}", folder.display());
                found.error(key, what);
            }
        }
    }
}

fn is_prefix(text: &str) -> bool {
    (1..=10).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

fn is_document(text: &str) -> bool {
    text.parse::<Cnpj>().is_ok() || text.parse::<Cpf>().is_ok()
}

/// A token as HTTP has it (RFC 9110, 5.6.2).
fn is_header(text: &str) -> bool {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is_token)
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether files can be made in a folder, or the folder itself where it is not there yet.
fn can_write(folder: &Path) -> Result<(), String> {
    let there = folder.ancestors().find(|it| it.exists());
    let there = there.filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(format!("{} is no folder", there.display()));
    }
    let probe = there.join(format!(".shop-probe-{}", std::process::id()));
    let made = std::fs::File::create_new(&probe).map_err(|error| error.to_string());
    made.and_then(|_| std::fs::remove_file(&probe).map_err(|error| error.to_string()))
}
