//! The sessions of staff: their table, which only this file writes.

use super::session::{NewSession, StaffSession};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::{AccountId, StaffSessionId};
use crate::storage::{Row, Tx};

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
    let inserted = tx.execute(
        "INSERT INTO staff_session (id, account_id, token_hash, created_at, last_used_at,
           expires_at, user_agent, address)
         VALUES ($1, $2, $3, $4, $4, $5, $6, $7) ON CONFLICT (token_hash) DO NOTHING",
        &[
            (&id).into(),
            (&new.account.id).into(),
            token_hash.into(),
            at.now().into(),
            expires_at.into(),
            new.user_agent.as_ref().into(),
            new.address.map(|address| address.to_string()).as_ref().into(),
        ],
    )?;
    Ok(inserted > 0)
}

/// Ends the sessions of an account that were not used for longest, so that one more can be kept.
pub(super) fn make_room(tx: &mut dyn Tx, at: &Work, account: &AccountId) -> Result<()> {
    tx.execute(
        "UPDATE staff_session SET ended_at = $1 WHERE id IN (
           SELECT id FROM staff_session WHERE account_id = $2 AND ended_at IS NULL
           ORDER BY last_used_at DESC, id DESC LIMIT 1000 OFFSET $3)",
        &[at.now().into(), account.into(), (MOST - 1).into()],
    )
    .map(drop)
}

/// The session of a token that was not ended.
pub(super) fn by_token(tx: &mut dyn Tx, token_hash: &str) -> Result<Option<StaffSessionId>> {
    tx.one(
        "SELECT id FROM staff_session WHERE token_hash = $1 AND ended_at IS NULL",
        &[token_hash.into()],
        |row| row.get(0),
    )
}

/// The sessions of an account that hold, the latest first.
pub(super) fn of_account(
    tx: &mut dyn Tx,
    account: &AccountId,
    now: Timestamp,
) -> Result<Vec<StaffSession>> {
    tx.all(
        "SELECT id, created_at, last_used_at, expires_at, user_agent, address FROM staff_session
         WHERE account_id = $1 AND ended_at IS NULL AND expires_at > $2 ORDER BY id DESC",
        &[account.into(), now.into()],
        read,
    )
}

/// Ends a session of an account; false where it has no such session that holds.
pub(super) fn end(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    id: &StaffSessionId,
) -> Result<bool> {
    let ended = tx.execute(
        "UPDATE staff_session SET ended_at = $1
         WHERE id = $2 AND account_id = $3 AND ended_at IS NULL AND expires_at > $1",
        &[at.now().into(), id.into(), account.into()],
    )?;
    Ok(ended > 0)
}

/// Ends the session of a token, if there is one.
pub(super) fn end_token(tx: &mut dyn Tx, at: &Work, token_hash: &str) -> Result<()> {
    tx.execute(
        "UPDATE staff_session SET ended_at = $1 WHERE token_hash = $2 AND ended_at IS NULL",
        &[at.now().into(), token_hash.into()],
    )
    .map(drop)
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
        &[at.now().into(), account.into(), kept.into()],
    )
}

/// Ends all sessions of an account.
pub(in crate::account) fn end_all(tx: &mut dyn Tx, at: &Work, account: &AccountId) -> Result<()> {
    tx.execute(
        "UPDATE staff_session SET ended_at = $1 WHERE account_id = $2 AND ended_at IS NULL",
        &[at.now().into(), account.into()],
    )
    .map(drop)
}

/// A later use that another process noted stays.
pub(super) fn note_use(tx: &mut dyn Tx, id: &StaffSessionId, at: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE staff_session SET last_used_at = $1 WHERE id = $2 AND last_used_at < $1",
        &[at.into(), id.into()],
    )
    .map(drop)
}

/// Forgets sessions whose tokens have expired.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    tx.execute("DELETE FROM staff_session WHERE expires_at <= $1", &[now.into()])
}

fn read(row: &dyn Row) -> Result<StaffSession> {
    Ok(StaffSession {
        id: row.get(0)?,
        created_at: row.get(1)?,
        last_used_at: row.get(2)?,
        expires_at: row.get(3)?,
        user_agent: row.get(4)?,
        address: row.get(5)?,
    })
}
