//! Buying without an account: guests, and how their orders come to an account that logs in
//! (docs/guests.md).

mod abandoned;

pub(crate) use self::abandoned::{abandoned, look_again, purge};
use crate::account::{
    self, Account, Accounts, GuestCustomer, Known, NewPassword, Role, Session, by_id,
};
use crate::cart;
use crate::context::Work;
use crate::erasure;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::AccountId;
use crate::lane;
use crate::notification;
use crate::order::{self, OrderToken};
use crate::order_return;
use crate::storage::Tx;

/// A password that a guest sets.
#[apply(input!)]
pub struct SetGuestPassword {
    /// What the link in a mail about one of the guest's orders carries.
    pub token: OrderToken,
    /// What the guest will log in with.
    pub password: NewPassword,
}

/// The orders of a guest that shall belong to an account.
#[apply(input!)]
pub struct JoinGuest {
    /// What the link in a mail about one of the guest's orders carries.
    pub token: OrderToken,
}

impl Accounts<'_> {
    /// Makes an account without a password and starts a session, so that a customer who does not
    /// want an account can buy. Whether another account has the e-mail is neither asked nor told.
    /// Nothing is mailed, and no event is emitted. A guest who has a session already, and either
    /// nothing ordered or the same e-mail, keeps the account and changes what it says; with orders
    /// and another e-mail the cart goes along to another account.
    ///
    /// ```
    /// # shop_core::testing::run(async |shop| {
    /// use shop_core::account::GuestCustomer;
    ///
    /// shop.buyer("Ana").await?;
    /// let guest: GuestCustomer =
    ///     serde_json::from_str(r#"{ "name": "Ana", "email": "ana@example.com" }"#)?;
    /// let session = shop.accounts().register_guest(guest, None).await?;
    /// assert!(session.account.guest);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn register_guest(
        &self,
        guest: GuestCustomer,
        current: Option<&AccountId>,
    ) -> Result<Session> {
        // A guest who orders meanwhile keeps the e-mail that the order's mails go to.
        let lane = if current.is_some() { lane::ORDERS } else { lane::CUSTOMERS };
        let (current, at) = (current.cloned(), self.cx.work());
        let job = move |tx: &mut dyn Tx| register(tx, &at, &guest, current.as_ref());
        let job = self.cx.db().write(lane, "guest.register", job);
        let Known { account, sessions_from, .. } = job.await?;
        let starts = self.cx.now().seconds().max(sessions_from);
        self.issue(account, starts).await
    }

    /// Gives the guest whose order a link opens a password: the account logs in from then on. The
    /// link proves that the e-mail is the guest's. All other sessions of it end.
    ///
    /// # Errors
    /// [`Credential::OrderLink`](crate::error::Credential::OrderLink) when the link does not hold;
    /// [`Conflict::Email`] when an account that logs in has the e-mail: the guest's orders join it
    /// after a log-in, by [`Accounts::join_guest`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn set_guest_password(&self, input: SetGuestPassword) -> Result<Session> {
        let SetGuestPassword { token, password } = input;
        let (cx, now, link) = (self.cx.clone(), self.cx.now(), token.clone());
        // Before the hashing, which costs.
        let find = move |tx: &mut dyn Tx| {
            let (order, account) = order::open_link(tx, cx.mail_link_secret(), &link, now)?;
            let is_free = account.guest && !account::is_taken(tx, &account.email)?;
            Conflict::Email.unless(is_free)?;
            Ok(order)
        };
        let order = self.cx.db().lookup("guest.of_link", find).await?;
        let hash = self.hash_by_link(order.as_str(), password).await?;
        let (cx, at) = (self.cx.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let (_, guest) = order::open_link(tx, cx.mail_link_secret(), &token, at.now())?;
            account::set_guest_password(tx, &at, &guest, &hash)
        };
        let job = self.cx.db().write(lane::CUSTOMERS, "guest.set_password", job);
        let (account, sessions_from) = job.await?;
        self.cx.mail_written();
        self.issue(account, sessions_from).await
    }

    /// Hands all orders of the guest whose order a link opens over to an account with the same
    /// e-mail, and what is in the cart; the guest's account is deleted. Again changes nothing.
    ///
    /// # Errors
    /// [`Credential::OrderLink`](crate::error::Credential::OrderLink) when the link does not hold;
    /// [`Conflict::OtherEmail`] when the link was sent to another e-mail than the account's;
    /// [`Error::Forbidden`] for a guest's account and one that runs the shop.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn join_guest(&self, id: &AccountId, input: JoinGuest) -> Result<()> {
        let (id, cx, at) = (id.clone(), self.cx.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let secret = cx.mail_link_secret();
            let (_, guest) = order::open_link(tx, secret, &input.token, at.now())?;
            join(tx, &at, &guest, &id)
        };
        self.cx.db().write(lane::ORDERS, "guest.join", job).await
    }
}

fn register(
    tx: &mut dyn Tx,
    at: &Work,
    guest: &GuestCustomer,
    current: Option<&AccountId>,
) -> Result<Known> {
    let known = match current {
        Some(id) => by_id(tx, id)?.filter(|known| known.account.guest && known.account.is_active),
        None => None,
    };
    let account = match known {
        Some(Known { account, .. }) if may_renew(tx, &account, guest)? => {
            account::renew_guest(tx, at, account, guest)?
        }
        Some(Known { account: before, .. }) => {
            let account = account::new_guest(tx, at, guest)?;
            cart::adopt(tx, &before.id, &account.id)?;
            account
        }
        None => account::new_guest(tx, at, guest)?,
    };
    by_id(tx, &account.id)?.ok_or(Error::NotFound(Entity::Account))
}

/// An order stays with the e-mail that its mails went to.
fn may_renew(tx: &mut dyn Tx, account: &Account, guest: &GuestCustomer) -> Result<bool> {
    Ok(account.email.key() == guest.email.key() || !order::has_any(tx, &account.id)?)
}

fn join(tx: &mut dyn Tx, at: &Work, guest: &Account, id: &AccountId) -> Result<()> {
    if guest.id == *id {
        return Ok(());
    }
    let known = by_id(tx, id)?.ok_or(Error::NotFound(Entity::Account))?;
    if known.account.guest || known.account.role != Role::Customer {
        return Err(Error::Forbidden);
    }
    let same = known.account.email.key() == guest.email.key();
    Conflict::OtherEmail.unless(guest.guest && same)?;
    let guest = by_id(tx, &guest.id)?.ok_or(Error::NotFound(Entity::Account))?;
    order::adopt(tx, &guest.account.id, id)?;
    order_return::adopt(tx, &guest.account.id, id)?;
    notification::adopt(tx, &guest.account.id, id)?;
    cart::adopt(tx, &guest.account.id, id)?;
    account::note_joined(tx, &guest.account.id, id)?;
    // The order's link was mailed to the e-mail that both have.
    account::prove_email(tx, id, at.now())?;
    erasure::remove_guest(tx, at, &guest)
}
