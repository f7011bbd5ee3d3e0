//! How often the shop asks its database: no more often because a page, an order or a month has
//! more.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use serde_json::json;
use shop_core::storage::{Generations, Job, Lane, Param, ReadCost, Sqlite, Storage, Tx};
use shop_core::views::ReturnFilter;
use shop_core::{Result, Shop};

use super::catalog::create;
use super::fixture::{TestShop, input, order_of};
use super::nfe::{archive, emit, paid};
use super::watched_tx::{Watch, WatchedTx};
use crate::database;

/// What was asked: a statement once, however many lists of parameters it was asked with.
type Asked = Arc<Mutex<Vec<String>>>;

/// An engine that notes whatever is asked.
struct Noting(Sqlite, Asked);

impl Noting {
    fn noted(&self, mut job: Job) -> Job {
        let asked = Arc::clone(&self.1);
        Box::new(move |tx: &mut dyn Tx| job(&mut WatchedTx(tx, &asked)))
    }
}

impl Storage for Noting {
    fn read(&self, name: &'static str, cost: ReadCost, job: Job) -> BoxFuture<'_, Result<()>> {
        self.0.read(name, cost, self.noted(job))
    }

    fn write(&self, lane: Lane, name: &'static str, job: Job) -> BoxFuture<'_, Result<()>> {
        self.0.write(lane, name, self.noted(job))
    }

    fn generations(&self) -> &Generations {
        self.0.generations()
    }
}

impl Watch for &Asked {
    fn statement(&mut self, _: &mut dyn Tx, sql: &str, _: &[Param<'_>]) -> Result<()> {
        self.lock().expect("a lock").push(sql.to_owned());
        Ok(())
    }
}

/// A shop, and the same once more by an engine that notes.
struct Bench {
    test: TestShop,
    shop: Shop,
    asked: Asked,
}

impl Bench {
    /// `None` where tests do not run on the engine that is wrapped.
    async fn open() -> Option<Self> {
        if !database::is_file("how often the shop asks SQLite") {
            return None;
        }
        let test = TestShop::open().await;
        let asked = Asked::default();
        let storage = Noting(Sqlite::open(test.database()).expect("opens"), Arc::clone(&asked));
        let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
        let shop = builder.storage(storage).open().await.expect("opens");
        Some(Self { test, shop, asked })
    }

    /// What was asked since the last call.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("a lock"))
    }
}

#[tokio::test]
async fn a_page_of_returns_asks_as_often_as_one_return() {
    let Some(bench) = Bench::open().await else { return };
    let vela = bench.test.product("vela", 100, 4990).await;
    for name in ["ana", "bia", "eva"] {
        let buyer = bench.test.buyer(name).await;
        let order = paid(&bench.test, &buyer, &vela, 2).await;
        let all = input(json!({}));
        bench.test.shop.returns().request(&buyer.id, &order.id, all, None).await.expect("asked");
    }
    bench.asked();
    let mut rounds = Vec::new();
    for limit in [1, 3] {
        let filter: ReturnFilter = input(json!({ "limit": limit }));
        let page = bench.shop.returns().list(filter).await.expect("a page");
        assert_eq!((page.data.len(), page.pagination.total), (limit, 3));
        assert!(page.data.iter().all(|row| row.returned.items[0].quantity == 2));
        rounds.push(bench.asked());
    }
    assert_eq!(rounds[0], rounds[1]);
}

#[tokio::test]
async fn the_check_of_all_products_asks_as_often_as_that_of_one() {
    let Some(bench) = Bench::open().await else { return };
    let mut rounds = Vec::new();
    for names in [&["um"][..], &["dois", "tres", "quatro"]] {
        for name in names {
            bench.test.product(name, 1, 1000).await;
        }
        bench.asked();
        bench.shop.invoices().check_products().await.expect("checked");
        rounds.push(bench.asked());
    }
    assert_eq!(rounds[0], rounds[1]);
}

#[tokio::test]
async fn the_documents_of_a_month_and_of_a_customer_are_asked_for_together() {
    let Some(bench) = Bench::open().await else { return };
    let (buyer, vela) = (bench.test.buyer("ana").await, bench.test.product("vela", 99, 4990).await);
    let mut rounds = Vec::new();
    for orders in [1, 3] {
        for _ in 0..orders {
            let order = paid(&bench.test, &buyer, &vela, 1).await;
            emit(&bench.test.shop, &order).await.expect("issued");
        }
        bench.asked();
        archive(&bench.shop, "2026-11").await;
        let month = bench.asked();
        let copy = bench.shop.accounts().export(&buyer.id).await.expect("a copy");
        assert_eq!(copy.invoices.len(), if orders == 1 { 1 } else { 4 });
        let of_invoices = |sql: &String| sql.contains("FROM nfe");
        rounds.push((month, bench.asked().into_iter().filter(of_invoices).collect::<Vec<_>>()));
    }
    assert_eq!(rounds[0], rounds[1]);
}

#[tokio::test]
async fn a_search_of_many_unknown_words_asks_a_few_times() {
    let Some(bench) = Bench::open().await else { return };
    create(&bench.test, json!({ "name": "Velas de Lavanda" })).await.expect("made");
    let words = ["lavnda", "lavamda", "lavvanda", "lavanad", "lavandda", "lavannda"];
    let search = async |q: &str| {
        bench.asked();
        let page = bench.shop.products().search(input(json!({ "q": q }))).await.expect("a page");
        (page.data.len(), bench.asked().len())
    };
    let (found, rounds) = search(&words[..5].join(" ")).await;
    assert_eq!(found, 1);
    assert!(rounds <= 10, "{rounds}");
    // More words than five are not corrected.
    let (found, rounds) = search(&words.join(" ")).await;
    assert_eq!(found, 0);
    assert!(rounds <= 5, "{rounds}");
}

#[tokio::test]
async fn a_new_key_of_an_order_has_no_row_to_delete() {
    let Some(bench) = Bench::open().await else { return };
    let (buyer, vela) = (bench.test.buyer("ana").await, bench.test.product("vela", 9, 4990).await);
    let deletes = async || {
        bench.asked();
        let order = order_of(&buyer, json!([{ "productId": vela, "quantity": 1 }]));
        let key = Some("k".parse().expect("a key"));
        let placed = bench.shop.orders().place(&buyer.id, order, key).await.expect("placed");
        assert!(!placed.replayed);
        bench.asked().iter().filter(|sql| sql.starts_with("DELETE FROM idempotency")).count()
    };
    assert_eq!(deletes().await, 0);
    // The row of a key whose time is over is there still.
    bench.test.advance_hours(24);
    assert_eq!(deletes().await, 1);
}
