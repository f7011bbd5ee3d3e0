//! Suspending an account, and letting it in again.

use serde::Serialize;

use super::{Account, admin, by_id, reset, sessions_after_change};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::AccountId;
use crate::revision::Revision;
use crate::storage::Tx;

/// Suspends an account or lets it in again; see [`super::Customers::set_active`].
pub(crate) fn set_active(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    id: &AccountId,
    active: bool,
    seen: Option<&Revision>,
) -> Result<()> {
    if !active && *by == Actor::Admin(id.clone()) {
        return Err(Error::Conflict(Conflict::OwnAccount));
    }
    let known = by_id(tx, id)?.ok_or(Error::NotFound(Entity::Account))?;
    known.account.revision()?.check(seen)?;
    if known.account.is_active == active {
        return Ok(());
    }
    change(tx, at, by, &known.account, active)
}

fn change(tx: &mut dyn Tx, at: &Work, by: &Actor, account: &Account, active: bool) -> Result<()> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Noted {
        is_active: bool,
    }
    let id = &account.id;
    if active {
        activate(tx, at, id)?;
    } else {
        admin::refuse_last(tx, account)?;
        suspend(tx, at, id)?;
        reset::forget_links(tx, id)?;
    }
    let action = if active { "customer.activate" } else { "customer.suspend" };
    let (before, after) = (Noted { is_active: account.is_active }, Noted { is_active: active });
    audit::record(tx, at, by, action, id.as_str(), &before, &after)
}

fn activate(tx: &mut dyn Tx, at: &Work, id: &AccountId) -> Result<()> {
    tx.execute(
        "UPDATE account SET active = 1, updated_at = $1 WHERE id = $2",
        &[at.now().into(), id.into()],
    )
    .map(drop)
}

/// The sessions of now must not come back to life with the account.
fn suspend(tx: &mut dyn Tx, at: &Work, id: &AccountId) -> Result<()> {
    tx.execute(
        "UPDATE account SET active = 0, updated_at = $1,
           sessions_from = CASE WHEN sessions_from < $2 THEN $2 ELSE sessions_from + 1 END
         WHERE id = $3",
        &[at.now().into(), sessions_after_change(at.now()).into(), id.into()],
    )
    .map(drop)
}
