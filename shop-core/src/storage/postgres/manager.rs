//! How connections are opened, checked and given up.

use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::link::Link;
use super::session::Session;
use super::tls;
use crate::error::{Error, Result};

/// What every connection starts with. A server that vanishes without a word must not hold its
/// locks for long.
const SETTINGS: &str = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; \
                        SET tcp_keepalives_count = 3; \
                        SET idle_in_transaction_session_timeout = '20s'; \
                        SET statement_timeout = '60s'; SET lock_timeout = '10s'; \
                        SET default_transaction_isolation = 'read committed'";

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
    type Error = tokio_postgres::Error;

    fn connect(&self) -> Result<Session, tokio_postgres::Error> {
        Session::of(Link::open(&self.config, self.tls.clone())?, SETTINGS)
    }

    fn is_valid(&self, session: &mut Session) -> Result<(), tokio_postgres::Error> {
        session.link.ask(|client| client.batch_execute(""))
    }

    fn has_broken(&self, session: &mut Session) -> bool {
        session.is_of_no_use() || session.is_lost()
    }
}
