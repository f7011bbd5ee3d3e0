//! How the engine finds what the back office asks of orders: by indexes, never by looking at all.

use std::sync::{Arc, Mutex};

use futures_util::TryStreamExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::demo::{self, DemoSize};
use shop_core::storage::{Generations, Job, Lane, Param, ReadCost, Sqlite, Storage, Tx};
use shop_core::views::{OrderExportFilter, TaskFilter};
use shop_core::{Config, Result, Shop};

use super::fixture::{TestShop, input};
use super::watched_tx::{Watch, WatchedTx};
use crate::database;

/// Statements and how the engine runs them.
type Plans = Arc<Mutex<Vec<(String, Vec<String>)>>>;

/// An engine that asks for the plan of whatever is read or written.
struct Explaining(Sqlite, Plans);

impl Storage for Explaining {
    fn read(&self, name: &'static str, cost: ReadCost, mut job: Job) -> BoxFuture<'_, Result<()>> {
        let plans = Arc::clone(&self.1);
        let explained = move |tx: &mut dyn Tx| job(&mut WatchedTx(tx, &plans));
        self.0.read(name, cost, Box::new(explained))
    }

    fn write(&self, lane: Lane, name: &'static str, mut job: Job) -> BoxFuture<'_, Result<()>> {
        let plans = Arc::clone(&self.1);
        let explained = move |tx: &mut dyn Tx| job(&mut WatchedTx(tx, &plans));
        self.0.write(lane, name, Box::new(explained))
    }

    fn generations(&self) -> &Generations {
        self.0.generations()
    }
}

impl Watch for &Plans {
    fn statement(&mut self, tx: &mut dyn Tx, sql: &str, params: &[Param<'_>]) -> Result<()> {
        let explain = format!("EXPLAIN QUERY PLAN {sql}");
        let steps = tx.all(&explain, params, |row| row.get::<String>(3))?;
        self.lock().expect("a lock").push((sql.to_owned(), steps));
        Ok(())
    }
}

/// Tables that grow with the shop, and what statements call them.
const LARGE: [&str; 14] = [
    "orders",
    "o",
    "order_item",
    "i",
    "order_history",
    "h",
    "order_note",
    "payment",
    "refund",
    "account",
    "a",
    "stock_movement",
    "product_day",
    "address",
];

/// Whether a step of a plan looks at all of a large table. What walks along an index of times stops
/// at its `LIMIT`.
fn looks_at_all(step: &str) -> bool {
    let mut words = step.split(' ');
    words.next() == Some("SCAN")
        && words.next().is_some_and(|table| LARGE.contains(&table))
        && !step.contains("USING INDEX orders_time")
        && !step.contains("USING COVERING INDEX orders_time")
        // An index of the few payments in REVIEW.
        && !step.contains("INDEX payment_review")
}

/// `None` where tests do not run on the engine whose plans these are.
async fn explained(size: DemoSize) -> Option<(TestShop, Shop, Plans)> {
    if !database::is_file("how SQLite finds what the back office asks of orders") {
        return None;
    }
    let test = TestShop::open().await;
    demo::seed(&test.shop, size).await.expect("seeded");
    let plans = Plans::default();
    let storage = Explaining(Sqlite::open(test.database()).expect("opens"), Arc::clone(&plans));
    let config: Config = test.shop.config().clone();
    let builder = Shop::builder(config).clock(test.clock.clone()).storage(storage);
    let shop = builder.open().await.expect("opens");
    Some((test, shop, plans))
}

/// Indexes of those few rows that wait for something.
const OF_FEW: [&str; 7] = [
    "payment_review",
    "payment_check",
    "refund_check",
    "mail_due",
    "mail_failing",
    "nfe_to_issue_problem",
    "webhook_queue_due",
];

#[tokio::test]
async fn the_figures_of_those_who_run_the_shop_look_at_what_waits_only() {
    let size = DemoSize::Trade { products: 200, customers: 500, orders: 5000 };
    let Some((_test, shop, plans)) = explained(size).await else { return };
    plans.lock().expect("a lock").clear();
    let figures = shop.dashboard().get_figures().await.expect("figures");
    assert_eq!(figures.orders.iter().map(|(_, count)| count).sum::<i64>(), 5000);
    let plans = plans.lock().expect("a lock");
    assert!(plans.len() >= 12, "{}", plans.len());
    for (sql, steps) in plans.iter() {
        for step in steps.iter().filter(|step| step.starts_with("SCAN")) {
            let table = step.split(' ').nth(1).expect("a table");
            // A row a day, a row an endpoint, and what a subquery found, which is bounded.
            let small =
                ["order_day", "w", "webhook", "counted", "due", "failing", "waiting", "c", "o"];
            let of_few = OF_FEW.iter().any(|index| step.ends_with(&format!("INDEX {index}")));
            assert!(small.contains(&table) || of_few, "{step}\n{sql}");
        }
    }
}

#[tokio::test]
async fn nothing_that_the_back_office_asks_of_orders_looks_at_all_of_them() {
    let size = DemoSize::Trade { products: 200, customers: 500, orders: 5000 };
    let Some((test, shop, plans)) = explained(size).await else { return };
    let (from, to) = ("2026-03-01T12:00:00.000Z", "2026-05-01T12:00:00.000Z");
    let filters: [Value; 9] = [
        json!({}),
        json!({ "page": 200 }),
        json!({ "status": "DELIVERED", "page": 100 }),
        json!({ "from": from, "to": to }),
        json!({ "status": "CANCELLED", "from": from, "to": to }),
        json!({ "q": "PED-2026" }),
        json!({ "q": "conceição" }),
        json!({ "q": "ana", "status": "DELIVERED", "from": from }),
        json!({ "q": "demo-12@velas" }),
    ];
    for filter in filters {
        let text = filter.to_string();
        let page = shop.orders().list(input(filter)).await.expect("a page");
        assert!(!page.data.is_empty(), "{text}");
        let id = &page.data[0].order.id;
        shop.orders().get_detail(id).await.expect("an order");
        shop.orders().list_mails(id).await.expect("mails");
    }
    for period in ["7d", "30d", "90d"] {
        let overview = shop.dashboard().get_overview(input(json!({ "period": period }))).await;
        assert_eq!(overview.expect("an overview").top_products.len(), 5);
    }
    let tasks = shop.dashboard().get_tasks(TaskFilter::default()).await.expect("tasks");
    assert!(tasks.orders_to_send.count > 0);
    let stats = shop.dashboard().get_totals().await.expect("stats");
    assert_eq!((stats.total_orders, stats.recent_orders.len()), (5000, 10));
    for status in [None, Some(shop_core::order::OrderStatus::Delivered)] {
        let export =
            shop.orders().export(OrderExportFilter { status, ..OrderExportFilter::default() });
        let pieces: Vec<_> = export.try_collect().await.expect("all");
        let rows: usize = pieces.iter().map(Vec::len).sum();
        let counted = status.map_or(String::new(), |_| " WHERE status = 'DELIVERED'".to_owned());
        let counted = test.count(&format!("SELECT count(*) FROM orders{counted}"));
        assert_eq!(i64::try_from(rows), Ok(counted));
    }
    let plans = plans.lock().expect("a lock");
    assert!(plans.len() > 50, "{}", plans.len());
    for (sql, steps) in plans.iter() {
        assert!(!steps.iter().any(|step| looks_at_all(step)), "{sql}\n{steps:#?}");
    }
}

#[tokio::test]
async fn an_erasure_looks_through_neither_the_mails_nor_the_answers_of_others() {
    let size = DemoSize::Trade { products: 5, customers: 5, orders: 20 };
    let Some((test, shop, plans)) = explained(size).await else { return };
    let ana = test.buyer("ana").await;
    plans.lock().expect("a lock").clear();
    shop.customers().erase_person(&Actor::System, &ana.id).await.expect("erased");
    let plans = plans.lock().expect("a lock");
    assert!(plans.iter().any(|(sql, _)| sql.starts_with("DELETE FROM mail")));
    assert!(plans.iter().any(|(sql, _)| sql.starts_with("DELETE FROM idempotency")));
    for (sql, steps) in plans.iter() {
        let all = |step: &&String| {
            let of_few = ["INDEX mail_due", "INDEX idempotency_return"];
            ["SCAN mail", "SCAN idempotency"].iter().any(|scan| step.starts_with(scan))
                && !of_few.iter().any(|index| step.ends_with(index))
        };
        assert!(!steps.iter().any(|step| all(&step)), "{sql}\n{steps:#?}");
    }
}
