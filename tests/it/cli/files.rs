//! Files that `--output` names.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{Cli, order};

fn mode(cli: &Cli, file: &str) -> u32 {
    let rights = fs::metadata(cli.dir.path().join(file)).expect("there").permissions();
    rights.mode() & 0o777
}

#[tokio::test]
async fn a_file_is_there_in_full_or_as_it_was() {
    let cli = Cli::with_shop_on_file();
    order(&cli.shop().await).await;
    let path = |name: &str| cli.dir.path().join(name);
    fs::write(path("old.csv"), "precious").expect("written");
    fs::set_permissions(path("old.csv"), fs::Permissions::from_mode(0o640)).expect("set");
    for file in ["old.csv", "new.csv"] {
        let done = cli.run(&["export", "orders", "--output", file], "");
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(fs::read_to_string(path(file)).expect("there").lines().count(), 2);
    }
    assert_eq!((mode(&cli, "old.csv"), mode(&cli, "new.csv")), (0o640, 0o600));
    fs::write(path("old.csv"), "precious").expect("written");
    // An order that cannot be read.
    super::db::plant(&cli.database(), "UPDATE orders SET status = 'LOST'");
    for file in ["old.csv", "third.csv"] {
        let failed = cli.run(&["export", "orders", "--output", file], "");
        assert_ne!(failed.code, Some(0), "{failed:?}");
    }
    assert_eq!(fs::read_to_string(path("old.csv")).expect("there"), "precious");
    assert!(!path("third.csv").exists());
    let left = fs::read_dir(cli.dir.path()).expect("a folder").map(|it| it.expect("a file"));
    let drafts = left.filter(|it| it.file_name().to_string_lossy().contains(".csv."));
    assert_eq!(drafts.count(), 0, "a draft is left");
}

#[tokio::test]
async fn no_file_is_written_over_the_shop() {
    let cli = Cli::with_shop_on_file();
    let shop = cli.shop().await;
    let number = order(&shop).await.order_number;
    symlink("shop.db", cli.dir.path().join("link")).expect("a link");
    for command in [
        &["export", "orders"][..],
        &["export", "customers"],
        &["export", "products"],
        &["product", "export"],
        &["customer", "export", "ana@example.com"],
        &["shipping", "label", "--kind", "address", "--order", &number],
        &["nfe", "export", "--month", "2026-01"],
    ] {
        for file in ["shop.db", "shop.db-wal", "shop.db-shm", "./shop.db-journal", "link"] {
            let refused = cli.run(&[command, &["--output", file][..]].concat(), "");
            assert_eq!(refused.code, Some(1), "{command:?}: {refused:?}");
            let why = format!("error: {file}: it belongs to the shop's database\n");
            assert_eq!(refused.stderr, why, "{command:?}");
        }
    }
    shop.check_writable().await.expect("it goes on");
    drop(shop);
    assert_eq!(cli.run(&["db", "check"], "").code, Some(0));
}

#[tokio::test]
async fn what_is_no_regular_file_is_written_directly() {
    let cli = Cli::with_shop_on_file();
    order(&cli.shop().await).await;
    let there = cli.run(&["export", "orders", "--output", "/dev/stdout"], "");
    assert_eq!((there.code, there.stdout.lines().count()), (Some(0), 2), "{there:?}");
    let full = cli.failure(&["export", "orders", "--output", "/dev/full"]);
    assert_eq!(full, (1, "/dev/full: No space left on device (os error 28)".to_owned()));
    let (code, text) = cli.failure(&["export", "orders", "--output", "missing/x.csv"]);
    assert!(code == 1 && text.starts_with("missing/x.csv: No such file"), "{text}");
    fs::create_dir(cli.dir.path().join("folder")).expect("a folder");
    let (code, text) = cli.failure(&["export", "orders", "--output", "folder"]);
    assert!(code == 1 && text.starts_with("folder: "), "{text}");
}

#[test]
fn no_file_is_written_over_another_database() {
    let cli = Cli::with_shop_on_file();
    let path = |name: &str| cli.dir.path().join(name);
    fs::copy(cli.database(), path("other.db")).expect("a copy");
    symlink("other.db", path("link")).expect("a link");
    let before = fs::read(path("other.db")).expect("there");
    for file in ["other.db", "link"] {
        let refused = cli.failure(&["export", "orders", "--output", file]);
        assert_eq!(refused, (1, format!("{file}: it is a SQLite database, and is not replaced")));
    }
    assert!(fs::read(path("other.db")).expect("there") == before, "it was written over");
    // What only begins like one is a file as others are.
    fs::write(path("short.csv"), "SQLite format").expect("written");
    let done = cli.run(&["export", "orders", "--output", "short.csv"], "");
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn a_draft_that_a_killed_export_left_is_replaced() {
    let cli = Cli::with_shop_on_file();
    let path = |name: &str| cli.dir.path().join(name);
    // The shell becomes the command, which so has its id.
    let script = "ln -s precious .big.csv.$$ && exec \"$0\" export orders --output big.csv \"$@\"";
    fs::write(path("precious"), "precious").expect("written");
    let mut shell = cli.command_of("sh");
    shell.args(["-c", script]).arg(crate::binary::path("shop-cli"));
    let ended = shell.args(["--database", cli.data.name()]).output().expect("ends");
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(fs::read_to_string(path("precious")).expect("there"), "precious");
    assert!(fs::symlink_metadata(path("big.csv")).expect("there").is_file());
    assert_eq!(
        (mode(&cli, "big.csv"), fs::read_dir(cli.dir.path()).expect("it").count()),
        (0o600, 3)
    );
}
