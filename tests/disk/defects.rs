//! A disk that is full, fails or refuses, at each kind of call: the shop says so, loses nothing,
//! and goes on by itself once the disk works again.

use rusqlite::ffi;
use shop_core::storage::Sqlite;
use shop_core::{Error, Shop};

use crate::life::{Life, Machine};
use crate::medium::{Defect, Kind, Left, Operation};

const fn defect(kind: Kind, operation: Operation, code: i32) -> Defect {
    Defect { kind, operation, code }
}

/// Every call by which a commit reaches the disk, with each way in which it can fail.
const DEFECTS: [Defect; 3] = [
    defect(Kind::Log, Operation::Write, ffi::SQLITE_FULL),
    defect(Kind::Log, Operation::Write, ffi::SQLITE_IOERR_WRITE),
    defect(Kind::Log, Operation::Sync, ffi::SQLITE_IOERR_FSYNC),
];

/// Whoever meets the disk's defect is told that the same may succeed later.
async fn is_told(shop: &Shop, life: &Life, seed: u64) {
    match life.trade(shop, seed, 1).await {
        Err(Error::StorageUnavailable { retry_after, .. }) => assert!(!retry_after.is_zero()),
        other => panic!("{other:?}"),
    }
}

async fn goes_on(machine: &Machine, defect: Defect, seed: u64) {
    let life = Life::begin(machine).await;
    let shop = machine.open(&life.clock).await.expect("opens");
    life.trade(&shop, seed, 2).await.expect("it works");
    machine.disk.set(Some(defect));
    for round in 1..4 {
        is_told(&shop, &life, seed + round).await;
        assert!(shop.check_writable().await.is_err(), "{defect:?}");
        // What is there can be read all the time.
        shop.check_ready().await.expect("it reads");
    }
    assert!(machine.disk.refused() > 0, "nobody met {defect:?}");
    machine.disk.set(None);
    shop.check_writable().await.expect("it takes writes again");
    life.trade(&shop, seed + 4, 2).await.expect("it goes on by itself");
    life.check(&shop, &machine.file()).await;
    // And what it said meanwhile is on the disk.
    let left = machine.disk.lose_power(seed);
    drop(shop);
    let after = Machine::new(&left);
    let shop = after.open(&life.clock).await.expect("opens");
    life.check(&shop, &after.file()).await;
}

#[tokio::test]
async fn a_shop_whose_disk_fails_says_so_and_goes_on_once_it_works() {
    for (nth, defect) in DEFECTS.into_iter().enumerate() {
        println!("{defect:?}");
        let machine = Machine::new(&Left::new());
        goes_on(&machine, defect, 100 * nth as u64).await;
    }
}

/// What a program that is started on such a disk meets; afterwards it starts.
#[tokio::test]
async fn a_shop_on_a_disk_that_cannot_be_read_does_not_start_and_does_afterwards() {
    let cases = [
        defect(Kind::Database, Operation::Open, ffi::SQLITE_CANTOPEN),
        defect(Kind::Database, Operation::Read, ffi::SQLITE_IOERR_READ),
        defect(Kind::Log, Operation::Open, ffi::SQLITE_CANTOPEN),
        defect(Kind::Database, Operation::Map, ffi::SQLITE_IOERR_SHMMAP),
    ];
    let machine = Machine::new(&Left::new());
    let life = Life::begin(&machine).await;
    for defect in cases {
        machine.disk.set(Some(defect));
        assert!(machine.open(&life.clock).await.is_err(), "{defect:?}");
        machine.disk.set(None);
        let shop = machine.open(&life.clock).await.expect("opens again");
        life.trade(&shop, 7, 1).await.expect("it works");
        life.check(&shop, &machine.file()).await;
    }
}

/// What the operator of a shop that is started on a full disk reads.
#[test]
fn a_shop_on_a_full_disk_does_not_start_and_says_so() {
    for defect in [
        defect(Kind::Database, Operation::Write, ffi::SQLITE_FULL),
        defect(Kind::Log, Operation::Write, ffi::SQLITE_FULL),
        defect(Kind::Database, Operation::Map, ffi::SQLITE_IOERR_SHMSIZE),
    ] {
        let machine = Machine::new(&Left::new());
        machine.disk.set(Some(defect));
        let error = Sqlite::open(machine.file()).expect_err("no room");
        assert!(matches!(error, Error::Unusable { .. }), "{defect:?}: {error:?}");
        let (told, file) = (error.to_string(), machine.file().display().to_string());
        assert!(told.contains(&file) && told.contains("no room on the disk"), "{defect:?}: {told}");
        machine.disk.set(None);
        Sqlite::open(machine.file()).expect("there is room again");
    }
}

/// The disk fails for readers while they look something up.
#[tokio::test]
async fn a_read_that_the_disk_fails_says_so_and_the_next_one_reads() {
    let machine = Machine::new(&Left::new());
    let life = Life::begin(&machine).await;
    let shop = machine.open(&life.clock).await.expect("opens");
    // What was written just now is in the log, and in no reader's memory.
    life.trade(&shop, 1, 1).await.expect("it works");
    machine.disk.set(Some(defect(Kind::Log, Operation::Read, ffi::SQLITE_IOERR_READ)));
    let listed = shop.orders().list_for_customer(life.customer()).await;
    assert!(matches!(listed, Err(Error::StorageUnavailable { .. })), "{listed:?}");
    machine.disk.set(None);
    let listed = shop.orders().list_for_customer(life.customer()).await.expect("it reads");
    assert_eq!(listed.len(), 1);
}
