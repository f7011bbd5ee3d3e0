//! Facts about the shop as a whole, kept in the database.

use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::{Error, Result};
use crate::lane;
use crate::storage::{Db, Tx, params};

/// A secret that is not configured: made on first use and the same ever after, also for other
/// processes on the same database.
pub(crate) async fn generated_secret(db: &Db, key: &'static str, now: Timestamp) -> Result<Secret> {
    let known = db.lookup("setting.get", move |tx| get(tx, key)).await?;
    if let Some(known) = known {
        return Ok(Secret::new(known));
    }
    let fresh = random_hex()?;
    let kept = db
        .write(lane::INTEGRATIONS, "setting.generate", move |tx| get_or_set(tx, key, &fresh, now))
        .await?;
    Ok(Secret::new(kept))
}

/// 32 random bytes, in hexadecimal.
fn random_hex() -> Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(Error::from_source)?;
    Ok(hex::encode(bytes))
}

/// A fact that was written down.
pub(crate) fn get(tx: &mut dyn Tx, key: &str) -> Result<Option<String>> {
    tx.find("SELECT value FROM setting WHERE key = $1", params![key])
}

/// Writes a fact down, or another one in its place.
#[cfg(any(feature = "media", feature = "nfe"))]
pub(crate) fn set(tx: &mut dyn Tx, key: &str, value: &str, now: Timestamp) -> Result<()> {
    tx.run(
        "INSERT INTO setting (key, value, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
        params![key, value, now],
    )
}

/// Of two writers the second gets the value of the first.
fn get_or_set(tx: &mut dyn Tx, key: &str, value: &str, now: Timestamp) -> Result<String> {
    tx.execute(
        "INSERT INTO setting (key, value, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (key) DO NOTHING",
        params![key, value, now],
    )?;
    tx.value("SELECT value FROM setting WHERE key = $1", params![key])
}
