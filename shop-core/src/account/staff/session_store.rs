//! The sessions of staff: their table, which only this file writes.

use super::session::{NewSession, StaffSession};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::{AccountId, StaffSessionId};
use crate::storage::{Tx, params, read_columns};

/// The sessions of one account that may hold at a time.
const MOST: i64 = 100;

/// Keeps a session; false where a session has, or had, this token.
pub(super) fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    new: &NewSession,
    token_hash: &str,
    expires_at: Timestamp,
) -> Result<bool> {
    let id: StaffSessionId = at.id();
    tx.changes(
        "INSERT INTO staff_session (id, account_id, token_hash, created_at, last_used_at,
           expires_at, user_agent, address)
         VALUES ($1, $2, $3, $4, $4, $5, $6, $7) ON CONFLICT (token_hash) DO NOTHING",
        params![
            &id,
            &new.account.id,
            token_hash,
            at.now(),
            expires_at,
            new.user_agent.as_ref(),
            new.address.map(|address| address.to_string()).as_ref()
        ],
    )
}

/// Ends the sessions of an account that were not used for longest, so that one more can be kept.
pub(super) fn make_room(tx: &mut dyn Tx, at: &Work, account: &AccountId) -> Result<()> {
    tx.run(
        "UPDATE staff_session SET ended_at = $1 WHERE id IN (
           SELECT id FROM staff_session WHERE account_id = $2 AND ended_at IS NULL
           ORDER BY last_used_at DESC, id DESC LIMIT 1000 OFFSET $3)",
        params![at.now(), account, MOST - 1],
    )
}

/// The session of a token that was not ended.
pub(super) fn by_token(tx: &mut dyn Tx, token_hash: &str) -> Result<Option<StaffSessionId>> {
    tx.find(
        "SELECT id FROM staff_session WHERE token_hash = $1 AND ended_at IS NULL",
        params![token_hash],
    )
}

/// The sessions of an account that hold, the latest first.
pub(super) fn of_account(
    tx: &mut dyn Tx,
    account: &AccountId,
    now: Timestamp,
) -> Result<Vec<StaffSession>> {
    tx.list(
        "SELECT id, created_at, last_used_at, expires_at, user_agent, address FROM staff_session
         WHERE account_id = $1 AND ended_at IS NULL AND expires_at > $2 ORDER BY id DESC",
        params![account, now],
    )
}

/// Ends a session of an account; false where it has no such session that holds.
pub(super) fn end(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    id: &StaffSessionId,
) -> Result<bool> {
    tx.changes(
        "UPDATE staff_session SET ended_at = $1
         WHERE id = $2 AND account_id = $3 AND ended_at IS NULL AND expires_at > $1",
        params![at.now(), id, account],
    )
}

/// Ends the session of a token, if there is one.
pub(super) fn end_token(tx: &mut dyn Tx, at: &Work, token_hash: &str) -> Result<()> {
    tx.run(
        "UPDATE staff_session SET ended_at = $1 WHERE token_hash = $2 AND ended_at IS NULL",
        params![at.now(), token_hash],
    )
}

/// Ends the sessions of an account but one, and says how many held.
pub(super) fn end_others(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    kept: &StaffSessionId,
) -> Result<usize> {
    tx.execute(
        "UPDATE staff_session SET ended_at = $1
         WHERE account_id = $2 AND ended_at IS NULL AND expires_at > $1 AND id <> $3",
        params![at.now(), account, kept],
    )
}

/// Ends all sessions of an account.
pub(in crate::account) fn end_all(tx: &mut dyn Tx, at: &Work, account: &AccountId) -> Result<()> {
    tx.run(
        "UPDATE staff_session SET ended_at = $1 WHERE account_id = $2 AND ended_at IS NULL",
        params![at.now(), account],
    )
}

/// A later use that another process noted stays.
pub(super) fn note_use(tx: &mut dyn Tx, id: &StaffSessionId, at: Timestamp) -> Result<()> {
    tx.run(
        "UPDATE staff_session SET last_used_at = $1 WHERE id = $2 AND last_used_at < $1",
        params![at, id],
    )
}

/// Forgets sessions whose tokens have expired.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    tx.execute("DELETE FROM staff_session WHERE expires_at <= $1", params![now])
}

read_columns!(StaffSession: id, created_at, last_used_at, expires_at, user_agent, address);
