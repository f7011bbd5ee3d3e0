//! Another password for who has forgotten the old one: a link by mail, good for an hour and once.
//!
//! A request is a row without a token. The token is made when the mail leaves, in the transaction
//! that claims it, and only its SHA-256 is kept: neither the database nor a backup ever holds what
//! a link carries. Each try to send the mail has a token of its own, which ends the one before.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::fair_queue::Requester;
use super::mail::AccountMail;
use super::{Accounts, NewPassword, store};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Error, Refusal, Result};
use crate::id::AccountId;
use crate::lane;
use crate::mail;
use crate::storage::Tx;
use crate::value::{Email, inline_schema};

/// How long a link is good.
const LIFETIME: Duration = Duration::from_secs(60 * 60);
/// How many links of one account may be good at once: nobody's mailbox is filled through the shop.
const MAX_OPEN: i64 = 5;

/// What a link to reset a password carries. Whoever has it may set the password, so only its hash
/// is kept, and `Debug` does not show it.
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

    fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.0.as_bytes()))
    }
}

impl From<&str> for ResetToken {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for ResetToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResetToken(..)")
    }
}

inline_schema!(ResetToken, { "type": "string", "writeOnly": true });

/// Whose password was forgotten.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForgotPassword {
    /// The account's e-mail, in whatever case.
    pub email: Email,
}

/// Another password, by a link.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResetPassword {
    /// What the link carries.
    pub token: ResetToken,
    /// What the password shall be.
    pub password: NewPassword,
}

impl Accounts<'_> {
    /// Sends a link to choose another password, if an active account has this e-mail; whether one
    /// has cannot be told, not from the time it takes either.
    pub async fn forgot_password(&self, input: ForgotPassword) -> Result<()> {
        let at = self.cx.work();
        let job = move |tx: &mut dyn Tx| open(tx, &at, &input.email);
        self.cx.db().write(lane::CUSTOMERS, "account.forgot_password", job).await?;
        self.cx.mail_written();
        Ok(())
    }

    /// Gives the account of a link another password. All its sessions and links are over.
    ///
    /// # Errors
    /// [`Refusal::ResetLink`] when the link is unknown, used or too old.
    pub async fn reset_password(&self, input: ResetPassword) -> Result<()> {
        let ResetPassword { token, password } = input;
        let (token_hash, now) = (token.hash(), self.cx.now());
        let known = {
            let token_hash = token_hash.clone();
            let job = move |tx: &mut dyn Tx| is_open(tx, &token_hash, now);
            self.cx.db().lookup("account.reset_link", job).await?
        };
        // Before the hashing, which costs.
        if !known {
            return Err(Error::Refused(Refusal::ResetLink));
        }
        let by = Requester::stranger(self.client, &token_hash);
        let hash = self.credentials.hasher.hash(by, password).await?;
        let at = self.cx.work();
        let job = move |tx: &mut dyn Tx| reset(tx, &at, &token_hash, &hash);
        self.cx.db().write(lane::CUSTOMERS, "account.reset_password", job).await?;
        self.cx.mail_written();
        Ok(())
    }
}

/// Writes a row whether or not there is such an account: both cost one flush of the disk.
fn open(tx: &mut dyn Tx, at: &Work, email: &Email) -> Result<()> {
    let account = match store::active_by_email(tx, email)? {
        Some(account) if open_links(tx, &account, at.now())? < MAX_OPEN => Some(account),
        _ => None,
    };
    let request: String = at.id();
    tx.execute(
        "INSERT INTO password_reset (id, account_id, requested_at, expires_at)
         VALUES ($1, $2, $3, $4)",
        &[
            (&request).into(),
            account.as_ref().into(),
            at.now().into(),
            at.now().plus(LIFETIME).into(),
        ],
    )?;
    match account {
        None => Ok(()),
        Some(account) => {
            mail::enqueue_to_account(tx, at, &account, &AccountMail::PasswordReset { request })
        }
    }
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
        &[
            (&token.hash()).into(),
            now.plus(LIFETIME).into(),
            request.into(),
            now.minus(LIFETIME).into(),
        ],
    )?;
    Ok((issued > 0).then_some(token))
}

fn open_links(tx: &mut dyn Tx, account: &AccountId, now: Timestamp) -> Result<i64> {
    tx.value(
        "SELECT count(*) FROM password_reset WHERE account_id = $1 AND expires_at > $2",
        &[account.into(), now.into()],
    )
}

fn is_open(tx: &mut dyn Tx, token_hash: &str, now: Timestamp) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM password_reset
         WHERE token_hash = $1 AND account_id IS NOT NULL AND expires_at > $2)",
        &[token_hash.into(), now.into()],
    )
}

/// The link is taken away by the statement that reads it: of two who use it at once, one is late.
fn reset(tx: &mut dyn Tx, at: &Work, token_hash: &str, hash: &str) -> Result<()> {
    let account: Option<AccountId> = tx.one(
        "DELETE FROM password_reset
         WHERE token_hash = $1 AND account_id IS NOT NULL AND expires_at > $2
         RETURNING account_id",
        &[token_hash.into(), at.now().into()],
        |row| row.get(0),
    )?;
    let account = account.ok_or(Error::Refused(Refusal::ResetLink))?;
    store::set_password(tx, at, &account, hash)?;
    forget_links(tx, &account)?;
    mail::enqueue_to_account(tx, at, &account, &AccountMail::PasswordChanged { at: at.now() })
}

/// Ends the links of an account: its password or its mailbox is another now.
pub(crate) fn forget_links(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.execute("DELETE FROM password_reset WHERE account_id = $1", &[account.into()]).map(drop)
}

/// Forgets links past their time.
pub(crate) fn purge_links(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    tx.execute("DELETE FROM password_reset WHERE expires_at <= $1", &[now.into()])
}
