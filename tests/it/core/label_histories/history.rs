//! One history: an order, and what happens to its labels.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::fulfilment::{BuyLabels, RetryShipment};
use shop_core::id::{OrderId, ShipmentId};
use shop_core::order::Order;
use shop_core::shipment::LabelNotice;
use shop_core::{Error, Result, Shop};

use super::Bench;
use super::random::Random;
use crate::core::fixture::input;
use crate::core::melhor_envio::connect;
use crate::fakes::melhor_envio::{Books, Fault};

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Deed {
    Buy,
    BuyAtBothServers,
    BuyAndDie,
    GoOn,
    GoOnAtBothServers,
    GoOnAndDie,
    GiveBack,
    GiveBackAndDie,
    Retry,
    Notices,
    TokenEnds,
    AccessWithdrawn,
    Connect,
    WalletEmptied,
    WalletFilled,
    CarrierPosts,
}

use Deed::{
    AccessWithdrawn, Buy, BuyAndDie, BuyAtBothServers, CarrierPosts, Connect, GiveBack,
    GiveBackAndDie, GoOn, GoOnAndDie, GoOnAtBothServers, Notices, Retry, TokenEnds, WalletEmptied,
    WalletFilled,
};

const FIRST: &[Deed] = &[Buy, Buy, BuyAtBothServers, BuyAndDie, BuyAndDie];
const LATER: &[Deed] = &[
    Buy,
    BuyAtBothServers,
    BuyAndDie,
    GoOn,
    GoOn,
    GoOn,
    GoOnAtBothServers,
    GoOnAtBothServers,
    GoOnAndDie,
    GoOnAndDie,
    GiveBack,
    GiveBack,
    GiveBackAndDie,
    Retry,
    Retry,
    Notices,
    Notices,
    TokenEnds,
    AccessWithdrawn,
    Connect,
    WalletEmptied,
    WalletFilled,
    CarrierPosts,
];

/// What goes wrong with single calls.
const FAULTS: &[Fault] = &[
    Fault::LostBefore,
    Fault::LostBefore,
    Fault::LostAfter,
    Fault::LostAfter,
    Fault::LostAfter,
    Fault::FailsBefore(500),
    Fault::FailsBefore(503),
    Fault::FailsBefore(429),
    Fault::FailsBefore(404),
    Fault::FailsAfter(500),
    Fault::FailsAfter(502),
    Fault::Garbage,
    Fault::Garbage,
    Fault::Empty,
    Fault::TokenEnds,
    Fault::Refuses(422),
    Fault::Refuses(400),
];

/// Where a server dies: in the middle of a call to these.
const DEATHS: &[&str] =
    &["/me/cart", "/shipment/checkout", "/shipment/checkout", "/shipment/generate", "/oauth/token"];

/// How often each kind of thing happened.
#[derive(Default)]
pub(super) struct Deeds(BTreeMap<Deed, usize>, usize);

impl Deeds {
    /// The histories are not all of one kind.
    pub(super) fn check_variety(&self) {
        for deed in FIRST.iter().chain(LATER) {
            assert!(self.0.get(deed).is_some_and(|count| *count >= 5), "{deed:?}: {:?}", self.0);
        }
        assert!(self.1 >= 20, "servers died {} times", self.1);
    }
}

/// Only a defect is an error: everything else that is refused is for staff to read.
fn no_defect<T>(done: Result<T>) {
    if let Err(Error::Internal(why)) = done {
        panic!("{why:?}");
    }
}

async fn buy(shop: &Shop, order: &OrderId, what: Value) {
    let what: BuyLabels = input(what);
    no_defect(shop.shipments().buy(&Actor::System, order, what, None).await);
}

impl Bench {
    /// Lives through a history; what happened in it.
    pub(super) async fn live(&mut self, random: &mut Random, deeds: &mut Deeds) -> String {
        let units = if random.percent(30) { 2 } else { 1 };
        let order = self.test.buy(&self.ana, &self.vela, units).await.expect("placed");
        let order = self.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
        let (chance, mut luck) = (random.of_these(&[0, 10, 30, 60]), random.fork());
        self.fake.faults(
            move |_| {
                if luck.percent(chance) { luck.of_these(FAULTS) } else { Fault::None }
            },
        );
        let (takes, dearer) = (random.below(4), if random.percent(10) { 1_500 } else { 0 });
        self.fake.books(|books| {
            books.generation_takes = usize::try_from(takes).expect("small");
            books.dearer = dearer;
        });
        let mut happened = vec![random.of_these(FIRST)];
        happened.extend((0..random.below(8)).map(|_| random.of_these(LATER)));
        for deed in &happened {
            *deeds.0.entry(*deed).or_default() += 1;
            let died = self.happens(*deed, &order, random).await;
            deeds.1 += usize::from(died);
        }
        format!("{units} units, {chance} %, {happened:?}")
    }

    /// Whether a server died of it.
    async fn happens(&mut self, deed: Deed, order: &Order, random: &mut Random) -> bool {
        let (shop, second) = (&self.test.shop, &self.second);
        let parcels = parcels(order, random);
        match deed {
            Buy => buy(shop, &order.id, parcels).await,
            BuyAtBothServers => {
                join(buy(shop, &order.id, parcels.clone()), buy(second, &order.id, parcels)).await;
            }
            BuyAndDie => {
                let id = order.id.clone();
                let work = |shop: Shop| async move { buy(&shop, &id, parcels).await };
                return self.die(random, work).await;
            }
            GoOn => self.later(random.below(90)).await,
            GoOnAtBothServers => {
                self.test.clock.advance(Duration::from_secs(60 * random.below(90)));
                let (first, second) = (shop.shipments(), second.shipments());
                let (one, other) = join(first.advance_due(), second.advance_due()).await;
                one.and(other).expect("a round");
            }
            GoOnAndDie => {
                self.test.clock.advance(Duration::from_secs(60 * random.below(90)));
                let go_on =
                    |shop: Shop| async move { no_defect(shop.shipments().advance_due().await) };
                return self.die(random, go_on).await;
            }
            GiveBack | GiveBackAndDie | Retry => {
                if let Some(id) = self.shipment(order, random).await {
                    return self.act(deed, id, random).await;
                }
            }
            Notices => self.notices(random).await,
            TokenEnds => self.fake.books(|books| books.oauth.end_access()),
            AccessWithdrawn => self.fake.books(|books| books.oauth.withdraw()),
            Connect => {
                self.fake.is_well();
                connect(shop, &self.fake).await;
            }
            WalletEmptied => {
                self.reserve += self.fake.books(|books| std::mem::take(&mut books.wallet));
            }
            WalletFilled => {
                let reserve = std::mem::take(&mut self.reserve);
                self.fake.books(|books| books.wallet += reserve);
            }
            CarrierPosts => self.post(random),
        }
        false
    }

    async fn act(&self, deed: Deed, id: ShipmentId, random: &mut Random) -> bool {
        let shipments = self.test.shop.shipments();
        match deed {
            Retry => {
                let price = if random.percent(50) { json!({ "maxPrice": 90 }) } else { json!({}) };
                let again: RetryShipment = input(price);
                no_defect(shipments.retry(&Actor::System, &id, again).await);
            }
            GiveBackAndDie => {
                let give_back = |shop: Shop| async move {
                    no_defect(shop.shipments().cancel(&Actor::System, &id).await);
                };
                return self.die(random, give_back).await;
            }
            _ => no_defect(shipments.cancel(&Actor::System, &id).await),
        }
        false
    }

    async fn shipment(&self, order: &Order, random: &mut Random) -> Option<ShipmentId> {
        let found = self.test.shop.shipments().list_for_order(&order.id).await.expect("a list");
        let ids: Vec<&ShipmentId> = found.iter().map(|it| &it.id).collect();
        (!ids.is_empty()).then(|| random.of_these(&ids).clone())
    }

    /// A third server does something, and is killed in the middle of one of its calls, unless it
    /// makes none such.
    async fn die<F: Future<Output = ()> + Send>(
        &self,
        random: &mut Random,
        work: impl FnOnce(Shop) -> F + Send + 'static,
    ) -> bool {
        let fault = random.of_these(&[Fault::StallsBefore, Fault::StallsAfter]);
        let at = random.of_these(DEATHS);
        if at == "/oauth/token" {
            self.fake.books(|books| books.oauth.end_access());
        }
        self.fake.next(at, fault);
        let (config, clock) = (self.test.shop.config().clone(), self.test.clock.clone());
        let done = Arc::new(AtomicBool::new(false));
        let server = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let told = Arc::clone(&done);
        server.spawn(async move {
            let shop = Shop::builder(config).clock(clock).open().await.expect("opens");
            work(shop).await;
            told.store(true, Ordering::SeqCst);
        });
        let died = loop {
            if self.fake.has_stalled() {
                break true;
            }
            if done.load(Ordering::SeqCst) {
                break false;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        };
        server.shutdown_background();
        self.fake.forgets_plans();
        died
    }

    /// Notices come late, repeated, in any order, and forged.
    async fn notices(&self, random: &mut Random) {
        let labels = self.fake.books(|books| {
            let ids = books.labels().iter().rev().take(6);
            ids.map(|label| label["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
        });
        for _ in 0..random.below(4) {
            let Some(id) = labels.get(usize::try_from(random.below(6)).expect("small")) else {
                continue;
            };
            let event = random.of_these(&["order.created", "order.released", "order.cancelled"]);
            let (body, signature) = self.fake.notice(id, event);
            let melhor_envio = self.test.shop.melhor_envio();
            let forged =
                LabelNotice { signature: Some("made-up".to_owned()), body: body.clone().into() };
            assert!(!melhor_envio.receive_notice(forged).await.expect("an answer"));
            let notice = LabelNotice { signature: Some(signature), body: body.into() };
            melhor_envio.receive_notice(notice).await.expect("an answer");
        }
        no_defect(self.test.shop.shipments().advance_due().await);
    }

    fn post(&self, random: &mut Random) {
        self.fake.books(|books| {
            let can = |label: &&Value| {
                Books::is_paid(label)
                    && !label["generated_at"].is_null()
                    && label["posted_at"].is_null()
            };
            let made: Vec<String> = books
                .labels()
                .iter()
                .rev()
                .take(3)
                .filter(can)
                .map(|label| label["id"].as_str().expect("an id").to_owned())
                .collect();
            if !made.is_empty() {
                let count = u64::try_from(made.len()).expect("small");
                let id = &made[usize::try_from(random.below(count)).expect("small")];
                books.post(id, "AA123456785BR");
            }
        });
    }
}

/// As it was planned, or each unit in a parcel of its own.
fn parcels(order: &Order, random: &mut Random) -> Value {
    if random.percent(60) {
        return json!({});
    }
    let (item, units) = (&order.items[0], order.items[0].quantity);
    let parcel = json!({ "length": 16, "width": 11, "height": 8, "weight": 0.4,
                         "items": [{ "orderItemId": item.id, "quantity": 1 }] });
    json!({ "parcels": vec![parcel; usize::try_from(units).expect("small")] })
}
