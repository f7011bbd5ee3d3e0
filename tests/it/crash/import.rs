//! A process that imports a long file, killed at every step: all of the file gets into the shop or
//! nothing, and a server that starts afterwards finishes what was decided.

use std::fmt::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::binary::{self, Server};
use crate::core::fixture::TestShop;

const PRODUCTS: i64 = 3000;
/// What a busy machine takes for all of the import, and more.
const PATIENCE: Duration = Duration::from_secs(120);

fn import(test: &TestShop) -> Child {
    let mut file = String::from("slug,name,price,sku,stock\n");
    for n in 0..PRODUCTS {
        writeln!(file, "nova-{n},Vela nova {n},10,NOVA-{n},3").expect("written");
    }
    let path = test.dir.path().join("produtos.csv");
    std::fs::write(&path, file).expect("written");
    Command::new(binary::path("shop-cli"))
        .args(["import", "products"])
        .arg(path)
        .arg("--database")
        .arg(test.database())
        .env_clear()
        .current_dir(test.dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts")
}

/// Waits until a query gives something.
fn until(test: &TestShop, is_there: &str) {
    let begun = Instant::now();
    while test.count(is_there) == 0 {
        assert!(begun.elapsed() < PATIENCE, "{is_there}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Kills an import once a query gives something; how many of its products are in the shop when a
/// server that started afterwards has nothing more to do.
async fn killed(is_there: &'static str) -> i64 {
    let test = TestShop::with_machine_clock().await;
    let ended = tokio::task::spawn_blocking(move || {
        let mut process = import(&test);
        until(&test, is_there);
        process.kill().expect("killed");
        process.wait().expect("gone");
        // What is believed to be alive for a while is found dead at once.
        test.raw_sql("UPDATE product_import SET until = 0");
        let server = Server::start(&test.database());
        until(&test, "SELECT count(*) FROM (SELECT 1) one WHERE NOT EXISTS
            (SELECT 1 FROM product_import WHERE decided = 1)
            AND NOT EXISTS (SELECT 1 FROM product_import_piece p JOIN product_import i ON i.decided = 1)");
        server.kill();
        test
    });
    let test = ended.await.expect("ended");
    let products = test.count("SELECT count(*) FROM product");
    // The catalogue is free again.
    test.product("depois", 1, 100).await;
    assert_eq!(test.count("SELECT count(*) FROM stock_movement"), products + 1);
    let noted = test.count("SELECT count(*) FROM audit WHERE action = 'product.import'");
    assert_eq!(noted, i64::from(products > 0));
    test.check_books().await;
    products
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_is_killed_before_it_is_decided_leaves_nothing() {
    for when in [
        "SELECT count(*) FROM product_import",
        "SELECT count(*) FROM product_import_piece WHERE line > 300",
    ] {
        assert_eq!(killed(when).await, 0, "{when}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_that_is_killed_while_it_is_written_is_finished_by_the_next_server() {
    for when in [
        "SELECT count(*) FROM product_import WHERE decided = 1",
        "SELECT count(*) FROM product",
        "SELECT count(*) FROM product WHERE slug = 'nova-2000'",
    ] {
        assert_eq!(killed(when).await, PRODUCTS, "{when}");
    }
}
