//! A shop to try things on: in a temporary folder of its own, with a clock that stands still until
//! it is moved. For tests of programs that embed the library, and for its own examples.
//!
//! ```
//! use std::time::Duration;
//!
//! use shop_core::order::OrderStatus;
//! use shop_core::testing::TestShop;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let shop = TestShop::open().await?;
//! let order = shop.order().await?;
//! shop.advance(Duration::from_secs(73 * 60 * 60));
//! shop.run_due().await?;
//! let order = shop.orders().get_for_customer(&order.user_id, &order.id).await?;
//! assert_eq!(order.status, OrderStatus::Cancelled);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod conformance;

#[cfg(feature = "postgres")]
mod postgres;

use std::fmt::Debug;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::account::{NewAddress, Register};
use crate::actor::Actor;
use crate::catalog::{NewProduct, Product};
use crate::checkout::{PlaceItem, PlaceOrder};
use crate::clock::{Clock, ManualClock, Timestamp};
use crate::config::{Config, MailConfig, ProgramConfig, table_test};
use crate::error::{Error, Result};
use crate::id::{AccountId, AddressId};
use crate::order::{Order, OrderStatus};
use crate::settlement::{RecordPayment, RecordedMethod};
use crate::shop::{Shop, ShopBuilder};
use crate::value::Email;
use crate::value::words::words;

/// Noon in São Paulo on Saturday, 21 November 2026: when every such shop begins.
pub const START: Timestamp = Timestamp::from_millis(1_795_273_200_000);

/// What fails in a piece of a test is shown, not told apart.
pub type Tried<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// An open shop with nothing in it. Its folder and its database go when it does.
#[derive(Debug)]
pub struct TestShop {
    shop: Shop,
    ahead: ManualClock,
    sandbox: bool,
    ana: OnceCell<Buyer>,
    folder: TempDir,
    #[cfg(feature = "postgres")]
    _database: Option<postgres::OwnDatabase>,
}

/// The clock that the shop was opened with, and how far it was moved.
struct MovedClock {
    of: Arc<dyn Clock>,
    ahead: ManualClock,
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        let ahead = self.ahead.now().millis();
        self.of.now().plus(Duration::from_millis(u64::try_from(ahead).unwrap_or_default()))
    }
}

/// A customer with an address in São Paulo.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Buyer {
    /// The account.
    pub id: AccountId,
    /// Where parcels go.
    pub address: AddressId,
}

impl TestShop {
    /// A shop that calls no third party, and hashes passwords weakly
    /// ([`ShopBuilder::weak_passwords`]).
    ///
    /// # Errors
    /// When there is no place for it.
    ///
    /// Cancel safe: a shop that is half open goes with its folder.
    pub async fn open() -> Result<Self> {
        Self::with(|builder| builder).await
    }

    /// A shop with other settings or parts.
    ///
    /// # Errors
    /// As [`TestShop::open`].
    ///
    /// Cancel safe: a shop that is half open goes with its folder.
    pub async fn with(adapt: impl FnOnce(ShopBuilder) -> ShopBuilder) -> Result<Self> {
        let folder = tempfile::tempdir().map_err(Error::from_source)?;
        let config = config_in(folder.path());
        let builder = Shop::builder(config).clock(ManualClock::at(START)).weak_passwords();
        let builder = adapt(builder);
        let sandbox = builder.has_sandbox_for_pix();
        let ahead = ManualClock::at(Timestamp::from_millis(0));
        let moved = ahead.clone();
        let builder = builder.behind(|of| Arc::new(MovedClock { of, ahead: moved }));
        Ok(Self {
            shop: builder.open().await?,
            ahead,
            sandbox,
            ana: OnceCell::new(),
            folder,
            #[cfg(feature = "postgres")]
            _database: None,
        })
    }

    /// A shop as [`TestShop::with`] opens it, in a database of its own on this PostgreSQL server,
    /// `postgres://postgres@127.0.0.1/postgres` say, whose user may create databases.
    ///
    /// ```no_run
    /// # async fn open() -> shop_core::Result<()> {
    /// use shop_core::testing::TestShop;
    ///
    /// let server = "postgres://postgres@127.0.0.1/postgres";
    /// let shop = TestShop::on_postgres(server, |builder| builder).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the server does not answer, or refuses to make a database.
    ///
    /// Cancel safe: a shop that is half open goes with its folder and its database.
    #[cfg(feature = "postgres")]
    pub async fn on_postgres(
        server: &str,
        adapt: impl FnOnce(ShopBuilder) -> ShopBuilder,
    ) -> Result<Self> {
        let database = postgres::OwnDatabase::create(server)?;
        let url = database.url();
        let shop = Self::with(|it| adapt(it.configure(|config| config.database = url))).await?;
        Ok(Self { _database: Some(database), ..shop })
    }

    /// Moves the shop's clock forward: the one that stands still, and as well one that the program
    /// brought ([`ShopBuilder::clock`]).
    pub fn advance(&self, by: Duration) {
        self.ahead.advance(by);
    }

    /// Where the shop keeps its files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A product on sale, with so many units.
    ///
    /// # Errors
    /// What keeps a product from being made.
    ///
    /// Dropped half-way, it leaves what was written by then.
    pub async fn product(&self, name: &str, price: &str, units: i64) -> Result<Product> {
        let new = NewProduct::new(name.parse()?, price.parse()?, units.try_into()?)?;
        Ok(self.products().create(&Actor::System, new, None).await?.product)
    }

    /// A customer of this first name, whose password is `segredo-123` and whose e-mail is the name
    /// without accents, `joao@example.com`.
    ///
    /// # Errors
    /// What keeps an account from being made.
    ///
    /// Dropped half-way, it leaves what was written by then.
    pub async fn buyer(&self, name: &str) -> Result<Buyer> {
        let register = Register::new(name.parse()?, email_of(name)?, "segredo-123".parse()?);
        let id = self.accounts().register(register).await?.account.id;
        let address = self.addresses().create(&id, home()?).await?.id;
        Ok(Buyer { id, address })
    }

    /// An unpaid order of two lavender candles at R$ 49,90 by the [`buyer`](TestShop::buyer) Ana,
    /// who is registered with the first one unless she is there.
    ///
    /// # Errors
    /// What keeps an order from being placed.
    ///
    /// Dropped half-way, it leaves what was written by then.
    pub async fn order(&self) -> Result<Order> {
        let candle = match self.products().find("vela-de-lavanda").await? {
            Some(candle) => candle,
            None => self.product("Vela de Lavanda", "49.90", 10).await?,
        };
        if candle.stock < 2 {
            self.stock().set(&Actor::System, &candle.id, None, 10.try_into()?, None).await?;
        }
        let ana = self.ana.get_or_try_init(|| self.ana()).await?;
        let items = vec![PlaceItem::new(candle.id, 2.try_into()?)];
        let order = PlaceOrder { cart_items: Some(items), ..PlaceOrder::to(ana.address.clone()) };
        Ok(self.orders().place(&ana.id, order, None).await?.order)
    }

    async fn ana(&self) -> Result<Buyer> {
        let id = match self.accounts().get_by_email(&email_of("Ana")?).await {
            Ok(account) => account.id,
            Err(Error::NotFound(_)) => return self.buyer("Ana").await,
            Err(error) => return Err(error),
        };
        let address = match self.addresses().list(&id).await?.into_iter().next() {
            Some(address) => address.id,
            None => self.addresses().create(&id, home()?).await?.id,
        };
        Ok(Buyer { id, address })
    }

    /// As [`TestShop::order`], paid: by PIX in the sandbox, or, where the program brought a
    /// provider of its own, by a transfer that staff record.
    ///
    /// # Errors
    /// What keeps an order from being placed or paid.
    ///
    /// Dropped half-way, it leaves what was written by then.
    pub async fn paid_order(&self) -> Result<Order> {
        let order = self.order().await?;
        if self.sandbox {
            self.payments().create_pix(&order.user_id, &order.id, None).await?;
            return self.sandbox().pay(&order.order_number).await;
        }
        let transfer = RecordPayment::new(RecordedMethod::Transfer);
        self.payments().record(&Actor::System, &order.id, transfer, None).await?;
        self.orders().get_for_customer(&order.user_id, &order.id).await
    }

    /// As [`TestShop::paid_order`], delivered.
    ///
    /// # Errors
    /// What keeps an order from being placed, paid or moved.
    ///
    /// Dropped half-way, it leaves what was written by then.
    pub async fn delivered_order(&self) -> Result<Order> {
        let order = self.paid_order().await?;
        self.orders().set_status(&order.id, OrderStatus::Delivered, None).await?;
        self.orders().get_for_customer(&order.user_id, &order.id).await
    }
}

impl Deref for TestShop {
    type Target = Shop;

    fn deref(&self) -> &Shop {
        &self.shop
    }
}

/// Holds a program's table of settings against its struct.
///
/// # Panics
/// Where they differ: in names, in defaults, or in what is secret.
pub fn hold_settings<P: ProgramConfig + Default + Debug>() {
    table_test::hold::<P>(P::KEYS.iter());
}

/// Runs a piece of a program with a shop of its own, on a runtime of its own.
///
/// # Panics
/// When the piece fails: it is a test.
pub fn run(piece: impl AsyncFnOnce(&TestShop) -> Tried<()>) {
    let ran = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(async { piece(&TestShop::open().await?).await }));
    if let Err(error) = ran {
        panic!("{error}: {error:?}");
    }
}

fn config_in(folder: &Path) -> Config {
    let mut config = Config {
        database: folder.join("shop.db").display().to_string(),
        uploads_dir: Some(folder.join("uploads")),
        mail: MailConfig { outbox_dir: Some(folder.join("outbox")), ..MailConfig::default() },
        ..Config::default()
    };
    "offline".clone_into(&mut config.shipping.cep.url);
    config
}

/// Names may have accents and blanks, addresses of mails have none here.
fn email_of(name: &str) -> Result<Email> {
    let words: Vec<String> = words(name).map(|word| word.folded).collect();
    Ok(format!("{}@example.com", words.join(".")).parse()?)
}

fn home() -> Result<NewAddress> {
    Ok(NewAddress::new(
        "Rua das Flores".parse()?,
        "123".parse()?,
        "Centro".parse()?,
        "São Paulo".parse()?,
        "SP".parse()?,
        "01001-000".parse()?,
    ))
}
