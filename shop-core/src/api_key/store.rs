//! The SQL of API keys.

use super::{ApiKey, Scope};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::ApiKeyId;
use crate::storage::{FromColumn, Row, Tx, params};
use crate::value::UnknownWord;

pub(super) fn insert(tx: &mut dyn Tx, key: &ApiKey, hash: &str) -> Result<()> {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    tx.run(
        "INSERT INTO api_key (id, name, key_hash, key_prefix, scopes, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        params![
            &key.id,
            &key.name,
            hash,
            &key.key_prefix,
            &scopes.join(" "),
            key.created_at,
            key.expires_at
        ],
    )
}

pub(super) fn revoke(tx: &mut dyn Tx, at: &Work, by: &Actor, id: &ApiKeyId) -> Result<ApiKey> {
    let known = by_id(tx, id, at.now())?.ok_or(Error::NotFound(Entity::ApiKey))?;
    if known.revoked_at.is_some() {
        return Ok(known);
    }
    tx.execute(
        "UPDATE api_key SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL",
        params![at.now(), id],
    )?;
    let revoked = ApiKey { active: false, revoked_at: Some(at.now()), ..known.clone() };
    audit::record(tx, at, by, "api_key.revoke", id.as_str(), &known, &revoked)?;
    Ok(revoked)
}

/// The columns of a key, for [`read`].
macro_rules! select_key {
    ($tail:literal) => {
        concat!(
            "SELECT id, name, scopes, key_prefix, created_at, expires_at, revoked_at, last_used_at
             FROM api_key ",
            $tail
        )
    };
}

pub(super) fn all(tx: &mut dyn Tx, now: Timestamp) -> Result<Vec<ApiKey>> {
    tx.all(select_key!("ORDER BY id DESC"), &[], |row| read(row, now))
}

/// The name of a key, also of one that was revoked.
pub(crate) fn name_of(tx: &mut dyn Tx, id: &ApiKeyId) -> Result<Option<String>> {
    tx.find("SELECT name FROM api_key WHERE id = $1", params![id])
}

fn by_id(tx: &mut dyn Tx, id: &ApiKeyId, now: Timestamp) -> Result<Option<ApiKey>> {
    tx.one(select_key!("WHERE id = $1"), params![id], |row| read(row, now))
}

pub(super) fn by_hash(tx: &mut dyn Tx, hash: &str, now: Timestamp) -> Result<Option<ApiKey>> {
    tx.one(select_key!("WHERE key_hash = $1"), params![hash], |row| read(row, now))
}

/// A later use that another process noted stays.
pub(super) fn note(tx: &mut dyn Tx, id: &ApiKeyId, at: Timestamp) -> Result<()> {
    tx.run(
        "UPDATE api_key SET last_used_at = $1
         WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)",
        params![at, id],
    )
}

struct Scopes(Vec<Scope>);

impl FromColumn for Scopes {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let names = row.text(column)?.unwrap_or_default();
        let scopes: Result<_, UnknownWord> = names.split(' ').map(str::parse).collect();
        scopes.map(Self).map_err(Error::from_source)
    }
}

fn read(row: &dyn Row, now: Timestamp) -> Result<ApiKey> {
    let (expires_at, revoked_at): (Option<Timestamp>, _) = (row.get(5)?, row.get(6)?);
    let Scopes(scopes) = row.get(2)?;
    Ok(ApiKey {
        id: row.get(0)?,
        name: row.get(1)?,
        scopes,
        key_prefix: row.get(3)?,
        active: Option::is_none(&revoked_at) && expires_at.is_none_or(|at| now < at),
        created_at: row.get(4)?,
        expires_at,
        revoked_at,
        last_used_at: row.get(7)?,
    })
}
