//! The second factors of staff and their recovery codes: their tables, which only this file writes.

use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::AccountId;
use crate::storage::{Tx, params};

/// The second factor of an account.
pub(super) struct SecondFactor {
    pub(super) salt: String,
    /// Whether a code has confirmed it; until then log-ins do not ask for one.
    pub(super) enabled: bool,
}

pub(super) fn get(tx: &mut dyn Tx, account: &AccountId) -> Result<Option<SecondFactor>> {
    tx.one(
        "SELECT salt, enabled_at IS NOT NULL FROM staff_two_factor WHERE account_id = $1",
        params![account],
        |row| Ok(SecondFactor { salt: row.get(0)?, enabled: row.get(1)? }),
    )
}

/// Begins an enrolment, in place of one that was not confirmed; false where one is.
pub(super) fn begin(
    tx: &mut dyn Tx,
    account: &AccountId,
    salt: &str,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "INSERT INTO staff_two_factor (account_id, salt, created_at) VALUES ($1, $2, $3)
         ON CONFLICT (account_id) DO UPDATE SET salt = $2, created_at = $3, last_step = 0
         WHERE staff_two_factor.enabled_at IS NULL",
        params![account, salt, now],
    )
}

/// Has log-ins ask for codes from now on, with new recovery codes.
pub(super) fn enable(
    tx: &mut dyn Tx,
    account: &AccountId,
    recovery_hashes: &[String],
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE staff_two_factor SET enabled_at = $1 WHERE account_id = $2",
        params![now, account],
    )?;
    renew_recovery_codes(tx, account, recovery_hashes)
}

/// Replaces the recovery codes of an account.
pub(super) fn renew_recovery_codes(
    tx: &mut dyn Tx,
    account: &AccountId,
    hashes: &[String],
) -> Result<()> {
    delete_recovery_codes(tx, account)?;
    for hash in hashes {
        tx.execute(
            "INSERT INTO staff_recovery_code (account_id, code_hash) VALUES ($1, $2)",
            params![account, hash],
        )?;
    }
    Ok(())
}

/// Uses the code of a time step; false where it, or a later one, was used already.
pub(super) fn use_step(tx: &mut dyn Tx, account: &AccountId, step: i64) -> Result<bool> {
    tx.changes(
        "UPDATE staff_two_factor SET last_step = $1 WHERE account_id = $2 AND last_step < $1",
        params![step, account],
    )
}

/// Uses a recovery code; false where there is no such one.
pub(super) fn use_recovery_code(
    tx: &mut dyn Tx,
    account: &AccountId,
    code_hash: &str,
) -> Result<bool> {
    tx.changes(
        "DELETE FROM staff_recovery_code WHERE account_id = $1 AND code_hash = $2",
        params![account, code_hash],
    )
}

pub(super) fn recovery_codes_left(tx: &mut dyn Tx, account: &AccountId) -> Result<i64> {
    tx.value("SELECT count(*) FROM staff_recovery_code WHERE account_id = $1", params![account])
}

/// Forgets the second factor of an account with its recovery codes.
pub(super) fn delete(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    delete_recovery_codes(tx, account)?;
    tx.run("DELETE FROM staff_two_factor WHERE account_id = $1", params![account])
}

fn delete_recovery_codes(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("DELETE FROM staff_recovery_code WHERE account_id = $1", params![account])
}
