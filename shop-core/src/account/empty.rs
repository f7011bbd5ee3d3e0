//! What is left of an account that was erased.

use super::password::no_password;
use super::sessions_after_change;
use crate::context::Work;
use crate::error::{Credential, Error, Result};
use crate::id::AccountId;
use crate::storage::Tx;
use crate::value::Email;

/// Leaves of an account what others refer to. Nobody can log in with it again: its password is the
/// hash of nothing, its e-mail can reach nobody (RFC 2606), and its sessions are over even if it is
/// made active again. Guarded by the hash, as a change of password is.
pub(crate) fn empty(tx: &mut dyn Tx, at: &Work, id: &AccountId, hash: &str) -> Result<()> {
    let nobody: Email = format!("{id}@removido.invalid").parse().map_err(Error::from_source)?;
    let changed = tx.execute(
        "UPDATE account SET name = 'Cliente', email = $1, email_key = $2, phone = NULL, cpf = NULL,
           active = 0, password_hash = $3, updated_at = $4,
           sessions_from = CASE WHEN sessions_from < $5 THEN $5 ELSE sessions_from + 1 END
         WHERE id = $6 AND password_hash = $7",
        &[
            (&nobody).into(),
            (&nobody.key()).into(),
            (&no_password()?).into(),
            at.now().into(),
            sessions_after_change(at.now()).into(),
            id.into(),
            hash.into(),
        ],
    )?;
    if changed == 0 { Err(Error::Unauthenticated(Credential::CurrentPassword)) } else { Ok(()) }
}
