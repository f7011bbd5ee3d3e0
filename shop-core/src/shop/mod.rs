//! The shop: one value that holds everything, and hands out a small handle for each topic.

pub mod background;
mod builder;
mod counters;
mod inputs;
mod mail_templates;
mod pointers;

use std::sync::Arc;

use self::background::Failures;
pub use self::builder::ShopBuilder;
pub use self::counters::{
    CallFigures, CallOutcome, Counters, PaymentCount, SendCounts, ThirdParty,
};
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
use crate::fulfilment::{Fulfilment, Shipments};
use crate::inventory::Stocks;
#[cfg(feature = "nfe")]
use crate::invoicing::{Invoices, Invoicing};
use crate::lease;
use crate::mail::{ContactForm, MailTexts, Mailer, Mails};
use crate::media::MediaStore;
use crate::newsletter::Newsletter;
use crate::notification::Notifications;
use crate::order::Orders;
use crate::provider_calls::ProviderCalls;
use crate::returning::Returns;
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
    fulfilment: Fulfilment,
    shipping: ShippingServices,
    mailer: Option<Arc<dyn Mailer>>,
    mail_texts: Option<Arc<dyn MailTexts>>,
    #[cfg(feature = "http")]
    melhor_envio: Arc<crate::shipment::client::MelhorEnvio>,
    #[cfg(feature = "http")]
    webhook_sender: crate::webhook::Sender,
    #[cfg(feature = "nfe")]
    invoicing: Invoicing,
    background_failures: Failures,
    provider_calls: Arc<ProviderCalls>,
    warnings: Vec<Finding>,
}

opaque! { Shop; }

impl Shop {
    /// Opens the shop that a configuration describes, with the machine's clock.
    ///
    /// # Errors
    /// As [`ShopBuilder::open`].
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

    /// Where pictures are kept.
    pub fn media(&self) -> &dyn MediaStore {
        &*self.inner.media
    }

    /// Pictures as staff bring them and pages want them.
    #[cfg(feature = "media")]
    pub fn pictures(&self) -> crate::media::Pictures<'_> {
        crate::media::Pictures::new(&self.inner.cx, &*self.inner.media, &self.inner.processor)
    }

    /// Receivers of what happens in the shop.
    pub fn webhooks(&self) -> Webhooks<'_> {
        Webhooks::new(
            &self.inner.cx,
            #[cfg(feature = "http")]
            &self.inner.webhook_sender,
        )
    }

    /// The connection with Melhor Envio, by which labels are bought.
    #[cfg(feature = "http")]
    pub fn melhor_envio(&self) -> crate::shipment::MelhorEnvioConnection<'_> {
        crate::shipment::MelhorEnvioConnection::new(&self.inner.melhor_envio)
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

    /// Two-factor log-ins of the accounts that run the shop.
    pub fn two_factor(&self) -> TwoFactor<'_> {
        TwoFactor::new(self.accounts())
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

/// The handle of each topic, and what of the shop it holds.
macro_rules! topics {
    ($($(#[$meta:meta])* $name:ident: $Handle:ident($($part:ident $(.$of:ident)?),+))*) => {
        impl Shop {
            $($(#[$meta])* pub fn $name(&self) -> $Handle<'_> {
                $Handle::new($(&self.inner.$part $(.$of)?),+)
            })*
        }
    };
}

topics! {
    /// What is sold.
    products: Products(cx, catalog_caches)
    /// What customers say about products.
    reviews: Reviews(cx)
    /// The shelves that products stand on.
    categories: Categories(cx)
    /// The kinds of variation that tell variants apart.
    variant_types: VariantTypes(cx)
    /// Units on the shelf.
    stock: Stocks(cx)
    /// Server-side carts.
    carts: Carts(cx)
    /// Discounts for who knows a code.
    coupons: Coupons(cx)
    /// Orders.
    orders: Orders(cx, shipping.quotes)
    /// Payments.
    payments: Payments(settlement)
    /// Goods that come back.
    returns: Returns(settlement)
    /// The built-in payment provider, where one plays the payer.
    sandbox: Sandbox(settlement)
    /// Electronic invoices.
    #[cfg(feature = "nfe")]
    invoices: Invoices(invoicing)
    /// Shipping prices.
    shipping: Shipping(cx, shipping)
    /// Parcels on their way, and their labels.
    shipments: Shipments(fulfilment)
    /// What customers would like to have.
    wishlists: Wishlists(cx)
    /// Customers' in-app notifications.
    notifications: Notifications(cx)
    /// Who reads the newsletter.
    newsletter: Newsletter(cx)
    /// The log of what happened.
    events: Events(cx)
    /// What the shop writes by mail.
    mails: Mails(cx)
    /// Messages to the shop.
    contact_form: ContactForm(cx)
    /// What programs call the shop with.
    api_keys: ApiKeys(cx, key_uses)
    /// What was done in the back office, and by whom.
    audit: AuditLog(cx)
    /// Accounts.
    accounts: Accounts(cx, credentials)
    /// Sessions of accounts.
    sessions: Sessions(cx, credentials)
    /// Customers, as staff sees them.
    customers: Customers(cx)
    /// What the site shows beside the catalogue.
    site: Site(cx)
    /// The address books of accounts.
    addresses: Addresses(cx)
    /// How the shop is doing.
    dashboard: Dashboard(cx, catalog_caches, top_products)
}
