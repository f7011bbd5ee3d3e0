//! One connection to PostgreSQL, with its prepared statements, and a transaction on it.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::DIALECT;
use crate::error::{Error, Result};
use crate::storage::generation::Touched;
use crate::storage::{Dialect, Job, Param, Row, Tx};

/// Prepared statements that a connection keeps; the shop has some hundreds.
const STATEMENTS: usize = 2000;

/// What every connection starts with. A server that vanishes without a word must not hold its
/// locks for long.
const SETTINGS: &str = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; \
                        SET tcp_keepalives_count = 3; \
                        SET idle_in_transaction_session_timeout = '60s'; \
                        SET statement_timeout = '60s'; SET plan_cache_mode = auto";

/// Writes an event.
const EMIT: &str = "INSERT INTO event ";
/// Whoever reads events by their number must never meet one below a number that he has seen. So
/// transactions that write events commit one after the other.
const ONE_EMITS: &str = "SELECT pg_advisory_xact_lock(21328, -1)";

/// Opens connections.
#[derive(Clone)]
pub(super) struct Manager {
    config: Config,
    tls: MakeRustlsConnect,
}

impl Manager {
    pub(super) fn new(url: &str) -> Result<Self> {
        // The error could quote the URL, which holds a password.
        let unusable = |_| Error::internal("the database's URL cannot be read");
        let mut config: Config = url.parse().map_err(unusable)?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        if config.get_application_name().is_none() {
            config.application_name(env!("CARGO_PKG_NAME"));
        }
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(Error::from_source)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { config, tls: MakeRustlsConnect::new(tls) })
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
        client.batch_execute(SETTINGS)?;
        Ok(Session { client, statements: HashMap::new(), lost: false })
    }

    fn is_valid(&self, session: &mut Session) -> Result<(), postgres::Error> {
        session.client.is_valid(Duration::from_secs(1))
    }

    fn has_broken(&self, session: &mut Session) -> bool {
        session.is_lost()
    }
}

/// A connection.
pub(super) struct Session {
    pub(super) client: Client,
    statements: HashMap<String, Statement>,
    lost: bool,
}

/// What a job's transaction met with, whatever the job made of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Met {
    pub(super) touched: Touched,
    /// PostgreSQL refused a statement because of another transaction; it must all be run again.
    pub(super) conflict: bool,
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

    /// Runs a job in the transaction that is open. A panic is an error.
    pub(super) fn run_job(&mut self, name: &str, job: &mut Job) -> (Result<()>, Met) {
        let mut tx = PostgresTx { session: self, met: Met::default() };
        let outcome = catch_unwind(AssertUnwindSafe(|| job(&mut tx)))
            .unwrap_or_else(|_| Err(Error::internal(format!("{name} panicked"))));
        (outcome, tx.met)
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

    fn error(&mut self, error: postgres::Error) -> Error {
        // A statement prepared before another process changed a table cannot be used any more.
        self.lost |= error.is_closed() || error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED);
        Error::from_source(error)
    }
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

struct PostgresTx<'s> {
    session: &'s mut Session,
    met: Met,
}

impl PostgresTx<'_> {
    fn rows(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Vec<postgres::Row>> {
        let (statement, params) = self.bind(sql, params)?;
        let rows = self.session.client.query(&statement, &params);
        rows.map_err(|error| self.met_with(error))
    }

    #[expect(clippy::type_complexity, reason = "what the driver takes")]
    fn bind<'p>(
        &mut self,
        sql: &str,
        params: &'p [Param<'p>],
    ) -> Result<(Statement, Vec<&'p (dyn ToSql + Sync)>)> {
        self.met.touched.note(sql);
        let statement = self.session.prepare(sql).inspect_err(|error| {
            self.met.conflict |= is_conflict(error);
        })?;
        Ok((statement, params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()))
    }

    fn met_with(&mut self, error: postgres::Error) -> Error {
        let error = self.session.error(error);
        self.met.conflict |= is_conflict(&error);
        error
    }
}

impl Tx for PostgresTx<'_> {
    fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<usize> {
        if sql.starts_with(EMIT) {
            let waited = self.session.run(ONE_EMITS);
            waited.inspect_err(|error| self.met.conflict |= is_conflict(error))?;
        }
        let (statement, params) = self.bind(sql, params)?;
        let changed = self.session.client.execute(&statement, &params);
        let changed = changed.map_err(|error| self.met_with(error))?;
        usize::try_from(changed).map_err(Error::from_source)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()> {
        self.rows(sql, params)?.iter().try_for_each(|row| each(&PostgresRow(row)))
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }
}

struct PostgresRow<'r>(&'r postgres::Row);

impl Row for PostgresRow<'_> {
    fn int(&self, column: usize) -> Result<Option<i64>> {
        let whole: Option<Whole> = self.0.try_get(column).map_err(Error::from_source)?;
        Ok(whole.map(|Whole(number)| number))
    }

    fn text(&self, column: usize) -> Result<Option<&str>> {
        self.0.try_get(column).map_err(Error::from_source)
    }

    fn is_null(&self, column: usize) -> Result<bool> {
        let anything: Option<Anything> = self.0.try_get(column).map_err(Error::from_source)?;
        Ok(anything.is_none())
    }
}

type Failure = Box<dyn std::error::Error + Sync + Send>;

/// A whole number however PostgreSQL counts: a `sum` of `BIGINT` is a `NUMERIC`, a comparison a
/// `BOOL`.
struct Whole(i64);

impl<'a> FromSql<'a> for Whole {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        let number = match *ty {
            Type::INT8 => i64::from_sql(ty, raw)?,
            Type::INT4 => i32::from_sql(ty, raw)?.into(),
            Type::INT2 => i16::from_sql(ty, raw)?.into(),
            Type::BOOL => bool::from_sql(ty, raw)?.into(),
            _ => rust_decimal::Decimal::from_sql(ty, raw)?.try_into()?,
        };
        Ok(Self(number))
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::INT4, Type::INT2, Type::BOOL, Type::NUMERIC].contains(ty)
    }
}

/// Whatever is not `NULL`.
struct Anything;

impl<'a> FromSql<'a> for Anything {
    fn from_sql(_: &Type, _: &'a [u8]) -> Result<Self, Failure> {
        Ok(Self)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match *self {
            Param::Null => Ok(IsNull::Yes),
            Param::Text(text) => text.to_sql(ty, out),
            Param::Int(number) => match *ty {
                Type::INT8 => number.to_sql(ty, out),
                Type::INT4 => i32::try_from(number)?.to_sql(ty, out),
                Type::INT2 => i16::try_from(number)?.to_sql(ty, out),
                Type::BOOL => (number != 0).to_sql(ty, out),
                Type::NUMERIC => rust_decimal::Decimal::from(number).to_sql(ty, out),
                _ => Err(format!("a number where PostgreSQL takes {ty}").into()),
            },
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
