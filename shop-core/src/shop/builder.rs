//! How a shop is opened: what a program brings along, else what its configuration names.

use std::sync::Arc;

use super::background::Failures;
use super::{Inner, Shop};
use crate::account::{self, Credentials};
use crate::api_key::KeyUses;
use crate::area;
use crate::catalog::CatalogCaches;
use crate::clock::{Clock, SystemClock, Timestamp};
use crate::config::{Config, Finding, LabelProviderKind, PaymentsConfig, Secret};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fulfilment::Fulfilment;
#[cfg(feature = "nfe")]
use crate::invoicing::{Invoicing, IssuerSetup, danfe_logo};
use crate::mail::{self, MailTexts, Mailer};
use crate::media::{LocalFolder, MediaStore};
#[cfg(feature = "nfe")]
use crate::nfe::NfeIssuer;
use crate::payment::{InTime, Intents, PixAndCards, Providers, SandboxProvider};
use crate::provider_calls::ProviderCalls;
use crate::setting;
use crate::settlement::Settlement;
use crate::shipment::LabelProvider;
use crate::shipping::{
    self, CarrierHealth, CarrierQuotes, Paced, PostalCodeLookup, PostalCodes, QuoteService,
    ShippingServices,
};
use crate::storage::{self, Db, Storage};
use crate::views::TopProductsCache;

/// A shop about to be opened.
pub struct ShopBuilder {
    config: Config,
    clock: Arc<dyn Clock>,
    password_params: argon2::Params,
    storage: Option<Arc<dyn Storage>>,
    media: Option<Arc<dyn MediaStore>>,
    carriers: Option<Vec<Arc<dyn CarrierQuotes>>>,
    postal_codes: Option<Arc<dyn PostalCodes>>,
    mailer: Option<Arc<dyn Mailer>>,
    mail_texts: Option<Arc<dyn MailTexts>>,
    pix_and_cards: Option<Arc<dyn PixAndCards>>,
    intents: Option<Arc<dyn Intents>>,
    label_provider: Option<Arc<dyn LabelProvider>>,
    #[cfg(feature = "nfe")]
    nfe_issuer: Option<Arc<dyn NfeIssuer>>,
}

opaque! { ShopBuilder { config }; }

impl ShopBuilder {
    pub(super) fn new(config: Config) -> Self {
        Self {
            config,
            clock: Arc::new(SystemClock),
            password_params: account::PASSWORD_PARAMS,
            storage: None,
            media: None,
            carriers: None,
            postal_codes: None,
            mailer: None,
            mail_texts: None,
            pix_and_cards: None,
            intents: None,
            label_provider: None,
            #[cfg(feature = "nfe")]
            nfe_issuer: None,
        }
    }

    /// Changes settings of the configuration that the builder began with.
    #[must_use]
    pub fn configure(mut self, adapt: impl FnOnce(&mut Config)) -> Self {
        adapt(&mut self.config);
        self
    }

    /// Reads the time from this clock instead of the machine's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Asks these carriers, the preferred one first, instead of those that the configuration names.
    #[must_use]
    pub fn carriers(mut self, carriers: Vec<Arc<dyn CarrierQuotes>>) -> Self {
        self.carriers = Some(carriers);
        self
    }

    /// Hashes new passwords with next to no work, so that tests which make many accounts do not
    /// wait. Such a hash protects no password.
    #[cfg(feature = "test-util")]
    #[must_use]
    pub fn weak_passwords(mut self) -> Self {
        self.password_params = account::WEAK_PASSWORD_PARAMS;
        self
    }

    /// Whether PIX is paid in the sandbox.
    #[cfg(feature = "test-util")]
    pub(crate) fn has_sandbox_for_pix(&self) -> bool {
        self.pix_and_cards.is_none() && self.config.payments.provider1.access_token.is_none()
    }

    /// Puts a clock in front of the one that there is.
    #[cfg(feature = "test-util")]
    pub(crate) fn behind(mut self, put: impl FnOnce(Arc<dyn Clock>) -> Arc<dyn Clock>) -> Self {
        self.clock = put(self.clock);
        self
    }

    /// Opens the shop: creates the database where it is missing and brings its schema up to date.
    ///
    /// # Errors
    /// [`Error::Unusable`] where the configuration, a file or a PostgreSQL database cannot be used,
    /// which says what is wrong and what to do about it; [`Error::Internal`] when the machine
    /// fails.
    ///
    /// Dropping the future does not stop it: it runs to its end on a thread of its own.
    pub async fn open(self) -> Result<Shop> {
        self.config.check().map_err(|wrong| Error::from_source(wrong).into_unusable())?;
        let warnings = self.warnings();
        let Config { database, database_read, database_file_readers: readers, .. } = &self.config;
        let storage = match self.storage {
            Some(storage) => storage,
            None => storage::open(database.clone(), database_read.clone(), *readers).await?,
        };
        let db = Db::new(storage, area::ALL);
        let now = self.clock.now();
        let session_secret = match &self.config.jwt_secret {
            Some(secret) => secret.clone(),
            None => setting::generated_secret(&db, "jwt_secret", now).await?,
        };
        let mail_link_secret = setting::generated_secret(&db, "mail_link_secret", now).await?;
        let mailer = match self.mailer {
            Some(mailer) => Some(mailer),
            None => mail::configured(&self.config).map_err(Error::into_unusable)?,
        };
        let calls = Arc::<ProviderCalls>::default();
        let own = (self.pix_and_cards, self.intents);
        let providers = payment_providers(own, &self.config, &db, &self.clock, &calls).await?;
        let uploads = || Arc::new(LocalFolder::new(self.config.uploads_dir()));
        let media = self.media.unwrap_or_else(|| uploads());
        let shipping =
            shipping_services(&self.config, self.carriers, self.postal_codes, &self.clock, &calls)
                .map_err(Error::into_unusable)?;
        shipping::warn_of_fallback(&self.config.shipping, &shipping.quotes, &db).await?;
        #[cfg(feature = "nfe")]
        let issuer_setup =
            IssuerSetup::open(&self.config.nfe, self.nfe_issuer, &db, &self.clock, &calls)
                .map_err(Error::into_unusable)?;
        #[cfg(feature = "http")]
        let webhook_sender = crate::webhook::Sender::new(&self.config)?;
        #[cfg(feature = "nfe")]
        let logo = danfe_logo(&self.config.nfe).map_err(Error::into_unusable)?;
        let cx = Context::new(
            self.config,
            db,
            self.clock,
            mail_link_secret,
            #[cfg(feature = "nfe")]
            logo,
        );
        #[cfg(feature = "http")]
        let melhor_envio = Arc::new(crate::shipment::client::MelhorEnvio::new(&cx, &calls)?);
        #[cfg(feature = "http")]
        let bought_at: Arc<dyn LabelProvider> = Arc::clone(&melhor_envio) as _;
        #[cfg(feature = "http")]
        let bought_at = Some(bought_at);
        #[cfg(not(feature = "http"))]
        let bought_at = None;
        let labels =
            label_provider(self.label_provider, &cx, bought_at).map_err(Error::into_unusable)?;
        account::suspend_demo(&cx).await?;
        let inner = Inner {
            #[cfg(feature = "http")]
            melhor_envio,
            #[cfg(feature = "http")]
            webhook_sender,
            #[cfg(feature = "nfe")]
            invoicing: Invoicing::new(cx.clone(), issuer_setup),
            settlement: Settlement::new(cx.clone(), providers),
            fulfilment: Fulfilment::new(cx.clone(), labels),
            cx,
            credentials: Credentials::new(&session_secret, self.password_params),
            catalog_caches: CatalogCaches::default(),
            top_products: TopProductsCache::default(),
            key_uses: KeyUses::default(),
            media,
            #[cfg(feature = "media")]
            processor: crate::media::ImageProcessor::default(),
            shipping,
            mailer,
            mail_texts: self.mail_texts,
            background_failures: Failures::default(),
            provider_calls: calls,
            warnings,
        };
        Ok(Shop { inner: Arc::new(inner) })
    }
}

/// The parts that a program may bring along.
macro_rules! parts {
    ($($(#[$meta:meta])* $name:ident: $Port:ident)+) => {
        impl ShopBuilder {$(
            $(#[$meta])*
            #[must_use]
            pub fn $name(mut self, part: impl $Port) -> Self {
                self.$name = Some(Arc::new(part));
                self
            }
        )+}
    };
}

parts! {
    /// Keeps the data in this engine instead of the file that the configuration names.
    storage: Storage
    /// Keeps pictures here instead of in the folder that the configuration names.
    media: MediaStore
    /// Looks postal codes up here instead of where the configuration says.
    postal_codes: PostalCodes
    /// Sends mails this way instead of the one that the configuration names.
    mailer: Mailer
    /// Says mails in these words, where they have any; the shop's own say the rest.
    mail_texts: MailTexts
    /// Takes PIX and cards through this provider instead of the one that the configuration names.
    ///
    /// What it tells of its own accord is the program's to receive and to verify; then
    /// [`Payments::reconcile`](crate::settlement::Payments::reconcile) reads how the order's
    /// payments stand.
    pix_and_cards: PixAndCards
    /// Opens payment intents at this provider instead of the one that the configuration names.
    intents: Intents
    /// Buys shipping labels here instead of where the configuration says.
    label_provider: LabelProvider
    /// Has invoices authorised here instead of where the configuration says.
    #[cfg(feature = "nfe")]
    nfe_issuer: NfeIssuer
}

impl ShopBuilder {
    /// What the configuration leaves to be played, as far as the program brought nothing along.
    fn warnings(&self) -> Vec<Finding> {
        #[cfg(feature = "nfe")]
        let issuer = self.nfe_issuer.is_some();
        #[cfg(not(feature = "nfe"))]
        let issuer = false;
        let brought = [
            ("payments.provider1.access_token", self.pix_and_cards.is_some()),
            ("payments.provider2.secret_key", self.intents.is_some()),
            ("mail.smtp_url", self.mailer.is_some()),
            ("shipping.origin_cep", self.carriers.is_some()),
            ("shipping.labels.provider", self.label_provider.is_some()),
            ("nfe.issuer", issuer),
        ];
        let mut warnings = self.config.warnings();
        warnings.extend(self.config.warnings_of_day(self.clock.now().local_day()));
        warnings.retain(|it| !brought.contains(&(it.key.as_str(), true)));
        warnings
    }
}

/// The secrets that are configured, else one that is made and kept.
async fn secrets(
    db: &Db,
    configured: Option<&Secret>,
    key: &'static str,
    now: Timestamp,
) -> Result<Vec<Secret>> {
    match configured {
        Some(secrets) => Ok(secrets.each()),
        None => Ok(vec![setting::generated_secret(db, key, now).await?]),
    }
}

/// Those that a program brought along, else those that the configuration names, else the sandbox;
/// with their secrets.
async fn payment_providers(
    own: ConfiguredProviders,
    config: &Config,
    db: &Db,
    clock: &Arc<dyn Clock>,
    calls: &Arc<ProviderCalls>,
) -> Result<Providers> {
    let PaymentsConfig { provider1, provider2, pix, .. } = &config.payments;
    let (of_1, of_2) = (provider1.webhook_secret.as_ref(), provider2.webhook_secret.as_ref());
    let (now, receiver) = (clock.now(), pix.clone());
    let sandbox = SandboxProvider::new(db.clone(), Arc::clone(clock), receiver, config.environment);
    let sandbox = Arc::new(sandbox);
    let (provider1, provider2) =
        configured_providers(config, calls).map_err(Error::into_unusable)?;
    let limit = config.payments.timeout();
    let own1 = own.0.map(|it| Arc::new(InTime::new(it, limit)) as Arc<dyn PixAndCards>);
    let own2 = own.1.map(|it| Arc::new(InTime::new(it, limit)) as Arc<dyn Intents>);
    let (provider1, provider2) = (own1.or(provider1), own2.or(provider2));
    Ok(Providers {
        provider1: provider1.unwrap_or_else(|| Arc::<SandboxProvider>::clone(&sandbox)),
        provider1_secrets: secrets(db, of_1, "provider1_webhook_secret", now).await?,
        provider2: provider2.unwrap_or(sandbox),
        provider2_secrets: secrets(db, of_2, "provider2_webhook_secret", now).await?,
        card_digest_key: setting::generated_secret(db, "card_digest_key", now).await?,
    })
}

type ConfiguredProviders = (Option<Arc<dyn PixAndCards>>, Option<Arc<dyn Intents>>);

#[cfg(feature = "http")]
fn configured_providers(
    config: &Config,
    calls: &Arc<ProviderCalls>,
) -> Result<ConfiguredProviders> {
    crate::payment::client::configured(config, calls)
}

#[cfg(not(feature = "http"))]
fn configured_providers(config: &Config, _: &Arc<ProviderCalls>) -> Result<ConfiguredProviders> {
    let payments = &config.payments;
    if payments.provider1.access_token.is_some() || payments.provider2.secret_key.is_some() {
        return Err(Error::internal("this build has no payment providers (feature `http`)"));
    }
    Ok((None, None))
}

/// What a program brought along, else what the configuration names.
fn label_provider(
    own: Option<Arc<dyn LabelProvider>>,
    cx: &Context,
    melhor_envio: Option<Arc<dyn LabelProvider>>,
) -> Result<Option<Arc<dyn LabelProvider>>> {
    match cx.config().shipping.labels.provider {
        _ if own.is_some() => Ok(own),
        LabelProviderKind::None => Ok(None),
        LabelProviderKind::Sandbox => sandbox_labels(cx).map(Some),
        LabelProviderKind::MelhorEnvio if melhor_envio.is_some() => Ok(melhor_envio),
        LabelProviderKind::MelhorEnvio => {
            Err(Error::internal("this build has no Melhor Envio (feature `http`)"))
        }
    }
}

#[cfg(feature = "nfe")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
fn sandbox_labels(cx: &Context) -> Result<Arc<dyn LabelProvider>> {
    Ok(Arc::new(crate::shipment::sandbox::SandboxLabels::new(cx.clone())))
}

#[cfg(not(feature = "nfe"))]
fn sandbox_labels(_: &Context) -> Result<Arc<dyn LabelProvider>> {
    Err(Error::internal("this build draws no labels (feature `nfe`)"))
}

/// What a program brought along, else what the configuration names.
fn shipping_services(
    config: &Config,
    carriers: Option<Vec<Arc<dyn CarrierQuotes>>>,
    postal_codes: Option<Arc<dyn PostalCodes>>,
    clock: &Arc<dyn Clock>,
    calls: &Arc<ProviderCalls>,
) -> Result<ShippingServices> {
    let (of_config, look_up) = configured_clients(config, calls)?;
    let budget = config.shipping.timeout();
    // A program that brings its own carriers has no others to miss.
    let expected = if carriers.is_some() { &[][..] } else { &shipping::SUPPORTED };
    let carriers = Paced::all(carriers.unwrap_or(of_config), clock);
    let look_up = postal_codes.or(look_up);
    let probes = CarrierHealth::new(&carriers, expected, Arc::clone(clock), budget);
    let quotes = QuoteService::new(carriers, Arc::clone(clock), budget);
    let postal_codes = PostalCodeLookup::new(look_up, Arc::clone(clock), budget);
    Ok(ShippingServices { quotes, probes, postal_codes })
}

type Clients = (Vec<Arc<dyn CarrierQuotes>>, Option<Arc<dyn PostalCodes>>);

#[cfg(feature = "http")]
fn configured_clients(config: &Config, calls: &Arc<ProviderCalls>) -> Result<Clients> {
    let clients = crate::shipping::client::Clients::new(config, calls)?;
    Ok((clients.carriers, clients.postal_codes))
}

#[cfg(not(feature = "http"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn configured_clients(_: &Config, _: &Arc<ProviderCalls>) -> Result<Clients> {
    Ok((Vec::new(), None))
}
