//! Where reads run: on the caller's thread only while they touch a few rows, however large what
//! they are about has grown; else on a reader thread, so that no async worker waits for them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::error::Entity;
use shop_core::id::{AccountId, ProductId};
use shop_core::storage::{Generations, Job, Lane, ReadCost, Sqlite, Storage, Tx};
use shop_core::{Error, Result, Shop};

use super::fixture::{Buyer, TestShop, input, order_of};
use super::watched_tx::{Watch, WatchedTx};
use crate::database;
use crate::fakes::Carriers;

/// The lines of the largest order and of the largest cart.
const LINES: usize = 200;
/// The most rows of a read on the caller's thread.
const FEW: usize = 200;

/// What a kind of read did at most, and where.
#[derive(Debug, Clone, Default)]
struct Seen {
    rows: usize,
    /// The same of those on the thread of the test, which is the only one of its runtime.
    rows_here: usize,
    threads: Vec<ThreadId>,
}

impl Seen {
    fn last_ran_here(&self) -> bool {
        self.threads.last() == Some(&thread::current().id())
    }
}

type Reads = Arc<Mutex<HashMap<&'static str, Seen>>>;

/// An engine that counts what is read.
struct Counting(Sqlite, Reads);

impl Storage for Counting {
    fn read(&self, name: &'static str, cost: ReadCost, mut job: Job) -> BoxFuture<'_, Result<()>> {
        let reads = Arc::clone(&self.1);
        let caller = thread::current().id();
        let counted = move |tx: &mut dyn Tx| {
            let mut counted = WatchedTx(tx, Rows::default());
            let outcome = job(&mut counted);
            let rows = counted.1.0;
            let mut reads = reads.lock().expect("a lock");
            let seen = reads.entry(name).or_default();
            seen.rows = seen.rows.max(rows);
            if thread::current().id() == caller {
                seen.rows_here = seen.rows_here.max(rows);
            }
            seen.threads.push(thread::current().id());
            outcome
        };
        self.0.read(name, cost, Box::new(counted))
    }

    fn write(&self, lane: Lane, name: &'static str, job: Job) -> BoxFuture<'_, Result<()>> {
        self.0.write(lane, name, job)
    }

    fn generations(&self) -> &Generations {
        self.0.generations()
    }
}

/// The rows of a read.
#[derive(Default)]
struct Rows(usize);

impl Watch for Rows {
    fn row(&mut self) {
        self.0 += 1;
    }
}

/// The same shop on an engine that counts; `None` where tests do not run on SQLite.
async fn counted(test: &TestShop) -> Option<(Shop, Reads)> {
    if !database::is_file("which reads run on the caller's thread") {
        return None;
    }
    let reads = Reads::default();
    let storage = Counting(Sqlite::open(test.database()).expect("opens"), Arc::clone(&reads));
    let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    Some((builder.storage(storage).open().await.expect("opens"), reads))
}

async fn products(test: &TestShop) -> Vec<ProductId> {
    let mut products = Vec::with_capacity(LINES);
    for n in 0..LINES {
        products.push(test.product(&format!("vela-{n}"), 50, 100).await);
    }
    products
}

fn items(products: &[ProductId]) -> Value {
    products.iter().map(|id| json!({ "productId": id, "quantity": 1 })).collect()
}

#[tokio::test]
async fn planning_a_large_order_for_carriers_leaves_the_async_thread() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let buyer = test.buyer("ana").await;
    let products = products(&test).await;
    let Some((shop, reads)) = counted(&test).await else { return };
    let order = order_of(&buyer, items(&products));
    let placed = shop.orders().place(&buyer.id, order, None).await.expect("placed");
    assert_eq!(placed.order.items.len(), LINES);
    let plan = reads.lock().expect("a lock")["order.plan"].clone();
    assert!(plan.rows >= LINES, "every line is weighed: {plan:?}");
    // This test's runtime has this one thread.
    assert!(!plan.threads.contains(&thread::current().id()), "{plan:?}");
}

#[tokio::test]
async fn an_order_by_the_shops_own_tariffs_reads_nothing_before_it_is_placed() {
    let test = TestShop::open().await;
    let by = Actor::System;
    for (name, price) in [("Econômica", 12), ("Rápida", 30)] {
        let new =
            json!({ "name": name, "states": ["RJ", "SP"], "price": price, "estimatedDays": 3 });
        test.shop.shipping().create_tariff(&by, input(new)).await.expect("a tariff");
    }
    let buyer = test.buyer("ana").await;
    let product = test.product("vela", 50, 100).await;
    let Some((shop, reads)) = counted(&test).await else { return };
    let order = order_of(&buyer, items(std::slice::from_ref(&product)));
    let placed = shop.orders().place(&buyer.id, order, None).await.expect("placed").order;
    assert_eq!(placed.shipping_service.as_deref(), Some("Econômica"));
    assert_eq!(placed.shipping.to_string(), "12.00");
    let reads = reads.lock().expect("a lock");
    assert!(!reads.keys().any(|name| name.starts_with("order.")), "{reads:?}");
}

/// Somebody with as much of everything as one customer may have.
async fn hoarder(test: &TestShop, products: &[ProductId]) -> Buyer {
    let buyer = test.buyer("ana").await;
    for product in products {
        test.add_to_cart(&buyer, product, 1).await.expect("added");
    }
    for n in 1..100 {
        let address = input(json!({
            "label": format!("Casa {n}"), "street": "Rua das Flores", "number": "123",
            "district": "Centro", "city": "São Paulo", "state": "SP", "zipCode": "01001000"
        }));
        test.shop.addresses().create(&buyer.id, address).await.expect("an address");
    }
    buyer
}

/// A product with more variants than a page shows.
async fn with_variants(test: &TestShop) -> (ProductId, Value) {
    let products = test.shop.products();
    let by = Actor::System;
    let kinds = test.shop.variant_types();
    let new = input(json!({ "name": "Tamanho", "slug": "tamanho" }));
    let kind = kinds.create(&by, new).await.expect("a kind");
    let product = test.product("castical", 1, 100).await;
    for n in 0..50 {
        let option = input(json!({ "value": format!("{n} g"), "order": n }));
        let option = kinds.create_option(&by, &kind.id, option).await.expect("an option");
        let variant = input(json!({ "price": 12, "stock": 1,
            "values": [{ "variantOptionId": option.id }] }));
        products.create_variant(&by, &product, variant).await.expect("a variant");
    }
    (product, json!(kind.id))
}

#[tokio::test]
async fn what_runs_on_the_callers_thread_touches_few_rows() {
    let test = TestShop::open().await;
    let products = products(&test).await;
    let buyer = hoarder(&test, &products).await;
    let (large, kind) = with_variants(&test).await;
    let Some((shop, reads)) = counted(&test).await else { return };
    let order = order_of(&buyer, items(&products));
    let order = shop.orders().place(&buyer.id, order, None).await.expect("placed").order;
    shop.orders().get_for_customer(&buyer.id, &order.id).await.expect("found");
    shop.orders().get_by_number(&order.order_number).await.expect("found");
    shop.orders().get(&order.id).await.expect("found");
    shop.orders().get_detail(&order.id).await.expect("found");
    shop.orders().get_record(&order.id).await.expect("found");
    shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a charge");
    shop.payments().list_refunds(&order.id).await.expect("found");
    shop.sandbox().pay(&order.order_number).await.expect("paid");
    shop.carts().get(&buyer.id).await.expect("found");
    shop.addresses().list(&buyer.id).await.expect("found");
    shop.notifications().list(&buyer.id).await.expect("found");
    shop.products().get_by_slug("castical").await.expect("found");
    shop.products().find(large.as_str()).await.expect("found");
    shop.products().get(&large).await.expect("found");
    shop.products().get(&large).await.expect("found");
    shop.products().list_variants(&large).await.expect("found");
    shop.variant_types().list_options(&input(kind)).await.expect("found");
    for filter in [json!({}), json!({ "limit": 100 }), json!({ "limit": 100, "sort": "popular" })] {
        assert!(!shop.products().list(input(filter)).await.expect("a page").data.is_empty());
    }
    let reads = reads.lock().expect("a lock");
    let too_many: Vec<_> = reads.iter().filter(|(_, seen)| seen.rows_here > FEW).collect();
    assert!(too_many.is_empty(), "{too_many:?}");
}

#[tokio::test]
async fn what_has_few_rows_is_read_on_the_callers_thread() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let product = test.product("vela", 50, 100).await;
    test.add_to_cart(&buyer, &product, 1).await.expect("added");
    let Some((shop, reads)) = counted(&test).await else { return };
    let order = order_of(&buyer, items(std::slice::from_ref(&product)));
    let order = shop.orders().place(&buyer.id, order, None).await.expect("placed").order;
    let all_here = async || {
        shop.products().get_by_slug("vela").await.expect("found");
        shop.carts().get(&buyer.id).await.expect("found");
        shop.addresses().list(&buyer.id).await.expect("found");
        shop.orders().get_for_customer(&buyer.id, &order.id).await.expect("found");
        let reads = reads.lock().expect("a lock");
        ["product.get", "cart.get", "order.get", "address.list"]
            .iter()
            .all(|name| reads[name].last_ran_here())
    };
    // The engine opens its connections in the background; until then its own threads read.
    let start = Instant::now();
    while !all_here().await {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", reads.lock().expect("a lock"));
    }
}

#[tokio::test]
async fn the_copy_of_a_persons_data_is_read_beside_the_writer() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let Some((shop, reads)) = counted(&test).await else { return };
    let by = Actor::System;
    let copy = shop.customers().export_person(&by, &buyer.id).await.expect("a copy");
    assert_eq!(copy.account.id, buyer.id);
    let read = reads.lock().expect("a lock").get("customer.export_person").cloned();
    assert!(read.expect("read").rows >= 2, "the account and its address");
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'customer.export'"), 1);
    let nobody = AccountId::from("nobody");
    let refused = shop.customers().export_person(&by, &nobody).await.err();
    assert!(matches!(refused, Some(Error::NotFound(Entity::Account))), "{refused:?}");
    assert_eq!(test.count("SELECT count(*) FROM audit WHERE action = 'customer.export'"), 1);
}
