//! What jobs that count, and those that run beside others of their lane, show.

use super::{LANE, Outcome, at_once, ok, same, set};
use crate::error::{Error, Result};
use crate::storage::{Counter, Db, InsertRows, LockKey, Param, Prefetch, Tx};

static NUMBERS: Counter = Counter {
    add: "INSERT INTO conformance_number (key, value) VALUES ($1, $2)
          ON CONFLICT (key) DO UPDATE SET value = conformance_number.value + excluded.value
          RETURNING value",
};

const TEXTS: InsertRows = InsertRows {
    table: "conformance_text",
    insert: "INSERT INTO conformance_text (key, value) VALUES ($1, $2)",
};

/// Numbers and writes a row in the last part of a job.
fn number(tx: &mut dyn Tx, counter: &str, value: &str) -> Result<i64> {
    let number = tx.next_number(&NUMBERS, counter)?;
    tx.insert(&TEXTS, &[format!("{counter} {number}").as_str().into(), value.into()])?;
    Ok(number)
}

pub(super) async fn a_counter_has_no_gap_and_no_repeat_when_jobs_fail(db: Db) -> Outcome {
    let answers = at_once(100, |n| {
        let db = db.clone();
        async move {
            db.write(LANE, "next", move |tx| {
                let next: i64 = tx.value(
                    "INSERT INTO conformance_number (key, value) VALUES ('d', 1)
                     ON CONFLICT (key) DO UPDATE SET value = conformance_number.value + 1
                     RETURNING value",
                    &[],
                )?;
                if n % 3 == 0 { Err(Error::Forbidden) } else { Ok(next) }
            })
            .await
        }
    })
    .await;
    let mut given: Vec<i64> = answers.into_iter().flatten().collect();
    given.sort_unstable();
    same(&given, &(1..=66).collect())
}

pub(super) async fn numbers_of_concurrent_jobs_have_no_gap_and_no_repeat_whatever_fails(
    db: Db,
) -> Outcome {
    let answers = at_once(120, |n| {
        let db = db.clone();
        let day = if n % 5 == 0 { "tomorrow" } else { "today" };
        // Of the others each has a row to itself.
        let locks = vec![LockKey::shared("row", &(n % 40).to_string())];
        let first = move |tx: &mut dyn Tx| {
            set(tx, &format!("row {}", n % 40), "written")?;
            if n % 7 == 0 { Err(Error::Forbidden) } else { Ok(()) }
        };
        let last = move |tx: &mut dyn Tx, ()| match n % 11 {
            0 => number(tx, day, "fails").and(Err(Error::Forbidden)),
            1 => Ok(0),
            _ => number(tx, day, "stays"),
        };
        async move {
            (
                day,
                n,
                db.write_concurrent(LANE, "number", (locks, vec![]), first, |_, it| Ok(it), last)
                    .await,
            )
        }
    });
    let answers = answers.await;
    for (_, n, answer) in &answers {
        same(&matches!(answer, Err(Error::Forbidden)), &(n % 7 == 0 || n % 11 == 0))?;
        same(&(answer.is_ok() || matches!(answer, Err(Error::Forbidden))), &true)?;
    }
    for day in ["today", "tomorrow"] {
        let mut given: Vec<i64> = answers
            .iter()
            .filter_map(|(of, _, answer)| answer.as_ref().ok().filter(|_| *of == day).copied())
            .filter(|number| *number > 0)
            .collect();
        given.sort_unstable();
        let all: Vec<i64> = (1..).take(given.len()).collect();
        same(&given, &all)?;
        let (latest, rows) = ok(db
            .read("latest", move |tx| {
                let latest = "SELECT value FROM conformance_number WHERE key = $1";
                let rows = "SELECT count(*) FROM conformance_text
                            WHERE key LIKE $1 AND value = 'stays'";
                let like = format!("{day} %");
                let latest: Option<i64> = tx.find(latest, &[day.into()])?;
                Ok((latest, tx.value::<i64>(rows, &[like.as_str().into()])?))
            })
            .await)?;
        same(&(latest, rows), &(given.last().copied(), rows))?;
        same(&rows, &i64::try_from(given.len()).unwrap_or_default())?;
    }
    Ok(())
}

pub(super) async fn a_job_with_a_lock_of_its_own_sees_what_those_before_it_wrote(
    db: Db,
) -> Outcome {
    let answers = at_once(60, |n| {
        let db = db.clone();
        // Three things, of each of which five may be taken.
        let kind = n % 3;
        let locks = vec![LockKey::alone("kind", &kind.to_string())];
        let first = move |tx: &mut dyn Tx| {
            let taken: i64 = tx.value(
                "SELECT count(*) FROM conformance_text WHERE key LIKE $1",
                &[format!("{kind}-%").as_str().into()],
            )?;
            if taken < 5 { Ok(taken) } else { Err(Error::Forbidden) }
        };
        let last = move |tx: &mut dyn Tx, taken| {
            tx.insert(&TEXTS, &[format!("{kind}-{taken}").as_str().into(), "taken".into()])
        };
        async move {
            db.write_concurrent(LANE, "take", (locks, vec![]), first, |_, it| Ok(it), last).await
        }
    });
    let answers = answers.await;
    same(&answers.iter().filter(|answer| answer.is_ok()).count(), &15)?;
    same(&answers.iter().all(|it| matches!(it, Ok(()) | Err(Error::Forbidden))), &true)
}

pub(super) async fn a_concurrent_job_runs_beside_no_other_job_of_its_lane(db: Db) -> Outcome {
    ok(db.write(LANE, "start", |tx| set(tx, "sum", "0")).await)?;
    let read = |tx: &mut dyn Tx| -> Result<i64> {
        let sum: String = tx.value("SELECT value FROM conformance_text WHERE key = 'sum'", &[])?;
        sum.parse().map_err(Error::from_source)
    };
    let answers = at_once(60, |n| {
        let db = db.clone();
        // They ask first and write then, without a guard: only who is alone may do that.
        let add = move |tx: &mut dyn Tx| {
            let sum = read(tx)?;
            set(tx, "sum", &(sum + 1).to_string())
        };
        async move {
            if n % 2 == 0 {
                db.write(LANE, "add", add).await
            } else {
                let locks = vec![LockKey::shared("sum", "")];
                db.write_concurrent(
                    LANE,
                    "add",
                    (locks, vec![]),
                    add,
                    |_, it| Ok(it),
                    |_, ()| Ok(()),
                )
                .await
            }
        }
    });
    for answer in answers.await {
        ok(answer)?;
    }
    same(&ok(db.read("sum", move |tx| read(tx)).await)?, &60)
}

pub(super) async fn a_question_asked_beforehand_is_answered_by_what_the_jobs_before_wrote(
    db: Db,
) -> Outcome {
    const SUM: &str = "SELECT value FROM conformance_text WHERE key = $1";
    ok(db.write(LANE, "start", |tx| set(tx, "sum", "0")).await)?;
    let read = |tx: &mut dyn Tx| -> Result<i64> {
        let sum: String = tx.value(SUM, &["sum".into()])?;
        sum.parse().map_err(Error::from_source)
    };
    let answers = at_once(60, |n| {
        let db = db.clone();
        let beforehand = (
            vec![LockKey::alone("sum", "")],
            vec![Prefetch::new(SUM, &["sum".into()]), Prefetch::new(SUM, &["missing".into()])],
        );
        let add = move |tx: &mut dyn Tx| {
            same_or_fail(tx.exists(SUM, &["missing".into()])?, false)?;
            let sum = read(tx)?;
            set(tx, "sum", &(sum + 1).to_string())?;
            if n % 4 == 0 { Err(Error::Forbidden) } else { Ok(()) }
        };
        async move {
            db.write_concurrent(LANE, "add", beforehand, add, |_, it| Ok(it), |_, ()| Ok(())).await
        }
    });
    let added = answers.await.into_iter().flatten().count();
    same(&added, &45)?;
    same(&ok(db.read("sum", move |tx| read(tx)).await)?, &45)
}

pub(super) async fn questions_asked_beforehand_are_answered_each_by_its_own_rows_in_their_order(
    db: Db,
) -> Outcome {
    const BETWEEN: &str = "SELECT coalesce($1, key) FROM conformance_text
                           WHERE key >= $2 AND key < $3 ORDER BY key DESC";
    const ALL: &str = "SELECT count(*) FROM conformance_text";
    let keys = |tx: &mut dyn Tx| (10..30).try_for_each(|n| set(tx, &n.to_string(), "kept"));
    ok(db.write(LANE, "start", keys).await)?;
    let answers = at_once(60, |n| {
        let db = db.clone();
        // Some ask the same as others, and the last ones find one row or none.
        let (from, to) = ((10 + n % 21).to_string(), (12 + n % 21).to_string());
        let shown = (n % 3 == 0).then(|| "other".to_owned());
        let params = [Param::from(&shown), Param::from(&from), Param::from(&to)];
        let beforehand = vec![Prefetch::new(BETWEEN, &params), Prefetch::new(ALL, &[])];
        let ask = move |tx: &mut dyn Tx| {
            let params = [Param::from(&shown), Param::from(&from), Param::from(&to)];
            Ok((tx.list::<String>(BETWEEN, &params)?, tx.value::<i64>(ALL, &[])?))
        };
        async move {
            db.write_concurrent(
                LANE,
                "ask",
                (vec![], beforehand),
                ask,
                |_, it| Ok(it),
                |_, it| Ok(it),
            )
            .await
        }
    });
    for (n, answer) in (0..).zip(answers.await) {
        let found = (10 + n % 21..12 + n % 21).rev().filter(|key| *key < 30);
        let shown = |key: i64| if n % 3 == 0 { "other".to_owned() } else { key.to_string() };
        same(&ok(answer)?, &(found.map(shown).collect(), 20))?;
    }
    Ok(())
}

fn same_or_fail(one: bool, other: bool) -> Result<()> {
    if one == other { Ok(()) } else { Err(Error::internal("another answer")) }
}

pub(super) async fn a_statement_with_several_lists_runs_once_for_each_in_their_order(
    db: Db,
) -> Outcome {
    const ADD: &str = "INSERT INTO conformance_number (key, value) VALUES ($1, $2)
                       ON CONFLICT (key) DO UPDATE SET value = conformance_number.value + $2
                       WHERE conformance_number.value < 5
                       RETURNING value";
    let add = |fails: bool| {
        db.write(LANE, "add", move |tx| {
            let mut told: Vec<(usize, i64)> = Vec::new();
            let lists: [&[Param<'_>]; 4] = [
                &["a".into(), 2_i64.into()],
                &["b".into(), 9_i64.into()],
                &["b".into(), 1_i64.into()],
                &["a".into(), 1_i64.into()],
            ];
            tx.query_each(ADD, &lists, &mut |place, row| {
                told.push((place, row.get(0)?));
                Ok(())
            })?;
            if fails { Err(Error::Forbidden) } else { Ok(told) }
        })
    };
    same(&matches!(add(true).await, Err(Error::Forbidden)), &true)?;
    // Nothing is left of what failed, and the third finds that its row has enough.
    same(&ok(add(false).await)?, &vec![(0, 2), (1, 9), (3, 3)])?;
    same(&ok(add(false).await)?, &vec![(0, 5)])
}
