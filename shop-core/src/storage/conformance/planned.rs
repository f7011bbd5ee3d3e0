//! What jobs show that plan in their first part what they change in the middle one.

use super::{LANE, Outcome, at_once, ok, same};
use crate::error::{Error, Result};
use crate::storage::{Db, Param, Tx};

const ROWS: [&str; 3] = ["a", "b", "c"];
/// Which rows jobs take together.
const PAIRS: [[&str; 2]; 3] = [["a", "b"], ["b", "c"], ["c", "a"]];
const START: i64 = 20;
const TAKE: &str = "UPDATE conformance_number SET value = value - $1
                    WHERE key = $2 AND value >= $1 RETURNING value";

fn fill(tx: &mut dyn Tx) -> Result<()> {
    const FILL: &str = "INSERT INTO conformance_number (key, value) VALUES ($1, $2)";
    ROWS.iter().try_for_each(|row| tx.execute(FILL, &[(*row).into(), START.into()]).map(drop))
}

/// What the statement is given to take one of these rows.
fn one_of(row: &str) -> [Param<'_>; 2] {
    [1_i64.into(), row.into()]
}

fn plan(tx: &mut dyn Tx, rows: &[&str]) {
    for row in rows {
        tx.plan(TAKE, row, &one_of(row));
    }
}

/// Takes what was planned. What is left of each, if there was any.
fn take(tx: &mut dyn Tx, rows: [&'static str; 2]) -> Result<[Option<i64>; 2]> {
    let lists = rows.map(one_of);
    let mut left = [None; 2];
    tx.query_each(TAKE, &[&lists[0], &lists[1]], &mut |place, row| {
        left[place] = Some(row.get(0)?);
        Ok(())
    })?;
    Ok(left)
}

async fn left(db: &Db) -> Result<Vec<i64>> {
    let left =
        |tx: &mut dyn Tx| tx.list::<i64>("SELECT value FROM conformance_number ORDER BY key", &[]);
    db.read("left", left).await
}

/// Every row has more takers than there are, and some jobs fail: before they change anything, when
/// they changed something, and in their last part.
pub(super) async fn planned_changes_are_made_one_after_the_other_and_only_of_jobs_that_go_well(
    db: Db,
) -> Outcome {
    ok(db.write(LANE, "fill", fill).await)?;
    let answers = at_once(90, |n| {
        let db = db.clone();
        let rows = PAIRS[usize::try_from(n).unwrap_or_default() % 3];
        let first = move |tx: &mut dyn Tx| {
            plan(tx, &rows);
            if n % 5 == 0 { Err(Error::Forbidden) } else { Ok(rows) }
        };
        let middle = move |tx: &mut dyn Tx, rows| match take(tx, rows)? {
            [Some(one), Some(other)] if n % 7 != 0 => Ok([one, other]),
            _ => Err(Error::Forbidden),
        };
        let last = move |_: &mut dyn Tx, left: [i64; 2]| {
            if n % 11 == 0 {
                Err(Error::Forbidden)
            } else {
                Ok([(rows[0], left[0]), (rows[1], left[1])])
            }
        };
        async move { db.write_concurrent(LANE, "take", (vec![], vec![]), first, middle, last).await }
    });
    let answers = answers.await;
    same(&answers.iter().all(|it| matches!(it, Ok(_) | Err(Error::Forbidden))), &true)?;
    let told: Vec<_> = answers.into_iter().flatten().flatten().collect();
    for (row, left) in ROWS.iter().zip(ok(left(&db).await)?) {
        let mut of: Vec<i64> = told.iter().filter(|it| it.0 == *row).map(|it| it.1).collect();
        of.sort_unstable();
        same(&of, &(left..START).collect())?;
    }
    // Each takes of two rows, so it takes two rows that have none to refuse everybody.
    same(&(ok(left(&db).await)?.iter().filter(|left| **left == 0).count() >= 2), &true)
}

/// Beside jobs that do as they planned, others change their mind, refuse, or take other rows.
pub(super) async fn what_a_job_plans_and_does_not_do_is_not_done(db: Db) -> Outcome {
    ok(db.write(LANE, "fill", fill).await)?;
    for strays in 0..3 {
        let answers = at_once(10, |n| {
            let db = db.clone();
            let first = |tx: &mut dyn Tx| {
                plan(tx, &["a", "b"]);
                Ok(())
            };
            let middle = move |tx: &mut dyn Tx, ()| match strays {
                _ if n % 2 == 0 => take(tx, ["a", "b"]).map(drop),
                0 => Ok(()),
                1 => Err(Error::Forbidden),
                _ => take(tx, ["b", "c"]).map(drop),
            };
            let last = |_: &mut dyn Tx, ()| Ok(());
            async move { db.write_concurrent(LANE, "take", (vec![], vec![]), first, middle, last).await }
        });
        let refused = answers.await.iter().filter(|it| matches!(it, Err(Error::Forbidden))).count();
        same(&refused, &(if strays == 1 { 5 } else { 0 }))?;
    }
    same(&ok(left(&db).await)?, &vec![5, 0, 15])
}
