//! A shop in a temporary folder, with a clock that tests move.

use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::api_key::{CreatedKey, Scope};
use shop_core::cart::Cart;
use shop_core::checkout::{PlaceOrder, Placed};
use shop_core::clock::{ManualClock, Timestamp};
use shop_core::config::{MailConfig, OrdersConfig};
use shop_core::id::{AccountId, AddressId, ProductId};
use shop_core::order::Order;
use shop_core::{Config, Result, Shop};
use tempfile::TempDir;

use crate::database::Database;

/// A secret that production takes.
pub(crate) const JWT_SECRET: &str = "mW0q3hXgkzJ4uT7bQyP1vN8cR5sLdE2fT6sW1xRnJc5uQe7LgHa2";

/// Noon in São Paulo on a Saturday.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_795_273_200_000);

pub(crate) struct TestShop {
    pub(crate) shop: Shop,
    pub(crate) clock: ManualClock,
    pub(crate) data: Database,
    pub(crate) dir: TempDir,
}

/// A customer with an address in São Paulo.
#[derive(Clone)]
pub(crate) struct Buyer {
    pub(crate) id: AccountId,
    pub(crate) address: AddressId,
}

impl TestShop {
    pub(crate) async fn open() -> Self {
        Self::with(|_| {}).await
    }

    /// A shop on the machine's clock, for processes beside this one that have no other.
    pub(crate) async fn with_machine_clock() -> Self {
        let test = Self::open().await;
        let builder = Shop::builder(test.shop.config().clone()).weak_passwords();
        let shop = builder.open().await.expect("opens");
        Self { shop, ..test }
    }

    pub(crate) async fn with(adapt: impl FnOnce(&mut Config)) -> Self {
        Self::at(START, adapt).await
    }

    /// A shop whose clock stands at this instant.
    pub(crate) async fn at(start: Timestamp, adapt: impl FnOnce(&mut Config)) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let data = Database::new(dir.path());
        Self::on(data, dir, start, adapt).await
    }

    /// A shop on this database.
    pub(crate) async fn on(
        data: Database,
        dir: TempDir,
        start: Timestamp,
        adapt: impl FnOnce(&mut Config),
    ) -> Self {
        let clock = ManualClock::at(start);
        let mut config = Config {
            database: data.name().to_owned(),
            uploads_dir: Some(dir.path().join("uploads")),
            mail: MailConfig {
                outbox_dir: Some(dir.path().join("outbox")),
                ..MailConfig::default()
            },
            orders: unlimited(),
            ..Config::default()
        };
        "offline".clone_into(&mut config.shipping.cep.url);
        adapt(&mut config);
        let builder = Shop::builder(config).clock(clock.clone()).weak_passwords();
        let shop = builder.open().await.expect("opens");
        Self { shop, clock, data, dir }
    }

    /// The same file, opened once more beside this one, as another process would.
    pub(crate) async fn open_again(&self) -> Shop {
        self.open_again_with(|_| {}).await
    }

    /// As [`Self::open_again`], with other settings.
    pub(crate) async fn open_again_with(&self, adapt: impl FnOnce(&mut Config)) -> Shop {
        let config = self.shop.config().clone();
        let builder = Shop::builder(config).configure(adapt).clock(self.clock.clone());
        builder.weak_passwords().open().await.expect("opens again")
    }

    /// Where its data is, as `--database` takes it.
    pub(crate) fn database(&self) -> PathBuf {
        self.data.name().into()
    }

    pub(crate) fn advance_hours(&self, hours: u64) {
        self.clock.advance(Duration::from_secs(hours * 3600));
    }

    pub(crate) async fn buyer(&self, name: &str) -> Buyer {
        let register = input(json!({
            "name": name, "email": format!("{name}@example.com"), "password": "segredo-123"
        }));
        let session = self.shop.accounts().register(register).await.expect("registers");
        let address = input(json!({
            "label": "Casa", "street": "Rua das Flores", "number": "123", "district": "Centro",
            "city": "São Paulo", "state": "SP", "zipCode": "01001000"
        }));
        let id = session.account.id;
        let address = self.shop.addresses().create(&id, address).await.expect("an address");
        Buyer { id, address: address.id }
    }

    /// The session token of a buyer.
    pub(crate) async fn log_in(&self, name: &str) -> String {
        let login = json!({ "email": format!("{name}@example.com"), "password": "segredo-123" });
        self.shop.sessions().log_in(input(login)).await.expect("logs in").token
    }

    /// An API key of these scopes.
    pub(crate) async fn key(&self, scopes: &[Scope]) -> CreatedKey {
        let new = input(json!({ "name": "ERP", "scopes": scopes }));
        self.shop.api_keys().create(&Actor::System, new).await.expect("a key")
    }

    /// A product with so many units at so many cents.
    pub(crate) async fn product(&self, name: &str, stock: i64, cents: i64) -> ProductId {
        let price = shop_core::money::Money::from_cents(cents);
        let product = input(json!({
            "name": name, "slug": name, "price": price, "stock": stock, "sku": format!("SKU-{name}"),
            "weight": 0.25,
            "images": [{ "url": format!("/uploads/{name}.svg"), "alt": name, "isPrimary": true }]
        }));
        self.shop
            .products()
            .create(&Actor::System, product, None)
            .await
            .expect("a product")
            .product
            .id
    }

    pub(crate) async fn place(&self, buyer: &Buyer, items: Value) -> Result<Placed> {
        self.place_order(buyer, order_of(buyer, items), None).await
    }

    /// Places an order, with an idempotency key where one is named.
    pub(crate) async fn place_order(
        &self,
        buyer: &Buyer,
        order: PlaceOrder,
        key: Option<&str>,
    ) -> Result<Placed> {
        let key = key.map(|key| key.parse().expect("a key"));
        self.shop.orders().place(&buyer.id, order, key).await
    }

    pub(crate) async fn add_to_cart(
        &self,
        buyer: &Buyer,
        product: &ProductId,
        quantity: i64,
    ) -> Result<Cart> {
        let item = input(json!({ "productId": product, "quantity": quantity }));
        self.shop.carts().add(&buyer.id, item).await
    }

    /// One order of one product.
    pub(crate) async fn buy(
        &self,
        buyer: &Buyer,
        product: &ProductId,
        quantity: i64,
    ) -> Result<Order> {
        let items = json!([{ "productId": product, "quantity": quantity }]);
        self.place(buyer, items).await.map(|placed| placed.order)
    }

    /// A number that a query of the file itself gives, for what the API does not show.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        self.data.count(sql)
    }

    /// Changes the data behind the shop's back.
    pub(crate) fn raw_sql(&self, sql: &str) {
        self.data.raw_sql(sql);
    }

    /// Everything that is counted somewhere agrees with what it counts.
    pub(crate) async fn check_books(&self) {
        let database = shop_core::maintenance::Database::at(self.data.name());
        let report = database.check(self.shop.now()).await.expect("a report");
        assert!(report.is_ok(), "{:?}", report.wrong().collect::<Vec<_>>());
    }

    /// The ledger explains the shelf: each item's movements sum to its stock.
    pub(crate) fn check_ledger(&self) {
        let unexplained = self.count(
            "SELECT count(*) FROM stock s WHERE quantity <> (SELECT coalesce(sum(delta), 0)
             FROM stock_movement m WHERE m.item_id = s.item_id)",
        );
        assert_eq!(unexplained, 0, "the movements do not sum to the stock");
    }

    pub(crate) fn stock(&self, item: &str) -> i64 {
        self.count(&format!("SELECT quantity FROM stock WHERE item_id = '{item}'"))
    }
}

/// Tests buy more than any shopper, all of it from one address.
fn unlimited() -> OrdersConfig {
    OrdersConfig {
        max_units_per_order: 0,
        max_open_unpaid: 0,
        max_per_hour: 0,
        max_per_hour_per_ip: 0,
        ..OrdersConfig::default()
    }
}

pub(crate) fn order_of(buyer: &Buyer, items: Value) -> PlaceOrder {
    input(json!({ "addressId": buyer.address, "cartItems": items }))
}

/// An input as it comes over a wire.
pub(crate) fn input<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_str(&json.to_string()).expect("a valid input")
}
