//! Random sequences of what providers and staff do to one order, held against a model of the books
//! that is written down independently.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use shop_core::id::ProductId;
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::PaymentStatus;
use shop_tests::repeats;
use tokio::runtime::Runtime;

use super::fixture::{Buyer, TestShop};
use super::intent::{event, shop};

/// What an order of the model costs.
const TOTAL: i64 = 4990;

/// Something that happens.
#[derive(Debug, Clone)]
enum Happens {
    /// The intent's money arrives: this many cents, in this currency.
    Succeeded { cents: i64, currency: &'static str },
    /// The intent's card fails.
    Failed,
    /// The intent is called off.
    Cancelled,
    /// The intent's money is under way.
    Processing,
    /// So much of the intent's money went back by now.
    Refunded { cents: i64 },
    /// The payer's bank takes the intent's money back.
    Disputed,
    /// The PIX code is paid, and its notice comes.
    PixPaid,
    /// Staff cancels the order.
    StaffCancels,
    /// Anything that happened before comes once more: the n-th.
    Again(usize),
}

fn happens() -> impl Strategy<Value = Happens> {
    let cents = prop_oneof![8 => Just(TOTAL), 1 => Just(TOTAL - 1), 1 => Just(2 * TOTAL)];
    let currency = prop_oneof![8 => Just("brl"), 1 => Just("usd")];
    prop_oneof![
        4 => (cents, currency).prop_map(|(cents, currency)| Happens::Succeeded { cents, currency }),
        2 => Just(Happens::Failed),
        2 => Just(Happens::Cancelled),
        1 => Just(Happens::Processing),
        3 => (1..=TOTAL).prop_map(|cents| Happens::Refunded { cents }),
        2 => Just(Happens::Refunded { cents: TOTAL }),
        1 => Just(Happens::Disputed),
        2 => Just(Happens::PixPaid),
        1 => Just(Happens::StaffCancels),
        3 => (0_usize..8).prop_map(Happens::Again),
    ]
}

/// A payment of the model.
#[derive(Debug, Clone, PartialEq)]
struct Money {
    status: PaymentStatus,
    captured: i64,
    refunded: i64,
    charged_back: i64,
}

/// The books as they should be.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    order: OrderStatus,
    intent: Money,
    pix: Money,
}

impl Model {
    fn new() -> Self {
        let (status, none) = (PaymentStatus::Pending, 0);
        let open = Money { status, captured: none, refunded: none, charged_back: none };
        Self { order: OrderStatus::Pending, intent: open.clone(), pix: open }
    }

    fn apply(&mut self, what: &Happens) {
        match what {
            Happens::Succeeded { cents, currency } => self.intent_arrives(*cents, currency),
            Happens::Failed if self.intent.status == PaymentStatus::Pending => {
                self.intent.status = PaymentStatus::Failed;
            }
            Happens::Cancelled
                if matches!(self.intent.status, PaymentStatus::Pending | PaymentStatus::Failed) =>
            {
                self.intent.status = PaymentStatus::Cancelled;
            }
            Happens::Refunded { cents } => {
                self.intent_arrives(TOTAL, "brl");
                self.intent_goes_back(*cents);
            }
            Happens::Disputed => {
                self.intent_arrives(TOTAL, "brl");
                self.intent.charged_back = TOTAL;
                self.intent.lose();
            }
            Happens::PixPaid if self.pix.captured == 0 => {
                self.pix.captured = TOTAL;
                self.pix.status = self.receive(self.intent.status, true);
            }
            Happens::StaffCancels => self.order = OrderStatus::Cancelled,
            _ => {}
        }
    }

    /// Where money ends that arrives, and what it does to the order.
    fn receive(&mut self, other: PaymentStatus, fits: bool) -> PaymentStatus {
        let closed = matches!(self.order, OrderStatus::Cancelled | OrderStatus::Refunded);
        if !fits || closed || other == PaymentStatus::Paid {
            return PaymentStatus::Review;
        }
        self.order = OrderStatus::Processing;
        PaymentStatus::Paid
    }

    fn intent_arrives(&mut self, cents: i64, currency: &str) {
        if self.intent.captured == 0 {
            self.intent.captured = cents;
            let fits = cents == TOTAL && currency == "brl";
            self.intent.status = self.receive(self.pix.status, fits);
        }
    }

    fn intent_goes_back(&mut self, cents: i64) {
        // A refund that completes the charge gives all of it back, whatever arrived.
        let whole = if cents == TOTAL { self.intent.captured } else { cents };
        let Money { status, captured, refunded, .. } = &mut self.intent;
        *refunded = (*refunded).max(whole.min(*captured));
        let was = *status;
        if *refunded == *captured && matches!(was, PaymentStatus::Paid | PaymentStatus::Review) {
            *status = PaymentStatus::Refunded;
            if was == PaymentStatus::Paid {
                self.order = OrderStatus::Refunded;
            }
        }
        self.intent.lose();
    }
}

impl Money {
    /// A payment of which disputes leave nothing is charged back.
    fn lose(&mut self) {
        let gone = self.charged_back > 0 && self.charged_back + self.refunded >= self.captured;
        if gone && matches!(self.status, PaymentStatus::Paid | PaymentStatus::Review) {
            self.status = PaymentStatus::ChargedBack;
        }
    }
}

/// The shop on which everything happens.
struct World<'a> {
    test: &'a TestShop,
    order: Order,
    intent: String,
    pix: shop_core::id::PaymentId,
}

impl World<'_> {
    async fn happen(&self, n: usize, what: &Happens) {
        let payments = self.test.shop.payments();
        let intent = |status: &str, received: i64, currency: &str| {
            json!({
                "id": self.intent, "object": "payment_intent", "amount": TOTAL,
                "amount_received": received, "currency": currency, "status": status,
            })
        };
        let charge = |cents: i64| {
            json!({
                "object": "charge", "payment_intent": self.intent, "amount": TOTAL,
                "currency": "brl", "amount_refunded": cents, "refunded": cents == TOTAL,
            })
        };
        let (kind, object) = match what {
            Happens::Succeeded { cents, currency } => {
                ("payment_intent.succeeded", intent("succeeded", *cents, currency))
            }
            Happens::Failed => {
                ("payment_intent.payment_failed", intent("requires_payment_method", 0, "brl"))
            }
            Happens::Cancelled => ("payment_intent.canceled", intent("canceled", 0, "brl")),
            Happens::Processing => ("payment_intent.processing", intent("processing", 0, "brl")),
            Happens::Refunded { cents } => ("charge.refunded", charge(*cents)),
            Happens::Disputed => ("charge.dispute.created", charge(0)),
            Happens::PixPaid => {
                let notice = self.test.shop.sandbox().settle(&self.pix).await.expect("settled");
                return payments.receive_notice(notice).await.expect("taken");
            }
            Happens::StaffCancels => {
                let orders = self.test.shop.orders();
                let cancelled = OrderStatus::Cancelled;
                return drop(
                    orders.set_status(&self.order.id, cancelled, None).await.expect("set"),
                );
            }
            Happens::Again(_) => unreachable!("resolved before"),
        };
        let id = format!("evt_{}_{n}", self.order.id);
        payments.receive_event(event(self.test, &id, kind, object)).await.expect("taken");
    }

    async fn books(&self) -> Model {
        let attempts =
            self.test.shop.payments().list_attempts(&self.order.id).await.expect("a list");
        let money = |pix: bool| {
            let attempt = attempts.iter().find(|it| (it.id == self.pix) == pix).expect("there");
            Money {
                status: attempt.status,
                captured: attempt.captured.cents(),
                refunded: attempt.refunded.cents(),
                charged_back: attempt.charged_back.cents(),
            }
        };
        let order =
            self.test.shop.orders().get_for_customer(&self.order.user_id, &self.order.id).await;
        Model { order: order.expect("there").status, intent: money(false), pix: money(true) }
    }
}

async fn world<'a>(test: &'a TestShop, buyer: &Buyer, vela: &ProductId) -> World<'a> {
    let order = test.buy(buyer, vela, 1).await.expect("placed");
    let payments = test.shop.payments();
    let intent = payments.create_intent(&buyer.id, &order.id, None).await.expect("an intent");
    let pix = payments.create_pix(&buyer.id, &order.id, None).await.expect("a code");
    World { test, order, intent: intent.payment_intent_id, pix: pix.payment_id }
}

async fn run(test: &TestShop, buyer: &Buyer, vela: &ProductId, sequence: &[Happens]) {
    let world = world(test, buyer, vela).await;
    let (mut model, mut before) = (Model::new(), Vec::new());
    for what in sequence {
        // A repeat is the very same event, by its number.
        let (n, what) = match what {
            Happens::Again(n) => match before.get(n % before.len().max(1)) {
                Some((n, what)) => (*n, Happens::clone(what)),
                None => continue,
            },
            new => (before.len(), new.clone()),
        };
        if n == before.len() {
            before.push((n, what.clone()));
        } else if matches!(what, Happens::StaffCancels) {
            continue;
        }
        world.happen(n, &what).await;
        model.apply(&what);
        assert_eq!(world.books().await, model, "after {what:?} of {sequence:?}");
    }
    test.check_books().await;
}

#[test]
fn the_books_are_right_after_any_sequence() {
    let runtime = Runtime::new().expect("a runtime");
    let (test, buyer, vela) = runtime.block_on(async {
        let test = shop().await;
        test.raw_sql("UPDATE shipping_tariff SET price = 0");
        let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 10_000, TOTAL).await);
        (test, buyer, vela)
    });
    let config = Config { cases: repeats(30, 100), failure_persistence: None, ..Config::default() };
    let sequences = prop::collection::vec(happens(), 1..10);
    let checked = TestRunner::new(config).run(&sequences, |sequence| {
        runtime.block_on(run(&test, &buyer, &vela, &sequence));
        Ok(())
    });
    checked.expect("the model's books");
}
