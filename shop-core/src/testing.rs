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

use std::error::Error;
use std::fmt::Debug;
use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::account::{NewAddress, Register};
use crate::actor::Actor;
use crate::catalog::{NewProduct, Product};
use crate::checkout::{PlaceItem, PlaceOrder};
use crate::clock::{ManualClock, Timestamp};
use crate::config::{Config, MailConfig, ProgramConfig, table_test};
use crate::id::{AccountId, AddressId};
use crate::order::Order;
use crate::shop::{Shop, ShopBuilder};

/// Noon in São Paulo on Saturday, 21 November 2026: when every such shop begins.
pub const START: Timestamp = Timestamp::from_millis(1_795_273_200_000);

/// What fails in a test is shown, not told apart.
pub type Tried<T> = Result<T, Box<dyn Error>>;

/// An open shop with nothing in it. Its folder goes when it does.
#[derive(Debug)]
pub struct TestShop {
    shop: Shop,
    clock: ManualClock,
    folder: TempDir,
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
    /// A shop that calls no third party.
    ///
    /// # Errors
    /// When there is no place for it.
    ///
    /// Cancel safe: a shop that is half open goes with its folder.
    pub async fn open() -> Tried<Self> {
        Self::with(|builder| builder).await
    }

    /// A shop with other settings or parts. A build without SQLite names an empty database of
    /// PostgreSQL here:
    ///
    /// ```no_run
    /// # async fn open() -> shop_core::testing::Tried<()> {
    /// use shop_core::testing::TestShop;
    ///
    /// let url = "postgres://postgres@127.0.0.1/shop_test";
    /// let shop = TestShop::with(|it| it.configure(|config| config.database = url.into())).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`TestShop::open`].
    ///
    /// Cancel safe: a shop that is half open goes with its folder.
    pub async fn with(adapt: impl FnOnce(ShopBuilder) -> ShopBuilder) -> Tried<Self> {
        let folder = tempfile::tempdir()?;
        let config = config_in(folder.path());
        let clock = ManualClock::at(START);
        let shop = adapt(Shop::builder(config).clock(clock.clone())).open().await?;
        Ok(Self { shop, clock, folder })
    }

    /// Moves the shop's clock forward.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
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
    pub async fn product(&self, name: &str, price: &str, units: i64) -> Tried<Product> {
        let new = NewProduct::new(name.parse()?, price.parse()?, units.try_into()?)?;
        Ok(self.products().create(&Actor::System, new, None).await?.product)
    }

    /// A customer of this first name, whose password is `segredo-123`.
    ///
    /// # Errors
    /// What keeps an account from being made.
    ///
    /// Dropped half-way, it leaves what was written by then.
    pub async fn buyer(&self, name: &str) -> Tried<Buyer> {
        let register = Register {
            name: name.parse()?,
            email: format!("{}@example.com", name.to_lowercase()).parse()?,
            password: "segredo-123".parse()?,
        };
        let id = self.accounts().register(register).await?.account.id;
        let address = self.addresses().create(&id, home()?).await?.id;
        Ok(Buyer { id, address })
    }

    /// An unpaid order of two lavender candles at R$ 49,90 by a customer called Ana.
    ///
    /// # Errors
    /// What keeps an order from being placed, a second Ana included.
    ///
    /// Dropped half-way, it leaves what was written by then.
    pub async fn order(&self) -> Tried<Order> {
        let candle = self.product("Vela de Lavanda", "49.90", 10).await?;
        let ana = self.buyer("Ana").await?;
        let items = vec![PlaceItem::new(candle.id, 2.try_into()?)];
        let order = PlaceOrder { cart_items: Some(items), ..PlaceOrder::to(ana.address) };
        Ok(self.orders().place(&ana.id, order, None).await?.order)
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

fn home() -> Tried<NewAddress> {
    Ok(NewAddress {
        label: "Casa".parse()?,
        street: "Rua das Flores".parse()?,
        number: "123".parse()?,
        complement: None,
        district: "Centro".parse()?,
        city: "São Paulo".parse()?,
        state: "SP".parse()?,
        zip_code: "01001-000".parse()?,
        is_default: None,
    })
}
