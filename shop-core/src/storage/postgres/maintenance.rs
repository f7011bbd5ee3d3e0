//! One connection for work on a shop's data as a whole.

use super::manager::Manager;
use super::session::Session;
use super::unusable::Target;
use crate::error::Result;
use crate::storage::Tx;

/// Nothing of this kind is quick, and no request waits for it.
const PATIENT: &str = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

/// A connection to a database as it is.
pub(in crate::storage) struct Maintenance(Session);

impl Maintenance {
    pub(in crate::storage) fn open(url: &str) -> Result<Self> {
        let manager = Manager::new(url)?;
        let target = Target::of(&manager.config);
        let mut session = manager.open().map_err(|error| target.explain(error))?;
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

    /// Runs a job in one transaction without triggers.
    pub(in crate::storage) fn write_derived<T>(
        &mut self,
        job: impl FnOnce(&mut dyn Tx) -> Result<T>,
    ) -> Result<T> {
        self.0.run("BEGIN ISOLATION LEVEL REPEATABLE READ")?;
        self.0.run(&switch_triggers("DISABLE"))?;
        let outcome = self.0.run_once(job);
        if outcome.is_ok() {
            self.0.run(&switch_triggers("ENABLE"))?;
        }
        self.0.run(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        outcome
    }
}

/// Switches the triggers of every table that has any.
fn switch_triggers(how: &str) -> String {
    format!(
        "DO $$ DECLARE owner text; BEGIN
           FOR owner IN SELECT DISTINCT CAST(c.relname AS text) FROM pg_trigger t
             JOIN pg_class c ON c.oid = t.tgrelid
             WHERE NOT t.tgisinternal AND c.relnamespace = CAST(current_schema() AS regnamespace)
           LOOP EXECUTE format('ALTER TABLE %I {how} TRIGGER USER', owner); END LOOP;
         END $$"
    )
}
