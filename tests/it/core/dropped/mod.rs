//! Dropping the future of any operation, at any of the points where it waits, loses nothing: what
//! it did is there whole or not at all, and the books agree.

mod operations;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use shop_core::Result;
use shop_core::account::Account;
use shop_core::actor::Actor;
use shop_core::catalog::VariantType;
use shop_core::id::{ProductId, ReviewId, WebhookId};
use shop_core::order::{Order, OrderStatus};
use shop_core::order_return::OrderReturn;

use super::fixture::{Buyer, TestShop, input};

/// An operation that is ready to be called, once.
type Call<'a> = BoxFuture<'a, Result<()>>;
/// Makes what the operation needs, and then the operation.
type Prepare = for<'a> fn(&'a Stage) -> BoxFuture<'a, Call<'a>>;

/// More than any operation has points at which it waits.
const POINTS: usize = 200;

/// A shop with a customer, and names that were not used yet.
struct Stage {
    test: TestShop,
    ana: Buyer,
    used: AtomicUsize,
}

impl Stage {
    async fn open() -> Self {
        let test = TestShop::open().await;
        let ana = test.buyer("ana").await;
        Self { test, ana, used: AtomicUsize::new(0) }
    }

    /// A name that nothing has.
    fn name(&self) -> String {
        format!("nome-{}", self.used.fetch_add(1, Ordering::SeqCst))
    }

    async fn product(&self) -> ProductId {
        self.test.product(&self.name(), 10, 4990).await
    }

    async fn order(&self) -> Order {
        let product = self.product().await;
        self.test.buy(&self.ana, &product, 2).await.expect("an order")
    }

    async fn paid(&self) -> Order {
        let order = self.order().await;
        self.test.shop.payments().create_pix(&self.ana.id, &order.id, None).await.expect("a code");
        self.test.shop.sandbox().pay(&order.order_number).await.expect("paid")
    }

    /// A return that awaits its goods and its money.
    async fn returned(&self) -> OrderReturn {
        let (order, all) = (self.paid().await, input(json!({})));
        let asked = self.test.shop.returns().request(&self.ana.id, &order.id, all, None).await;
        asked.expect("a return")
    }

    async fn admin(&self) -> Account {
        let name = self.name();
        let new = input(json!({ "name": name, "email": format!("{name}@example.com"),
            "password": "segredo-123" }));
        self.test.shop.accounts().create_admin(new).await.expect("an admin")
    }

    /// A kind of variation with one option.
    async fn kind(&self) -> VariantType {
        let (name, kinds) = (self.name(), self.test.shop.variant_types());
        let new = input(json!({ "name": name, "slug": name }));
        let kind = kinds.create(&Actor::System, new).await.expect("a kind");
        let option = input(json!({ "value": "P" }));
        kinds.create_option(&Actor::System, &kind.id, option).await.expect("an option");
        let all = kinds.list().await.expect("kinds");
        all.into_iter().find(|it| it.id == kind.id).expect("there")
    }

    async fn review(&self) -> ReviewId {
        let order = self.paid().await;
        let (orders, id) = (self.test.shop.orders(), &order.items[0].product_id);
        orders.set_status(&order.id, OrderStatus::Delivered, None).await.expect("delivered");
        let product = self.test.shop.products().get(id).await.expect("there");
        let new = input(json!({ "rating": 5, "body": "Ótima" }));
        let reviews = self.test.shop.reviews();
        reviews.create(&self.ana.id, product.slug.as_str(), new).await.expect("a review").id
    }

    async fn webhook(&self) -> WebhookId {
        let new = input(json!({ "url": "https://exemplo.com/x", "secret": "segredo-do-erp",
            "events": ["order.created"] }));
        let made = self.test.shop.webhooks().create(&Actor::System, new).await;
        made.expect("a webhook").id
    }

    /// How many rows each table has.
    fn rows(&self) -> BTreeMap<&'static str, i64> {
        let counts: Vec<String> =
            TABLES.iter().map(|table| format!("(SELECT count(*) FROM {table})")).collect();
        let row = self.test.data.rows(&format!("SELECT {}", counts.join(", "))).remove(0);
        let number = |cell: Option<String>| cell.and_then(|it| it.parse().ok()).expect("a count");
        TABLES.iter().copied().zip(row.into_iter().map(number)).collect()
    }
}

/// What operations leave behind: their own rows, and those that tell of them.
const TABLES: [&str; 36] = [
    "account",
    "address",
    "api_key",
    "audit",
    "cart_item",
    "category",
    "coupon",
    "coupon_use",
    "event",
    "external_account",
    "guest_cart",
    "idempotency",
    "mail",
    "newsletter_reader",
    "notification",
    "order_history",
    "order_item",
    "order_note",
    "order_return",
    "order_return_history",
    "order_return_item",
    "orders",
    "payment",
    "product",
    "product_fiscal",
    "refund",
    "review",
    "shipping_tariff",
    "staff_session",
    "staff_two_factor",
    "stock_movement",
    "variant",
    "variant_option",
    "variant_type",
    "webhook",
    "wishlist_item",
];

/// Which tables grew or shrank, and by how much.
fn change(before: &BTreeMap<&'static str, i64>, after: &BTreeMap<&'static str, i64>) -> Change {
    let moved = after.iter().map(|(table, count)| (*table, count - before[table]));
    moved.filter(|(_, by)| *by != 0).collect()
}

type Change = BTreeMap<&'static str, i64>;

/// Polls a future so many times, whenever it is woken, and drops it. Whether it was done by then.
async fn polled(mut future: Call<'_>, times: usize) -> bool {
    let mut polls = 0;
    let done = std::future::poll_fn(|context| {
        if polls == times {
            return Poll::Ready(None);
        }
        polls += 1;
        match future.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if polls == times => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    });
    done.await.map(|done| done.expect("nothing stands in the way")).is_some()
}

/// What an operation leaves behind however often it was polled before it was dropped.
async fn drop_everywhere(shared: &Stage, name: &str, prepare: Prepare) {
    // What goes on after it was dropped has a shop of its own, so that it disturbs nothing else.
    let detached = name.starts_with("payments.") || name == "returns.refund";
    let mut whole: Option<Change> = None;
    // First to its end, then dropped after none, one, two polls.
    for times in [usize::MAX].into_iter().chain(0..POINTS) {
        let own = if detached { Some(Stage::open().await) } else { None };
        let stage = own.as_ref().unwrap_or(shared);
        let call = prepare(stage).await;
        let before = stage.rows();
        let done = polled(call, times).await;
        let whole = whole.get_or_insert_with(|| change(&before, &stage.rows()));
        let settled = async {
            loop {
                // Behind this one, nothing is queued any more.
                stage.test.shop.check_writable().await.expect("takes a write");
                let now = change(&before, &stage.rows());
                if now == *whole || (now.is_empty() && !done) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(20), settled).await.is_err() {
            let now = change(&before, &stage.rows());
            panic!("{name}, dropped after {times} polls, leaves {now:?} of {whole:?}");
        }
        if let Some(own) = own {
            own.test.check_books().await;
        }
        if done && times < POINTS {
            return;
        }
    }
    panic!("{name} waits at more than {POINTS} points");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_that_is_dropped_anywhere_is_done_or_not() {
    let stage = Stage::open().await;
    // A file has one queue of writes, behind which a further write finds it empty; PostgreSQL has
    // four, which run the same jobs.
    if !stage.test.data.is_a_file() {
        return;
    }
    for (name, prepare) in operations::ALL {
        drop_everywhere(&stage, name, *prepare).await;
    }
    stage.test.check_ledger();
    stage.test.check_books().await;
}

/// Dropped background work is done by a later round.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn background_work_that_is_dropped_anywhere_is_done_later() {
    let stage = Stage::open().await;
    for times in 0..POINTS {
        let order = stage.order().await;
        stage.test.advance_hours(73);
        let shop = stage.test.shop.clone();
        let due = Box::pin(async move { shop.run_due().await.map(drop) });
        let done = polled(due, times).await;
        // Past the time for which a claim holds.
        stage.test.advance_hours(1);
        stage.test.shop.run_due().await.expect("done");
        let cancelled = format!(
            "SELECT count(*) FROM orders WHERE id = '{}' AND status = 'CANCELLED'",
            order.id
        );
        assert_eq!(stage.test.count(&cancelled), 1, "dropped after {times} polls");
        if done {
            break;
        }
    }
    stage.test.check_ledger();
    stage.test.check_books().await;
}
