//! Why a database cannot be opened, in words for its operator.

use std::error::Error as _;
use std::sync::Arc;

use tokio_postgres::Config;
use tokio_postgres::config::Host;
use tokio_postgres::error::SqlState;

use crate::error::Error;

/// What the URL of a database says, without its password.
pub(super) struct Target {
    server: String,
    database: String,
    user: String,
}

impl Target {
    pub(super) fn of(config: &Config) -> Self {
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            #[cfg(unix)]
            Some(Host::Unix(folder)) => folder.display().to_string(),
            None => "localhost".to_owned(),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let user = config.get_user().unwrap_or("the system's user").to_owned();
        let database = config.get_dbname().map_or_else(|| user.clone(), str::to_owned);
        Self { server: format!("{host}:{port}"), database, user }
    }

    /// What keeps the shop from its data, and what to do about it. Other errors stay as they are.
    pub(super) fn explain(&self, error: Error) -> Error {
        let Error::Internal(source) = &error else { return error };
        let Some(cause) = source.downcast_ref::<tokio_postgres::Error>() else { return error };
        match self.words(cause) {
            Some(what) => Error::Unusable { what, source: Arc::clone(source) },
            None => error,
        }
    }

    fn words(&self, error: &tokio_postgres::Error) -> Option<String> {
        let Self { server, database, user } = self;
        let Some(code) = error.code() else { return self.no_server(error) };
        Some(if *code == SqlState::INVALID_CATALOG_NAME {
            format!(
                "the server at {server} has no database {database}: make it with `CREATE DATABASE \
                 \"{database}\" OWNER \"{user}\"`, or correct the name in the database's URL"
            )
        } else if [SqlState::INVALID_PASSWORD, SqlState::INVALID_AUTHORIZATION_SPECIFICATION]
            .contains(code)
        {
            format!(
                "the server at {server} does not let {user} in: correct user and password in the \
                 database's URL, or let the user in by pg_hba.conf"
            )
        } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
            format!(
                "{user} may not use the database {database} at {server} as its own: make the user \
                 its owner with `ALTER DATABASE \"{database}\" OWNER TO \"{user}\"`, or in it \
                 `GRANT ALL ON SCHEMA public TO \"{user}\"`"
            )
        } else if *code == SqlState::UNTRANSLATABLE_CHARACTER {
            format!(
                "the database {database} at {server} does not take every character: make it with \
                 `CREATE DATABASE \"{database}\" OWNER \"{user}\" ENCODING 'UTF8' TEMPLATE template0`"
            )
        } else {
            return self.no_room(code);
        })
    }

    /// What a server cannot do for anybody.
    fn no_room(&self, code: &SqlState) -> Option<String> {
        let server = &self.server;
        Some(if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
            format!(
                "the server at {server} takes no writes: it is a standby, or \
                 default_transaction_read_only is on; name the primary in the database's URL"
            )
        } else if *code == SqlState::DISK_FULL {
            format!("the server at {server} has no room on its disk: make room there")
        } else if *code == SqlState::TOO_MANY_CONNECTIONS {
            format!("the server at {server} has no connection left: raise its max_connections")
        } else {
            return None;
        })
    }

    fn no_server(&self, error: &tokio_postgres::Error) -> Option<String> {
        let io = error.source()?.downcast_ref::<std::io::Error>()?;
        let server = &self.server;
        Some(format!(
            "no PostgreSQL server answers at {server} ({io}): start it, or correct host and port in \
             the database's URL"
        ))
    }
}
