//! One connection to PostgreSQL, with its prepared statements.
//!
//! A round trip costs more than most statements do, and under a lock others wait for it. So what is
//! known beforehand is sent at once: what begins a transaction with what its jobs prefetch, the
//! rows that a group has kept back with its commit.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Row, SimpleQueryMessage, SimpleQueryRow, Statement};

use super::link::{Link, Request, bound};
use super::outbox::{self, Batch, ONE_APPENDS, Outbox};
use super::planned::{self, Planned, Together};
use super::prefetched::{self, Asked, Prefetched};
use super::tx::{Met, PostgresTx, takes_no_writes};
use crate::error::{Error, Result};
use crate::storage::{Job, Param, Prefetch, Tx};

/// Prepared statements that a connection keeps; the shop has some hundreds.
const STATEMENTS: usize = 2000;

/// What names a transaction.
const TRANSACTION: &str = "SELECT CAST(pg_current_xact_id() AS text),
                                  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";
/// Which course of its history PostgreSQL is on: another one after a replica took over.
const TIMELINE: &str = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";

/// Since when PostgreSQL counts what it does: anew after it had to recover, which no connection
/// outlives. What was not on its disk then has given its name to another transaction.
const RECOVERED: &str =
    "coalesce(CAST(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) AS text), '')";

/// The name of a transaction, by which its fate can be asked for.
pub(super) struct Transaction {
    id: String,
    timeline: String,
    recovered: String,
}

/// A connection.
pub(super) struct Session {
    pub(super) link: Link,
    statements: HashMap<String, Statement>,
    /// What begins the transaction that is about to be read in.
    begin: Option<&'static str>,
    lost: bool,
    /// It answers, but not as the database that is asked for; the pool shall keep it no more.
    is_of_no_use: bool,
    recovered: String,
}

impl Session {
    /// That of a connection, which is set up by these statements.
    pub(super) fn of(mut link: Link, settings: &str) -> Result<Self, tokio_postgres::Error> {
        let settings = format!("{settings}; SELECT {RECOVERED}");
        let begun = link.ask(|client| client.simple_query(&settings))?;
        let recovered = first_row(&begun).and_then(|row| row.get(0)).unwrap_or_default().to_owned();
        let (lost, is_of_no_use) = (false, false);
        Ok(Self { link, statements: HashMap::new(), begin: None, lost, is_of_no_use, recovered })
    }

    /// Runs statements that have no parameters.
    pub(super) fn run(&mut self, sql: &str) -> Result<()> {
        let outcome = self.link.ask(|client| client.batch_execute(sql));
        outcome.map_err(|error| self.error(error))
    }

    /// Runs statements that have no parameters; what they answer, as text.
    pub(super) fn simple_query(&mut self, sql: &str) -> Result<Vec<SimpleQueryMessage>> {
        let answer = self.link.ask(|client| client.simple_query(sql));
        answer.map_err(|error| self.error(error))
    }

    /// Whether the connection is of no more use.
    pub(super) fn is_lost(&self) -> bool {
        self.lost || self.link.is_closed()
    }

    /// Whether it leads to a database that takes no writes.
    pub(super) fn is_of_no_use(&self) -> bool {
        self.is_of_no_use
    }

    /// Uses the connection no more.
    pub(super) fn give_up(&mut self) {
        self.lost = true;
    }

    /// Begins a transaction, by these statements, and runs these queries in it, which are sorted.
    pub(super) fn begin(
        &mut self,
        begin: &str,
        prefetch: &[Prefetch],
    ) -> Result<(Transaction, Prefetched)> {
        let name = self.prepare(TRANSACTION)?;
        let asked = self.prepare_asked(prefetch)?;
        let mut requests = vec![Request::Run(begin), Request::Query(&name, &[])];
        requests.extend(asked.iter().map(Asked::request));
        let mut answers = self.ask_all(&requests)?.into_iter().skip(1);
        let row = answers.next().and_then(|rows| rows.into_iter().next());
        let row = row.ok_or_else(|| Error::internal("the transaction has no name"))?;
        let text = |column: usize| row.try_get(column).map_err(Error::from_source);
        let (id, timeline) = (text(0)?, text(1)?);
        let transaction = Transaction { id, timeline, recovered: self.recovered.clone() };
        Ok((transaction, Prefetched::of(&asked, answers)?))
    }

    /// Asks queries at once, which are sorted.
    pub(super) fn ask_queries(&mut self, queries: &[Prefetch]) -> Result<Prefetched> {
        let asked = self.prepare_asked(queries)?;
        let requests: Vec<Request<'_>> = asked.iter().map(Asked::request).collect();
        Prefetched::of(&asked, self.ask_all(&requests)?)
    }

    fn prepare_asked<'q>(&mut self, queries: &'q [Prefetch]) -> Result<Vec<Asked<'q>>> {
        let asked = prefetched::by_statement(queries).map(|queries| {
            let statement = self.prepare_lists(queries[0].sql(), prefetched::for_each)?;
            let columns = outbox::columns(queries.iter().map(Prefetch::params));
            Ok(Asked { queries, statement, columns })
        });
        asked.collect()
    }

    /// What PostgreSQL knows of a transaction: `committed`, `aborted` or `in progress`; `None`
    /// where it is another one than then, or had to recover since, and may have given the name to
    /// another.
    pub(super) fn status_of(&mut self, transaction: &Transaction) -> Result<Option<String>> {
        let sql = format!(
            "SELECT pg_xact_status(CAST(CAST($1 AS text) AS xid8))
             WHERE {TIMELINE} = $2 AND {RECOVERED} = $3"
        );
        let Transaction { id, timeline, recovered } = transaction;
        let params = [Param::Text(id), Param::Text(timeline), Param::Text(recovered)];
        let statement = self.prepare(&sql)?;
        let row = self.query(&statement, &params)?.into_iter().next();
        row.map_or(Ok(None), |row| row.try_get(0).map_err(Error::from_source))
    }

    /// Runs a job in the transaction that is open. A panic is an error, and so is a job that passed
    /// over a statement that failed: PostgreSQL takes no others after it. Without an outbox it can
    /// write nothing.
    pub(super) fn run_job(
        &mut self,
        name: &str,
        job: &mut Job,
        outbox: Option<&mut Outbox>,
    ) -> (Result<()>, Met) {
        let mut tx = PostgresTx::new(self, outbox);
        let outcome = run(&mut tx, name, job);
        (checked(outcome, name, &tx.met), tx.met)
    }

    /// Runs a job that asks one query, without a transaction; nothing where it asks more.
    pub(super) fn run_one_query(&mut self, name: &str, job: &mut Job) -> Option<(Result<()>, Met)> {
        let mut tx = PostgresTx::of_one_query(self);
        let outcome = run(&mut tx, name, job);
        (!tx.needs_transaction()).then(|| (checked(outcome, name, &tx.met), tx.met))
    }

    /// Runs a job in the transaction that is open, as it is: nothing is kept back or run again.
    pub(super) fn run_once<T>(&mut self, job: impl FnOnce(&mut dyn Tx) -> Result<T>) -> Result<T> {
        job(&mut PostgresTx::new(self, None))
    }

    /// Runs a job that only reads in a transaction that these statements begin, together with the
    /// job's first statement. Nobody waits for its end.
    pub(super) fn run_read(
        &mut self,
        begin: &'static str,
        name: &str,
        job: &mut Job,
    ) -> (Result<()>, Met) {
        self.begin = Some(begin);
        let (outcome, met) = self.run_job(name, job, None);
        if self.begin.take().is_none() {
            self.link.post(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" });
        }
        (outcome, met)
    }

    /// Makes changes that were planned.
    pub(super) fn make_planned(&mut self, planned: &mut Planned, all: &[Together]) -> Result<()> {
        let prepared = all.iter().map(|together| {
            let sql = planned.statement(together);
            Ok((self.prepare_lists(sql, planned::for_rows)?, planned.columns(together)))
        });
        let prepared: Vec<_> = prepared.collect::<Result<_>>()?;
        let answers = self.ask_all(&writes(&prepared))?;
        all.iter().zip(answers).try_for_each(|(together, rows)| planned.take_in(together, rows))
    }

    /// Writes the rows that a group has kept back, and commits by these statements.
    pub(super) fn commit(&mut self, outbox: &mut Outbox, commit: &str) -> Result<()> {
        PostgresTx::new(self, Some(outbox)).give_back_numbers()?;
        let (inserted, appended) = (outbox.inserted.take(), outbox.log.take());
        self.write_and_run(&inserted, &appended, commit)
    }

    /// Writes rows, those of logs under their lock, and runs statements without parameters after
    /// them.
    pub(super) fn write_and_run(
        &mut self,
        inserted: &[Batch],
        appended: &[Batch],
        sql: &str,
    ) -> Result<()> {
        let inserted = self.prepare_together(inserted)?;
        let mut prepared = Vec::new();
        for batch in appended {
            let statement = self.prepare_lists(batch.insert, outbox::for_many)?;
            prepared.push((statement, batch.columns()));
        }
        let mut requests = writes(&inserted);
        if !appended.is_empty() {
            requests.push(Request::Run(ONE_APPENDS));
        }
        requests.extend(writes(&prepared));
        requests.push(Request::Run(sql));
        self.ask_all(&requests).map(drop)
    }

    /// Writes rows, and the rows that a query behind them returns.
    pub(super) fn write_and_query(
        &mut self,
        inserted: &[Batch],
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>> {
        let prepared = self.prepare_together(inserted)?;
        let query = self.prepare(sql)?;
        let mut requests = writes(&prepared);
        requests.push(Request::Query(&query, params));
        Ok(self.ask_all(&requests)?.pop().unwrap_or_default())
    }

    /// One statement for all of these rows, if there are any.
    fn prepare_together<'b>(&mut self, batches: &'b [Batch]) -> Result<Option<Writes<'b>>> {
        if batches.is_empty() {
            return Ok(None);
        }
        let each: Vec<Statement> =
            batches.iter().map(|batch| self.prepare(batch.insert)).collect::<Result<_>>()?;
        let inserts = batches.iter().zip(&each).map(|(batch, one)| (batch.insert, types(one)));
        let sql = outbox::for_all(&inserts.collect::<Vec<_>>());
        Ok(Some((self.prepare(&sql)?, batches.iter().flat_map(Batch::columns).collect())))
    }

    /// A statement for lists of what another one takes: `of` makes it of the other's text and the
    /// types of its parameters.
    fn prepare_lists(&mut self, sql: &str, of: fn(&str, &[&str]) -> String) -> Result<Statement> {
        let one = self.prepare(sql)?;
        self.prepare(&of(sql, &types(&one)))
    }

    /// The rows that a statement returns.
    pub(super) fn query(
        &mut self,
        statement: &Statement,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>> {
        if let Some(begin) = self.begin.take() {
            let answers = self.ask_all(&[Request::Run(begin), Request::Query(statement, params)]);
            return Ok(answers?.pop().unwrap_or_default());
        }
        let rows =
            self.link.ask(|client| async move { client.query(statement, &bound(params)).await });
        rows.map_err(|error| self.error(error))
    }

    /// How many rows a statement changes.
    pub(super) fn execute(&mut self, statement: &Statement, params: &[Param<'_>]) -> Result<u64> {
        self.begin_now()?;
        let changed =
            self.link.ask(|client| async move { client.execute(statement, &bound(params)).await });
        changed.map_err(|error| self.error(error))
    }

    /// Sends all of these at once; what they answer.
    pub(super) fn ask_all(&mut self, requests: &[Request<'_>]) -> Result<Vec<Vec<Row>>> {
        self.begin_now()?;
        let answers = self.link.ask_all(requests);
        answers.map_err(|error| self.error(error))
    }

    fn begin_now(&mut self) -> Result<()> {
        self.begin.take().map_or(Ok(()), |begin| self.run(begin))
    }

    pub(super) fn prepare(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let prepared = self.link.ask(|client| client.prepare(sql));
        let statement = prepared.map_err(|error| self.error(error))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn error(&mut self, error: tokio_postgres::Error) -> Error {
        // A statement prepared before another process changed a table cannot be used any more.
        self.lost |= error.is_closed() || error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED);
        self.is_of_no_use |= takes_no_writes(&error);
        Error::from_source(error)
    }
}

/// Runs a job. A panic is an error.
pub(super) fn run(tx: &mut dyn Tx, name: &str, job: &mut Job) -> Result<()> {
    catch_unwind(AssertUnwindSafe(|| job(tx)))
        .unwrap_or_else(|_| Err(Error::internal(format!("{name} panicked"))))
}

/// A job that passed over a statement that failed has failed.
fn checked(outcome: Result<()>, name: &str, met: &Met) -> Result<()> {
    outcome?;
    if met.failed { Err(Error::internal(format!("{name} passed over a failure"))) } else { Ok(()) }
}

/// A statement with the lists that it takes.
type Writes<'p> = (Statement, Vec<Vec<Param<'p>>>);

fn writes<'p>(prepared: impl IntoIterator<Item = &'p Writes<'p>>) -> Vec<Request<'p>> {
    let requests = prepared.into_iter();
    requests.map(|(statement, columns)| Request::Lists(statement, columns)).collect()
}

fn types(statement: &Statement) -> Vec<&str> {
    statement.params().iter().map(Type::name).collect()
}

pub(super) fn first_row<'m>(
    messages: impl IntoIterator<Item = &'m SimpleQueryMessage>,
) -> Option<&'m SimpleQueryRow> {
    messages.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    })
}
