//! The shop: one value that holds everything, and hands out a small handle for each topic.

mod builder;

use std::sync::Arc;

pub use self::builder::ShopBuilder;
use crate::account::{
    Accounts, Addresses, Customers, PasswordHasher, SessionKeys, Sessions, WrongPasswords,
};
use crate::api_key::{ApiKeys, KeyUses};
use crate::audit::AuditLog;
use crate::background::Failures;
use crate::cart::Carts;
use crate::catalog::{Categories, Memos, Products, Reviews, VariantTypes};
use crate::clock::{Clock, Timestamp};
use crate::config::{Config, Finding, Secret};
use crate::coupon::Coupons;
use crate::dashboard::Dashboard;
use crate::error::{Error, Result};
use crate::event::Events;
use crate::id::{IdSource, Moment};
use crate::mail::{ContactForm, Post};
use crate::media::MediaStore;
use crate::newsletter::Newsletter;
#[cfg(feature = "nfe")]
use crate::nfe::{Invoices, Office};
use crate::notification::Notifications;
use crate::order::Orders;
use crate::payment::{Intents, PaymentProvider, Payments, PixAndCards, Provider, Sandbox};
use crate::shipping::{CepDesk, ProbeDesk, QuoteDesk, Shipping};
use crate::site::Site;
use crate::stock::Stocks;
use crate::storage::{Db, Generations};
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
    wrong_passwords: WrongPasswords,
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
    background_failures: Failures,
    warnings: Vec<Finding>,
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
    /// [`crate::Error::Internal`] when the configuration or the database cannot be used.
    pub async fn open(config: Config) -> Result<Self> {
        Self::builder(config).open().await
    }

    /// Starts from a configuration, for a program that brings parts of its own.
    pub fn builder(config: Config) -> ShopBuilder {
        ShopBuilder::new(config)
    }

    /// What the shop was opened with.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// What may be wrong with the configuration though it can be used: in production everything
    /// that the shop only plays, unless the program brought the real thing along.
    pub fn warnings(&self) -> &[Finding] {
        &self.inner.warnings
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

    pub(crate) fn wrong_passwords(&self) -> &WrongPasswords {
        &self.inner.wrong_passwords
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

    /// A provider, for what both can do.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] for payments that staff recorded: nobody can be asked about them.
    pub(crate) fn provider(&self, provider: Provider) -> Result<&dyn PaymentProvider> {
        match provider {
            Provider::Provider1 => Ok(&*self.inner.provider1),
            Provider::Provider2 => Ok(&*self.inner.provider2),
            Provider::Staff => Err(Error::internal("a recorded payment has no provider")),
        }
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

    pub(crate) fn failures(&self) -> &Failures {
        &self.inner.background_failures
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.inner.clock
    }

    /// The instant and the ids of one unit of work.
    pub(crate) fn moment(&self) -> Moment {
        Moment::new(&*self.inner.clock, &self.inner.ids)
    }
}
