//! The invoices of returns: of the return's units, and of what the return gives back.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::config::RefundFreight;
use shop_core::error::{Conflict, Entity};
use shop_core::fiscal::InvoiceStatus;
use shop_core::invoicing::{IssuedReturn, WithdrawInvoice};
use shop_core::nfe::ReturnGround;
use shop_core::order::{Order, OrderStatus};
use shop_core::order_return::{OrderReturn, ReturnRefundStatus};
use shop_tests::repeats;
use tokio::runtime::Runtime;

use super::{Bench, units_of};
use crate::core::fixture::input;
use crate::core::nfe::emit;

impl Bench {
    /// An order of so many units that was invoiced and has arrived.
    async fn invoiced(&self, units: i64) -> Order {
        let order = self.paid(units).await;
        emit(&self.test.shop, &order).await.expect("issued");
        self.set(&order, OrderStatus::Delivered).await
    }

    async fn invoice(&self, of: &OrderReturn, what: Value) -> shop_core::Result<IssuedReturn> {
        let mut goods = what;
        goods["returnId"] = json!(of.id);
        let invoices = self.test.shop.invoices();
        invoices.issue_return(&Actor::System, &of.order_id, input(goods), None).await
    }

    async fn cancel_invoice(&self, back: &IssuedReturn) {
        let (by, why) = (Actor::System, WithdrawInvoice::default());
        let cancelled = self.test.shop.invoices().cancel_return(&by, &back.invoice.id, why).await;
        cancelled.expect("cancelled");
    }
}

#[tokio::test]
async fn an_invoice_of_a_return_has_its_units_and_comes_to_what_goes_back() {
    let bench = Bench::open().await;
    let order = bench.invoiced(3).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let here = json!({ "items": units_of(&order, 2) });
    let here = bench.receive(&asked, here).await.expect("here");
    let back = bench.invoice(&here, json!({})).await.expect("issued");
    assert_eq!((back.items[0].quantity, back.ground), (2, ReturnGround::Withdrawal));
    assert_eq!((back.return_id.as_ref(), back.invoice.total), (Some(&here.id), here.amount));
    let money = bench.refund(&here, json!({})).await.expect("back");
    assert_eq!(money.refund.amount, Some(back.invoice.total));
    assert_eq!((money.invoices[0].id.clone(), money.items[0].invoiced), (back.invoice.id, 2));
    bench.test.check_books().await;
}

#[tokio::test]
async fn the_freight_that_an_invoice_says_goes_back_whatever_becomes_of_other_returns() {
    let bench = Bench::open().await;
    let order = bench.invoiced(2).await;
    let other = bench.ask_units(&order, 1).await.expect("asked");
    let last = bench.ask_units(&order, 1).await.expect("asked");
    bench.receive(&last, json!({})).await.expect("here");
    let back = bench.invoice(&last, json!({})).await.expect("issued");
    assert_eq!((back.shipping, back.invoice.total.cents()), (order.shipping, 4990 + 1250));
    bench.cancel(&other).await.expect("called off");
    let money = bench.refund(&last, json!({})).await.expect("back");
    assert_eq!(money.refund.amount, Some(back.invoice.total));
    // The unit that the customer kept, when it comes after all: no freight is left.
    let kept = bench.ask(&order, json!({})).await.expect("asked");
    assert_eq!((kept.amount.cents(), kept.freight.cents()), (4990, 0));
}

#[tokio::test]
async fn what_a_return_does_not_have_is_not_on_its_invoice() {
    let bench = Bench::open().await;
    let order = bench.invoiced(3).await;
    let of = bench.ask_units(&order, 2).await.expect("asked");
    for (units, left) in [(3, "there are 2 units"), (4, "there are 2 units")] {
        let wrong = bench.invoice(&of, json!({ "items": units_of(&order, units) })).await;
        let Err(Error::Invalid(wrong)) = wrong else { panic!("{wrong:?}") };
        assert!(format!("{wrong:?}").contains("items[0].quantity"), "{left}: {wrong:?}");
    }
    // The third unit is on an invoice that no return has: so it is not this return's either way.
    let apart = bench.test.shop.invoices();
    let all = apart.issue_return(&Actor::System, &order.id, input(json!({})), None).await;
    let all = all.expect("issued");
    assert_eq!((all.return_id.clone(), all.items[0].quantity), (None, 3));
    let none = bench.invoice(&of, json!({})).await;
    assert!(matches!(none, Err(Error::Refused(_))), "{none:?}");
    bench.cancel_invoice(&all).await;
    bench.invoice(&of, json!({})).await.expect("issued");
    let other = bench.invoiced(1).await;
    let goods = input(json!({ "returnId": of.id }));
    let foreign = apart.issue_return(&Actor::System, &other.id, goods, None).await;
    assert!(matches!(foreign, Err(Error::NotFound(Entity::Return))), "{foreign:?}");
}

#[tokio::test]
async fn fewer_units_than_an_invoice_says_do_not_arrive() {
    let bench = Bench::open().await;
    let order = bench.invoiced(2).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    // It goes with the parcel, before the goods are here.
    let back = bench.invoice(&asked, json!({})).await.expect("issued");
    let one = json!({ "items": units_of(&order, 1) });
    let fewer = bench.receive(&asked, one.clone()).await;
    assert!(matches!(fewer, Err(Error::Conflict(Conflict::ReturnInvoiced))), "{fewer:?}");
    bench.cancel_invoice(&back).await;
    let here = bench.receive(&asked, one).await.expect("here");
    assert_eq!(here.invoices[0].status, InvoiceStatus::Cancelled);
    assert_eq!(bench.invoice(&here, json!({})).await.expect("issued").invoice.total, here.amount);
}

#[tokio::test]
async fn freight_that_no_invoice_says_stays_with_units_that_do_not_arrive() {
    for rule in [RefundFreight::Whole, RefundFreight::Share] {
        let bench = Bench::with(|config| config.returns.refund_freight = rule).await;
        let order = bench.invoiced(2).await;
        let asked = bench.ask(&order, json!({})).await.expect("asked");
        let one = json!({ "items": units_of(&order, 1) });
        let part = bench.invoice(&asked, one.clone()).await.expect("issued");
        assert_eq!((part.shipping.cents(), part.invoice.total.cents()), (0, 4990));
        let here = bench.receive(&asked, one).await.expect("here");
        assert_eq!((here.amount.cents(), here.freight.cents()), (4990, 0));
        let money = bench.refund(&here, json!({})).await.expect("back");
        assert_eq!(money.refund.amount, Some(part.invoice.total));
        // It goes back with them when they come after all.
        let kept = bench.ask(&order, json!({})).await.expect("asked");
        assert_eq!((kept.amount.cents(), kept.freight), (4990, order.shipping));
    }
}

#[tokio::test]
async fn all_invoices_of_a_sale_together_say_no_more_freight_than_the_sales() {
    let bench = Bench::open().await;
    let order = bench.invoiced(2).await;
    let apart = json!({ "items": units_of(&order, 1), "refundShipping": true });
    let invoices = bench.test.shop.invoices();
    let apart = invoices.issue_return(&Actor::System, &order.id, input(apart), None).await;
    let apart = apart.expect("issued");
    assert_eq!(apart.shipping.cents(), 625);
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let rest = bench.invoice(&asked, json!({})).await.expect("issued");
    assert_eq!(apart.shipping + rest.shipping, order.shipping);
}

#[tokio::test]
async fn a_courtesy_is_invoiced_as_agreed() {
    let bench = Bench::open().await;
    let order = bench.invoiced(1).await;
    bench.test.advance_hours(24 * 20);
    let open = input(json!({ "orderId": order.id, "kind": "WITHDRAWAL" }));
    let opened = bench.test.shop.returns().open(&Actor::System, open, None).await.expect("opened");
    assert!(opened.courtesy);
    let back = bench.invoice(&opened, json!({})).await.expect("issued");
    assert_eq!(back.ground, ReturnGround::Agreement);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_invoice_and_refund_a_return_at_once_one_invoice_and_one_refund_come() {
    let bench = Bench::open().await;
    let order = bench.invoiced(3).await;
    let asked = bench.ask_units(&order, 2).await.expect("asked");
    bench.receive(&asked, json!({})).await.expect("here");
    let invoices = join_all((0..6).map(|_| bench.invoice(&asked, json!({}))));
    let refunds = join_all((0..6).map(|_| bench.refund(&asked, json!({}))));
    let (invoices, refunds) = tokio::join!(invoices, refunds);
    let ids: BTreeSet<_> = invoices.iter().flatten().map(|it| it.invoice.id.as_str()).collect();
    assert_eq!(ids.len(), 1, "{invoices:?}");
    assert!(refunds.iter().any(Result::is_ok), "{refunds:?}");
    let now = bench.now(&asked).await;
    assert_eq!((now.invoices.len(), now.refund.amount), (1, Some(now.invoices[0].total)));
    assert_eq!(bench.went_back(), now.amount.cents());
    bench.test.check_books().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_return_that_is_invoiced_and_called_off_at_once_ends_as_one_of_both() {
    for _ in 0..4 {
        let bench = Bench::open().await;
        let order = bench.invoiced(1).await;
        let asked = bench.ask(&order, json!({})).await.expect("asked");
        let (back, off) = tokio::join!(bench.invoice(&asked, json!({})), bench.cancel(&asked));
        assert!(back.is_ok() != off.is_ok(), "{back:?} {off:?}");
        bench.test.check_books().await;
    }
}

/// Something that happens to an order of three lines. A return is named by how many were opened
/// before it.
#[derive(Debug, Clone)]
enum Act {
    Ask(usize, i64, usize, i64),
    Receive(usize, bool),
    Refund(usize),
    Invoice(usize, Option<(usize, i64)>),
    CancelInvoice(usize),
    Cancel(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let nth = || 0_usize..4;
    let part = (0_usize..3, 1_i64..3);
    prop_oneof![
        4 => (0_usize..3, 1_i64..4, 0_usize..3, 1_i64..4).prop_map(|(a, n, b, m)| Act::Ask(a, n, b, m)),
        3 => (nth(), any::<bool>()).prop_map(|(n, short)| Act::Receive(n, short)),
        3 => nth().prop_map(Act::Refund),
        4 => (nth(), prop::option::of(part)).prop_map(|(n, part)| Act::Invoice(n, part)),
        1 => nth().prop_map(Act::CancelInvoice),
        1 => nth().prop_map(Act::Cancel),
    ]
}

/// An order with its returns and their invoices.
struct World<'a> {
    bench: &'a Bench,
    order: Order,
    returns: Vec<OrderReturn>,
    invoices: Vec<IssuedReturn>,
}

impl World<'_> {
    fn units(&self, place: usize, units: i64) -> Value {
        json!({ "orderItemId": self.order.items[place].id, "quantity": units })
    }

    /// Does it, whether the shop takes it or not.
    async fn happen(&mut self, act: &Act) {
        let bench = self.bench;
        let (Act::Receive(n, _) | Act::Refund(n) | Act::Invoice(n, _) | Act::Cancel(n)) = act
        else {
            return self.begin(act).await;
        };
        let Some(of) = self.returns.get(*n) else { return };
        match act {
            Act::Receive(_, short) => {
                let came = |units: i64| if *short { units - 1 } else { units };
                let items = of.items.iter().map(|it| {
                    json!({ "orderItemId": it.order_item_id, "quantity": came(it.quantity),
                            "restock": came(it.quantity) })
                });
                let items: Vec<Value> = items.collect();
                drop(bench.receive(of, json!({ "items": items })).await);
            }
            Act::Refund(_) => drop(bench.refund(of, json!({})).await),
            Act::Cancel(_) => drop(bench.cancel(of).await),
            Act::Invoice(_, part) => {
                let goods = part.map_or_else(
                    || json!({}),
                    |(place, units)| json!({ "items": [self.units(place, units)] }),
                );
                let back = bench.invoice(of, goods).await;
                self.invoices.extend(back);
            }
            Act::Ask(..) | Act::CancelInvoice(_) => {}
        }
    }

    async fn begin(&mut self, act: &Act) {
        match act {
            Act::Ask(first, some, second, more) => {
                let items = [self.units(*first, *some), self.units(*second, *more)];
                let asked = input(json!({ "items": items }));
                let returns = self.bench.test.shop.returns();
                let asked = returns.request(&self.order.user_id, &self.order.id, asked, None).await;
                self.returns.extend(asked);
            }
            Act::CancelInvoice(n) if *n < self.invoices.len() => {
                let back = self.invoices.remove(*n);
                self.bench.cancel_invoice(&back).await;
            }
            _ => {}
        }
    }

    /// What must hold after any mix of acts.
    async fn check(&self, after: &[Act]) {
        let mut whole = 0;
        for of in &self.returns {
            let now = self.bench.now(of).await;
            let stand = now.invoices.iter().filter(|it| it.status == InvoiceStatus::Authorized);
            let invoiced: i64 = stand.map(|it| it.total.cents()).sum();
            whole += invoiced;
            let comes_to = (now.amount + now.freight).cents();
            assert!(invoiced <= comes_to, "{invoiced} of {comes_to}: {after:?}");
            for item in &now.items {
                let there = item.received.unwrap_or(item.quantity - item.released);
                assert!(item.invoiced <= there, "{item:?}: {after:?}");
            }
            let all = now.items.iter().all(|it| it.invoiced == it.quantity - it.released);
            if all {
                assert_eq!(invoiced, comes_to, "{after:?}");
            }
            if now.refund.status == ReturnRefundStatus::Done {
                let back = now.refund.amount.map_or(0, shop_core::money::Money::cents);
                assert_eq!(back, comes_to, "{after:?}");
            }
        }
        assert!(whole <= self.order.total.cents(), "{whole}: {after:?}");
    }

    /// All that is left comes back, with its money and its invoices.
    async fn finish(&mut self, after: &[Act]) {
        drop(self.bench.ask_all(&self.order).await.map(|of| self.returns.push(of)));
        for n in 0..self.returns.len() {
            for act in [Act::Receive(n, false), Act::Invoice(n, None), Act::Refund(n)] {
                self.happen(&act).await;
            }
        }
        self.check(after).await;
        let count =
            |sql: &str| self.bench.test.count(&sql.replace("ORDER", self.order.id.as_str()));
        let units = "SELECT CAST(coalesce(sum(i.returned), 0) AS BIGINT) FROM order_item i
                     WHERE i.order_id = 'ORDER'";
        let given_back = "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM refund
                          WHERE order_id = 'ORDER' AND status = 'DONE'";
        let invoiced = "SELECT CAST(coalesce(sum(total), 0) AS BIGINT) FROM nfe
                        WHERE order_id = 'ORDER' AND kind = 'RETURN' AND status = 'AUTHORIZED'";
        let arrived = "SELECT CAST(coalesce(sum(i.received), 0) AS BIGINT)
                       FROM order_return_item i JOIN order_return r ON r.id = i.return_id
                       WHERE r.order_id = 'ORDER' AND r.status = 'REFUNDED'";
        let sold: i64 = self.order.items.iter().map(|item| item.quantity).sum();
        if count(units) == sold {
            assert_eq!(count(given_back), self.order.total.cents(), "{after:?}");
            if count(arrived) == sold {
                assert_eq!(count(invoiced), self.order.total.cents(), "{after:?}");
            }
        }
        let shelf = "SELECT CAST(coalesce(sum(i.restocked), 0) AS BIGINT)
                     FROM order_return_item i JOIN order_return r ON r.id = i.return_id
                     WHERE r.order_id = 'ORDER'";
        let moved = "SELECT CAST(coalesce(sum(m.delta), 0) AS BIGINT) FROM stock_movement m
                     JOIN order_return r ON r.id = m.reference WHERE r.order_id = 'ORDER'";
        assert_eq!(count(shelf), count(moved), "{after:?}");
    }
}

impl Bench {
    async fn ask_all(&self, order: &Order) -> shop_core::Result<OrderReturn> {
        let returns = self.test.shop.returns();
        returns.request(&order.user_id, &order.id, input(json!({})), None).await
    }
}

#[test]
fn refunds_stock_and_invoices_add_up_after_any_mix_of_part_returns() {
    let runtime = Runtime::new().expect("a runtime");
    for rule in [RefundFreight::Whole, RefundFreight::Share] {
        let bench = runtime.block_on(Bench::with(|config| config.returns.refund_freight = rule));
        let cart = runtime.block_on(cart(&bench));
        let config =
            Config { cases: repeats(10, 40), failure_persistence: None, ..Config::default() };
        let acts = prop::collection::vec(act(), 1..14);
        let checked = TestRunner::new(config).run(&acts, |acts| {
            runtime.block_on(run(&bench, &cart, &acts));
            Ok(())
        });
        checked.expect("the books");
        runtime.block_on(bench.test.check_books());
    }
}

/// Three kinds of candles, with freight and a discount that divide badly.
async fn cart(bench: &Bench) -> Value {
    let mut items = Vec::new();
    for (name, cents, quantity) in [("cera", 333, 7), ("pavio", 1, 3), ("castical", 4999, 2)] {
        let product = bench.test.product(name, 100_000, cents).await;
        items.push(json!({ "productId": product, "quantity": quantity }));
    }
    let coupon = input(json!({ "code": "SETE", "type": "FIXED", "value": 7.01, "active": true }));
    let coupon = bench.test.shop.coupons().create(&Actor::System, coupon).await.expect("a coupon");
    json!({ "addressId": bench.ana.address, "cartItems": items, "couponId": coupon.id })
}

async fn run(bench: &Bench, cart: &Value, acts: &[Act]) {
    let placed = bench.test.place_order(&bench.ana, input(cart.clone()), None).await;
    let order = placed.expect("placed").order;
    let order = bench.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    emit(&bench.test.shop, &order).await.expect("issued");
    let order = bench.set(&order, OrderStatus::Delivered).await;
    let mut world = World { bench, order, returns: Vec::new(), invoices: Vec::new() };
    for act in acts {
        world.happen(act).await;
        world.check(acts).await;
    }
    world.finish(acts).await;
}
