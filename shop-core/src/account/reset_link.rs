//! The links by which passwords are reset: their table, which only this file writes. A link is good
//! for an hour and once.
//!
//! A request is a row without a token. The token is made when the mail leaves, in the transaction
//! that claims it, and only its SHA-256 is kept: neither the database nor a backup ever holds what
//! a link carries. Each try to send the mail has a token of its own, which ends the one before.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::AccountId;
use crate::storage::{Tx, params};
use crate::value::inline_schema;

/// How long a link is good.
const LIFETIME: Duration = Duration::from_secs(60 * 60);
/// Links that one round deletes: whatever else is written waits for it.
const ROUND: i64 = 500;

/// What a link to reset a password carries. It is enough to set the password, so only its hash is
/// kept, and `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ResetToken(String);

impl ResetToken {
    /// 32 random bytes.
    fn new() -> Result<Self> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(Error::from_source)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The token itself, for the link.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0.as_bytes()))
    }
}

any_text! { ResetToken; }

opaque! { ResetToken; }

inline_schema!(ResetToken, { "type": "string", "writeOnly": true });

/// Notes a request for a link; of no account where the e-mail is no account's.
pub(super) fn insert(tx: &mut dyn Tx, at: &Work, account: Option<&AccountId>) -> Result<String> {
    let request: String = at.id();
    tx.execute(
        "INSERT INTO password_reset (id, account_id, requested_at, expires_at)
         VALUES ($1, $2, $3, $4)",
        params![&request, account, at.now(), at.now().plus(LIFETIME)],
    )?;
    Ok(request)
}

/// Makes the token of a request whose mail is to leave now; its hour begins anew, and the token of
/// an earlier try is over. Nothing where the request is over: it was made more than an hour ago, or
/// the account has another password or e-mail since.
pub(super) fn issue_token(
    tx: &mut dyn Tx,
    request: &str,
    now: Timestamp,
) -> Result<Option<ResetToken>> {
    let token = ResetToken::new()?;
    let issued = tx.execute(
        "UPDATE password_reset SET token_hash = $1, expires_at = $2
         WHERE id = $3 AND account_id IS NOT NULL AND requested_at > $4",
        params![&token.hash(), now.plus(LIFETIME), request, now.minus(LIFETIME)],
    )?;
    Ok((issued > 0).then_some(token))
}

pub(super) fn count_open(tx: &mut dyn Tx, account: &AccountId, now: Timestamp) -> Result<i64> {
    tx.value(
        "SELECT count(*) FROM password_reset WHERE account_id = $1 AND expires_at > $2",
        params![account, now],
    )
}

pub(super) fn is_open(tx: &mut dyn Tx, token_hash: &str, now: Timestamp) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM password_reset
         WHERE token_hash = $1 AND account_id IS NOT NULL AND expires_at > $2)",
        params![token_hash, now],
    )
}

/// Takes an open link away and returns its account. Reading and deleting are one statement: of two
/// that use it at once, one is late.
pub(super) fn take(tx: &mut dyn Tx, token_hash: &str, now: Timestamp) -> Result<Option<AccountId>> {
    tx.find(
        "DELETE FROM password_reset
         WHERE token_hash = $1 AND account_id IS NOT NULL AND expires_at > $2
         RETURNING account_id",
        params![token_hash, now],
    )
}

/// Ends the links of an account: its password or its e-mail is another now.
pub(crate) fn delete_all(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("DELETE FROM password_reset WHERE account_id = $1", params![account])
}

/// Deletes links past their time, some in a round.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    tx.execute(
        "DELETE FROM password_reset WHERE id IN (
           SELECT id FROM password_reset WHERE expires_at <= $1 LIMIT $2)",
        params![now, ROUND],
    )
}
