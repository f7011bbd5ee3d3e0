//! What many lookups at once show.

use super::{LANE, Outcome, at_once, ok, same};
use crate::error::{Error, Result};
use crate::storage::{Db, Param, Tx};

/// Numbers from 0 to 99 under their texts, and -1 under one that has a `$` in it.
fn fill(tx: &mut dyn Tx) -> Result<()> {
    let insert = "INSERT INTO conformance_number (key, value) VALUES ($1, $2)";
    tx.run(insert, &["R$ 1".into(), (-1_i64).into()])?;
    (0..100_i64).try_for_each(|n| tx.run(insert, &[n.to_string().as_str().into(), n.into()]))
}

/// The numbers below `below`, the greatest first, but for one: -1 where none is named.
fn below(tx: &mut dyn Tx, below: i64, but: Option<&str>) -> Result<Vec<i64>> {
    let but = but.map_or(Param::Null, Param::Text);
    let query = "SELECT value FROM conformance_number
                 WHERE value < $1 AND key <> coalesce($2, 'R$ 1') ORDER BY value DESC";
    tx.list(query, &[below.into(), but])
}

pub(super) async fn lookups_at_once_are_answered_each_by_its_own_rows_in_their_order(
    db: Db,
) -> Outcome {
    ok(db.write(LANE, "fill", fill).await)?;
    // The first ones show what the jobs ask.
    for round in 0..3 {
        let answers = at_once(if round == 0 { 1 } else { 200 }, |n| {
            let db = db.clone();
            async move {
                let but = (n % 2 == 0).then_some("3");
                let own = db.lookup("own", move |tx| below(tx, n % 7, but)).await;
                let one = "SELECT value FROM conformance_number WHERE key = $1";
                let name = (n % 120).to_string();
                let find = move |tx: &mut dyn Tx| {
                    tx.one(one, &[name.as_str().into()], |row| row.get::<i64>(0))
                };
                let found = db.lookup("one", find).await;
                let mut all: Vec<i64> = (0..n % 7).rev().collect();
                if n % 2 == 0 {
                    all.retain(|it| *it != 3);
                    all.push(-1);
                }
                same(&ok(own)?, &all)?;
                same(&ok(found)?, &Some(n % 120).filter(|it| *it < 100))
            }
        });
        answers.await.into_iter().collect::<Outcome>()?;
    }
    Ok(())
}

pub(super) async fn lookups_that_fail_or_ask_more_take_nothing_from_others_at_once(
    db: Db,
) -> Outcome {
    ok(db.write(LANE, "fill", fill).await)?;
    for round in 0..3 {
        let answers = at_once(if round == 0 { 1 } else { 100 }, |n| {
            let db = db.clone();
            async move {
                let refused = db.lookup("refused", move |tx| {
                    let found = below(tx, 1, None)?;
                    if n % 3 == 1 { Err(Error::Forbidden) } else { Ok(found) }
                });
                same(&matches!(refused.await, Err(Error::Forbidden)), &(n % 3 == 1))?;
                let broken = db.lookup("broken", move |tx| {
                    let query = "SELECT 7 / (value * $1) FROM conformance_number WHERE key = '1'";
                    tx.value::<i64>(query, &[i64::from(n % 5 != 1).into()])
                });
                // SQLite divides by zero to NULL, which is no number.
                same(&broken.await.is_err(), &(n % 5 == 1))?;
                let panics = db.lookup("panics", move |tx| {
                    let found = below(tx, 1, None)?;
                    assert!(n % 9 != 1, "a lookup that panics, on purpose");
                    Ok(found)
                });
                same(&panics.await.is_err(), &(n % 9 == 1))?;
                let more = db.lookup("more", move |tx| {
                    let first = below(tx, 2, None)?;
                    let second = if n % 4 == 1 { below(tx, 3, None)? } else { Vec::new() };
                    Ok((first, second))
                });
                let second = if n % 4 == 1 { vec![2, 1, 0] } else { vec![] };
                same(&ok(more.await)?, &(vec![1, 0], second))
            }
        });
        answers.await.into_iter().collect::<Outcome>()?;
    }
    Ok(())
}
