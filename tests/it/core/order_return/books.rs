//! Random acts of customers and staff on one order: goods, money and the ledger add up after each.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::config::RefundFreight;
use shop_core::order::{Order, OrderStatus};
use shop_core::order_return::{OrderReturn, ReturnStatus};
use shop_tests::repeats;
use tokio::runtime::Runtime;

use super::{Bench, units_of};
use crate::core::fixture::input;

/// What an order of the model has.
const UNITS: i64 = 5;

/// Something that happens. A return is named by how many were opened before it.
#[derive(Debug, Clone)]
enum Act {
    Ask(i64),
    AskAll,
    Defect(i64),
    Approve(usize),
    Reject(usize),
    Cancel(usize),
    Send(usize),
    Receive(usize, i64, i64),
    Restock(usize, i64),
    Refund(usize),
    RefundPart(usize, i64),
    Close(usize),
    /// The provider says no to the next refunds, or no longer.
    Declines(bool),
    RefundOrder(i64),
    Set(OrderStatus),
}

fn act() -> impl Strategy<Value = Act> {
    let nth = || 0_usize..4;
    let status = prop_oneof![
        1 => Just(OrderStatus::Cancelled),
        3 => Just(OrderStatus::Delivered),
        1 => Just(OrderStatus::Processing),
        1 => Just(OrderStatus::Refunded),
    ];
    prop_oneof![
        6 => (1..=UNITS).prop_map(Act::Ask),
        1 => Just(Act::AskAll),
        3 => (1..=UNITS).prop_map(Act::Defect),
        3 => nth().prop_map(Act::Approve),
        2 => nth().prop_map(Act::Reject),
        2 => nth().prop_map(Act::Cancel),
        2 => nth().prop_map(Act::Send),
        6 => (nth(), 0..=UNITS, 0..=UNITS).prop_map(|(n, came, shelf)| Act::Receive(n, came, shelf)),
        3 => (nth(), 1..=UNITS).prop_map(|(n, units)| Act::Restock(n, units)),
        6 => nth().prop_map(Act::Refund),
        1 => (nth(), 1_i64..9000).prop_map(|(n, cents)| Act::RefundPart(n, cents)),
        1 => nth().prop_map(Act::Close),
        1 => any::<bool>().prop_map(Act::Declines),
        1 => (1_i64..9000).prop_map(Act::RefundOrder),
        2 => status.prop_map(Act::Set),
    ]
}

/// An order with its returns.
struct World<'a> {
    bench: &'a Bench,
    order: Order,
    /// What was on the shelf before the order, with what is there by others.
    shelf: i64,
    returns: Vec<OrderReturn>,
}

impl World<'_> {
    /// Does it, whether the shop takes it or not.
    async fn happen(&mut self, act: &Act) {
        let (bench, order) = (self.bench, self.order.clone());
        let (shop, by) = (&bench.test.shop, Actor::System);
        let nothing = json!({});
        let cents = |cents: i64| json!({ "amount": shop_core::money::Money::from_cents(cents) });
        match act {
            Act::Ask(units) => {
                let asked = bench.ask_units(&order, *units).await;
                self.returns.extend(asked);
            }
            Act::AskAll => self.returns.extend(bench.ask(&order, nothing).await),
            Act::Defect(units) => {
                let items = units_of(&order, *units);
                let what = json!({ "kind": "DEFECT", "reason": "Trincou", "items": items });
                self.returns.extend(bench.ask(&order, what).await);
            }
            Act::RefundOrder(amount) => {
                let what = input(cents(*amount));
                drop(shop.payments().refund(&by, &order.id, what, None).await);
            }
            Act::Set(status) => drop(shop.orders().set_status(&order.id, *status, None).await),
            Act::Declines(declines) => {
                let status = if *declines { "rejected" } else { "approved" };
                let set = format!(
                    "UPDATE sandbox_payment SET status = '{status}' WHERE reference = '{}'",
                    order.order_number
                );
                bench.test.raw_sql(&set);
            }
            Act::Approve(n)
            | Act::Reject(n)
            | Act::Cancel(n)
            | Act::Send(n)
            | Act::Receive(n, ..)
            | Act::Restock(n, _)
            | Act::Refund(n)
            | Act::RefundPart(n, _)
            | Act::Close(n) => {
                if let Some(of) = self.returns.get(*n) {
                    self.happen_to(of, act).await;
                }
            }
        }
    }

    async fn happen_to(&self, of: &OrderReturn, act: &Act) {
        let (bench, by, nothing) = (self.bench, Actor::System, json!({}));
        let returns = bench.test.shop.returns();
        let id = &self.order.items[0].id;
        let line = |units: i64| json!({ "items": [{ "orderItemId": id, "quantity": units }] });
        drop(match act {
            Act::Approve(_) => bench.approve(of).await,
            Act::Reject(_) => bench.reject(of).await,
            Act::Cancel(_) => bench.cancel(of).await,
            Act::Send(_) => returns.mark_in_transit(&by, &of.id, input(nothing), None, None).await,
            Act::Receive(_, came, shelf) => {
                let items = json!([{ "orderItemId": id, "quantity": came, "restock": shelf }]);
                bench.receive(of, json!({ "items": items })).await
            }
            Act::Restock(_, units) => {
                returns.restock(&by, &of.id, input(line(*units)), None, None).await
            }
            Act::RefundPart(_, cents) => {
                let amount = shop_core::money::Money::from_cents(*cents);
                bench.refund(of, json!({ "amount": amount })).await
            }
            Act::Close(_) => bench.refund(of, json!({ "amount": 0 })).await,
            _ => bench.refund(of, nothing).await,
        });
    }

    /// What must hold after any mix of acts.
    async fn check(&self, after: &[Act]) {
        let shop = &self.bench.test.shop;
        let order = shop.orders().get_detail(&self.order.id).await.expect("there");
        let held: i64 = order.returns.iter().filter(|it| holds(it)).map(units).sum();
        assert!(held <= UNITS, "more comes back than was sold: {after:?}");
        // The shelf: what the order gave back, and what staff put there of returns.
        let restocked: i64 = order.returns.iter().map(restocked).sum();
        let shelved = self
            .bench
            .test
            .count(&format!("SELECT shelved FROM order_item WHERE order_id = '{}'", self.order.id));
        assert_eq!(self.bench.stock(), self.shelf - UNITS + shelved + restocked, "{after:?}");
        assert!(shelved + restocked <= UNITS, "{after:?}");
        // The money: what returns gave back is part of what went back, which is no more than came.
        let by_returns: i64 = order.returns.iter().map(paid_back).sum();
        let (captured, refunded) =
            order.payments.iter().fold((0, 0), |(captured, refunded), it| {
                (captured + it.captured.cents(), refunded + it.refunded.cents())
            });
        assert!(by_returns <= refunded && refunded <= captured, "{after:?}");
        let due: i64 = order.returns.iter().filter(|it| holds(it)).map(due).sum();
        assert!(due <= self.order.total.cents(), "{due} are due: {after:?}");
    }
}

fn holds(of: &OrderReturn) -> bool {
    !matches!(of.status, ReturnStatus::Rejected | ReturnStatus::Cancelled)
}

fn units(of: &OrderReturn) -> i64 {
    of.items.iter().map(|item| item.quantity - item.released).sum()
}

fn restocked(of: &OrderReturn) -> i64 {
    of.items.iter().map(|item| item.restocked).sum()
}

fn due(of: &OrderReturn) -> i64 {
    of.amount.cents()
}

fn paid_back(of: &OrderReturn) -> i64 {
    match (of.status, of.refund.amount) {
        (ReturnStatus::Refunded, Some(amount)) => amount.cents(),
        _ => 0,
    }
}

async fn run(bench: &Bench, acts: &[Act]) {
    let shelf = bench.stock();
    let order = bench.delivered(UNITS).await;
    let mut world = World { bench, order, shelf, returns: Vec::new() };
    for act in acts {
        world.happen(act).await;
        world.check(acts).await;
    }
    bench.test.check_books().await;
}

#[test]
fn goods_money_and_the_ledger_add_up_after_any_mix_of_acts() {
    let runtime = Runtime::new().expect("a runtime");
    for rule in [RefundFreight::Whole, RefundFreight::Share] {
        let bench = runtime.block_on(Bench::with(|config| config.returns.refund_freight = rule));
        bench.test.raw_sql("UPDATE product SET price = 3333");
        runtime.block_on(async {
            let count = input(json!({ "stock": 100_000 }));
            let products = bench.test.shop.products();
            products.update(&Actor::System, &bench.vela, count, None).await.expect("counted");
        });
        let config =
            Config { cases: repeats(15, 60), failure_persistence: None, ..Config::default() };
        let acts = prop::collection::vec(act(), 1..14);
        let checked = TestRunner::new(config).run(&acts, |acts| {
            runtime.block_on(run(&bench, &acts));
            Ok(())
        });
        checked.expect("the books");
    }
}
