//! Guests whose orders belong to another account now: their table, which only this file writes.
//! What was written before they were joined, such as events, still has the guest's id.

use crate::error::Result;
use crate::id::AccountId;
use crate::storage::{Tx, params};

/// Notes that an account has a guest's orders now.
pub(crate) fn note_joined(tx: &mut dyn Tx, guest: &AccountId, into: &AccountId) -> Result<()> {
    tx.run("INSERT INTO joined_guest (guest_id, account_id) VALUES ($1, $2)", params![guest, into])
}

/// The guests whose orders an account has.
pub(crate) fn joined_guests(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<AccountId>> {
    tx.list(
        "SELECT guest_id FROM joined_guest WHERE account_id = $1 ORDER BY guest_id",
        params![account],
    )
}

/// Forgets which guests a person who is erased was.
pub(crate) fn forget_joined(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("DELETE FROM joined_guest WHERE account_id = $1", params![account])
}
