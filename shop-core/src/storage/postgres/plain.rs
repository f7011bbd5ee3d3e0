//! One connection for what is done to a shop's data as a whole.

use super::session::{Manager, Session};
use crate::error::Result;
use crate::storage::Tx;

/// Nothing of this kind is quick, and nobody waits for it.
const PATIENT: &str = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

/// A connection to a database as it is.
pub(in crate::storage) struct Plain(Session);

impl Plain {
    pub(in crate::storage) fn open(url: &str) -> Result<Self> {
        let mut session = Manager::new(url)?.open()?;
        session.run(PATIENT)?;
        Ok(Self(session))
    }

    /// Runs a job on one snapshot. It cannot change anything.
    pub(in crate::storage) fn read<T>(
        &mut self,
        job: impl FnOnce(&mut dyn Tx) -> Result<T>,
    ) -> Result<T> {
        self.0.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        let outcome = self.0.run_once(job);
        self.0.run("COMMIT")?;
        outcome
    }

    /// Runs a job in one transaction in which triggers sleep.
    pub(in crate::storage) fn write_derived<T>(
        &mut self,
        job: impl FnOnce(&mut dyn Tx) -> Result<T>,
    ) -> Result<T> {
        self.0.run(
            "BEGIN ISOLATION LEVEL REPEATABLE READ;
             ALTER TABLE product DISABLE TRIGGER USER; ALTER TABLE account DISABLE TRIGGER USER",
        )?;
        let outcome = self.0.run_once(job);
        self.0.run(if outcome.is_ok() {
            "ALTER TABLE product ENABLE TRIGGER USER; ALTER TABLE account ENABLE TRIGGER USER;
             COMMIT"
        } else {
            "ROLLBACK"
        })?;
        outcome
    }
}
