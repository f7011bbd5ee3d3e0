//! The behaviours that every storage engine must show (feature `test-util`).
//!
//! An engine's own tests run each of [`BEHAVIOURS`] on a fresh, migrated database of it. They work
//! on tables of their own, which they make first.
//!
//! # Example: one test for a whole engine
//! ```
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! use std::sync::Arc;
//! use shop_core::storage::{Sqlite, conformance::BEHAVIOURS};
//! for behaviour in BEHAVIOURS {
//!     let dir = tempfile::tempdir().unwrap();
//!     let engine = Arc::new(Sqlite::open(dir.path().join("shop.db")).unwrap());
//!     (behaviour.check)(engine).await.unwrap_or_else(|why| panic!("{}: {why}", behaviour.name));
//! }
//! # });
//! ```

mod concurrent;
mod lookups;
mod planned;
mod snapshot;

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::{BoxFuture, join_all};

use self::concurrent::{
    a_concurrent_job_runs_beside_no_other_job_of_its_lane,
    a_counter_has_no_gap_and_no_repeat_when_jobs_fail,
    a_job_with_a_lock_of_its_own_sees_what_those_before_it_wrote,
    a_question_asked_beforehand_is_answered_by_what_the_jobs_before_wrote,
    a_statement_with_several_lists_runs_once_for_each_in_their_order,
    numbers_of_concurrent_jobs_have_no_gap_and_no_repeat_whatever_fails,
    questions_asked_beforehand_are_answered_each_by_its_own_rows_in_their_order,
};
use self::lookups::{
    lookups_at_once_are_answered_each_by_its_own_rows_in_their_order,
    lookups_that_fail_or_ask_more_take_nothing_from_others_at_once,
};
use self::planned::{
    planned_changes_are_made_one_after_the_other_and_only_of_jobs_that_go_well,
    what_a_job_plans_and_does_not_do_is_not_done,
};
use self::snapshot::{
    a_lookup_of_several_queries_sees_one_snapshot, a_read_job_cannot_write,
    a_read_job_sees_one_snapshot,
};
use super::{Area, Db, InsertRows, Lane, Storage, Tx};
use crate::error::{Error, Result};

/// One thing that an engine must do.
#[derive(Clone, Copy)]
pub struct Behaviour {
    /// The rule, as a name for a test.
    pub name: &'static str,
    /// Tries it; `Err` says what went otherwise.
    pub check: fn(Arc<dyn Storage>) -> BoxFuture<'static, Outcome>,
}

opaque! { Behaviour { name }; }

/// What trying a behaviour showed.
pub type Outcome = std::result::Result<(), String>;

const LANE: Lane = Lane::new(0);

/// The tables that the behaviours work on.
const TABLES: [&str; 4] = [
    "CREATE TABLE conformance_text (key TEXT PRIMARY KEY, value TEXT NOT NULL) {end}",
    "CREATE TABLE conformance_number (key TEXT PRIMARY KEY, value {int} NOT NULL) {end}",
    "CREATE TABLE conformance_units (key TEXT PRIMARY KEY,
       units {int} NOT NULL CHECK (units >= 0)) {end}",
    "CREATE TABLE conformance_child (key TEXT PRIMARY KEY,
       parent TEXT NOT NULL REFERENCES conformance_text (key)) {end}",
];

fn make_tables(tx: &mut dyn Tx) -> Result<()> {
    let dialect = tx.dialect();
    TABLES.iter().try_for_each(|table| tx.execute(&dialect.fill_in(table), &[]).map(drop))
}

/// Makes a row of [`BEHAVIOURS`] of an async function.
macro_rules! behaviours {
    ($($check:ident),+ $(,)?) => {
        /// All behaviours.
        pub const BEHAVIOURS: &[Behaviour] = &[$(Behaviour {
            name: stringify!($check),
            check: |storage| Box::pin(async move {
                let db = Db::new(storage, &[]);
                ok(db.write(LANE, "tables", make_tables).await)?;
                $check(db).await
            }),
        }),+];
    };
}

behaviours![
    a_write_that_was_answered_is_seen_by_every_later_read,
    a_job_that_fails_leaves_nothing_behind,
    a_job_that_panics_leaves_nothing_behind_and_the_engine_goes_on,
    jobs_that_fail_beside_others_take_nothing_from_them,
    a_guarded_decrement_never_goes_below_zero,
    a_counter_has_no_gap_and_no_repeat_when_jobs_fail,
    a_read_job_sees_one_snapshot,
    a_lookup_of_several_queries_sees_one_snapshot,
    a_read_job_cannot_write,
    lookups_at_once_are_answered_each_by_its_own_rows_in_their_order,
    lookups_that_fail_or_ask_more_take_nothing_from_others_at_once,
    values_come_back_as_they_went_in,
    a_unique_value_that_is_taken_returns_no_row,
    a_broken_constraint_is_an_error_and_changes_nothing,
    a_row_that_may_be_held_back_is_seen_by_its_job_and_goes_with_it,
    a_row_that_breaks_a_constraint_takes_only_its_own_job_along,
    a_generation_is_raised_before_the_answer_and_only_for_what_was_announced,
    numbers_of_concurrent_jobs_have_no_gap_and_no_repeat_whatever_fails,
    a_job_with_a_lock_of_its_own_sees_what_those_before_it_wrote,
    a_concurrent_job_runs_beside_no_other_job_of_its_lane,
    a_question_asked_beforehand_is_answered_by_what_the_jobs_before_wrote,
    a_statement_with_several_lists_runs_once_for_each_in_their_order,
    questions_asked_beforehand_are_answered_each_by_its_own_rows_in_their_order,
    planned_changes_are_made_one_after_the_other_and_only_of_jobs_that_go_well,
    what_a_job_plans_and_does_not_do_is_not_done,
];

async fn a_write_that_was_answered_is_seen_by_every_later_read(db: Db) -> Outcome {
    for round in 0..50 {
        let value = round.to_string();
        let written = value.clone();
        ok(db.write(LANE, "set", move |tx| set(tx, "key", &written)).await)?;
        same(&ok(db.lookup("get", |tx| get(tx, "key")).await)?, &Some(value.clone()))?;
        same(&ok(db.read("get", |tx| get(tx, "key")).await)?, &Some(value))?;
    }
    Ok(())
}

async fn a_job_that_fails_leaves_nothing_behind(db: Db) -> Outcome {
    let failed = db
        .write(LANE, "fail", |tx| {
            set(tx, "key", "value")?;
            Err::<(), _>(Error::Forbidden)
        })
        .await;
    same(&matches!(failed, Err(Error::Forbidden)), &true)?;
    same(&ok(db.read("get", |tx| get(tx, "key")).await)?, &None)
}

async fn a_job_that_panics_leaves_nothing_behind_and_the_engine_goes_on(db: Db) -> Outcome {
    let panicked = db
        .write(LANE, "panic", |tx| -> Result<()> {
            set(tx, "key", "value")?;
            panic!("a job that panics, on purpose");
        })
        .await;
    same(&matches!(panicked, Err(Error::Internal(_))), &true)?;
    let panicked = db.read("panic", |_| -> Result<()> { panic!("once more, on purpose") }).await;
    same(&matches!(panicked, Err(Error::Internal(_))), &true)?;
    same(&ok(db.read("get", |tx| get(tx, "key")).await)?, &None)?;
    ok(db.write(LANE, "set", |tx| set(tx, "key", "value")).await)
}

async fn jobs_that_fail_beside_others_take_nothing_from_them(db: Db) -> Outcome {
    let jobs = at_once(64, |n| {
        let db = db.clone();
        async move {
            db.write(LANE, "maybe", move |tx| {
                set(tx, &n.to_string(), "value")?;
                if n % 2 == 0 { Ok(()) } else { Err(Error::Forbidden) }
            })
            .await
        }
    });
    let answers = jobs.await;
    same(&answers.iter().filter(|answer| answer.is_ok()).count(), &32)?;
    let kept: i64 = ok(db
        .read("count", |tx| {
            tx.value("SELECT count(*) FROM conformance_text WHERE value = 'value'", &[])
        })
        .await)?;
    same(&kept, &32)
}

async fn a_guarded_decrement_never_goes_below_zero(db: Db) -> Outcome {
    ok(db.write(LANE, "units", |tx| units(tx, 50)).await)?;
    let answers = at_once(200, |_| {
        let db = db.clone();
        async move {
            db.write(LANE, "take", |tx| {
                tx.execute(
                    "UPDATE conformance_units SET units = units - 1 WHERE key = 'x' AND units >= 1",
                    &[],
                )
            })
            .await
        }
    })
    .await;
    let taken: usize = answers.into_iter().map(|answer| answer.unwrap_or(0)).sum();
    same(&taken, &50)?;
    let left: i64 =
        ok(db.read("left", |tx| tx.value("SELECT units FROM conformance_units", &[])).await)?;
    same(&left, &0)
}

async fn values_come_back_as_they_went_in(db: Db) -> Outcome {
    for text in ["", "maçã – 200 g", "quote ' and \" and $1 and ?", "línea\nnova\ttab", "🕯️"]
    {
        ok(db.write(LANE, "set", move |tx| set(tx, "key", text)).await)?;
        same(&ok(db.read("get", |tx| get(tx, "key")).await)?.as_deref(), &Some(text))?;
    }
    for number in [0, 1, -1, i64::from(i32::MAX) + 1, i64::MIN, i64::MAX] {
        ok(db
            .write(LANE, "number", move |tx| {
                tx.execute(
                    "INSERT INTO conformance_number (key, value) VALUES ('d', $1)
                     ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    &[number.into()],
                )
            })
            .await)?;
        let back = ok(db
            .read("number", |tx| tx.value("SELECT value FROM conformance_number", &[]))
            .await)?;
        same::<i64>(&back, &number)?;
    }
    let null: Option<i64> = ok(db
        .read("null", |tx| {
            tx.value("SELECT max(value) FROM conformance_number WHERE key = ''", &[])
        })
        .await)?;
    same(&null, &None)
}

async fn a_unique_value_that_is_taken_returns_no_row(db: Db) -> Outcome {
    let insert = |tx: &mut dyn Tx| {
        tx.one(
            "INSERT INTO conformance_number (key, value) VALUES ('d', 1) ON CONFLICT (key) DO NOTHING
             RETURNING value",
            &[],
            |row| row.get::<i64>(0),
        )
    };
    same(&ok(db.write(LANE, "first", insert).await)?, &Some(1))?;
    same(&ok(db.write(LANE, "second", insert).await)?, &None)
}

async fn a_broken_constraint_is_an_error_and_changes_nothing(db: Db) -> Outcome {
    ok(db.write(LANE, "units", |tx| units(tx, 1)).await)?;
    let broken = db
        .write(LANE, "break", |tx| {
            set(tx, "key", "value")?;
            tx.execute("UPDATE conformance_units SET units = units - 2 WHERE key = 'x'", &[])
        })
        .await;
    same(&broken.is_err(), &true)?;
    same(&ok(db.read("get", |tx| get(tx, "key")).await)?, &None)?;
    let orphan = db
        .write(LANE, "orphan", |tx| {
            tx.execute("INSERT INTO conformance_child (key, parent) VALUES ('o', 'none')", &[])
        })
        .await;
    same(&orphan.is_err(), &true)
}

const HELD_BACK: InsertRows = InsertRows {
    table: "conformance_number",
    insert: "INSERT INTO conformance_number (key, value) VALUES ($1, $2)",
};

async fn a_row_that_may_be_held_back_is_seen_by_its_job_and_goes_with_it(db: Db) -> Outcome {
    let answers = at_once(100, |n| {
        let db = db.clone();
        async move {
            db.write(LANE, "insert", move |tx| {
                let key = n.to_string();
                tx.insert(&HELD_BACK, &[key.as_str().into(), n.into()])?;
                if n % 5 == 0 {
                    let seen: Vec<i64> = tx.list(
                        "SELECT value FROM conformance_number WHERE key = $1",
                        &[key.as_str().into()],
                    )?;
                    same(&seen, &vec![n]).map_err(Error::internal)?;
                }
                if n % 10 == 0 { Err(Error::Forbidden) } else { Ok(()) }
            })
            .await
        }
    });
    let answers = answers.await;
    same(&answers.iter().filter(|answer| answer.is_ok()).count(), &90)?;
    same(&answers.iter().all(|it| matches!(it, Ok(()) | Err(Error::Forbidden))), &true)?;
    let all = "SELECT value FROM conformance_number ORDER BY value";
    let kept: Vec<i64> = ok(db.read("all", |tx| tx.list(all, &[])).await)?;
    same(&kept, &(0..100).filter(|n| n % 10 != 0).collect())
}

async fn a_row_that_breaks_a_constraint_takes_only_its_own_job_along(db: Db) -> Outcome {
    let answers = at_once(40, |n| {
        let db = db.clone();
        async move {
            db.write(LANE, "insert", move |tx| {
                // Two in each ten have the same key.
                let key = if n % 10 == 9 { n - 1 } else { n }.to_string();
                tx.insert(&HELD_BACK, &[key.as_str().into(), n.into()])
            })
            .await
        }
    });
    let done = answers.await.iter().filter(|answer| answer.is_ok()).count();
    let kept: i64 =
        ok(db.read("count", |tx| tx.value("SELECT count(*) FROM conformance_number", &[])).await)?;
    same(&(done, kept), &(36, 36))
}

async fn a_generation_is_raised_before_the_answer_and_only_for_what_was_announced(
    db: Db,
) -> Outcome {
    let now = |db: &Db| (db.generations().of(ONE), db.generations().of(OTHER));
    let start = now(&db);
    ok(db.write(LANE, "set", |tx| set(tx, "key", "value")).await)?;
    same(&now(&db), &start)?;
    let other = |tx: &mut dyn Tx| {
        tx.touch(OTHER);
        set(tx, "key", "other")
    };
    ok(db.write(LANE, "other", other).await)?;
    same(&(now(&db).0, now(&db).1 > start.1), &(start.0, true))?;
    let after = now(&db);
    let failed = db
        .write(LANE, "fail", |tx| {
            tx.touch(OTHER);
            set(tx, "key", "failed")?;
            Err::<(), _>(Error::Forbidden)
        })
        .await;
    same(&(failed.is_err(), now(&db)), &(true, after))?;
    let one = |tx: &mut dyn Tx| {
        tx.touch(ONE);
        Ok(())
    };
    ok(db.write(LANE, "one", one).await)?;
    same(&(now(&db).0 > start.0), &true)
}

const ONE: Area = Area::new(0, &[]);
const OTHER: Area = Area::new(1, &[]);

fn units(tx: &mut dyn Tx, units: i64) -> Result<()> {
    tx.execute("INSERT INTO conformance_units (key, units) VALUES ('x', $1)", &[units.into()])
        .map(drop)
}

fn set(tx: &mut dyn Tx, key: &str, value: &str) -> Result<()> {
    tx.execute(
        "INSERT INTO conformance_text (key, value) VALUES ($1, $2)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        &[key.into(), value.into()],
    )
    .map(drop)
}

fn get(tx: &mut dyn Tx, key: &str) -> Result<Option<String>> {
    tx.one("SELECT value FROM conformance_text WHERE key = $1", &[key.into()], |row| row.get(0))
}

async fn at_once<T, F: Future<Output = T>>(n: i64, job: impl Fn(i64) -> F) -> Vec<T> {
    join_all((0..n).map(job)).await
}

fn ok<T, E: Display>(result: std::result::Result<T, E>) -> std::result::Result<T, String> {
    result.map_err(|error| format!("unexpected error: {error}"))
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Outcome {
    if found == expected { Ok(()) } else { Err(format!("{found:?} instead of {expected:?}")) }
}
