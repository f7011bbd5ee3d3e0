//! Suspending an account, and letting it in again.

use serde::Serialize;

use super::{Account, Role, reset_link, staff, store};
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
    expected: Option<&Revision>,
) -> Result<()> {
    Conflict::OwnAccount.unless(active || *by != Actor::Admin(id.clone()))?;
    let known = store::by_id(tx, id)?.ok_or(Error::NotFound(Entity::Account))?;
    known.account.revision()?.check(expected)?;
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
        store::activate(tx, at, id)?;
    } else {
        refuse_last(tx, account)?;
        store::suspend(tx, at, id)?;
        reset_link::delete_all(tx, id)?;
        staff::end_sessions(tx, at, id)?;
    }
    let action = if active { "customer.activate" } else { "customer.suspend" };
    let (before, after) = (Noted { is_active: account.is_active }, Noted { is_active: active });
    audit::record(tx, at, by, action, id.as_str(), &before, &after)
}

/// One account that can run the shop always stays.
fn refuse_last(tx: &mut dyn Tx, account: &Account) -> Result<()> {
    let is_last = account.role == Role::Admin && !store::has_other_admin(tx, &account.id)?;
    Conflict::LastAdmin.unless(!is_last)
}
