//! A transaction on a connection, as a job sees it.

use std::sync::Arc;

use tokio_postgres::error::SqlState;
use tokio_postgres::{Row as Answer, Statement};

use super::DIALECT;
use super::link::Request;
use super::outbox::Outbox;
use super::session::Session;
use super::value::PostgresRow;
use crate::error::{Error, Result};
use crate::storage::generation::Touched;
use crate::storage::{AppendLog, Area, Counter, Dialect, InsertRows, Metric, Param, Row, Tx};

/// What a job's transaction met with, whatever the job made of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Met {
    pub(super) touched: Touched,
    /// PostgreSQL refused a statement because of another transaction; it must all be run again.
    pub(super) conflict: bool,
    /// A statement failed.
    pub(super) failed: bool,
    /// A statement changed something.
    pub(super) changed: bool,
}

/// What PostgreSQL itself said of an error.
fn cause(error: &Error) -> Option<&tokio_postgres::Error> {
    let Error::Internal(source) = error else { return None };
    source.downcast_ref()
}

/// Whether PostgreSQL says that the transaction would go through if it were run again.
pub(super) fn is_conflict(error: &Error) -> bool {
    let code = cause(error).and_then(tokio_postgres::Error::code);
    let conflicts = [
        &SqlState::T_R_SERIALIZATION_FAILURE,
        &SqlState::T_R_DEADLOCK_DETECTED,
        &SqlState::LOCK_NOT_AVAILABLE,
    ];
    code.is_some_and(|code| conflicts.contains(&code))
}

/// Whether a statement broke a constraint.
pub(super) fn breaks_constraint(error: &Error) -> bool {
    let code = cause(error).and_then(tokio_postgres::Error::code);
    code.is_some_and(|code| code.code().starts_with("23"))
}

/// Whether PostgreSQL takes no writes, as a standby does. Another connection may lead to the server
/// that took its place.
pub(super) fn takes_no_writes(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
}

/// What a job is answered where PostgreSQL, or the machine below it, is the cause that it failed:
/// it takes no writes, its disk is full or fails, or it went away before the commit.
pub(super) fn outcome_of(outcome: Result<()>) -> Result<()> {
    let Err(error) = outcome else { return Ok(()) };
    let is_cause = |it: &tokio_postgres::Error| {
        let broken = [
            &SqlState::DISK_FULL,
            &SqlState::IO_ERROR,
            &SqlState::ADMIN_SHUTDOWN,
            &SqlState::CRASH_SHUTDOWN,
            &SqlState::CANNOT_CONNECT_NOW,
        ];
        let is_broken = it.code().is_some_and(|code| broken.contains(&code));
        takes_no_writes(it) || is_broken || it.is_closed()
    };
    match error {
        Error::Internal(ref source) if cause(&error).is_some_and(is_cause) => {
            Err(Error::storage_unavailable(Arc::clone(source)))
        }
        other => Err(other),
    }
}

/// What was asked where no transaction is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Nothing,
    OneQuery,
    /// More than that was about to be.
    More,
}

pub(super) struct PostgresTx<'s> {
    session: &'s mut Session,
    pub(super) met: Met,
    outbox: Option<&'s mut Outbox>,
    /// `None` where a transaction is open.
    asked: Option<Asked>,
}

impl<'s> PostgresTx<'s> {
    pub(super) fn new(session: &'s mut Session, outbox: Option<&'s mut Outbox>) -> Self {
        Self { session, met: Met::default(), outbox, asked: None }
    }

    /// For one query, where no transaction is open.
    pub(super) fn of_one_query(session: &'s mut Session) -> Self {
        Self { asked: Some(Asked::Nothing), ..Self::new(session, None) }
    }

    /// Whether it was not enough that no transaction is open.
    pub(super) fn needs_transaction(&self) -> bool {
        self.asked == Some(Asked::More)
    }

    /// # Errors
    /// Where no transaction is open and the statement is not the only query.
    fn note_statement(&mut self, sql: &str) -> Result<()> {
        let Some(asked) = &mut self.asked else { return Ok(()) };
        let is_first = *asked == Asked::Nothing && is_query(sql);
        *asked = if is_first { Asked::OneQuery } else { Asked::More };
        if is_first { Ok(()) } else { Err(Error::internal("no transaction is open")) }
    }

    fn rows(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Answer>> {
        self.note_statement(sql)?;
        let statement = self.prepare(sql)?;
        let rows = self.session.query(&statement, params);
        let rows = rows.inspect_err(|error| self.met.note(error))?;
        self.note_change(sql, !rows.is_empty());
        Ok(rows)
    }

    fn run(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        self.note_statement(sql)?;
        let statement = self.prepare(sql)?;
        let changed = self.session.execute(&statement, params);
        let changed = changed.inspect_err(|error| self.met.note(error))?;
        self.met.changed |= changed > 0;
        Ok(changed)
    }

    fn ask_each(&mut self, sql: &str, all: &[&[Param<'_>]]) -> Result<Vec<Vec<Answer>>> {
        all.iter().try_for_each(|_| self.note_statement(sql))?;
        let statement = self.prepare(sql)?;
        let requests: Vec<_> = all.iter().map(|it| Request::Query(&statement, it)).collect();
        let answers = self.session.ask_all(&requests);
        answers.inspect_err(|error| self.met.note(error))
    }

    fn note_change(&mut self, sql: &str, has_rows: bool) {
        self.met.changed |= has_rows && !is_query(sql);
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.session.prepare(sql).inspect_err(|error| self.met.note(error))
    }

    /// Writes what a statement could miss.
    fn catch_up(&mut self, sql: &str) -> Result<()> {
        let Some(outbox) = &mut self.outbox else { return Ok(()) };
        let inserted = outbox.inserted.is_missed_by(sql).then(|| outbox.inserted.take());
        let appended = outbox.log.is_missed_by(sql).then(|| outbox.log.take());
        if inserted.is_none() && appended.is_none() {
            return Ok(());
        }
        let (inserted, appended) = (inserted.unwrap_or_default(), appended.unwrap_or_default());
        let written = self.session.write_and_run(&inserted, &appended, "");
        written.inspect_err(|error| self.met.note(error))
    }

    /// Makes what the first parts of jobs planned.
    pub(super) fn make_planned(&mut self) -> Result<()> {
        let Some(outbox) = &mut self.outbox else { return Ok(()) };
        let mut planned = std::mem::take(&mut outbox.planned);
        let all = planned.together();
        all.iter().try_for_each(|together| self.catch_up(planned.statement(together)))?;
        let made = self.session.make_planned(&mut planned, &all);
        if let Some(outbox) = &mut self.outbox {
            outbox.planned = planned;
        }
        made
    }

    pub(super) fn give_back_numbers(&mut self) -> Result<()> {
        let left = self.outbox.as_mut().map(|outbox| outbox.numbers.left_over());
        left.unwrap_or_default().into_iter().try_for_each(|(counter, key, left)| {
            self.rows(counter.add, &[key.as_str().into(), (-left).into()]).map(drop)
        })
    }
}

fn is_query(sql: &str) -> bool {
    sql.trim_start().starts_with("SELECT")
}

impl Met {
    fn note(&mut self, error: &Error) {
        self.failed = true;
        self.conflict |= is_conflict(error);
    }
}

impl Tx for PostgresTx<'_> {
    fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<usize> {
        self.catch_up(sql)?;
        let changed = self.run(sql, params)?;
        usize::try_from(changed).map_err(Error::from_source)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()> {
        self.catch_up(sql)?;
        if let Some(rows) = self.outbox.as_ref().and_then(|it| it.prefetched.answer(sql, params)) {
            return rows.iter().try_for_each(|row| each(&PostgresRow(row)));
        }
        self.rows(sql, params)?.iter().try_for_each(|row| each(&PostgresRow(row)))
    }

    fn query_each(
        &mut self,
        sql: &str,
        all: &[&[Param<'_>]],
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()> {
        self.catch_up(sql)?;
        let planned = self.outbox.as_mut().and_then(|outbox| outbox.planned.answers(sql, all));
        let answers = match planned {
            Some(answers) => answers,
            None => self.ask_each(sql, all)?,
        };
        for (place, rows) in answers.iter().enumerate() {
            self.note_change(sql, !rows.is_empty());
            rows.iter().try_for_each(|row| each(place, &PostgresRow(row)))?;
        }
        Ok(())
    }

    fn plan(&mut self, sql: &str, row: &str, params: &[Param<'_>]) {
        if let Some(outbox) = &mut self.outbox {
            outbox.planned.plan(sql, row, params);
        }
    }

    fn append(&mut self, log: &'static AppendLog, params: &[Param<'_>]) -> Result<()> {
        match self.outbox.as_mut() {
            Some(outbox) => {
                outbox.log.keep(log.table, log.insert, params);
                Ok(())
            }
            None => self.run(log.insert, params).map(drop),
        }
    }

    fn insert(&mut self, rows: &'static InsertRows, params: &[Param<'_>]) -> Result<()> {
        match self.outbox.as_mut() {
            Some(outbox) => {
                outbox.inserted.keep(rows.table, rows.insert, params);
                Ok(())
            }
            None => self.run(rows.insert, params).map(drop),
        }
    }

    fn next_number(&mut self, counter: &'static Counter, key: &str) -> Result<i64> {
        if let Some(outbox) = &mut self.outbox
            && let Some(number) = outbox.numbers.give(counter, key)
        {
            return Ok(number);
        }
        let expected = self.outbox.as_ref().map_or(1, |outbox| outbox.numbers.expected());
        self.note_statement(counter.add)?;
        // What was kept back goes ahead of it, outside of the lock that the number takes.
        let kept = self.outbox.as_mut().map(|outbox| outbox.inserted.take()).unwrap_or_default();
        let params = [key.into(), expected.into()];
        let rows = self.session.write_and_query(&kept, counter.add, &params);
        let rows = rows.inspect_err(|error| self.met.note(error))?;
        self.met.changed = true;
        let latest = match rows.first() {
            Some(row) => row.try_get(0).map_err(Error::from_source)?,
            None => return Err(Error::internal(format!("no row from: {}", counter.add))),
        };
        let Some(outbox) = &mut self.outbox else { return Ok(latest) };
        Ok(outbox.numbers.take_in(counter, key, latest))
    }

    fn touch(&mut self, area: Area) {
        self.met.touched.note(area);
    }

    fn touch_row(&mut self, area: Area, row: i64) {
        self.met.touched.note_row(area, row);
    }

    fn count(&mut self, metric: Metric) {
        self.met.touched.count(metric);
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }
}
