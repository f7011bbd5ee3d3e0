//! The shop: one value that holds everything, and hands out a small handle for each topic.

use std::sync::Arc;

use crate::account::{Accounts, Addresses, Customers, PasswordHasher, SessionKeys, Sessions};
use crate::api_key::{ApiKeys, KeyUses};
use crate::audit::AuditLog;
use crate::cart::Carts;
use crate::catalog::{Categories, Memos, Products, Reviews, VariantTypes};
use crate::clock::{Clock, SystemClock, Timestamp};
use crate::config::{Config, Secret};
use crate::coupon::Coupons;
use crate::dashboard::Dashboard;
use crate::error::{Error, Result};
use crate::event::Events;
use crate::id::{IdSource, Moment};
use crate::mail::{self, ContactForm, Mailer, Post};
use crate::media::{LocalFolder, MediaStore};
use crate::newsletter::Newsletter;
#[cfg(feature = "nfe")]
use crate::nfe::{Invoices, NfeIssuer, Office};
use crate::notification::Notifications;
use crate::order::Orders;
use crate::payment::{Intents, PaymentProvider, Payments, PixAndCards, Sandbox, SandboxProvider};
use crate::setting;
use crate::shipping::{self, CarrierQuotes, CepDesk, PostalCodes, ProbeDesk, QuoteDesk, Shipping};
use crate::site::Site;
use crate::stock::Stocks;
use crate::storage::{self, Db, Generations, Storage};
use crate::webhook::Webhooks;
use crate::wishlist::Wishlists;

/// An open shop. Cheap to clone; all clones are the same shop.
///
/// # Example: open a shop
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("shop.db");
/// use shop_core::{Config, Shop};
/// let shop = Shop::open(Config { database: path.display().to_string(), ..Config::default() }).await?;
/// # Ok::<(), shop_core::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Shop {
    inner: Arc<Inner>,
}

struct Inner {
    config: Config,
    db: Db,
    clock: Arc<dyn Clock>,
    ids: IdSource,
    password_hasher: PasswordHasher,
    session_keys: SessionKeys,
    catalog_memos: Memos,
    key_uses: KeyUses,
    media: Arc<dyn MediaStore>,
    #[cfg(feature = "media")]
    workshop: crate::media::Workshop,
    provider1: Arc<dyn PixAndCards>,
    provider1_secrets: Vec<Secret>,
    provider2: Arc<dyn Intents>,
    provider2_secrets: Vec<Secret>,
    card_digest_key: Secret,
    quotes: QuoteDesk,
    probes: ProbeDesk,
    postal_codes: CepDesk,
    post: Post,
    mail_link_secret: Secret,
    #[cfg(feature = "http")]
    webhook_sender: crate::webhook::Sender,
    /// Told after each commit that may have written an event.
    events: Arc<tokio::sync::Notify>,
    #[cfg(feature = "nfe")]
    office: Arc<Office>,
}

/// The name of the provider of PIX codes and card payments, in storage and errors.
pub(crate) const PROVIDER1: &str = "provider1";
/// The name of the provider of payment intents.
pub(crate) const PROVIDER2: &str = "provider2";

/// A provider's name as it came out of storage.
pub(crate) fn provider_name(stored: &str) -> &'static str {
    if stored == PROVIDER2 { PROVIDER2 } else { PROVIDER1 }
}

impl std::fmt::Debug for Shop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shop").finish_non_exhaustive()
    }
}

impl Shop {
    /// Opens the shop that a configuration describes, with the machine's clock.
    ///
    /// # Errors
    /// [`Error::Internal`] when the configuration or the database cannot be used.
    pub async fn open(config: Config) -> Result<Self> {
        Self::builder(config).open().await
    }

    /// Starts from a configuration, for a program that brings parts of its own.
    pub fn builder(config: Config) -> ShopBuilder {
        ShopBuilder {
            config,
            clock: Arc::new(SystemClock),
            storage: None,
            media: None,
            carriers: None,
            postal_codes: None,
            mailer: None,
            pix_and_cards: None,
            intents: None,
            #[cfg(feature = "nfe")]
            nfe_issuer: None,
        }
    }

    /// What the shop was opened with.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// The time by the shop's own clock.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// The counters by which caches notice that what they hold has changed.
    pub fn generations(&self) -> &Generations {
        self.inner.db.generations()
    }

    /// What is sold.
    pub fn products(&self) -> Products<'_> {
        Products::new(self)
    }

    /// What customers say about products.
    pub fn reviews(&self) -> Reviews<'_> {
        Reviews::new(self)
    }

    /// The shelves that products stand on.
    pub fn categories(&self) -> Categories<'_> {
        Categories::new(self)
    }

    /// The kinds of variation that tell variants apart.
    pub fn variant_types(&self) -> VariantTypes<'_> {
        VariantTypes::new(self)
    }

    /// Where pictures are kept.
    pub fn media(&self) -> &dyn MediaStore {
        &*self.inner.media
    }

    /// Pictures as staff bring them and pages want them.
    #[cfg(feature = "media")]
    pub fn pictures(&self) -> crate::media::Pictures<'_> {
        crate::media::Pictures::new(self)
    }

    /// Units on the shelf.
    pub fn stock(&self) -> Stocks<'_> {
        Stocks::new(self)
    }

    /// Server-side carts.
    pub fn carts(&self) -> Carts<'_> {
        Carts::new(self)
    }

    /// Discounts for who knows a code.
    pub fn coupons(&self) -> Coupons<'_> {
        Coupons::new(self)
    }

    /// How the shop is doing.
    pub fn dashboard(&self) -> Dashboard<'_> {
        Dashboard::new(self)
    }

    /// Orders.
    pub fn orders(&self) -> Orders<'_> {
        Orders::new(self)
    }

    /// Payments.
    pub fn payments(&self) -> Payments<'_> {
        Payments::new(self)
    }

    /// The built-in payment provider, where one plays the payer.
    pub fn sandbox(&self) -> Sandbox<'_> {
        Sandbox::new(self)
    }

    /// Electronic invoices.
    #[cfg(feature = "nfe")]
    pub fn invoices(&self) -> Invoices<'_> {
        Invoices::new(self)
    }

    /// Who issues invoices, and by whom they are authorised.
    #[cfg(feature = "nfe")]
    pub(crate) fn office(&self) -> Arc<Office> {
        Arc::clone(&self.inner.office)
    }

    /// Shipping prices.
    pub fn shipping(&self) -> Shipping<'_> {
        Shipping::new(self)
    }

    /// What customers would like to have.
    pub fn wishlists(&self) -> Wishlists<'_> {
        Wishlists::new(self)
    }

    /// Customers' in-app notifications.
    pub fn notifications(&self) -> Notifications<'_> {
        Notifications::new(self)
    }

    /// Who reads the newsletter.
    pub fn newsletter(&self) -> Newsletter<'_> {
        Newsletter::new(self)
    }

    /// Receivers of what happens in the shop.
    pub fn webhooks(&self) -> Webhooks<'_> {
        Webhooks::new(self)
    }

    /// The log of what happened.
    pub fn events(&self) -> Events<'_> {
        Events::new(self)
    }

    /// Messages to the shop.
    pub fn contact_form(&self) -> ContactForm<'_> {
        ContactForm::new(self)
    }

    /// What programs call the shop with.
    pub fn api_keys(&self) -> ApiKeys<'_> {
        ApiKeys::new(self)
    }

    /// What was done in the back office, and by whom.
    pub fn audit(&self) -> AuditLog<'_> {
        AuditLog::new(self)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// Whatever keeps it from answering.
    pub async fn check_ready(&self) -> Result<()> {
        let ready = |tx: &mut dyn crate::storage::Tx| tx.value::<i64>("SELECT 1", &[]).map(drop);
        self.db().lookup("shop.ready", ready).await
    }

    /// Accounts.
    pub fn accounts(&self) -> Accounts<'_> {
        Accounts::new(self)
    }

    /// Sessions of accounts.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions::new(self)
    }

    /// Customers, as staff sees them.
    pub fn customers(&self) -> Customers<'_> {
        Customers::new(self)
    }

    /// What the site shows beside the catalogue.
    pub fn site(&self) -> Site<'_> {
        Site::new(self)
    }

    /// The address books of accounts.
    pub fn addresses(&self) -> Addresses<'_> {
        Addresses::new(self)
    }

    pub(crate) fn password_hasher(&self) -> &PasswordHasher {
        &self.inner.password_hasher
    }

    pub(crate) fn session_keys(&self) -> &SessionKeys {
        &self.inner.session_keys
    }

    pub(crate) fn db(&self) -> &Db {
        &self.inner.db
    }

    #[cfg(feature = "media")]
    pub(crate) fn workshop(&self) -> &crate::media::Workshop {
        &self.inner.workshop
    }

    pub(crate) fn key_uses(&self) -> &KeyUses {
        &self.inner.key_uses
    }

    pub(crate) fn catalog_memos(&self) -> &Memos {
        &self.inner.catalog_memos
    }

    /// Where carriers are asked.
    pub(crate) fn quotes(&self) -> &QuoteDesk {
        &self.inner.quotes
    }

    /// Where carriers are asked how they are.
    pub(crate) fn probes(&self) -> &ProbeDesk {
        &self.inner.probes
    }

    /// Where postal codes are looked up.
    pub(crate) fn postal_codes(&self) -> &CepDesk {
        &self.inner.postal_codes
    }

    pub(crate) fn provider1(&self) -> &dyn PixAndCards {
        &*self.inner.provider1
    }

    pub(crate) fn provider2(&self) -> &dyn Intents {
        &*self.inner.provider2
    }

    /// The provider of this name, for what both can do.
    pub(crate) fn provider(&self, name: &'static str) -> &dyn PaymentProvider {
        if name == PROVIDER2 { &*self.inner.provider2 } else { &*self.inner.provider1 }
    }

    /// What provider1 may sign its notices with.
    pub(crate) fn provider1_secrets(&self) -> &[Secret] {
        &self.inner.provider1_secrets
    }

    /// What provider2 may sign its events with.
    pub(crate) fn provider2_secrets(&self) -> &[Secret] {
        &self.inner.provider2_secrets
    }

    /// By which card requests are known again.
    pub(crate) fn card_digest_key(&self) -> &str {
        self.inner.card_digest_key.reveal()
    }

    pub(crate) fn post(&self) -> &Post {
        &self.inner.post
    }

    /// After a commit that may have written a mail: it leaves at once instead of at the next look.
    pub(crate) fn mail_written(&self) {
        self.inner.post.written.notify_one();
        // What is told by mail is told by events too.
        self.event_written();
    }

    /// After a commit that may have written an event: it leaves at once instead of at the next look.
    pub(crate) fn event_written(&self) {
        self.inner.events.notify_one();
    }

    #[cfg(feature = "http")]
    pub(crate) fn events_bell(&self) -> &tokio::sync::Notify {
        &self.inner.events
    }

    #[cfg(feature = "http")]
    pub(crate) fn webhook_sender(&self) -> &crate::webhook::Sender {
        &self.inner.webhook_sender
    }

    /// What the shop signs the links in its mails with.
    pub(crate) fn mail_link_secret(&self) -> &str {
        self.inner.mail_link_secret.reveal()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.inner.clock
    }

    /// The instant and the ids of one unit of work.
    pub(crate) fn moment(&self) -> Moment {
        Moment::new(&*self.inner.clock, &self.inner.ids)
    }
}

/// A shop about to be opened.
pub struct ShopBuilder {
    config: Config,
    clock: Arc<dyn Clock>,
    storage: Option<Arc<dyn Storage>>,
    media: Option<Arc<dyn MediaStore>>,
    carriers: Option<Vec<Arc<dyn CarrierQuotes>>>,
    postal_codes: Option<Arc<dyn PostalCodes>>,
    mailer: Option<Arc<dyn Mailer>>,
    pix_and_cards: Option<Arc<dyn PixAndCards>>,
    intents: Option<Arc<dyn Intents>>,
    #[cfg(feature = "nfe")]
    nfe_issuer: Option<Arc<dyn NfeIssuer>>,
}

impl std::fmt::Debug for ShopBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShopBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}

impl ShopBuilder {
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

    /// Keeps the data in this engine instead of the file that the configuration names.
    #[must_use]
    pub fn storage(mut self, storage: impl Storage) -> Self {
        self.storage = Some(Arc::new(storage));
        self
    }

    /// Keeps pictures here instead of in the folder that the configuration names.
    #[must_use]
    pub fn media(mut self, media: impl MediaStore) -> Self {
        self.media = Some(Arc::new(media));
        self
    }

    /// Asks these carriers, the preferred one first, instead of those that the configuration names.
    #[must_use]
    pub fn carriers(mut self, carriers: Vec<Arc<dyn CarrierQuotes>>) -> Self {
        self.carriers = Some(carriers);
        self
    }

    /// Looks postal codes up here instead of where the configuration says.
    #[must_use]
    pub fn postal_codes(mut self, postal_codes: impl PostalCodes) -> Self {
        self.postal_codes = Some(Arc::new(postal_codes));
        self
    }

    /// Sends mails this way instead of the one that the configuration names.
    #[must_use]
    pub fn mailer(mut self, mailer: impl Mailer) -> Self {
        self.mailer = Some(Arc::new(mailer));
        self
    }

    /// Takes PIX and cards through this provider instead of the one that the configuration names.
    ///
    /// What it tells of its own accord is the program's to receive and to verify; then
    /// [`Payments::reconcile`] reads how the order's payments stand.
    #[must_use]
    pub fn pix_and_cards(mut self, provider: impl PixAndCards) -> Self {
        self.pix_and_cards = Some(Arc::new(provider));
        self
    }

    /// Opens payment intents at this provider instead of the one that the configuration names.
    #[must_use]
    pub fn intents(mut self, provider: impl Intents) -> Self {
        self.intents = Some(Arc::new(provider));
        self
    }

    /// Has invoices authorised here instead of where the configuration says.
    #[cfg(feature = "nfe")]
    #[must_use]
    pub fn nfe_issuer(mut self, issuer: impl NfeIssuer) -> Self {
        self.nfe_issuer = Some(Arc::new(issuer));
        self
    }

    /// Opens the shop: creates the database where it is missing and brings its schema up to date.
    ///
    /// # Errors
    /// [`Error::Internal`] when the configuration or the database cannot be used.
    pub async fn open(self) -> Result<Shop> {
        self.config.check().map_err(Error::from_source)?;
        self.config.check_replica().map_err(Error::from_source)?;
        let Config { database, database_read, .. } = &self.config;
        let storage = match self.storage {
            Some(storage) => storage,
            None => storage::open(database.clone(), database_read.clone()).await?,
        };
        let db = Db::new(storage);
        let now = self.clock.now();
        let session_keys = match &self.config.jwt_secret {
            Some(secret) => SessionKeys::new(secret),
            None => SessionKeys::new(&setting::generated_secret(&db, "jwt_secret", now).await?),
        };
        let payments = &self.config.payments;
        let (of_1, of_2) = (&payments.provider1.webhook_secret, &payments.provider2.webhook_secret);
        let provider1_secrets =
            secrets(&db, of_1.as_ref(), "provider1_webhook_secret", now).await?;
        let provider2_secrets =
            secrets(&db, of_2.as_ref(), "provider2_webhook_secret", now).await?;
        let card_digest_key = setting::generated_secret(&db, "card_digest_key", now).await?;
        let mail_link_secret = setting::generated_secret(&db, "mail_link_secret", now).await?;
        let mailer = match self.mailer {
            Some(mailer) => mailer,
            None => mail::configured(&self.config)?,
        };
        let own = (self.pix_and_cards, self.intents);
        let (provider1, provider2) = payment_providers(own, &self.config, &db, &self.clock)?;
        let uploads = || Arc::new(LocalFolder::new(self.config.uploads_dir.clone()));
        let media = self.media.unwrap_or_else(|| uploads());
        let (quotes, probes, postal_codes) =
            shipping_desks(&self.config, self.carriers, self.postal_codes, &self.clock)?;
        #[cfg(feature = "nfe")]
        let office = Office::open(&self.config.nfe, self.nfe_issuer, &db, &self.clock)?;
        let inner = Inner {
            #[cfg(feature = "http")]
            webhook_sender: crate::webhook::Sender::new(&self.config)?,
            events: Arc::default(),
            #[cfg(feature = "nfe")]
            office: Arc::new(office),
            config: self.config,
            db,
            clock: self.clock,
            ids: IdSource::default(),
            password_hasher: PasswordHasher::new(),
            session_keys,
            catalog_memos: Memos::default(),
            key_uses: KeyUses::default(),
            media,
            #[cfg(feature = "media")]
            workshop: crate::media::Workshop::default(),
            provider1,
            provider1_secrets,
            provider2,
            provider2_secrets,
            card_digest_key,
            quotes,
            probes,
            postal_codes,
            post: Post::new(mailer),
            mail_link_secret,
        };
        Ok(Shop { inner: Arc::new(inner) })
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

type Providers = (Arc<dyn PixAndCards>, Arc<dyn Intents>);

/// Those that a program brought along, else those that the configuration names, else the sandbox.
fn payment_providers(
    own: ConfiguredProviders,
    config: &Config,
    db: &Db,
    clock: &Arc<dyn Clock>,
) -> Result<Providers> {
    let receiver = config.payments.pix.clone();
    let (clock, environment) = (Arc::clone(clock), config.environment);
    let sandbox = Arc::new(SandboxProvider::new(db.clone(), clock, receiver, environment));
    let (provider1, provider2) = configured_providers(config)?;
    let (provider1, provider2) = (own.0.or(provider1), own.1.or(provider2));
    Ok((
        provider1.unwrap_or_else(|| Arc::<SandboxProvider>::clone(&sandbox)),
        provider2.unwrap_or(sandbox),
    ))
}

type ConfiguredProviders = (Option<Arc<dyn PixAndCards>>, Option<Arc<dyn Intents>>);

#[cfg(feature = "http")]
fn configured_providers(config: &Config) -> Result<ConfiguredProviders> {
    crate::payment::client::configured(config)
}

#[cfg(not(feature = "http"))]
fn configured_providers(config: &Config) -> Result<ConfiguredProviders> {
    let payments = &config.payments;
    if payments.provider1.access_token.is_some() || payments.provider2.secret_key.is_some() {
        return Err(Error::internal("this build has no payment providers (feature `http`)"));
    }
    Ok((None, None))
}

/// What a program brought along, else what the configuration names.
fn shipping_desks(
    config: &Config,
    carriers: Option<Vec<Arc<dyn CarrierQuotes>>>,
    postal_codes: Option<Arc<dyn PostalCodes>>,
    clock: &Arc<dyn Clock>,
) -> Result<(QuoteDesk, ProbeDesk, CepDesk)> {
    let (of_config, look_up) = configured_clients(config)?;
    let budget = config.shipping.timeout();
    // A program that brings its own carriers has no others to miss.
    let expected = if carriers.is_some() { &[][..] } else { &shipping::KNOWN };
    let carriers = carriers.unwrap_or(of_config);
    let look_up = postal_codes.or(look_up);
    let probes = ProbeDesk::new(&carriers, expected, Arc::clone(clock), budget);
    let quotes = QuoteDesk::new(carriers, Arc::clone(clock), budget);
    Ok((quotes, probes, CepDesk::new(look_up, Arc::clone(clock), budget)))
}

type Clients = (Vec<Arc<dyn CarrierQuotes>>, Option<Arc<dyn PostalCodes>>);

#[cfg(feature = "http")]
fn configured_clients(config: &Config) -> Result<Clients> {
    let clients = crate::shipping::client::Clients::new(config)?;
    Ok((clients.carriers, clients.postal_codes))
}

#[cfg(not(feature = "http"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn configured_clients(_: &Config) -> Result<Clients> {
    Ok((Vec::new(), None))
}
