//! Random histories of what staff, carriers, Melhor Envio and the network do to the labels of an
//! order, against a wallet that really loses money: no label is paid twice, none that is paid is
//! lost, and what the wallet lost is what the shop has booked.

mod history;
mod random;

use std::time::Duration;

use shop_core::config::LabelProviderKind;
use shop_core::id::ProductId;
use shop_core::money::Money;
use shop_core::{Config, Shop};
use shop_tests::repeats;

use self::random::Random;
use super::fixture::{Buyer, TestShop};
use super::melhor_envio::connect;
use super::shipment::{self, MOVING, is_moving, recipient};
use crate::fakes::melhor_envio::{Books, MelhorEnvio, WALLET};

/// So many have room for everything that may happen.
const VARIED: u64 = 260;

/// How many histories one shop goes through, in each of four tests. `SHOP_LABEL_HISTORIES` says
/// another number: 260 are over a thousand in all, which take some ten minutes.
fn histories() -> u64 {
    let asked = std::env::var("SHOP_LABEL_HISTORIES").ok();
    asked.map_or_else(|| repeats(5, 20), |text| text.parse().expect("a number of histories"))
}

/// A shop that runs on two servers, and its provider.
struct Bench {
    test: TestShop,
    second: Shop,
    fake: MelhorEnvio,
    ana: Buyer,
    vela: ProductId,
    /// What was taken out of the wallet so that it is too small, in cents.
    reserve: i64,
}

impl Bench {
    async fn open() -> Self {
        let fake = MelhorEnvio::start().await;
        let test = TestShop::with(|config| {
            fake.adapt(config);
            adapt(config);
        })
        .await;
        test.raw_sql("DELETE FROM shipping_tariff");
        connect(&test.shop, &fake).await;
        let ana = recipient(&test).await;
        let vela = test.product("vela", 1_000_000, 4_990).await;
        let second = test.open_again().await;
        Self { test, second, fake, ana, vela, reserve: 0 }
    }

    async fn later(&self, minutes: u64) {
        self.test.clock.advance(Duration::from_secs(minutes * 60));
        self.test.shop.shipments().advance_due().await.expect("a round");
    }

    /// Everything works again, and time passes until nothing is being bought or given back.
    async fn settle(&mut self) {
        let reserve = std::mem::take(&mut self.reserve);
        self.fake.is_well();
        self.fake.books(|books| books.wallet += reserve);
        if !self.is_connected().await {
            connect(&self.test.shop, &self.fake).await;
        }
        for _ in 0..200 {
            if !is_moving(&self.test) {
                return;
            }
            self.later(30).await;
        }
        let left = format!("SELECT status, problem, attempts {MOVING}");
        panic!("it does not settle: {:?}", self.test.data.rows(&left));
    }

    async fn is_connected(&self) -> bool {
        self.test.shop.melhor_envio().labels().balance().await.is_ok()
    }

    fn check(&self, what: &str) {
        let (spent, paid) = self.fake.books(|books| {
            for label in books.labels() {
                let id = label["id"].as_str().expect("an id");
                let of_label = || books.movements.iter().filter(|(of, _)| of == id);
                let payments = of_label().filter(|(_, cents)| *cents > 0).count();
                assert!(payments <= 1, "{what}: {id} was paid {payments} times");
                assert!(of_label().count() <= 1 + payments, "{what}: {id} was given back twice");
            }
            let paid = books.labels().iter().filter(|label| Books::is_paid(label));
            let paid: Vec<String> =
                paid.map(|it| it["id"].as_str().expect("an id").to_owned()).collect();
            (WALLET - books.wallet, paid)
        });
        let booked = "SELECT CAST(coalesce(sum(price), 0) AS BIGINT) FROM shipment
                      WHERE paid_at IS NOT NULL AND status <> 'CANCELLED'";
        assert_eq!(self.test.count(booked), spent, "{what}: what the shop has booked");
        let known = "SELECT count(DISTINCT label_id) FROM shipment WHERE paid_at IS NOT NULL
                     AND status IN ('PAID', 'GENERATED', 'POSTED', 'DELIVERED', 'RETURNING')";
        let count = i64::try_from(paid.len()).expect("small");
        assert_eq!(self.test.count(known), count, "{what}: labels that are paid");
        for id in paid {
            let known = format!(
                "SELECT count(*) FROM shipment WHERE label_id = '{id}' AND paid_at IS NOT NULL"
            );
            assert_eq!(self.test.count(&known), 1, "{what}: {id} is paid");
        }
    }
}

/// Who sends, and what sending costs.
pub(crate) fn adapt(config: &mut Config) {
    shipment::adapt(config);
    config.shipping.fallback_price = Money::from_cents(3_000);
    config.shipping.labels.provider = LabelProviderKind::MelhorEnvio;
}

/// The same for a process.
pub(crate) fn environment() -> Vec<(&'static str, String)> {
    [
        ("SHOP_SHIPPING__FREE_FROM", "never"),
        ("SHOP_SHIPPING__FALLBACK_PRICE", "30.00"),
        ("SHOP_SHIPPING__LABELS__PROVIDER", "melhor-envio"),
        ("SHOP_SHIPPING__LABELS__SERVICE", "1"),
        ("SHOP_SHIPPING__SENDER__NAME", "Velas Aurora ME"),
        ("SHOP_SHIPPING__SENDER__DOCUMENT", "11.222.333/0001-81"),
        ("SHOP_SHIPPING__SENDER__STREET", "Rua das Flores"),
        ("SHOP_SHIPPING__SENDER__NUMBER", "10"),
        ("SHOP_SHIPPING__SENDER__DISTRICT", "Centro"),
        ("SHOP_SHIPPING__SENDER__CITY", "São Paulo"),
        ("SHOP_SHIPPING__SENDER__STATE", "SP"),
        ("SHOP_SHIPPING__SENDER__ZIP_CODE", "01001-000"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into()
}

async fn go_through(seed: u64) {
    let mut bench = Bench::open().await;
    let mut deeds = history::Deeds::default();
    for n in 0..histories() {
        let mut random = Random::of(seed + n);
        let what = bench.live(&mut random, &mut deeds).await;
        bench.settle().await;
        bench.check(&format!("history {}: {what}", seed + n));
    }
    bench.fake.asked();
    bench.test.check_books().await;
    if histories() >= VARIED {
        deeds.check_variety();
    }
}

/// One test each, so that they run beside each other.
macro_rules! histories {
    ($($name:ident: $seed:literal)+) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            go_through($seed).await;
        }
    )+};
}

histories! {
    no_label_is_paid_twice_or_lost_in_the_first_quarter_of_the_histories: 10_000
    no_label_is_paid_twice_or_lost_in_the_second_quarter_of_the_histories: 20_000
    no_label_is_paid_twice_or_lost_in_the_third_quarter_of_the_histories: 30_000
    no_label_is_paid_twice_or_lost_in_the_fourth_quarter_of_the_histories: 40_000
}
