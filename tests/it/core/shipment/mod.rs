//! Shipments: labels are bought and given back once, whatever is lost on the way.

mod buying;
mod losing;
mod paper;
mod price;
mod wallet;
mod withdrawn;

use std::time::Duration;

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::ProductFilter;
use shop_core::clock::{ManualClock, Timestamp};
use shop_core::config::LabelProviderKind;
use shop_core::fulfilment::BuyLabels;
use shop_core::id::ShipmentId;
use shop_core::money::Money;
use shop_core::order::Order;
use shop_core::shipment::{Shipment, ShipmentStatus};
use shop_core::{Config, Result, Shop};

use self::wallet::Wallet;
use super::fixture::{Buyer, TestShop, input};

/// A shop with a buyer and a product, where sending costs R$ 18,00 and labels are bought from a
/// wallet.
struct Bench {
    test: TestShop,
    shop: Shop,
    wallet: Wallet,
    ana: Buyer,
}

/// Who sends, and what a label may cost.
pub(crate) fn adapt(config: &mut Config) {
    let text = |text: &str| Some(text.to_owned());
    let shipping = &mut config.shipping;
    shipping.free_from = None;
    shipping.fallback_price = Money::from_cents(1_800);
    shipping.labels.service = text("1");
    let sender = &mut shipping.sender;
    sender.name = text("Velas Aurora ME");
    sender.document = text("11.222.333/0001-81");
    sender.street = text("Rua das Flores");
    sender.number = text("10");
    sender.district = text("Centro");
    sender.city = text("São Paulo");
    sender.state = "SP".parse().ok();
    sender.zip_code = "01001-000".parse().ok();
}

/// A customer who can be sent parcels: carriers want to know the CPF.
pub(crate) async fn recipient(test: &TestShop) -> Buyer {
    let ana = test.buyer("ana").await;
    let named = json!({ "cpf": "529.982.247-25", "phone": "11 98765-4321" });
    test.shop.accounts().update(&ana.id, input(named)).await.expect("named");
    ana
}

/// Labels that are being bought or given back, and will be gone on with.
pub(crate) const MOVING: &str = "FROM shipment
    WHERE status IN ('DRAFT', 'IN_CART', 'PAYING', 'PAID', 'CANCELLING') AND check_at IS NOT NULL";

/// Whether there are any.
pub(crate) fn is_moving(test: &TestShop) -> bool {
    test.count(&format!("SELECT count(*) {MOVING}")) > 0
}

pub(crate) fn sandbox(config: &mut Config) {
    adapt(config);
    config.shipping.labels.provider = LabelProviderKind::Sandbox;
}

/// The shop once more, with the wallet, as another server would open it.
async fn open(config: Config, clock: ManualClock, wallet: Wallet) -> Shop {
    let builder = Shop::builder(config).clock(clock).label_provider(wallet);
    builder.open().await.expect("opens")
}

impl Bench {
    async fn open() -> Self {
        let test = TestShop::with(adapt).await;
        test.raw_sql("DELETE FROM shipping_tariff");
        let wallet = Wallet::open();
        let shop = open(test.shop.config().clone(), test.clock.clone(), wallet.clone()).await;
        let ana = recipient(&test).await;
        test.product("vela", 10_000, 4_990).await;
        Self { test, shop, wallet, ana }
    }

    async fn paid(&self, units: i64) -> Order {
        paid(&self.test, &self.ana, units).await
    }

    async fn buy(&self, order: &Order, what: Value) -> Result<Vec<Shipment>> {
        buy(&self.shop, order, what).await
    }

    async fn get(&self, id: &ShipmentId) -> Shipment {
        self.shop.shipments().get(id).await.expect("there")
    }

    /// Lets so much time pass, and has the background look after what is due.
    async fn later(&self, minutes: u64) -> usize {
        self.test.clock.advance(Duration::from_secs(minutes * 60));
        self.shop.shipments().advance_due().await.expect("a round")
    }

    /// Lets time pass until nothing is being bought or given back, or a day is over.
    async fn settle(&self) {
        for _ in 0..200 {
            if !is_moving(&self.test) {
                return;
            }
            self.later(10).await;
        }
        panic!("it does not settle");
    }

    /// What the wallet lost is what the shop has booked, label by label, and none was paid twice.
    async fn check(&self) {
        self.test.check_books().await;
        let books = self.wallet.books();
        assert!(books.labels.iter().all(|it| it.payments <= 1), "a label was paid twice");
        assert_eq!(books.credit - books.balance, books.spent(), "the wallet's own books");
        let booked = self.test.count(
            "SELECT coalesce(sum(price), 0) FROM shipment
             WHERE paid_at IS NOT NULL AND status <> 'CANCELLED'",
        );
        assert_eq!(booked, books.spent(), "what the shop has booked");
        for kept in books.paid() {
            let id = &kept.label.id;
            let known = self.test.count(&format!(
                "SELECT count(*) FROM shipment WHERE label_id = '{id}' AND paid_at IS NOT NULL
                   AND status IN ('PAID', 'GENERATED')"
            ));
            assert_eq!(known, 1, "{id} is paid, and the shop knows it not");
        }
    }
}

/// An order of so many candles that is paid.
pub(crate) async fn paid(test: &TestShop, ana: &Buyer, units: i64) -> Order {
    let vela = test.count("SELECT pk FROM product WHERE slug = 'vela'");
    assert!(vela > 0, "the candle is there");
    let found = test.shop.products().list(ProductFilter::default()).await.expect("products");
    let order = test.buy(ana, &found.data[0].id, units).await.expect("placed");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid")
}

async fn buy(shop: &Shop, order: &Order, what: Value) -> Result<Vec<Shipment>> {
    let what: BuyLabels = input(what);
    shop.shipments().buy(&Actor::System, &order.id, what, None).await
}

/// The states of an order's shipments, parcel by parcel.
async fn states(shop: &Shop, order: &Order) -> Vec<ShipmentStatus> {
    let found = shop.shipments().list_for_order(&order.id).await.expect("there");
    found.into_iter().map(|it| it.status).collect()
}

const START: Timestamp = super::fixture::START;
