//! The table of addresses, which only this file writes.

use super::address::Address;
use crate::context::Work;
use crate::error::Result;
use crate::id::{AccountId, AddressId};
use crate::storage::{Row, Tx};

pub(super) fn count(tx: &mut dyn Tx, account: &AccountId) -> Result<i64> {
    tx.value("SELECT count(*) FROM address WHERE account_id = $1", &[account.into()])
}

/// An account's addresses: the default one, then the newest first.
pub(crate) fn list(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<Address>> {
    tx.all(
        "SELECT id, label, street, number, complement, district, city, state, zip_code, is_default
         FROM address WHERE account_id = $1 ORDER BY is_default DESC, created_at DESC, id DESC",
        &[account.into()],
        read_address,
    )
}

/// An address of this account.
pub(crate) fn get(tx: &mut dyn Tx, account: &AccountId, id: &AddressId) -> Result<Option<Address>> {
    tx.one(
        "SELECT id, label, street, number, complement, district, city, state, zip_code, is_default
         FROM address WHERE id = $1 AND account_id = $2",
        &[id.into(), account.into()],
        read_address,
    )
}

fn read_address(row: &dyn Row) -> Result<Address> {
    Ok(Address {
        id: row.get(0)?,
        label: row.get(1)?,
        street: row.get(2)?,
        number: row.get(3)?,
        complement: row.get(4)?,
        district: row.get(5)?,
        city: row.get(6)?,
        state: row.get(7)?,
        zip_code: row.get(8)?,
        is_default: row.get(9)?,
    })
}

pub(crate) fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    address: &Address,
) -> Result<()> {
    let Address {
        id,
        label,
        street,
        number,
        complement,
        district,
        city,
        state,
        zip_code,
        is_default,
    } = address;
    tx.execute(
        "INSERT INTO address (id, account_id, label, street, number, complement, district, city,
           state, zip_code, is_default, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &[
            id.into(),
            account.into(),
            label.into(),
            street.into(),
            number.into(),
            complement.as_ref().into(),
            district.into(),
            city.into(),
            state.into(),
            zip_code.into(),
            (*is_default).into(),
            at.now().into(),
        ],
    )?;
    Ok(())
}

pub(super) fn save(tx: &mut dyn Tx, account: &AccountId, address: &Address) -> Result<()> {
    tx.execute(
        "UPDATE address SET label = $1, street = $2, number = $3, complement = $4, district = $5,
           city = $6, state = $7, zip_code = $8
         WHERE id = $9 AND account_id = $10",
        &[
            (&address.label).into(),
            (&address.street).into(),
            (&address.number).into(),
            address.complement.as_ref().into(),
            (&address.district).into(),
            (&address.city).into(),
            (&address.state).into(),
            (&address.zip_code).into(),
            (&address.id).into(),
            account.into(),
        ],
    )?;
    Ok(())
}

/// Makes this one the default, and no other.
pub(super) fn make_default(tx: &mut dyn Tx, account: &AccountId, id: &AddressId) -> Result<()> {
    tx.execute(
        "UPDATE address SET is_default = CASE WHEN id = $1 THEN 1 ELSE 0 END WHERE account_id = $2",
        &[id.into(), account.into()],
    )?;
    Ok(())
}

pub(super) fn newest_other(
    tx: &mut dyn Tx,
    account: &AccountId,
    id: &AddressId,
) -> Result<Option<AddressId>> {
    tx.one(
        "SELECT id FROM address WHERE account_id = $1 AND id <> $2
         ORDER BY created_at DESC, id DESC LIMIT 1",
        &[account.into(), id.into()],
        |row| row.get(0),
    )
}

/// Deletes the whole address book.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.execute("DELETE FROM address WHERE account_id = $1", &[account.into()])?;
    Ok(())
}

/// Deletes an address; returns whether it was the default, `None` when there is no such address.
pub(super) fn remove(tx: &mut dyn Tx, account: &AccountId, id: &AddressId) -> Result<Option<bool>> {
    tx.one(
        "DELETE FROM address WHERE id = $1 AND account_id = $2 RETURNING is_default",
        &[id.into(), account.into()],
        |row| row.get(0),
    )
}
