//! Another password for a customer who has forgotten the old one, by a link that is mailed.

use super::fair_queue::Requester;
use super::mail::{AccountMail, enqueue_mail};
use super::{Accounts, NewPassword, ResetToken, note_of_staff, reset_link, staff, store};
use crate::context::Work;
use crate::error::{Error, Refusal, Result};
use crate::lane;
use crate::storage::Tx;
use crate::value::Email;

/// How many links of one account may be good at once, so that no mailbox is filled through the
/// shop.
const MAX_OPEN: i64 = 5;

/// Whose password was forgotten.
#[apply(input!)]
pub struct ForgotPassword {
    /// The account's e-mail, in whatever case.
    pub email: Email,
}

/// Another password, by a link.
#[apply(input!)]
pub struct ResetPassword {
    /// What the link carries.
    pub token: ResetToken,
    /// What the password shall be.
    pub password: NewPassword,
}

impl Accounts<'_> {
    /// Sends a link to choose another password, if an active account has this e-mail; whether one
    /// has cannot be told, not from the time it takes either.
    ///
    /// Cancel safe: one transaction, done or not.
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
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn reset_password(&self, input: ResetPassword) -> Result<()> {
        let ResetPassword { token, password } = input;
        let (token_hash, now) = (token.hash(), self.cx.now());
        let known = {
            let token_hash = token_hash.clone();
            let job = move |tx: &mut dyn Tx| reset_link::is_open(tx, &token_hash, now);
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
        Some(account) if reset_link::count_open(tx, &account, at.now())? < MAX_OPEN => {
            Some(account)
        }
        _ => None,
    };
    let request = reset_link::insert(tx, at, account.as_ref())?;
    match account {
        None => Ok(()),
        Some(account) => enqueue_mail(tx, at, &account, &AccountMail::PasswordReset { request }),
    }
}

fn reset(tx: &mut dyn Tx, at: &Work, token_hash: &str, hash: &str) -> Result<()> {
    let account = reset_link::take(tx, token_hash, at.now())?;
    let account = account.ok_or(Error::Refused(Refusal::ResetLink))?;
    store::set_password(tx, at, &account, hash)?;
    store::prove_email(tx, &account, at.now())?;
    reset_link::delete_all(tx, &account)?;
    staff::end_sessions(tx, at, &account)?;
    note_of_staff(tx, at, &account, "account.reset_password")?;
    enqueue_mail(tx, at, &account, &AccountMail::PasswordChanged { at: at.now() })
}
