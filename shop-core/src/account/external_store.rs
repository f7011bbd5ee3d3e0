//! The keys by which the program around the shop knows accounts: their table, which only this file
//! writes.

use super::external::ExternalId;
use super::{Account, store};
use crate::context::Work;
use crate::error::Result;
use crate::id::AccountId;
use crate::storage::{Tx, params};

/// The account with a key.
pub(super) fn account(tx: &mut dyn Tx, id: &ExternalId) -> Result<Option<Account>> {
    let found: Option<AccountId> = tx.find(
        "SELECT account_id FROM external_account WHERE external_id = $1",
        params![id.as_str()],
    )?;
    found.map_or(Ok(None), |account| store::get(tx, &account))
}

/// The key of an account.
pub(crate) fn external_id(tx: &mut dyn Tx, account: &AccountId) -> Result<Option<String>> {
    tx.find("SELECT external_id FROM external_account WHERE account_id = $1", params![account])
}

/// Gives an account a key; false where it has another, or another account has this one.
pub(super) fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    id: &ExternalId,
    account: &AccountId,
) -> Result<bool> {
    tx.changes(
        "INSERT INTO external_account (external_id, account_id, created_at) VALUES ($1, $2, $3)
         ON CONFLICT DO NOTHING",
        params![id.as_str(), account, at.now()],
    )
}

/// Forgets the key of a person who is erased.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("DELETE FROM external_account WHERE account_id = $1", params![account])
}
