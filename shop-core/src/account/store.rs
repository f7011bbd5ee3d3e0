//! The table of accounts, which only this file writes.

use super::password::no_password;
use super::{Account, Known, Origin};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Conflict, Credential, Error, Result};
use crate::fiscal::BuyingCompany;
use crate::id::AccountId;
use crate::storage::{Prefetch, Row, Tx, params, read_columns};
use crate::value::Email;

/// From when on sessions hold after a change of password: from the next second, because tokens
/// count in whole seconds and those of the running one must end too.
fn sessions_after_change(now: Timestamp) -> i64 {
    now.seconds() + 1
}

/// The unique form of an account's e-mail. A guest's ends with a blank and the account's id, which
/// no e-mail does: guests may share an e-mail, never take one from an account that logs in, and a
/// look-up by e-mail finds accounts that log in alone.
fn stored_key(account: &Account) -> String {
    let key = account.email.key();
    if account.guest { format!("{key} {}", account.id) } else { key }
}

pub(super) fn insert(tx: &mut dyn Tx, account: &Account, origin: Origin, hash: &str) -> Result<()> {
    let email_key = stored_key(account);
    let inserted = tx.exists(
        "INSERT INTO account (id, name, email, email_key, phone, cpf, role, active,
           password_hash, sessions_from, created_at, updated_at, demo, guest)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)
         ON CONFLICT (email_key) DO NOTHING RETURNING id",
        params![
            account: id, name, email; &email_key; account: phone, cpf, role, is_active;
            hash, account.created_at.seconds(), account.created_at, origin == Origin::Demo,
            account.guest
        ],
    )?;
    Conflict::Email.unless(inserted)
}

/// Accounts as [`read_known`] reads them.
macro_rules! select_account {
    ($which:literal) => {
        concat!(
            "SELECT id, name, email, phone, cpf, role, active, created_at, password_hash,
               sessions_from, cnpj, company_name, state_registration, buys_to_resell, guest, demo
             FROM account ",
            $which
        )
    };
}

/// Ends an account's sessions: those that begin before the second `$now` do not hold. Never back,
/// for the last change may have been in this same second.
macro_rules! end_sessions {
    ($now:literal) => {
        concat!(
            "sessions_from = CASE WHEN sessions_from < ",
            $now,
            " THEN ",
            $now,
            " ELSE sessions_from + 1 END"
        )
    };
}

const BY_ID: &str = select_account!("WHERE id = $1");

/// What [`by_id`] asks.
pub(crate) fn prefetch(id: &AccountId) -> Prefetch {
    Prefetch::new(BY_ID, params![id])
}

/// An account by its id.
pub(crate) fn by_id(tx: &mut dyn Tx, id: &AccountId) -> Result<Option<Known>> {
    tx.one(BY_ID, params![id], read_known)
}

/// An account by its id, without what proves who it is.
pub(crate) fn get(tx: &mut dyn Tx, id: &AccountId) -> Result<Option<Account>> {
    Ok(by_id(tx, id)?.map(|known| known.account))
}

/// The form of an account's e-mail by which addresses are compared. `None` for a guest, of whom it
/// is not known whether the e-mail is theirs: what else belongs to that e-mail is not a guest's.
pub(crate) fn email_key(tx: &mut dyn Tx, id: &AccountId) -> Result<Option<String>> {
    tx.find("SELECT email_key FROM account WHERE id = $1 AND guest = 0", params![id])
}

/// As [`email_key`], once it was proved that the e-mail is the account's own: anybody may type it.
pub(crate) fn proved_email_key(tx: &mut dyn Tx, id: &AccountId) -> Result<Option<String>> {
    let sql = "SELECT email_key FROM account WHERE id = $1 AND email_proved_at IS NOT NULL";
    tx.find(sql, params![id])
}

/// Notes that somebody followed a link that was sent to the account's e-mail.
pub(crate) fn prove_email(tx: &mut dyn Tx, id: &AccountId, now: Timestamp) -> Result<()> {
    tx.run("UPDATE account SET email_proved_at = $1 WHERE id = $2", params![now, id])
}

/// The active accounts that may run the shop, in the order of their creation.
#[cfg(feature = "http")]
pub(crate) fn active_admins(tx: &mut dyn Tx) -> Result<Vec<AccountId>> {
    tx.list(
        "SELECT id FROM account WHERE role = 'ADMIN' AND active = 1 ORDER BY created_at, id",
        &[],
    )
}

/// Whether this is the e-mail of an account of the demonstration.
pub(crate) fn is_demo_email(tx: &mut dyn Tx, email: &Email) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM account WHERE email_key = $1 AND demo = 1)",
        params![&email.key()],
    )
}

/// Whether an account that logs in has this e-mail.
pub(crate) fn is_taken(tx: &mut dyn Tx, email: &Email) -> Result<bool> {
    tx.exists("SELECT 1 FROM account WHERE email_key = $1", params![&email.key()])
}

/// The name on an account.
pub(crate) fn name_of(tx: &mut dyn Tx, id: &AccountId) -> Result<Option<String>> {
    tx.find("SELECT name FROM account WHERE id = $1", params![id])
}

/// An account by its e-mail; never a guest's.
pub(super) fn by_email(tx: &mut dyn Tx, email: &Email) -> Result<Option<Known>> {
    tx.one(select_account!("WHERE email_key = $1"), params![&email.key()], read_known)
}

/// The account with an e-mail, if it may log in; never a guest's.
pub(super) fn active_by_email(tx: &mut dyn Tx, email: &Email) -> Result<Option<AccountId>> {
    tx.find("SELECT id FROM account WHERE email_key = $1 AND active = 1", params![&email.key()])
}

/// All accounts that may run the shop, active or not, in the order of their creation.
pub(super) fn admins(tx: &mut dyn Tx) -> Result<Vec<Account>> {
    let known =
        tx.all(select_account!("WHERE role = 'ADMIN' ORDER BY created_at, id"), &[], read_known)?;
    Ok(known.into_iter().map(|Known { account, .. }| account).collect())
}

/// Whether another active account than this one may run the shop.
pub(super) fn has_other_admin(tx: &mut dyn Tx, id: &AccountId) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (
           SELECT 1 FROM account WHERE role = 'ADMIN' AND active = 1 AND id <> $1)",
        params![id],
    )
}

read_columns!(
    Account: id, name, email, phone, cpf, role, is_active, created_at;
    company: BuyingCompany::default(), guest: false
);

fn read_known(row: &dyn Row) -> Result<Known> {
    let (account, password_hash, sessions_from) = (row.get(0)?, row.get(8)?, row.get(9)?);
    let account = Account { company: row.get(10)?, guest: row.get(14)?, ..account };
    Ok(Known { account, password_hash, sessions_from, is_demo: row.get(15)? })
}

/// From when on sessions hold. Guarded by the old hash: of two changes at once, which both knew
/// the old password, one comes too late and no longer knows it.
pub(super) fn save_password(
    tx: &mut dyn Tx,
    at: &Work,
    id: &AccountId,
    old: &str,
    new: &str,
) -> Result<i64> {
    let sessions_from = tx.find::<i64>(
        concat!(
            "UPDATE account SET password_hash = $1, ",
            end_sessions!("$2"),
            ", updated_at = $3
             WHERE id = $4 AND password_hash = $5 RETURNING sessions_from"
        ),
        params![new, sessions_after_change(at.now()), at.now(), id, old],
    )?;
    sessions_from.ok_or(Error::Unauthenticated(Credential::CurrentPassword))
}

/// Sets a password whatever the old one was, and ends all sessions.
pub(super) fn set_password(tx: &mut dyn Tx, at: &Work, id: &AccountId, hash: &str) -> Result<()> {
    tx.run(
        concat!(
            "UPDATE account SET password_hash = $1, ",
            end_sessions!("$2"),
            ", updated_at = $3
             WHERE id = $4"
        ),
        params![hash, sessions_after_change(at.now()), at.now(), id],
    )
}

/// Guarded by the statement itself: no row means that the e-mail is another account's.
pub(super) fn save_profile(tx: &mut dyn Tx, at: &Work, account: &Account) -> Result<()> {
    let Account { id, name, email, phone, cpf, company, .. } = account;
    let changed = tx.changes(
        "UPDATE account SET name = $1, email = $2,
           demo = CASE WHEN email_key = $3 THEN demo ELSE 0 END,
           email_proved_at = CASE WHEN email_key = $3 THEN email_proved_at END, email_key = $3,
           phone = $4, cpf = $5, updated_at = $6, cnpj = $7, company_name = $8,
           state_registration = $9, buys_to_resell = $10
         WHERE id = $11
           AND NOT EXISTS (SELECT 1 FROM account WHERE email_key = $3 AND id <> $11)",
        params![
            name, email, &stored_key(account), phone.as_ref(), cpf.as_ref(), at.now();
            company: cnpj, company_name, state_registration, buys_to_resell; id
        ],
    )?;
    Conflict::Email.unless(changed)
}

/// Lets an account log in again.
pub(super) fn activate(tx: &mut dyn Tx, at: &Work, id: &AccountId) -> Result<()> {
    tx.run("UPDATE account SET active = 1, updated_at = $1 WHERE id = $2", params![at.now(), id])
}

/// The sessions of now must not come back to life with the account.
pub(super) fn suspend(tx: &mut dyn Tx, at: &Work, id: &AccountId) -> Result<()> {
    tx.run(
        concat!(
            "UPDATE account SET active = 0, updated_at = $1, ",
            end_sessions!("$2"),
            "
             WHERE id = $3"
        ),
        params![at.now(), sessions_after_change(at.now()), id],
    )
}

/// Whether an account of the demonstration may log in.
pub(super) fn has_active_demo(tx: &mut dyn Tx) -> Result<bool> {
    tx.exists("SELECT 1 FROM account WHERE demo = 1 AND active = 1 LIMIT 1", &[])
}

/// As [`suspend`], all accounts of the demonstration.
pub(super) fn suspend_demo(tx: &mut dyn Tx, at: &Work) -> Result<usize> {
    tx.execute(
        concat!(
            "UPDATE account SET active = 0, updated_at = $1, ",
            end_sessions!("$2"),
            "
             WHERE demo = 1 AND active = 1"
        ),
        params![at.now(), sessions_after_change(at.now())],
    )
}

/// What stands for the e-mail of an erased account. No mailbox has it (RFC 2606).
pub(super) fn erased_address(id: &AccountId) -> String {
    format!("{id}@removido.invalid")
}

/// As [`erased_address`].
///
/// # Errors
/// Where the id is none of this shop's making.
pub(crate) fn erased_email(id: &AccountId) -> Result<Email> {
    erased_address(id).parse().map_err(Error::from_source)
}

/// Leaves of an account what others refer to. It cannot be logged in with again: its password is
/// the hash of nothing, its e-mail has no mailbox, and its sessions are over even if it is made
/// active again. Guarded by the hash, as a change of password is.
pub(crate) fn empty(tx: &mut dyn Tx, at: &Work, id: &AccountId, hash: &str) -> Result<()> {
    let nobody = erased_email(id)?;
    let changed = tx.execute(
        concat!(
            "UPDATE account SET name = 'Cliente', email = $1, email_key = $2, phone = NULL,
               cpf = NULL, cnpj = NULL, company_name = NULL, state_registration = NULL,
               buys_to_resell = 0, active = 0, email_proved_at = NULL, password_hash = $3,
               updated_at = $4, ",
            end_sessions!("$5"),
            "
             WHERE id = $6 AND password_hash = $7"
        ),
        params![
            &nobody,
            &nobody.key(),
            &no_password()?,
            at.now(),
            sessions_after_change(at.now()),
            id,
            hash
        ],
    )?;
    if changed == 0 { Err(Error::Unauthenticated(Credential::CurrentPassword)) } else { Ok(()) }
}

/// Gives a guest who followed a link that was mailed a password and the e-mail for good, and ends
/// the account's sessions. False where another account has the e-mail, or it is no guest's any
/// more.
pub(super) fn promote(tx: &mut dyn Tx, at: &Work, account: &Account, hash: &str) -> Result<bool> {
    tx.changes(
        concat!(
            "UPDATE account SET guest = 0, guest_until = NULL, email_key = $1, password_hash = $2, ",
            end_sessions!("$3"), ", updated_at = $4, email_proved_at = $4
             WHERE id = $5 AND guest = 1
               AND NOT EXISTS (SELECT 1 FROM account WHERE email_key = $1 AND id <> $5)"
        ),
        params![&account.email.key(), hash, sessions_after_change(at.now()), at.now(), &account.id],
    )
}

/// Until when a guest's account is kept although nothing was ordered with it.
pub(super) fn set_guest_until(tx: &mut dyn Tx, id: &AccountId, until: Timestamp) -> Result<()> {
    tx.run("UPDATE account SET guest_until = $1 WHERE id = $2 AND guest = 1", params![until, id])
}

/// Guests whose time is over and of whom it is not known yet whether they ordered.
pub(crate) fn abandoned_guests(
    tx: &mut dyn Tx,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<AccountId>> {
    tx.list(
        "SELECT id FROM account WHERE guest_until <= $1 ORDER BY guest_until LIMIT $2",
        params![now, limit],
    )
}

/// Has a guest whose time is over looked at again then, unless the guest came back meanwhile.
pub(crate) fn put_off_guest(
    tx: &mut dyn Tx,
    id: &AccountId,
    now: Timestamp,
    until: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE account SET guest_until = $1 WHERE id = $2 AND guest_until <= $3",
        params![until, id, now],
    )
}

/// Notes that a guest's account stays, because something hangs on it.
pub(crate) fn keep_guest(tx: &mut dyn Tx, id: &AccountId) -> Result<()> {
    tx.run("UPDATE account SET guest_until = NULL WHERE id = $1", params![id])
}

/// Deletes a guest's account, on which nothing hangs any more.
pub(crate) fn delete_guest(tx: &mut dyn Tx, id: &AccountId) -> Result<()> {
    tx.run("DELETE FROM account WHERE id = $1 AND guest = 1", params![id])
}
