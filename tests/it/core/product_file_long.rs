//! A file that is too long for one transaction: all of it or nothing, and nobody waits for it.

use std::fmt::Write as _;
use std::io::Cursor;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::{
    BadRow, BulkProducts, ImportProducts, ImportStep, ImportWatch, ProductImport,
};
use shop_core::error::Conflict;
use shop_core::id::ProductId;
use shop_core::value::InvalidValue;
use shop_core::{Error, Result, Shop};
use tokio::runtime::Handle;

use super::fixture::{TestShop, input};
use super::product_file::{export, import, seen};

const BY: Actor = Actor::System;
/// More than the shop writes in one transaction.
const LONG: u64 = 700;
/// How long a process that is at an import is believed to be alive.
const TERM: Duration = Duration::from_secs(15);

/// So many new products.
fn file(count: u64) -> String {
    let mut file = String::from("slug,name,price,sku,stock,category,category_name\n");
    for n in 0..count {
        writeln!(file, "nova-{n},Vela nova {n},10,NOVA-{n},3,velas,Velas").expect("written");
    }
    file
}

/// Does something once in the middle of a step of an import.
struct Meanwhile<F> {
    step: ImportStep,
    act: F,
    acted: AtomicBool,
    bad: Mutex<Vec<BadRow>>,
}

impl<F: Fn() + Send + Sync> Meanwhile<F> {
    fn at(step: ImportStep, act: F) -> Arc<Self> {
        Arc::new(Self { step, act, acted: AtomicBool::new(false), bad: Mutex::default() })
    }

    fn acted(&self) -> bool {
        self.acted.load(SeqCst)
    }
}

impl<F: Fn() + Send + Sync> ImportWatch for Meanwhile<F> {
    fn bad_row(&self, row: &BadRow) {
        self.bad.lock().expect("a lock").push(row.clone());
    }

    fn progress(&self, step: ImportStep, done: u64, of: u64) {
        if step == self.step && done < of && !self.acted.swap(true, SeqCst) {
            (self.act)();
        }
    }
}

/// Waits for something within a callback.
fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::task::block_in_place(|| Handle::current().block_on(work))
}

async fn watched(shop: &Shop, file: String, watch: Arc<dyn ImportWatch>) -> Result<ProductImport> {
    shop.products().import_csv(&BY, Cursor::new(file), ImportProducts::default(), watch).await
}

fn new_products(test: &TestShop) -> u64 {
    test.count("SELECT count(*) FROM product WHERE sku LIKE 'NOVA-%'").unsigned_abs()
}

/// Nothing of an import stands any more, and the catalogue can be changed.
async fn is_over(test: &TestShop) {
    assert_eq!(test.count("SELECT count(*) FROM product_import"), 0);
    assert_eq!(test.count("SELECT count(*) FROM product_import_piece"), 0);
    test.product("depois", 1, 100).await;
    test.check_ledger();
    test.check_books().await;
}

fn imports_noted(test: &TestShop) -> i64 {
    test.count("SELECT count(*) FROM audit WHERE action = 'product.import'")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_and_stock_go_on_while_a_long_file_is_kept_and_written() {
    for step in [ImportStep::Staging, ImportStep::Writing] {
        let test = Arc::new(TestShop::open().await);
        let (ana, vela) = (test.buyer("ana").await, test.product("vela", 9, 4990).await);
        let (shop, item) = (Arc::clone(&test), vela.clone());
        let watch = Meanwhile::at(step, move || {
            // Answered before the import goes on.
            wait(shop.buy(&ana, &item, 2)).expect("an order");
            let set = json!({ "type": "set", "productId": item, "stock": 5 });
            wait(shop.shop.stock().apply(&BY, input(set), None)).expect("a count");
            assert!(new_products(&shop) < LONG);
        });
        let done = watched(&test.shop, file(LONG), watch.clone()).await.expect("imported");
        assert_eq!((done.created, done.written, watch.acted()), (LONG, true, true));
        assert_eq!((new_products(&test), test.stock(vela.as_str())), (LONG, 5));
        assert_eq!(imports_noted(&test), 1);
        is_over(&test).await;
    }
}

/// Changes of the catalogue, each of which an import may have looked at: those that are not refused
/// because of it.
async fn unrefused(shop: &Shop, vela: &ProductId) -> Vec<&'static str> {
    let (products, categories, kinds) = (shop.products(), shop.categories(), shop.variant_types());
    let new = json!({ "name": "Outra", "slug": "outra", "price": 1, "stock": 1 });
    let bulk: BulkProducts = input(json!({ "ids": [vela], "action": "deactivate" }));
    let (id, option) = ("nenhum".to_owned(), json!({ "value": "P" }));
    let variant = json!({ "price": 1, "stock": 1, "values": [] });
    let small = Cursor::new("name,price\nPequena,1\n");
    let how = ImportProducts { skip_bad: true, ..ImportProducts::default() };
    let done = [
        ("product.create", products.create(&BY, input(new), None).await.err()),
        ("product.update", products.update(&BY, vela, input(json!({})), None).await.err()),
        ("product.copy", products.copy(&BY, vela).await.err()),
        ("product.delete", products.delete(&BY, vela, None).await.err()),
        ("product.bulk", products.bulk(&BY, bulk).await.err()),
        ("variant.create", products.create_variant(&BY, vela, input(variant)).await.err()),
        (
            "variant.update",
            products
                .update_variant(&BY, vela, &id.clone().into(), input(json!({})), None)
                .await
                .err(),
        ),
        (
            "variant.delete",
            products.delete_variant(&BY, vela, &id.clone().into(), None).await.err(),
        ),
        ("category.create", categories.create(&BY, input(json!({ "name": "Nova" }))).await.err()),
        (
            "category.update",
            categories.update(&BY, &id.clone().into(), input(json!({})), None).await.err(),
        ),
        ("category.delete", categories.delete(&BY, &id.clone().into(), None).await.err()),
        (
            "type.create",
            kinds.create(&BY, input(json!({ "name": "Cor", "slug": "cor" }))).await.err(),
        ),
        ("type.update", kinds.update(&BY, &id.clone().into(), input(json!({})), None).await.err()),
        ("type.delete", kinds.delete(&BY, &id.clone().into(), None).await.err()),
        ("option.create", kinds.create_option(&BY, &id.clone().into(), input(option)).await.err()),
        (
            "option.delete",
            kinds.delete_option(&BY, &id.clone().into(), &id.clone().into(), None).await.err(),
        ),
        ("fiscal", shop.invoices().update_fiscal(&BY, vela, input(json!({})), None).await.err()),
        (
            "import",
            products
                .import_csv(&BY, small.clone(), ImportProducts::default(), Arc::new(()))
                .await
                .err(),
        ),
        ("import skip_bad", products.import_csv(&BY, small, how, Arc::new(())).await.err()),
        ("long import", watched(shop, file(LONG), Arc::new(())).await.err()),
    ];
    let refused =
        |error: &Option<Error>| matches!(error, Some(Error::Conflict(Conflict::ImportUnderWay)));
    done.iter().filter(|(_, error)| !refused(error)).map(|(name, _)| *name).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_else_changes_the_catalogue_while_a_long_file_is_kept_and_written() {
    for step in [ImportStep::Staging, ImportStep::Writing] {
        let test = Arc::new(TestShop::open().await);
        let vela = test.product("vela", 9, 4990).await;
        let other = test.open_again().await;
        let shop = test.shop.clone();
        let watch = Meanwhile::at(step, move || {
            for shop in [&shop, &other] {
                assert_eq!(wait(unrefused(shop, &vela)), Vec::<&str>::new());
            }
        });
        watched(&test.shop, file(LONG), watch.clone()).await.expect("imported");
        assert!(watch.acted());
        is_over(&test).await;
        let again = watched(&test.shop, file(LONG), Arc::new(())).await.expect("imported");
        assert_eq!((again.products, again.created, again.updated), (LONG, 0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_bad_row_keeps_all_of_a_long_file_out_and_nothing_is_held_up() {
    let test = TestShop::open().await;
    let bad = file(LONG) + "ruim,Ruim,x,RUIM,1,,\n";
    let watch = Meanwhile::at(ImportStep::Staging, || {});
    let done = watched(&test.shop, bad.clone(), watch.clone()).await.expect("looked through");
    assert_eq!((done.bad, done.skipped, done.written), (1, 1, false));
    assert_eq!((new_products(&test), watch.acted(), imports_noted(&test)), (0, false, 0));
    is_over(&test).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_ends_only_its_waiting() {
    for step in [ImportStep::Staging, ImportStep::Writing] {
        let test = TestShop::open().await;
        let (went, gone) = tokio::sync::oneshot::channel::<()>();
        let went = Mutex::new(Some(went));
        let watch = Meanwhile::at(step, move || drop(went.lock().expect("a lock").take()));
        tokio::select! {
            done = watched(&test.shop, file(LONG), watch) => panic!("{done:?}"),
            _ = gone => {}
        }
        let ended = async {
            while test.count("SELECT count(*) FROM product_import") > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(120), ended).await.expect("it ends by itself");
        assert_eq!((new_products(&test), imports_noted(&test)), (LONG, 1));
        is_over(&test).await;
    }
}

/// Begins an import in a runtime of its own, which ends in the middle of a step, as a process
/// would.
async fn broken_off(test: &TestShop, step: ImportStep) {
    let (shop, (in_it, is_in_it)) = (test.open_again().await, std::sync::mpsc::channel());
    let in_it = Mutex::new(in_it);
    let watch = Meanwhile::at(step, move || {
        in_it.lock().expect("a lock").send(()).ok();
        // Until the runtime is about to end, which waits for this callback and for no task.
        std::thread::sleep(Duration::from_millis(200));
    });
    let end = move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.spawn(async move { watched(&shop, file(LONG), watch).await });
        is_in_it.recv().expect("in the middle");
        runtime.shutdown_timeout(Duration::from_secs(60));
    };
    tokio::task::spawn_blocking(end).await.expect("ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decided_import_whose_process_died_is_finished_by_others_and_once() {
    let test = TestShop::open().await;
    broken_off(&test, ImportStep::Writing).await;
    let before = new_products(&test);
    assert!(before < LONG, "{before}");
    // While it may be alive, it is left alone, and the catalogue with it.
    let (one, other) = (test.open_again().await, test.open_again().await);
    assert_eq!(one.run_due().await.expect("done").imports_finished, 0);
    let vela = ProductId::from("nenhuma".to_owned());
    assert_eq!(unrefused(&one, &vela).await, Vec::<&str>::new());
    test.clock.advance(TERM);
    // Both may find it, and neither writes what the other wrote.
    let (one, other) = tokio::join!(one.run_due(), other.run_due());
    let finished = one.expect("done").imports_finished + other.expect("done").imports_finished;
    assert!((1..=2).contains(&finished), "{finished}");
    assert_eq!((new_products(&test), imports_noted(&test)), (LONG, 1));
    let noted = test.shop.audit().list(input(json!({ "action": "product.import" }))).await;
    assert_eq!(noted.expect("a log").data[0].after["products"], json!(LONG));
    is_over(&test).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decided_import_whose_process_died_is_finished_before_the_next_import() {
    let test = TestShop::open().await;
    broken_off(&test, ImportStep::Writing).await;
    test.clock.advance(TERM);
    let small = "name,price\nPequena,1\n".as_bytes().to_vec();
    import(&test.shop, small, ImportProducts::default()).await.expect("imported");
    assert_eq!((new_products(&test), imports_noted(&test)), (LONG, 2));
    is_over(&test).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_was_not_decided_leaves_nothing_and_holds_nobody_up_for_long() {
    let test = TestShop::open().await;
    broken_off(&test, ImportStep::Staging).await;
    assert_eq!(test.shop.run_due().await.expect("done").imports_finished, 0);
    let new = json!({ "name": "Outra", "slug": "outra", "price": 1, "stock": 1 });
    let refused = test.shop.products().create(&BY, input(new), None).await.err();
    assert!(matches!(refused, Some(Error::Conflict(Conflict::ImportUnderWay))), "{refused:?}");
    test.clock.advance(TERM);
    test.product("agora", 1, 100).await;
    assert_eq!(test.shop.run_due().await.expect("done").imports_finished, 0);
    assert_eq!((new_products(&test), imports_noted(&test)), (0, 0));
    is_over(&test).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_was_taken_for_dead_takes_nothing() {
    let test = Arc::new(TestShop::open().await);
    let shop = Arc::clone(&test);
    let watch = Meanwhile::at(ImportStep::Staging, move || {
        shop.clock.advance(TERM);
        wait(shop.product("rival", 1, 100));
    });
    let failed = watched(&test.shop, file(LONG), watch).await;
    assert!(matches!(failed, Err(Error::Conflict(Conflict::ImportUnderWay))), "{failed:?}");
    assert_eq!((new_products(&test), imports_noted(&test)), (0, 0));
    is_over(&test).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_product_that_other_sql_made_impossible_is_left_out_and_named() {
    let test = Arc::new(TestShop::open().await);
    let shop = Arc::clone(&test);
    let watch = Meanwhile::at(ImportStep::Writing, move || {
        shop.raw_sql("INSERT INTO sku (code, item_id) VALUES ('NOVA-650', 'ninguem')");
    });
    let done = watched(&test.shop, file(LONG), watch.clone()).await.expect("imported");
    assert_eq!((done.products, done.skipped, done.written), (LONG - 1, 1, true));
    let bad = watch.bad.lock().expect("a lock").clone();
    assert_eq!(bad.iter().map(|row| row.line).collect::<Vec<_>>(), [652]);
    assert_eq!(bad[0].reason, InvalidValue::ChangedDuringImport);
    assert_eq!(new_products(&test), LONG - 1);
    let noted = test.shop.audit().list(input(json!({ "action": "product.import" }))).await;
    let noted: Value = noted.expect("a log").data[0].after.clone().into();
    assert_eq!((&noted["products"], &noted["leftOut"]), (&json!(LONG - 1), &json!([652])));
    test.raw_sql("DELETE FROM sku WHERE item_id = 'ninguem'");
    is_over(&test).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_file_gives_what_it_gives_in_short_transactions() {
    let (one, other) = (TestShop::open().await, TestShop::open().await);
    let mut text = String::from(
        "slug,name,description,variant,price,compare_price,sku,stock,weight_kg,category,\
         category_name,active,images,ncm,variant_required\n",
    );
    for n in 0..LONG / 2 {
        let images = format!(r#""[{{""url"":""/uploads/{n}.jpg"",""alt"":""Vela \\ {n}""}}]""#);
        let category = if n % 3 == 0 { "velas,Velas" } else { "," };
        let product = format!("v-{n},\"'=Vela; {n}\",\"Duas\nlinhas\",,\"1{n},5\",,V-{n},{n},,");
        writeln!(text, "{product}{category},sim,{images},34060000,").expect("written");
        writeln!(text, ",,,Cor=Azul;Tamanho={n},9.90,12,V-{n}-A,2,0.5,,,,,,").expect("written");
        writeln!(text, ",,,Cor=Verde,9.90,,,,,,,,,,").expect("written");
    }
    let how = ImportProducts { skip_bad: true, ..ImportProducts::default() };
    let short = import(&other.shop, text.clone().into_bytes(), how).await.expect("imported");
    let long = import(&one.shop, text.into_bytes(), ImportProducts::default()).await;
    assert_eq!(long.expect("imported"), short);
    assert_eq!((short.products, short.variants, short.bad), (LONG / 2, LONG, 0));
    assert_eq!(export(&one.shop).await, export(&other.shop).await);
    assert_eq!(seen(&one.shop).await, seen(&other.shop).await);
    is_over(&one).await;
}
