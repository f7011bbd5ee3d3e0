use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{busy_shop, check, count, plant};
use crate::binary::{Server, order};
use crate::cli::Cli;
use crate::core::fixture::TestShop;
use crate::database::is_file;

/// Customers that order at the same time.
const BUYERS: usize = 4;
/// How often the shop is copied meanwhile.
const BACKUPS: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_restores_to_a_consistent_shop() {
    if !is_file("a backup under load") {
        return;
    }
    let test = TestShop::with_machine_clock().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 1_000_000, 1990).await;
    let token = test.log_in("ana").await;
    let body = json!({ "addressId": buyer.address,
                       "cartItems": [{ "productId": vela, "quantity": 1 }] });
    let database = test.database();
    let server = Server::start(&database);
    let (stop, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    let cli = Cli::on_file();
    let counts = std::thread::scope(|scope| {
        for buyer in 0..BUYERS {
            let (stop, answered, address) = (&stop, &answered, &server.address);
            let (token, body) = (&token, &body);
            scope.spawn(move || {
                for n in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let placed = order(address, token, &format!("{buyer}-{n}"), body);
                    assert_eq!(placed.expect("an answer").0, 201);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let counts: Vec<(usize, usize)> =
            (0..BACKUPS).map(|n| back_up(&cli, &test, n, &answered)).collect();
        stop.store(true, Ordering::Relaxed);
        counts
    });
    server.kill();
    for (n, (before, after)) in counts.into_iter().enumerate() {
        // Orders went on while it was made, and none that was answered before is missing.
        let restored = cli.run(&["db", "restore", &format!("{n}.backup"), "--yes"], "");
        assert_eq!(restored.code, Some(0), "{restored:?}");
        assert!(check(&cli.database()).await.is_ok());
        let orders = count(&cli.database(), "SELECT count(*) FROM orders");
        let orders = usize::try_from(orders).expect("a count");
        assert!(orders >= before && orders <= after + BUYERS, "{before} {orders} {after}");
    }
    serves_and_goes_on(&cli, &token, &body);
}

/// Copies the shop once some more orders were answered; how many there were before and after.
fn back_up(cli: &Cli, test: &TestShop, n: usize, answered: &AtomicUsize) -> (usize, usize) {
    let before = answered.load(Ordering::Relaxed);
    let start = Instant::now();
    while answered.load(Ordering::Relaxed) < before + 20 {
        assert!(start.elapsed() < Duration::from_secs(60), "the load stands still");
        std::thread::yield_now();
    }
    let before = answered.load(Ordering::Relaxed);
    let database = test.database().display().to_string();
    let file = format!("{n}.backup");
    let made = cli.run_bare(&["db", "backup", &file, "--database", &database], &[], "");
    assert_eq!(made.code, Some(0), "{made:?}");
    (before, answered.load(Ordering::Relaxed))
}

/// The restored shop sells, and its numbers go on.
fn serves_and_goes_on(cli: &Cli, token: &str, body: &Value) {
    let last = count(&cli.database(), "SELECT last FROM order_day");
    let server = Server::start(&cli.database());
    let placed = order(&server.address, token, "after", body).expect("an answer");
    assert_eq!(placed.0, 201, "{placed:?}");
    server.kill();
    assert_eq!(count(&cli.database(), "SELECT last FROM order_day"), last + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_one_file_and_replaces_another_only_when_that_is_confirmed() {
    let cli = busy_shop().await;
    let made = cli.run(&["db", "backup", "a.backup", "--format", "json"], "");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stderr.contains("not in it: the pictures in "), "{made:?}");
    let report: Value = serde_json::from_str(&made.stdout).expect("JSON");
    let file = cli.dir.path().join("a.backup");
    assert_eq!(report["bytes"], fs::metadata(&file).expect("there").len());
    assert!(report["checks"].as_i64() > Some(20), "{report}");
    for beside in ["a.backup.partial", "a.backup-wal", "a.backup-shm", "a.backup-journal"] {
        assert!(!cli.dir.path().join(beside).exists(), "{beside}");
    }
    fs::write(&file, "precious").expect("written");
    let again = cli.run(&["db", "backup", "a.backup"], "");
    assert_eq!(again.code, Some(6), "{again:?}");
    assert_eq!(fs::read(&file).expect("there"), b"precious");
    let replaced = cli.run(&["db", "backup", "a.backup", "--yes"], "");
    assert_eq!(replaced.code, Some(0), "{replaced:?}");
    assert!(check(&file).await.is_ok());
    let itself = cli.run(&["db", "backup", "shop.db", "--yes"], "");
    assert_eq!(itself.code, Some(4), "{itself:?}");
    assert!(check(&cli.database()).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_backups_to_one_file_at_once_none_harms_another() {
    let cli = busy_shop().await;
    let ends: Vec<Option<i32>> = std::thread::scope(|scope| {
        let backup = || cli.run(&["db", "backup", "a.backup", "--yes"], "").code;
        let backups: Vec<_> = (0..4).map(|_| scope.spawn(backup)).collect();
        backups.into_iter().map(|backup| backup.join().expect("it ends")).collect()
    });
    assert!(ends.contains(&Some(0)), "{ends:?}");
    assert!(ends.iter().all(|end| [Some(0), Some(4)].contains(end)), "{ends:?}");
    assert!(check(&cli.dir.path().join("a.backup")).await.is_ok());
    for beside in ["a.backup.partial", "a.backup.partial.lock"] {
        assert!(!cli.dir.path().join(beside).exists(), "{beside}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_an_inconsistent_shop_is_kept_and_replaces_nothing() {
    let cli = busy_shop().await;
    assert_eq!(cli.run(&["db", "backup", "a.backup"], "").code, Some(0));
    let good = fs::read(cli.dir.path().join("a.backup")).expect("there");
    plant(&cli.database(), "UPDATE coupon SET used_count = used_count + 1");
    let made = cli.run(&["db", "backup", "a.backup", "--yes"], "");
    assert_eq!(made.code, Some(1), "{made:?}");
    assert!(made.stderr.contains("coupon-uses"), "{made:?}");
    assert_eq!(fs::read(cli.dir.path().join("a.backup")).expect("there"), good);
    let suspect = check(&cli.dir.path().join("a.backup.suspect")).await;
    assert_eq!(suspect.wrong().map(|check| check.name).collect::<Vec<_>>(), ["coupon-uses"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_restored_while_a_server_has_the_database_open() {
    let cli = busy_shop().await;
    assert_eq!(cli.run(&["db", "backup", "a.backup"], "").code, Some(0));
    let more = "INSERT INTO setting (key, value, updated_at) VALUES ('since', 'then', 0)";
    plant(&cli.database(), more);
    let server = Server::start(&cli.database());
    let refused = cli.run(&["db", "restore", "a.backup", "--yes"], "");
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("stop the server"), "{refused:?}");
    server.kill();
    let unsure = cli.run(&["db", "restore", "a.backup"], "");
    assert_eq!(unsure.code, Some(6), "{unsure:?}");
    let since = "SELECT count(*) FROM setting WHERE key = 'since'";
    assert_eq!(count(&cli.database(), since), 1);
    let done = cli.run(&["db", "restore", "a.backup", "--yes", "--format", "json"], "");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(count(&cli.database(), since), 0);
    assert!(check(&cli.database()).await.is_ok());
    let done: Value = serde_json::from_str(&done.stdout).expect("JSON");
    let aside = std::path::Path::new(done["replaced"].as_str().expect("a file"));
    assert_eq!(count(aside, since), 1, "what was replaced is not kept");
    assert!(check(aside).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_that_is_open_in_this_process_counts_as_open_too() {
    let cli = busy_shop().await;
    assert_eq!(cli.run(&["db", "backup", "a.backup"], "").code, Some(0));
    let shop = cli.shop().await;
    assert_eq!(cli.run(&["db", "restore", "a.backup", "--yes"], "").code, Some(4));
    shop.check_ready().await.expect("it goes on");
    drop(shop);
    assert_eq!(cli.run(&["db", "restore", "a.backup", "--yes"], "").code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_shops_whole_backup_is_restored() {
    let cli = busy_shop().await;
    let path = |name: &str| cli.dir.path().join(name);
    fs::write(path("text"), "no database, but long enough to be looked at as one".repeat(100))
        .expect("written");
    rusqlite::Connection::open(path("other"))
        .and_then(|conn| conn.execute_batch("CREATE TABLE t (x INTEGER)"))
        .expect("a database");
    assert_eq!(cli.run(&["db", "backup", "newer"], "").code, Some(0));
    plant(&path("newer"), "INSERT INTO schema_migration (version, name) VALUES (9999, 'future')");
    assert_eq!(cli.run(&["db", "backup", "cut"], "").code, Some(0));
    let whole = fs::read(path("cut")).expect("there");
    fs::write(path("cut"), &whole[..whole.len() / 2]).expect("written");
    let before = fs::read(cli.database()).expect("there");
    for (file, why) in [
        ("text", "it is no database"),
        ("other", "it is no shop's database"),
        ("newer", "it was written by a newer version"),
        ("cut", "database disk image is malformed"),
    ] {
        let refused = cli.run(&["db", "restore", file, "--yes"], "");
        assert_eq!(refused.code, Some(1), "{file}: {refused:?}");
        assert!(refused.stderr.contains(why), "{file}: {refused:?}");
    }
    assert_eq!(cli.run(&["db", "restore", "missing", "--yes"], "").code, Some(3));
    assert!(!path("shop.db.incoming").exists());
    assert_eq!(fs::read(cli.database()).expect("there"), before, "the shop was touched");
}

#[test]
fn a_server_of_databases_has_programs_of_its_own() {
    let cli = Cli::on_file();
    let url = "postgres://shop@db.example/shop";
    for (command, program) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
        let refused = cli.run_bare(&["db", command, "file", "--database", url, "--yes"], &[], "");
        assert_eq!(refused.code, Some(5), "{refused:?}");
        assert!(refused.stderr.contains(program), "{refused:?}");
    }
}
