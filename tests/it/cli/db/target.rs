//! The file that a copy becomes: what stands beside it, and what may not be replaced.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{check, count, plant};
use crate::binary;
use crate::cli::{Cli, Ended};

const STALE: &str = "SELECT count(*) FROM setting WHERE key = 'stale'";
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A shop without anything in it.
fn shop() -> Cli {
    Cli::with_shop_on_file()
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    format!("{}{suffix}", file.display()).into()
}

/// A log that SQLite replays over whatever file stands beside it.
fn stale_log(cli: &Cli) -> Vec<u8> {
    let file = cli.dir.path().join("earlier.db");
    assert_eq!(cli.run(&["db", "backup", "earlier.db"], "").code, Some(0));
    let conn = rusqlite::Connection::open(&file).expect("the file");
    conn.execute_batch(
        "PRAGMA journal_mode = WAL;
         INSERT INTO setting (key, value, updated_at) VALUES ('stale', '', 0)",
    )
    .expect("written");
    fs::read(beside(&file, "-wal")).expect("a log")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_of_an_earlier_file_gets_into_no_copy() {
    let cli = shop();
    let log = stale_log(&cli);
    assert_eq!(cli.run(&["db", "backup", "old.db"], "").code, Some(0));
    assert_eq!(cli.run(&["db", "backup", "source.db"], "").code, Some(0));
    for (target, command) in [
        ("new.db", &["db", "backup", "new.db", "--database", "shop.db"][..]),
        ("old.db", &["db", "backup", "old.db", "--yes", "--database", "shop.db"]),
        ("moved.db", &["db", "copy", "shop.db", "moved.db"]),
        ("restored.db", &["db", "restore", "source.db", "--database", "restored.db"]),
    ] {
        let file = cli.dir.path().join(target);
        fs::write(beside(&file, "-wal"), &log).expect("written");
        fs::write(beside(&file, "-shm"), "left behind").expect("written");
        fs::write(beside(&file, "-journal"), "left behind").expect("written");
        let done = cli.run_bare(command, &[], "");
        assert_eq!(done.code, Some(0), "{target}: {done:?}");
        for suffix in BESIDE {
            let left = beside(&file, suffix);
            assert!(!left.exists(), "{} is still there", left.display());
        }
        assert_eq!(count(&file, STALE), 0, "{target}: a log was replayed over it");
        assert!(check(&file).await.is_ok(), "{target}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_the_shop_is_never_replaced_by_a_copy_of_it() {
    let cli = shop();
    let shop = cli.shop().await;
    fs::create_dir(cli.dir.path().join("sub")).expect("a folder");
    for suffix in BESIDE {
        for file in [format!("shop.db{suffix}"), format!("sub/../shop.db{suffix}")] {
            let refused = cli.run(&["db", "backup", &file, "--yes"], "");
            assert_eq!(refused.code, Some(1), "{refused:?}");
            let why = format!("error: {file}: it belongs to the database");
            assert!(refused.stderr.starts_with(&why), "{refused:?}");
            let copied = cli.run_bare(&["db", "copy", "shop.db", &file], &[], "");
            assert!(matches!(copied.code, Some(1 | 4)), "{copied:?}");
            assert!(copied.stderr.contains(&file), "{copied:?}");
        }
    }
    assert!(!cli.dir.path().join("shop.db-journal").exists());
    shop.check_writable().await.expect("it goes on");
    // The name under which a copy is made may be the shop's own.
    assert_eq!(cli.run(&["db", "backup", "x.partial"], "").code, Some(0));
    let own = cli.run_bare(&["db", "backup", "x", "--database", "x.partial"], &[], "");
    assert_eq!((own.code, own.stderr.contains("x.partial")), (Some(1), true), "{own:?}");
    assert!(check(&cli.dir.path().join("x.partial")).await.is_ok());
}

#[test]
fn only_a_regular_file_is_replaced() {
    let cli = shop();
    let path = |name: &str| cli.dir.path().join(name);
    assert_eq!(cli.run(&["db", "backup", "real.db"], "").code, Some(0));
    fs::create_dir(path("folder")).expect("a folder");
    symlink("real.db", path("link.db")).expect("a link");
    symlink("nowhere.db", path("dangling.db")).expect("a link");
    let _socket = UnixListener::bind(path("socket")).expect("a socket");
    let before = fs::read(path("real.db")).expect("there");
    let kind = |name: &str| fs::symlink_metadata(path(name)).expect("there").file_type();
    for name in ["folder", "link.db", "dangling.db", "socket"] {
        let was = kind(name);
        for arguments in [&["db", "backup", name, "--yes"][..], &["db", "backup", name]] {
            let refused = cli.run(arguments, "");
            assert_eq!(refused.code, Some(1), "{refused:?}");
            let why = format!("error: {name}: it is no regular file");
            assert!(refused.stderr.starts_with(&why), "{refused:?}");
        }
        assert_eq!(kind(name), was, "{name} was replaced");
        assert!(!path(&format!("{name}.partial")).exists());
    }
    assert_eq!(fs::read(path("real.db")).expect("there"), before);
}

#[test]
fn a_copy_that_cannot_be_made_is_named_with_its_cause() {
    let cli = shop();
    for command in [
        &["db", "backup", "missing/x.db", "--database", "shop.db"][..],
        &["db", "copy", "shop.db", "missing/x.db"],
    ] {
        let failed = cli.run_bare(command, &[], "");
        assert_eq!(failed.code, Some(1), "{failed:?}");
        assert!(failed.stderr.starts_with("error: missing/x.db"), "{failed:?}");
        assert!(failed.stderr.contains("No such file or directory"), "{failed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_open_is_not_replaced() {
    let (cli, other) = (shop(), shop());
    let open = other.shop().await;
    let file = other.database().display().to_string();
    let refused = cli.run(&["db", "backup", &file, "--yes"], "");
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("stop the server"), "{refused:?}");
    open.check_writable().await.expect("it goes on");
    drop(open);
    plant(&other.database(), "INSERT INTO setting VALUES ('stale', '', 0)");
    assert_eq!(cli.run(&["db", "backup", &file, "--yes"], "").code, Some(0));
    assert_eq!(count(&other.database(), STALE), 0);
}

/// Runs a command that may write no file beyond some bytes, as on a disk that is full.
fn short_of_room(cli: &Cli, arguments: &str) -> Ended {
    let binary = binary::path("shop-cli");
    let script = format!("trap '' XFSZ; ulimit -f 64; exec '{}' {arguments}", binary.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(cli.dir.path());
    shell.output().expect("a shell").into()
}

#[test]
fn what_a_restore_cannot_write_is_no_fault_of_the_backup() {
    let cli = shop();
    assert_eq!(cli.run(&["db", "backup", "a.backup"], "").code, Some(0));
    let nowhere = ["db", "restore", "a.backup", "--database", "missing/shop.db"];
    let full = short_of_room(&cli, "db restore a.backup --database new.db");
    for (failed, target, cause) in [
        (cli.run_bare(&nowhere, &[], ""), "missing/shop.db", "No such file or directory"),
        (full, "new.db", "I/O error"),
    ] {
        assert_eq!(failed.code, Some(1), "{failed:?}");
        assert!(failed.stderr.contains(&format!("error: {target}")), "{failed:?}");
        assert!(failed.stderr.contains(cause), "{failed:?}");
        assert!(!failed.stderr.contains("no database"), "{failed:?}");
    }
    fs::create_dir(cli.dir.path().join("folder")).expect("a folder");
    for (backup, target, named) in
        [("a.backup", "folder", "folder: it is"), ("folder", "new.db", "folder: it is")]
    {
        let failed =
            cli.run_bare(&["db", "restore", backup, "--database", target, "--yes"], &[], "");
        assert_eq!(failed.code, Some(1), "{failed:?}");
        assert!(
            failed.stderr.contains(named) && !failed.stderr.contains("no database"),
            "{failed:?}"
        );
    }
    for left in ["new.db", "new.db.incoming", "new.db-journal", "folder.incoming"] {
        assert!(!cli.dir.path().join(left).exists(), "{left}");
    }
}

#[test]
fn a_backup_goes_to_a_file_that_no_other_one_is_written_to() {
    let cli = shop();
    let refused = cli.failure(&["db", "backup", "-"]);
    assert!(refused.0 == 2 && refused.1.contains("not to stdout"), "{refused:?}");
    assert!(!cli.dir.path().join("-").exists());
    // As another backup holds it.
    let lock = fs::File::create(cli.dir.path().join("copy.db.partial.lock")).expect("a file");
    lock.lock().expect("a lock");
    let refused = cli.failure(&["db", "backup", "copy.db"]);
    let why = "copy.db.partial is being written: another backup or copy to it is running";
    assert_eq!(refused, (4, why.to_owned()));
}
