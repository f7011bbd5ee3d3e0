//! One connection to PostgreSQL, with its prepared statements, and a transaction on it.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Config, SimpleQueryMessage, SimpleQueryRow, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::outbox::{Batch, ONE_APPENDS, Outbox};
use super::value::PostgresRow;
use super::{DIALECT, tls};
use crate::error::{Error, Result};
use crate::storage::generation::Touched;
use crate::storage::{AppendLog, Area, Counter, Dialect, InsertRows, Job, Param, Row, Tally, Tx};

/// Prepared statements that a connection keeps; the shop has some hundreds.
const STATEMENTS: usize = 2000;

/// What every connection starts with. A server that vanishes without a word must not hold its
/// locks for long.
const SETTINGS: &str = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; \
                        SET tcp_keepalives_count = 3; \
                        SET idle_in_transaction_session_timeout = '20s'; \
                        SET statement_timeout = '60s'; SET lock_timeout = '10s'";

/// Opens connections.
#[derive(Clone)]
pub(super) struct Manager {
    pub(super) config: Config,
    tls: MakeRustlsConnect,
}

impl Manager {
    pub(super) fn new(url: &str) -> Result<Self> {
        let (mut config, tls) = tls::read(url)?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        if config.get_application_name().is_none() {
            config.application_name(env!("CARGO_PKG_NAME"));
        }
        // One that vanishes without a word must be noticed here too.
        config.keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(5));
        config.keepalives_retries(3);
        Ok(Self { config, tls })
    }

    /// To a replica, which must not hold up anybody for long.
    pub(super) fn of_replica(url: &str) -> Result<Self> {
        let mut manager = Self::new(url)?;
        manager.config.tcp_user_timeout(Duration::from_secs(5));
        Ok(manager)
    }

    /// A connection of one's own.
    pub(super) fn open(&self) -> Result<Session> {
        r2d2::ManageConnection::connect(self).map_err(Error::from_source)
    }
}

impl r2d2::ManageConnection for Manager {
    type Connection = Session;
    type Error = postgres::Error;

    fn connect(&self) -> Result<Session, postgres::Error> {
        let mut client = self.config.connect(self.tls.clone())?;
        let begun = client.simple_query(&format!("{SETTINGS}; SELECT {RECOVERED}"))?;
        let recovered = first_row(&begun).and_then(|row| row.get(0)).unwrap_or_default().to_owned();
        Ok(Session { client, statements: HashMap::new(), lost: false, recovered })
    }

    fn is_valid(&self, session: &mut Session) -> Result<(), postgres::Error> {
        session.client.is_valid(Duration::from_secs(1))
    }

    fn has_broken(&self, session: &mut Session) -> bool {
        session.is_lost()
    }
}

/// What names a transaction.
const TRANSACTION: &str =
    "pg_current_xact_id(), substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";
/// Which course of its history PostgreSQL is on: another one after a replica took over.
const TIMELINE: &str = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";

/// Since when PostgreSQL counts what it does: anew after it had to recover, which no connection
/// outlives. What was not on its disk then has given its name to another transaction.
const RECOVERED: &str =
    "coalesce(CAST(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) AS text), '')";

/// The name of a transaction, by which its fate can be asked for.
pub(super) struct Transaction {
    id: u64,
    timeline: String,
    recovered: String,
}

/// A connection.
pub(super) struct Session {
    pub(super) client: Client,
    statements: HashMap<String, Statement>,
    lost: bool,
    recovered: String,
}

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

impl Session {
    /// Runs statements that have no parameters.
    pub(super) fn run(&mut self, sql: &str) -> Result<()> {
        let outcome = self.client.batch_execute(sql);
        outcome.map_err(|error| self.error(error))
    }

    /// Whether the connection is of no more use.
    pub(super) fn is_lost(&self) -> bool {
        self.lost || self.client.is_closed()
    }

    /// Uses the connection no more.
    pub(super) fn give_up(&mut self) {
        self.lost = true;
    }

    /// Begins a transaction, by these statements.
    pub(super) fn begin(&mut self, begin: &str) -> Result<Transaction> {
        let begin = format!("{begin}; SELECT {TRANSACTION}");
        let messages = self.client.simple_query(&begin).map_err(|error| self.error(error))?;
        let row = first_row(messages.iter().rev());
        let named = row.and_then(|row| Some((row.get(0)?.parse().ok()?, row.get(1)?.to_owned())));
        let (id, timeline) = named.ok_or_else(|| Error::internal("the transaction has no name"))?;
        Ok(Transaction { id, timeline, recovered: self.recovered.clone() })
    }

    /// What PostgreSQL knows of a transaction: `committed`, `aborted` or `in progress`; `None` where
    /// it is another one than then, or had to recover since, and may have given the name to another.
    pub(super) fn status_of(&mut self, transaction: &Transaction) -> Result<Option<String>> {
        let sql = format!(
            "SELECT pg_xact_status(CAST(CAST($1 AS text) AS xid8))
             WHERE {TIMELINE} = $2 AND {RECOVERED} = $3"
        );
        let Transaction { id, timeline, recovered } = transaction;
        let params = [Param::Text(&id.to_string()), Param::Text(timeline), Param::Text(recovered)];
        let mut tx = PostgresTx { session: self, met: Met::default(), outbox: None };
        let row = tx.rows(&sql, &params)?.into_iter().next();
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
        let mut tx = PostgresTx { session: self, met: Met::default(), outbox };
        let outcome = catch_unwind(AssertUnwindSafe(|| job(&mut tx)))
            .unwrap_or_else(|_| Err(Error::internal(format!("{name} panicked"))));
        let met = tx.met;
        let outcome = outcome.and_then(|()| {
            let passed_over = || Err(Error::internal(format!("{name} passed over a failure")));
            if met.failed { passed_over() } else { Ok(()) }
        });
        (outcome, met)
    }

    /// Runs a job in the transaction that is open, as it is: nothing is kept back or run again.
    pub(super) fn run_once<T>(&mut self, job: impl FnOnce(&mut dyn Tx) -> Result<T>) -> Result<T> {
        job(&mut PostgresTx { session: self, met: Met::default(), outbox: None })
    }

    /// Writes the rows that a group has kept back.
    pub(super) fn write_kept(&mut self, outbox: &mut Outbox) -> Result<()> {
        let mut tx = PostgresTx { session: self, met: Met::default(), outbox: Some(outbox) };
        tx.give_back_numbers()?;
        tx.write_inserted()?;
        tx.write_appended()
    }

    /// Writes those rows that were kept back and are of no log.
    pub(super) fn write_inserted(&mut self, outbox: &mut Outbox) -> Result<()> {
        let mut tx = PostgresTx { session: self, met: Met::default(), outbox: Some(outbox) };
        tx.write_inserted()
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let prepared = self.client.prepare(sql);
        let statement = prepared.map_err(|error| self.error(error))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(super) fn error(&mut self, error: postgres::Error) -> Error {
        // A statement prepared before another process changed a table cannot be used any more.
        self.lost |= error.is_closed() || error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED);
        Error::from_source(error)
    }
}

fn first_row<'m>(
    messages: impl IntoIterator<Item = &'m SimpleQueryMessage>,
) -> Option<&'m SimpleQueryRow> {
    messages.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    })
}

/// Whether PostgreSQL says that the transaction would go through if it were run again.
pub(super) fn is_conflict(error: &Error) -> bool {
    let Error::Internal(source) = error else { return false };
    let code = source.downcast_ref::<postgres::Error>().and_then(postgres::Error::code);
    let conflicts = [
        &SqlState::T_R_SERIALIZATION_FAILURE,
        &SqlState::T_R_DEADLOCK_DETECTED,
        &SqlState::LOCK_NOT_AVAILABLE,
    ];
    code.is_some_and(|code| conflicts.contains(&code))
}

/// Whether a statement broke a constraint.
pub(super) fn breaks_constraint(error: &Error) -> bool {
    let Error::Internal(source) = error else { return false };
    let code = source.downcast_ref::<postgres::Error>().and_then(postgres::Error::code);
    code.is_some_and(|code| code.code().starts_with("23"))
}

struct PostgresTx<'s> {
    session: &'s mut Session,
    met: Met,
    outbox: Option<&'s mut Outbox>,
}

impl PostgresTx<'_> {
    fn rows(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Vec<postgres::Row>> {
        let statement = self.prepare(sql)?;
        let rows = self.session.client.query(&statement, &bound(params));
        let rows = rows.map_err(|error| self.met_with(error))?;
        self.met.changed |= !rows.is_empty() && !sql.trim_start().starts_with("SELECT");
        Ok(rows)
    }

    fn run(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let statement = self.prepare(sql)?;
        let changed = self.session.client.execute(&statement, &bound(params));
        let changed = changed.map_err(|error| self.met_with(error))?;
        self.met.changed |= changed > 0;
        Ok(changed)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement> {
        let statement = self.session.prepare(sql);
        statement.inspect_err(|error| self.met.note(error))
    }

    fn met_with(&mut self, error: postgres::Error) -> Error {
        let error = self.session.error(error);
        self.met.note(&error);
        error
    }

    /// Writes what a statement could miss.
    fn catch_up(&mut self, sql: &str) -> Result<()> {
        let Some(outbox) = &self.outbox else { return Ok(()) };
        let (inserted, appended) =
            (outbox.inserted.is_missed_by(sql), outbox.log.is_missed_by(sql));
        if inserted {
            self.write_inserted()?;
        }
        if appended { self.write_appended() } else { Ok(()) }
    }

    fn write_inserted(&mut self) -> Result<()> {
        let batches = self.outbox.as_mut().map(|outbox| outbox.inserted.take());
        self.write_all(&batches.unwrap_or_default())
    }

    fn write_appended(&mut self) -> Result<()> {
        let batches = self.outbox.as_mut().map(|outbox| outbox.log.take()).unwrap_or_default();
        if batches.is_empty() {
            return Ok(());
        }
        self.session.run(ONE_APPENDS).inspect_err(|error| self.met.note(error))?;
        self.write_all(&batches)
    }

    fn give_back_numbers(&mut self) -> Result<()> {
        let left = self.outbox.as_mut().map(|outbox| outbox.numbers.left_over());
        left.unwrap_or_default().into_iter().try_for_each(|(counter, key, left)| {
            self.rows(counter.add, &[key.as_str().into(), (-left).into()]).map(drop)
        })
    }

    fn write_all(&mut self, batches: &[Batch]) -> Result<()> {
        batches.iter().try_for_each(|batch| self.run(&batch.sql, &batch.params()).map(drop))
    }
}

impl Met {
    fn note(&mut self, error: &Error) {
        self.failed = true;
        self.conflict |= is_conflict(error);
    }
}

fn bound<'p>(params: &'p [Param<'p>]) -> Vec<&'p (dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
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
        self.rows(sql, params)?.iter().try_for_each(|row| each(&PostgresRow(row)))
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
        let rows = self.rows(counter.add, &[key.into(), expected.into()])?;
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

    fn count(&mut self, tally: Tally) {
        self.met.touched.count(tally);
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }
}
