//! The SQL of `melhor_envio_connection` and `melhor_envio_attempt`.

use crate::actor::Actor;
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::{Error, Result};
use crate::storage::{Row, Tx, params};

/// The tokens of the connection.
pub(super) struct Stored {
    pub(super) access: Secret,
    pub(super) refresh: Secret,
    pub(super) expires_at: Timestamp,
    pub(super) connected_at: Timestamp,
    pub(super) refused_at: Option<Timestamp>,
}

/// A pair of tokens as it was handed out.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) access: Secret,
    pub(super) refresh: Secret,
    pub(super) expires_at: Timestamp,
}

pub(super) fn get(tx: &mut dyn Tx) -> Result<Option<Stored>> {
    let read = |row: &dyn Row| {
        let (access, refresh): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(Stored {
            access: Secret::new(access),
            refresh: Secret::new(refresh),
            expires_at: row.get(2)?,
            connected_at: row.get(3)?,
            refused_at: row.get(4)?,
        })
    };
    tx.one(
        "SELECT access_token, refresh_token, expires_at, connected_at, refused_at
         FROM melhor_envio_connection WHERE id = 1",
        &[],
        read,
    )
}

/// Stores the first pair of a connection, in the place of another one.
pub(super) fn connect(tx: &mut dyn Tx, pair: &Pair, now: Timestamp) -> Result<()> {
    tx.run(
        "INSERT INTO melhor_envio_connection
           (id, access_token, refresh_token, expires_at, connected_at, renewed_at)
         VALUES (1, $1, $2, $3, $4, $4)
         ON CONFLICT (id) DO UPDATE SET
           access_token = excluded.access_token, refresh_token = excluded.refresh_token,
           expires_at = excluded.expires_at, connected_at = excluded.connected_at,
           renewed_at = excluded.renewed_at, refused_at = NULL",
        params![pair.access.reveal(), pair.refresh.reveal(), pair.expires_at, now],
    )
}

/// Stores a renewed pair, unless another one took the place of the old one meanwhile.
pub(super) fn renew(tx: &mut dyn Tx, old: &Secret, pair: &Pair, now: Timestamp) -> Result<bool> {
    tx.changes(
        "UPDATE melhor_envio_connection
         SET access_token = $1, refresh_token = $2, expires_at = $3, renewed_at = $4,
           refused_at = NULL
         WHERE refresh_token = $5",
        params![pair.access.reveal(), pair.refresh.reveal(), pair.expires_at, now, old.reveal()],
    )
}

/// Notes that a pair is not renewed any more, unless another one took its place meanwhile.
pub(super) fn refuse(tx: &mut dyn Tx, old: &Secret, now: Timestamp) -> Result<bool> {
    tx.changes(
        "UPDATE melhor_envio_connection SET refused_at = $1
         WHERE refresh_token = $2 AND refused_at IS NULL",
        params![now, old.reveal()],
    )
}

/// Forgets the connection; false where there is none.
pub(super) fn disconnect(tx: &mut dyn Tx) -> Result<bool> {
    tx.changes("DELETE FROM melhor_envio_connection WHERE id = 1", &[])
}

/// Notes that a connection was begun, and forgets those that were never answered.
pub(super) fn begin(
    tx: &mut dyn Tx,
    state_hash: &str,
    by: &Actor,
    until: Timestamp,
    now: Timestamp,
) -> Result<()> {
    tx.run("DELETE FROM melhor_envio_attempt WHERE expires_at <= $1", params![now])?;
    tx.run(
        "INSERT INTO melhor_envio_attempt (state_hash, actor, actor_id, expires_at)
         VALUES ($1, $2, $3, $4)",
        params![state_hash, by.kind(), by.id(), until],
    )
}

/// Whether a connection was begun and still waits for its answer.
pub(super) fn is_begun(tx: &mut dyn Tx, state_hash: &str, now: Timestamp) -> Result<bool> {
    tx.exists(
        "SELECT 1 FROM melhor_envio_attempt WHERE state_hash = $1 AND expires_at > $2",
        params![state_hash, now],
    )
}

/// Takes a connection that was begun, which its answer does once.
pub(super) fn take(tx: &mut dyn Tx, state_hash: &str, now: Timestamp) -> Result<Option<Actor>> {
    tx.one(
        "DELETE FROM melhor_envio_attempt WHERE state_hash = $1 AND expires_at > $2
         RETURNING actor, actor_id",
        params![state_hash, now],
        |row| Actor::from_stored(row.get(0)?, row.get(1)?).map_err(Error::from_source),
    )
}
