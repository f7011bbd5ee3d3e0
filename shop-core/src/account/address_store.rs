//! The table of addresses, which only this file writes.

use super::address::Address;
use crate::context::Work;
use crate::error::Result;
use crate::id::{AccountId, AddressId};
use crate::storage::{Prefetch, Tx, params, read_columns};

pub(super) fn count(tx: &mut dyn Tx, account: &AccountId) -> Result<i64> {
    tx.value("SELECT count(*) FROM address WHERE account_id = $1", params![account])
}

/// An account's addresses: the default one, then the newest first.
pub(crate) fn list(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<Address>> {
    tx.list(
        "SELECT id, label, street, number, complement, district, city, state, zip_code, is_default
         FROM address WHERE account_id = $1 ORDER BY is_default DESC, created_at DESC, id DESC",
        params![account],
    )
}

const GET: &str = "
    SELECT id, label, street, number, complement, district, city, state, zip_code, is_default
    FROM address WHERE id = $1 AND account_id = $2";

/// An address of this account.
pub(crate) fn get(tx: &mut dyn Tx, account: &AccountId, id: &AddressId) -> Result<Option<Address>> {
    tx.find(GET, params![id, account])
}

/// What [`get`] asks.
pub(crate) fn prefetch(account: &AccountId, id: &AddressId) -> Prefetch {
    Prefetch::new(GET, params![id, account])
}

read_columns!(
    Address: id, label, street, number, complement, district, city, state, zip_code, is_default
);

pub(crate) fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    address: &Address,
) -> Result<()> {
    tx.run(
        "INSERT INTO address (id, account_id, label, street, number, complement, district, city,
           state, zip_code, is_default, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        params![
            &address.id, account;
            address: label, street, number, complement, district, city, state, zip_code, is_default;
            at.now()
        ],
    )
}

pub(super) fn save(tx: &mut dyn Tx, account: &AccountId, address: &Address) -> Result<()> {
    tx.run(
        "UPDATE address SET label = $1, street = $2, number = $3, complement = $4, district = $5,
           city = $6, state = $7, zip_code = $8
         WHERE id = $9 AND account_id = $10",
        params![
            address: label, street, number, complement, district, city, state, zip_code, id; account
        ],
    )
}

/// Makes this one the default, and no other.
pub(super) fn make_default(tx: &mut dyn Tx, account: &AccountId, id: &AddressId) -> Result<()> {
    tx.run(
        "UPDATE address SET is_default = CASE WHEN id = $1 THEN 1 ELSE 0 END WHERE account_id = $2",
        params![id, account],
    )
}

pub(super) fn newest_other(
    tx: &mut dyn Tx,
    account: &AccountId,
    id: &AddressId,
) -> Result<Option<AddressId>> {
    tx.find(
        "SELECT id FROM address WHERE account_id = $1 AND id <> $2
         ORDER BY created_at DESC, id DESC LIMIT 1",
        params![account, id],
    )
}

/// Deletes the whole address book.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("DELETE FROM address WHERE account_id = $1", params![account])
}

/// Deletes an address; returns whether it was the default, `None` when there is no such address.
pub(super) fn remove(tx: &mut dyn Tx, account: &AccountId, id: &AddressId) -> Result<Option<bool>> {
    tx.find(
        "DELETE FROM address WHERE id = $1 AND account_id = $2 RETURNING is_default",
        params![id, account],
    )
}
