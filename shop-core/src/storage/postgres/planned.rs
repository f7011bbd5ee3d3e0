//! Changes that the first parts of a group's jobs plan ([`Tx::plan`](crate::storage::Tx::plan)),
//! made together before the parts that follow.
//!
//! Those of one statement go as one, with a list for each parameter. Of several changes of one row
//! the second goes behind the first, and finds what that one left.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use tokio_postgres::Row;

use super::outbox::{columns, lists};
use crate::error::{Error, Result};
use crate::storage::Param;
use crate::storage::value::Value;

/// Changes in the order of their jobs.
#[derive(Debug, Default)]
pub(super) struct Planned {
    /// Whether changes may be planned now.
    pub(super) is_open: bool,
    /// Whose changes are planned, or asked for: a job's place in its group.
    pub(super) job: usize,
    changes: Vec<Change>,
}

#[derive(Debug)]
struct Change {
    job: usize,
    sql: String,
    row: String,
    params: Vec<Value>,
    /// What it returned, from when it is made to when it is asked for.
    answer: Option<Vec<Row>>,
    /// Whether it found its row.
    has_changed: bool,
}

/// Changes of different rows by one statement: the places of some of the planned.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Together(Vec<usize>);

impl Planned {
    pub(super) fn plan(&mut self, sql: &str, row: &str, params: &[Param<'_>]) {
        if self.is_open {
            let params = params.iter().map(Value::of).collect();
            let (job, sql, row) = (self.job, sql.to_owned(), row.to_owned());
            self.changes.push(Change { job, sql, row, params, answer: None, has_changed: false });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    pub(super) fn back_to(&mut self, len: usize) {
        self.changes.truncate(len);
    }

    /// Which of them are made together, in the order in which that is done. Rows come in the order
    /// of their names, so that no two groups wait for each other in a circle.
    pub(super) fn together(&self) -> Vec<Together> {
        let mut before: HashMap<(&str, &str), usize> = HashMap::new();
        let mut rounds: BTreeMap<(usize, &str), BTreeMap<&str, usize>> = BTreeMap::new();
        for (place, change) in self.changes.iter().enumerate() {
            let round = before.entry((&change.sql, &change.row)).or_default();
            rounds.entry((*round, &change.sql)).or_default().insert(&change.row, place);
            *round += 1;
        }
        rounds.into_values().map(|rows| Together(rows.into_values().collect())).collect()
    }

    /// The statement of changes that are made together.
    pub(super) fn statement(&self, together: &Together) -> &str {
        together.0.first().and_then(|place| self.changes.get(*place)).map_or("", |it| &it.sql)
    }

    /// Their parameters, a list for each.
    pub(super) fn columns(&self, Together(places): &Together) -> Vec<Vec<Param<'_>>> {
        let changes = places.iter().filter_map(|place| self.changes.get(*place));
        columns(changes.map(|change| change.params.iter().map(Value::param)))
    }

    /// Takes in what changes returned that were made together, by [`for_rows`].
    pub(super) fn take_in(&mut self, Together(places): &Together, rows: Vec<Row>) -> Result<()> {
        for place in places {
            if let Some(change) = self.changes.get_mut(*place) {
                change.answer = Some(Vec::new());
            }
        }
        for row in rows {
            let number: i64 = row.try_get(row.len() - 1).map_err(Error::from_source)?;
            let number = usize::try_from(number - 1).map_err(Error::from_source)?;
            let change = places.get(number).and_then(|place| self.changes.get_mut(*place));
            let change = change.ok_or_else(|| Error::internal("a row of no change"))?;
            change.has_changed = true;
            change.answer.get_or_insert_default().push(row);
        }
        Ok(())
    }

    /// What the planned changes of the job returned, once; nothing where these are not they.
    pub(super) fn answers(&mut self, sql: &str, all: &[&[Param<'_>]]) -> Option<Vec<Vec<Row>>> {
        let places = self.places(self.job);
        let own = self.changes.get_mut(places).unwrap_or_default();
        let mut own: Vec<&mut Change> = own.iter_mut().filter(|it| it.sql == sql).collect();
        let alike = |(change, params): (&&mut Change, &&[Param<'_>])| {
            change.answer.is_some()
                && change.params.iter().map(Value::param).eq(params.iter().copied())
        };
        if own.len() != all.len() || !own.iter().zip(all).all(alike) {
            return None;
        }
        own.iter_mut().map(|change| change.answer.take()).collect()
    }

    /// Whether a job's planned changes changed anything.
    pub(super) fn have_changed(&self, job: usize) -> bool {
        self.of(job).iter().any(|change| change.has_changed)
    }

    /// Whether a job did not ask for a change that was made for it.
    pub(super) fn are_left(&self, job: usize) -> bool {
        self.of(job).iter().any(|change| change.answer.is_some())
    }

    fn of(&self, job: usize) -> &[Change] {
        self.changes.get(self.places(job)).unwrap_or_default()
    }

    fn places(&self, job: usize) -> Range<usize> {
        let from = self.changes.partition_point(|change| change.job < job);
        from..self.changes.partition_point(|change| change.job <= job)
    }
}

/// The statement that makes the changes of another one, an `UPDATE … WHERE … RETURNING …`, for each
/// of its parameters' values, from an array for each; its last column says for which, from 1.
pub(super) fn for_rows(update: &str, types: &[&str]) -> String {
    let parts = update.rsplit_once("RETURNING");
    let parts = parts.and_then(|(head, tell)| Some((head.rsplit_once("WHERE")?, tell)));
    let Some(((set, filter), tell)) = parts else { return update.to_owned() };
    let (arrays, names) = lists(types);
    let [set, filter, tell] = [set, filter, tell].map(|part| part.trim().replace('$', "c"));
    format!(
        "{set}
         FROM unnest({arrays}) WITH ORDINALITY AS planned ({names}, place)
         WHERE {filter}
         RETURNING {tell}, planned.place"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAKE: &str = "UPDATE stock SET units = units - $1
                        WHERE id = $2 AND units >= $1 RETURNING units, id";
    const TELL: &str = "UPDATE told SET at = $1 WHERE id = $2 RETURNING at";

    fn planned(changes: &[(usize, &str, &str)]) -> Planned {
        let mut planned = Planned { is_open: true, ..Planned::default() };
        for (job, sql, row) in changes {
            planned.job = *job;
            planned.plan(sql, row, &[1_i64.into(), (*row).into()]);
        }
        planned
    }

    #[test]
    fn a_change_of_one_row_is_made_of_all_rows_at_once() {
        assert_eq!(
            for_rows(TAKE, &["int8", "text"]),
            "UPDATE stock SET units = units - c1
         FROM unnest(CAST($1 AS int8[]), CAST($2 AS text[])) WITH ORDINALITY AS planned (c1, c2, place)
         WHERE id = c2 AND units >= c1
         RETURNING units, id, planned.place"
        );
    }

    #[test]
    fn changes_of_one_row_follow_each_other_and_rows_come_in_the_order_of_their_names() {
        let of = planned(&[
            (0, TAKE, "b"),
            (0, TAKE, "c"),
            (0, TELL, "c"),
            (2, TAKE, "a"),
            (3, TAKE, "c"),
        ]);
        let places: Vec<Vec<usize>> = of.together().into_iter().map(|it| it.0).collect();
        assert_eq!(places, [vec![3, 0, 1], vec![2], vec![4]]);
        let together = of.together();
        assert_eq!(of.statement(&together[0]), TAKE);
        let names: Vec<Param<'_>> = ["a", "b", "c"].map(Param::Text).to_vec();
        assert_eq!(of.columns(&together[0]), [vec![Param::Int(1); 3], names]);
    }

    #[test]
    fn a_job_is_answered_once_by_what_it_planned_and_nothing_else() {
        let mut of = planned(&[(0, TAKE, "b"), (1, TAKE, "b"), (1, TELL, "c")]);
        let row = |name| [Param::Int(1), Param::Text(name)];
        of.job = 0;
        assert!(of.answers(TAKE, &[&row("b")]).is_none(), "it is not made yet");
        for together in of.together() {
            of.take_in(&together, Vec::new()).expect("no rows");
        }
        assert!(of.are_left(0) && of.are_left(1) && !of.are_left(2));
        for (sql, rows) in [(TELL, vec![]), (TAKE, vec!["a"]), (TAKE, vec!["b", "b"])] {
            let lists: Vec<_> = rows.into_iter().map(row).collect();
            let lists: Vec<&[Param<'_>]> = lists.iter().map(<[_; 2]>::as_slice).collect();
            assert!(lists.is_empty() || of.answers(sql, &lists).is_none());
        }
        assert_eq!(of.answers(TAKE, &[&row("b")]).map(|it| it.len()), Some(1));
        assert!(of.answers(TAKE, &[&row("b")]).is_none() && !of.are_left(0) && of.are_left(1));
        assert!(!of.have_changed(0));
    }

    #[test]
    fn nothing_is_planned_where_jobs_run_one_by_one() {
        let mut of = Planned::default();
        of.plan(TAKE, "a", &[]);
        assert_eq!(of.len(), 0);
    }
}
