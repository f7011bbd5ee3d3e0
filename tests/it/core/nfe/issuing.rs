//! Invoices that are issued without being asked for.

use std::time::Duration;

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::config::IssueWhen;
use shop_core::error::Conflict;
use shop_core::invoicing::{EmitInvoice, InvoiceStatus, WithdrawInvoice};
use shop_core::order::{Order, OrderStatus};
use shop_core::views::{TaskFilter, Tasks};
use shop_core::{Error, Shop};

use super::office::{Fault, Office};
use super::{CPF, paid};
use crate::core::fixture::{Buyer, TestShop, input};

/// A shop with an office of its own that issues invoices by itself, and a buyer with a CPF.
struct Issuing {
    test: TestShop,
    office: Office,
    buyer: Buyer,
}

impl Issuing {
    async fn new() -> Self {
        let test = TestShop::open().await;
        let buyer = test.buyer("ana").await;
        let profile = input(json!({ "cpf": CPF }));
        test.shop.accounts().update(&buyer.id, profile).await.expect("changed");
        Self { test, office: Office::default(), buyer }
    }

    /// A program on the shop's data that issues then; it has seen that it shall.
    async fn open(&self, when: IssueWhen) -> Shop {
        let shop = self.office.open_with(&self.test, |config| config.nfe.issue = when).await;
        assert_eq!(shop.run_due().await.expect("runs").failures, 0);
        shop
    }

    async fn sell(&self, sku: &str) -> Order {
        let product = self.test.product(sku, 10, 4990).await;
        paid(&self.test, &self.buyer, &product, 1).await
    }

    async fn move_to(&self, order: &Order, status: OrderStatus) {
        self.test.shop.orders().set_status(&order.id, status, None).await.expect("moved");
    }

    fn waiting(&self) -> i64 {
        self.test.count("SELECT count(*) FROM nfe_to_issue")
    }

    fn wait(&self, minutes: u64) {
        self.test.clock.advance(Duration::from_secs(minutes * 60));
    }
}

async fn issued(shop: &Shop) -> usize {
    let done = shop.run_due().await.expect("runs");
    assert_eq!(done.failures, 0);
    done.invoices_issued
}

async fn tasks(shop: &Shop) -> Tasks {
    shop.dashboard().get_tasks(TaskFilter::default()).await.expect("tasks")
}

#[tokio::test]
async fn an_order_is_invoiced_once_it_is_paid_and_only_once() {
    let issuing = Issuing::new().await;
    let before = issuing.sell("before").await;
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    let order = issuing.sell("vela").await;
    let vela = issuing.test.product("other", 10, 4990).await;
    issuing.test.buy(&issuing.buyer, &vela, 1).await.expect("placed, and not paid");
    assert_eq!(issued(&shop).await, 1);
    let invoice = shop.invoices().get_by_order(&order.id).await.expect("there");
    assert_eq!((invoice.status, invoice.number), (InvoiceStatus::Authorized, 1));
    assert!(shop.invoices().get_by_order(&before.id).await.is_err(), "it was paid before");
    issuing.move_to(&order, OrderStatus::Shipped).await;
    assert_eq!((issued(&shop).await, issuing.office.handed_over()), (0, 1));
    assert_eq!(issuing.waiting(), 0);
}

#[tokio::test]
async fn an_order_is_invoiced_when_it_is_sent_and_staff_is_asked_for_the_rest() {
    let issuing = Issuing::new().await;
    let shop = issuing.open(IssueWhen::WhenSent).await;
    let order = issuing.sell("vela").await;
    assert_eq!(issued(&shop).await, 0);
    issuing.move_to(&order, OrderStatus::Shipped).await;
    assert_eq!(issued(&shop).await, 1);
    let manual = issuing.open(IssueWhen::Manual).await;
    let other = issuing.sell("other").await;
    issuing.move_to(&other, OrderStatus::Shipped).await;
    assert_eq!(issued(&manual).await, 0);
    // Set anew, it begins with the orders of then.
    let again = issuing.open(IssueWhen::WhenSent).await;
    assert_eq!(issued(&again).await, 0);
    assert!(again.invoices().get_by_order(&other.id).await.is_err());
}

#[tokio::test]
async fn an_order_that_costs_nothing_is_invoiced_too() {
    let issuing = Issuing::new().await;
    issuing.test.raw_sql("UPDATE shipping_tariff SET price = 0");
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    let coupon = json!({ "code": "TUDO", "type": "PERCENT", "value": 100, "active": true });
    let coupon = shop.coupons().create(&Actor::System, input(coupon)).await.expect("a coupon");
    let vela = issuing.test.product("vela", 10, 4990).await;
    let items = json!([{ "productId": vela, "quantity": 1 }]);
    let free = json!({ "addressId": issuing.buyer.address, "cartItems": items,
        "couponId": coupon.id });
    issuing.test.place_order(&issuing.buyer, input(free), None).await.expect("placed");
    assert_eq!(issued(&shop).await, 1);
}

/// Without its buyer and the address it could never be issued.
#[tokio::test]
async fn nobody_is_erased_whose_invoice_is_owed() {
    let issuing = Issuing::new().await;
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    let order = issuing.sell("vela").await;
    issuing.office.next(Fault::LostBefore);
    assert_eq!(issued(&shop).await, 0);
    issuing.move_to(&order, OrderStatus::Delivered).await;
    let erase = async || shop.customers().erase_person(&Actor::System, &issuing.buyer.id).await;
    let owed = erase().await;
    assert!(matches!(owed, Err(Error::Conflict(Conflict::OpenOrders))), "{owed:?}");
    for _ in 0..3 {
        issuing.wait(10);
        issued(&shop).await;
    }
    assert_eq!(issuing.waiting(), 0);
    erase().await.expect("erased");
    // No invoice is owed of an order that was refunded, whether it was looked at since or not.
    let bia = issuing.test.buyer("bia").await;
    let product = issuing.test.product("other", 10, 4990).await;
    let order = paid(&issuing.test, &bia, &product, 1).await;
    assert_eq!((issued(&shop).await, issuing.waiting()), (0, 1), "bia gave no CPF");
    issuing.move_to(&order, OrderStatus::Refunded).await;
    shop.customers().erase_person(&Actor::System, &bia.id).await.expect("erased");
}

#[tokio::test]
async fn what_has_no_answer_is_tried_again_and_no_order_gets_two() {
    for fault in [Fault::LostBefore, Fault::LostAfter, Fault::Later, Fault::Rejects(108)] {
        let issuing = Issuing::new().await;
        let shop = issuing.open(IssueWhen::WhenPaid).await;
        let order = issuing.sell("vela").await;
        issuing.office.next(fault);
        assert_eq!(issued(&shop).await, 0, "{fault:?}");
        assert_eq!(issued(&shop).await, 0, "{fault:?}: not at once");
        for _ in 0..3 {
            issuing.wait(10);
            issued(&shop).await;
        }
        let invoice = shop.invoices().get_by_order(&order.id).await.expect("there");
        assert_eq!(invoice.status, InvoiceStatus::Authorized, "{fault:?}");
        assert_eq!((issuing.office.authorized(), issuing.waiting()), (1, 0), "{fault:?}");
    }
}

#[tokio::test]
async fn a_rejection_is_tried_again_when_something_changed_and_not_before() {
    let issuing = Issuing::new().await;
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    let order = issuing.sell("vela").await;
    issuing.office.next(Fault::Rejects(778));
    assert_eq!(issued(&shop).await, 0);
    for _ in 0..5 {
        issuing.wait(30);
        assert_eq!(issued(&shop).await, 0);
    }
    assert_eq!(issuing.office.handed_over(), 1);
    let refused = tasks(&shop).await;
    assert_eq!((refused.refused_invoices.count, refused.invoices_not_issued.count), (1, 0));
    let ncm = input(json!({ "ncm": "33074900" }));
    let product = &order.items[0].product_id;
    shop.invoices().update_fiscal(&Actor::System, product, ncm, None).await.expect("changed");
    issuing.wait(30);
    assert_eq!((issued(&shop).await, issuing.office.handed_over()), (1, 2));
    assert_eq!(tasks(&shop).await.refused_invoices.count, 0);
}

#[tokio::test]
async fn staff_may_ask_for_what_was_refused_at_any_time() {
    let issuing = Issuing::new().await;
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    let order = issuing.sell("vela").await;
    issuing.office.next(Fault::Rejects(778));
    issued(&shop).await;
    let staff = shop.invoices().emit(&Actor::System, &order.id, EmitInvoice::default()).await;
    assert_eq!(staff.expect("issued").number, 1);
    issuing.wait(30);
    assert_eq!((issued(&shop).await, issuing.waiting()), (0, 0));
    assert_eq!(issuing.office.handed_over(), 2);
}

#[tokio::test]
async fn what_is_missing_waits_in_the_tasks_until_it_is_there() {
    let issuing = Issuing::new().await;
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    let nameless = issuing.test.buyer("bia").await;
    let vela = issuing.test.product("vela", 10, 4990).await;
    let order = paid(&issuing.test, &nameless, &vela, 1).await;
    let other = issuing.sell("other").await;
    assert_eq!(issued(&shop).await, 1, "one that cannot be made keeps no other waiting");
    assert!(shop.invoices().get_by_order(&other.id).await.is_ok());
    let waiting = tasks(&shop).await.invoices_not_issued;
    assert_eq!(waiting.count, 1);
    let first = &waiting.first[0];
    assert_eq!((&first.order_id, &first.order_number), (&order.id, &order.order_number));
    assert_eq!(first.problem, "Faltam dados ou não servem: cpf");
    assert_eq!(issuing.test.count("SELECT count(*) FROM nfe"), 1, "it takes no number");
    let profile = input(json!({ "cpf": "390.533.447-05" }));
    shop.accounts().update(&nameless.id, profile).await.expect("changed");
    issuing.wait(11);
    assert_eq!(issued(&shop).await, 1);
    assert_eq!(tasks(&shop).await.invoices_not_issued.count, 0);
}

#[tokio::test]
async fn what_is_called_off_meanwhile_gets_no_invoice_and_a_cancelled_one_is_not_made_anew() {
    let issuing = Issuing::new().await;
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    let order = issuing.sell("vela").await;
    issuing.move_to(&order, OrderStatus::Cancelled).await;
    assert_eq!((issued(&shop).await, issuing.waiting()), (0, 0));
    let order = issuing.sell("other").await;
    assert_eq!(issued(&shop).await, 1);
    let why = WithdrawInvoice::default();
    shop.invoices().cancel(&Actor::System, &order.id, why).await.expect("cancelled");
    issuing.move_to(&order, OrderStatus::Shipped).await;
    assert_eq!((issued(&shop).await, issuing.waiting()), (0, 0));
    assert_eq!(issuing.office.handed_over(), 2, "the invoice and its cancellation");
}

#[tokio::test]
async fn an_office_that_is_away_is_not_asked_for_each_order() {
    let issuing = Issuing::new().await;
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    for sku in ["one", "two", "three"] {
        issuing.sell(sku).await;
    }
    issuing.office.next(Fault::LostBefore);
    assert_eq!((issued(&shop).await, issuing.office.handed_over()), (0, 1));
    assert_eq!(issued(&shop).await, 2, "the others in the next round");
    issuing.wait(10);
    issued(&shop).await;
    assert_eq!((issuing.office.good(), issuing.waiting()), (3, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_servers_one_issues_each_invoice() {
    let issuing = Issuing::new().await;
    let shop = issuing.open(IssueWhen::WhenPaid).await;
    let second = issuing.open(IssueWhen::WhenPaid).await;
    for sku in ["one", "two", "three", "four", "five", "six"] {
        issuing.sell(sku).await;
    }
    let (one, two) = tokio::join!(issued(&shop), issued(&second));
    assert_eq!((one + two, issuing.office.handed_over(), issuing.office.good()), (6, 6, 6));
    assert_eq!(issuing.waiting(), 0);
}

/// Drops the round at each of its waits, one after the other: what a kill does at any moment.
#[tokio::test]
async fn a_round_dropped_at_any_moment_leaves_no_order_out_and_none_with_two_invoices() {
    use futures_util::FutureExt;
    for polls in (1..40).step_by(3) {
        let issuing = Issuing::new().await;
        let shop = issuing.open(IssueWhen::WhenPaid).await;
        let order = issuing.sell("vela").await;
        {
            let mut round = Box::pin(shop.run_due());
            for _ in 0..polls {
                if (&mut round).now_or_never().is_some() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        drop(shop);
        let shop = issuing.open(IssueWhen::WhenPaid).await;
        for _ in 0..3 {
            issuing.wait(10);
            shop.run_due().await.expect("runs");
        }
        let invoice = shop.invoices().get_by_order(&order.id).await.expect("there");
        assert_eq!((invoice.status, invoice.number), (InvoiceStatus::Authorized, 1), "{polls}");
        assert_eq!((issuing.office.good(), issuing.waiting()), (1, 0), "{polls}");
    }
}
