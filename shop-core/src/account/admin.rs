//! The accounts that run the shop, as the operator of the machine manages them.

use serde::Serialize;

use super::active::set_active;
use super::mail::{AccountMail, enqueue_mail};
use super::{Account, Accounts, NewPassword, Role, SetActive, reset_link, staff, store};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::AccountId;
use crate::lane;
use crate::storage::Tx;
use crate::value::Email;

impl Accounts<'_> {
    /// The accounts that run the shop, oldest first, suspended ones too.
    ///
    /// Cancel safe: reads only.
    pub async fn list_admins(&self) -> Result<Vec<Account>> {
        self.cx.db().read("account.admins", store::admins).await
    }

    /// The account with this e-mail, in whatever case.
    ///
    /// # Errors
    /// [`Entity::Account`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_by_email(&self, email: &Email) -> Result<Account> {
        let email = email.clone();
        let found = self.cx.db().lookup("account.by_email", move |tx| store::by_email(tx, &email));
        found.await?.map(|known| known.account).ok_or(Error::NotFound(Entity::Account))
    }

    /// Gives an account that runs the shop another password without asking for the one it has. All
    /// its sessions and links are over. Meant for the operator of the machine, not for the web.
    ///
    /// # Errors
    /// [`Entity::Account`] where none that runs the shop has this id.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn set_admin_password(
        &self,
        by: &Actor,
        id: &AccountId,
        password: NewPassword,
    ) -> Result<Account> {
        self.admin(id).await?;
        let by_whom = self.requester(id.as_str());
        let hash = self.credentials.hasher.hash(by_whom, password).await?;
        let (by, key, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| set_password(tx, &at, &by, &key, &hash);
        self.cx.db().write(lane::CUSTOMERS, "account.set_admin_password", job).await?;
        self.cx.mail_written();
        self.get(id).await
    }

    /// Suspends an account that runs the shop, or lets it in again. With a suspension all its
    /// sessions are over.
    ///
    /// # Errors
    /// [`Entity::Account`] where none that runs the shop has this id;
    /// [`Conflict::LastAdmin`](crate::error::Conflict::LastAdmin) for the last one that can log in;
    /// [`Conflict::OwnAccount`](crate::error::Conflict::OwnAccount) for the account of the actor.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn set_admin_active(
        &self,
        by: &Actor,
        id: &AccountId,
        wanted: SetActive,
    ) -> Result<Account> {
        self.admin(id).await?;
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            set_active(tx, &at, &by, &id, wanted.active, None)?;
            store::get(tx, &id)?.ok_or(Error::NotFound(Entity::Account))
        };
        self.cx.db().write(lane::CUSTOMERS, "admin.set_active", job).await
    }

    async fn admin(&self, id: &AccountId) -> Result<Account> {
        let account = self.get(id).await?;
        if account.role == Role::Admin {
            Ok(account)
        } else {
            Err(Error::NotFound(Entity::Account))
        }
    }
}

fn set_password(tx: &mut dyn Tx, at: &Work, by: &Actor, id: &AccountId, hash: &str) -> Result<()> {
    if store::get(tx, id)?.is_none_or(|account| account.role != Role::Admin) {
        return Err(Error::NotFound(Entity::Account));
    }
    store::set_password(tx, at, id, hash)?;
    reset_link::delete_all(tx, id)?;
    staff::end_sessions(tx, at, id)?;
    enqueue_mail(tx, at, id, &AccountMail::PasswordChanged { at: at.now() })?;
    audit::record(tx, at, by, "account.reset_password", id.as_str(), &(), &())
}

/// Writes down that an account runs the shop from now on; of a person only that.
pub(super) fn note_creation(tx: &mut dyn Tx, at: &Work, id: &AccountId) -> Result<()> {
    #[derive(Serialize)]
    struct Noted {
        role: Role,
    }
    let noted = Noted { role: Role::Admin };
    audit::record(tx, at, &Actor::System, "account.create_admin", id.as_str(), &(), &noted)
}
