//! The shop: one value that holds everything, and hands out a small handle for each topic.

pub mod background;
mod builder;
mod inputs;
mod mail_templates;
mod pointers;

use std::sync::Arc;

use self::background::Failures;
pub use self::builder::ShopBuilder;
use crate::account::{Accounts, Addresses, Credentials, Customers, Sessions, TwoFactor};
use crate::api_key::{ApiKeys, KeyUses};
use crate::audit::AuditLog;
use crate::cart::Carts;
use crate::catalog::{CatalogCaches, Categories, Products, Reviews, VariantTypes};
use crate::clock::Timestamp;
use crate::config::{Config, Finding};
use crate::context::Context;
use crate::coupon::Coupons;
use crate::error::Result;
use crate::event::Events;
use crate::inventory::Stocks;
#[cfg(feature = "nfe")]
use crate::invoicing::{Invoices, Invoicing};
use crate::lease;
use crate::mail::{ContactForm, MailTexts, Mailer};
use crate::media::MediaStore;
use crate::newsletter::Newsletter;
use crate::notification::Notifications;
use crate::order::Orders;
use crate::settlement::{Payments, Sandbox, Settlement};
use crate::shipping::{Shipping, ShippingServices};
use crate::site::Site;
use crate::storage::Generations;
use crate::views::{Dashboard, TopProductsCache};
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
    cx: Context,
    credentials: Credentials,
    catalog_caches: CatalogCaches,
    top_products: TopProductsCache,
    key_uses: KeyUses,
    media: Arc<dyn MediaStore>,
    #[cfg(feature = "media")]
    processor: crate::media::ImageProcessor,
    settlement: Settlement,
    shipping: ShippingServices,
    mailer: Arc<dyn Mailer>,
    mail_texts: Option<Arc<dyn MailTexts>>,
    #[cfg(feature = "http")]
    webhook_sender: crate::webhook::Sender,
    #[cfg(feature = "nfe")]
    invoicing: Invoicing,
    background_failures: Failures,
    warnings: Vec<Finding>,
}

opaque! { Shop; }

impl Shop {
    /// Opens the shop that a configuration describes, with the machine's clock.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when the configuration or the database cannot be used.
    ///
    /// Dropping the future does not stop it: it runs to its end on a thread of its own.
    pub async fn open(config: Config) -> Result<Self> {
        Self::builder(config).open().await
    }

    /// Starts from a configuration, for a program that brings parts of its own.
    pub fn builder(config: Config) -> ShopBuilder {
        ShopBuilder::new(config)
    }

    /// What the shop was opened with.
    pub fn config(&self) -> &Config {
        self.inner.cx.config()
    }

    /// What may be wrong with the configuration though it can be used: in production everything
    /// that the shop only plays, unless the program brought the real thing along.
    pub fn warnings(&self) -> &[Finding] {
        &self.inner.warnings
    }

    /// The time by the shop's own clock.
    pub fn now(&self) -> Timestamp {
        self.inner.cx.now()
    }

    /// The counters by which caches notice that what they hold has changed.
    pub fn generations(&self) -> &Generations {
        self.inner.cx.generations()
    }

    /// What is sold.
    pub fn products(&self) -> Products<'_> {
        Products::new(&self.inner.cx, &self.inner.catalog_caches)
    }

    /// What customers say about products.
    pub fn reviews(&self) -> Reviews<'_> {
        Reviews::new(&self.inner.cx)
    }

    /// The shelves that products stand on.
    pub fn categories(&self) -> Categories<'_> {
        Categories::new(&self.inner.cx)
    }

    /// The kinds of variation that tell variants apart.
    pub fn variant_types(&self) -> VariantTypes<'_> {
        VariantTypes::new(&self.inner.cx)
    }

    /// Where pictures are kept.
    pub fn media(&self) -> &dyn MediaStore {
        &*self.inner.media
    }

    /// Pictures as staff bring them and pages want them.
    #[cfg(feature = "media")]
    pub fn pictures(&self) -> crate::media::Pictures<'_> {
        crate::media::Pictures::new(&self.inner.cx, &*self.inner.media, &self.inner.processor)
    }

    /// Units on the shelf.
    pub fn stock(&self) -> Stocks<'_> {
        Stocks::new(&self.inner.cx)
    }

    /// Server-side carts.
    pub fn carts(&self) -> Carts<'_> {
        Carts::new(&self.inner.cx)
    }

    /// Discounts for who knows a code.
    pub fn coupons(&self) -> Coupons<'_> {
        Coupons::new(&self.inner.cx)
    }

    /// How the shop is doing.
    pub fn dashboard(&self) -> Dashboard<'_> {
        let Inner { cx, catalog_caches, top_products, .. } = &*self.inner;
        Dashboard::new(cx, catalog_caches, top_products)
    }

    /// Orders.
    pub fn orders(&self) -> Orders<'_> {
        Orders::new(&self.inner.cx, &self.inner.shipping.quotes)
    }

    /// Payments.
    pub fn payments(&self) -> Payments<'_> {
        Payments::new(&self.inner.settlement)
    }

    /// The built-in payment provider, where one plays the payer.
    pub fn sandbox(&self) -> Sandbox<'_> {
        Sandbox::new(&self.inner.settlement)
    }

    /// Electronic invoices.
    #[cfg(feature = "nfe")]
    pub fn invoices(&self) -> Invoices<'_> {
        Invoices::new(&self.inner.invoicing)
    }

    /// Shipping prices.
    pub fn shipping(&self) -> Shipping<'_> {
        Shipping::new(&self.inner.cx, &self.inner.shipping)
    }

    /// What customers would like to have.
    pub fn wishlists(&self) -> Wishlists<'_> {
        Wishlists::new(&self.inner.cx)
    }

    /// Customers' in-app notifications.
    pub fn notifications(&self) -> Notifications<'_> {
        Notifications::new(&self.inner.cx)
    }

    /// Who reads the newsletter.
    pub fn newsletter(&self) -> Newsletter<'_> {
        Newsletter::new(&self.inner.cx)
    }

    /// Receivers of what happens in the shop.
    pub fn webhooks(&self) -> Webhooks<'_> {
        Webhooks::new(
            &self.inner.cx,
            #[cfg(feature = "http")]
            &self.inner.webhook_sender,
        )
    }

    /// The log of what happened.
    pub fn events(&self) -> Events<'_> {
        Events::new(&self.inner.cx)
    }

    /// Messages to the shop.
    pub fn contact_form(&self) -> ContactForm<'_> {
        ContactForm::new(&self.inner.cx)
    }

    /// What programs call the shop with.
    pub fn api_keys(&self) -> ApiKeys<'_> {
        ApiKeys::new(&self.inner.cx, &self.inner.key_uses)
    }

    /// What was done in the back office, and by whom.
    pub fn audit(&self) -> AuditLog<'_> {
        AuditLog::new(&self.inner.cx)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// Whatever keeps it from answering.
    ///
    /// Cancel safe: reads only.
    pub async fn check_ready(&self) -> Result<()> {
        let ready = |tx: &mut dyn crate::storage::Tx| tx.value::<i64>("SELECT 1", &[]).map(drop);
        self.inner.cx.db().lookup("shop.ready", ready).await
    }

    /// Whether the database takes a write, and keeps it: a row of its own is written anew and
    /// committed. Costs what any small commit costs; a caller that strangers can trigger asks
    /// seldom.
    ///
    /// # Errors
    /// Whatever keeps the database from taking it, such as a full disk.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn check_writable(&self) -> Result<()> {
        lease::check_writable(&self.inner.cx).await
    }

    /// Accounts.
    pub fn accounts(&self) -> Accounts<'_> {
        Accounts::new(&self.inner.cx, &self.inner.credentials)
    }

    /// Sessions of accounts.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions::new(&self.inner.cx, &self.inner.credentials)
    }

    /// Two-factor log-ins of the accounts that run the shop.
    pub fn two_factor(&self) -> TwoFactor<'_> {
        TwoFactor::new(self.accounts())
    }

    /// Customers, as staff sees them.
    pub fn customers(&self) -> Customers<'_> {
        Customers::new(&self.inner.cx)
    }

    /// What the site shows beside the catalogue.
    pub fn site(&self) -> Site<'_> {
        Site::new(&self.inner.cx)
    }

    /// The address books of accounts.
    pub fn addresses(&self) -> Addresses<'_> {
        Addresses::new(&self.inner.cx)
    }

    #[cfg(feature = "test-util")]
    pub(crate) fn settlement(&self) -> &Settlement {
        &self.inner.settlement
    }

    #[cfg(any(feature = "demo", test))]
    pub(crate) fn context(&self) -> &Context {
        &self.inner.cx
    }
}
