//! Many shops in one process, as a host of many small shops has them.

use std::path::PathBuf;
use std::process::Command;

use shop_core::actor::Actor;
use shop_core::catalog::{NewProduct, ProductPatch};
use shop_core::config::MailConfig;
use shop_core::{Config, Shop};

/// How many are open at once.
const SHOPS: u32 = 200;
/// What each may take.
const MOST_THREADS: u32 = 3;
const MOST_KIB: u32 = 4096;
/// Says to the process of the test that it is the one that is measured.
const MEASURED: &str = "SHOP_TEST_MEASURED";

/// A number of this process, as Linux tells it.
fn of_process(name: &str) -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
    let number = line.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
    number.and_then(|number| number.parse().ok()).expect("a number")
}

/// In a process of its own, in which no other test takes memory or threads.
#[test]
fn two_hundred_shops_are_open_at_once_and_each_takes_little() {
    let own = std::env::current_exe().expect("this program");
    let name = "core::many_shops::two_hundred_shops_in_this_process";
    let measured = Command::new(own)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(MEASURED, "1")
        .env_remove("SHOP_TEST_POSTGRES")
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&measured.stdout);
    assert!(measured.status.success(), "{said}{}", String::from_utf8_lossy(&measured.stderr));
    println!("{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the test above runs it in a process of its own"]
async fn two_hundred_shops_in_this_process() {
    if std::env::var_os(MEASURED).is_none() {
        return;
    }
    // One file with its schema and a product is the beginning of all.
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let config = |database: PathBuf| Config {
        database: database.display().to_string(),
        database_file_readers: 1,
        uploads_dir: Some(file("uploads")),
        mail: MailConfig { outbox_dir: Some(file("outbox")), ..MailConfig::default() },
        ..Config::default()
    };
    let first = Shop::open(config(file("first.db"))).await.expect("opens");
    let price = "49.90".parse().expect("a price");
    let units = 10.try_into().expect("units");
    let candle = NewProduct::new("Vela de Lavanda".parse().expect("a name"), price, units);
    let candle = candle.expect("a product");
    first.products().create(&Actor::System, candle, None).await.expect("made");
    drop(first);
    // The threads that open connections are there by now, for all of them.
    let (threads, memory) = (of_process("Threads"), of_process("VmRSS"));
    let mut shops = Vec::new();
    for number in 0..SHOPS {
        let copy = file(&format!("{number}.db"));
        std::fs::copy(file("first.db"), &copy).expect("copied");
        shops.push(Shop::open(config(copy)).await.expect("opens"));
    }
    for shop in &shops {
        let found = shop.products().get_by_slug("vela-de-lavanda").await.expect("there");
        let patch = ProductPatch {
            price: Some("9.90".parse().expect("a price")),
            ..ProductPatch::default()
        };
        shop.products().update(&Actor::System, &found.id, patch, None).await.expect("changed");
    }
    let threads = (of_process("Threads") - threads).div_ceil(SHOPS);
    let memory = (of_process("VmRSS") - memory).div_ceil(SHOPS);
    println!("{SHOPS} shops: {threads} threads and {memory} KiB each");
    assert!(threads <= MOST_THREADS && memory <= MOST_KIB, "{threads} threads, {memory} KiB");
}
