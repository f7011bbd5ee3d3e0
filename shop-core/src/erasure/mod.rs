//! What the law on personal data (LGPD) gives every customer: a copy of all that the shop keeps
//! about the person, and its deletion.

mod events;
mod mails;

pub(crate) use self::events::erase_events_due;
pub(crate) use self::mails::erase_mails_due;
use crate::account::{
    self, Account, Accounts, Address, Customers, Known, PasswordAttempt, Role, by_id,
};
use crate::actor::Actor;
use crate::audit;
use crate::cart::{self, Cart};
use crate::catalog::{ExportedReview, review};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::fulfilment::{self, ExportedShipment};
use crate::id::AccountId;
use crate::idempotency;
#[cfg(feature = "nfe")]
use crate::invoicing::{self, ExportedInvoice};
use crate::lane;
use crate::newsletter::{self, Subscriber};
use crate::notification::{self, Notification};
use crate::order::{self, ExportedOrder};
use crate::order_return::{self, OrderReturn};
use crate::storage::Tx;
use crate::value::InvalidValue;
use crate::wishlist::{self, ExportedWish};

/// All that the shop keeps about a person.
#[apply(inexact_answer!)]
pub struct AccountExport {
    /// When this was put together.
    pub exported_at: Timestamp,
    /// The account itself.
    pub account: Account,
    /// The key by which the program around the shop knows the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The whole address book.
    pub addresses: Vec<Address>,
    /// Every order, with its items and every attempt to pay it.
    pub orders: Vec<ExportedOrder>,
    /// Every return of goods.
    pub returns: Vec<OrderReturn>,
    /// Every parcel, with the steps of its way.
    pub shipments: Vec<ExportedShipment>,
    /// The saved cart.
    pub cart: Cart,
    /// Every in-app notification.
    pub notifications: Vec<Notification>,
    /// Every review, whatever its status.
    pub reviews: Vec<ExportedReview>,
    /// The whole wishlist.
    pub wishlist: Vec<ExportedWish>,
    /// Every electronic invoice, with what the law makes the shop keep.
    #[cfg(feature = "nfe")]
    pub invoices: Vec<ExportedInvoice>,
    /// The newsletter's subscription, also one that was ended; none while the e-mail is not proved.
    pub newsletter: Option<Subscriber>,
}

/// What confirms that an account shall be erased.
#[apply(input!)]
#[derive(Default)]
pub struct EraseAccount {
    /// The account's password. A guest has none, and leaves it out.
    pub password: Option<PasswordAttempt>,
}

impl EraseAccount {
    /// The erasure of an account, confirmed by its password.
    pub fn new(password: PasswordAttempt) -> Self {
        Self { password: Some(password) }
    }
}

/// What an aggregate does to forget a person.
type Forget = fn(&mut dyn Tx, &AccountId) -> Result<()>;

/// Every aggregate that keeps something about a person has a line here, and a field in
/// [`AccountExport`].
const FORGET: &[Forget] = &[
    account::forget_addresses,
    account::forget_external_id,
    account::forget_joined,
    cart::forget,
    fulfilment::forget,
    idempotency::forget,
    notification::forget,
    order::anonymise,
    order_return::anonymise,
    review::anonymise,
    wishlist::forget,
];

impl Accounts<'_> {
    /// All that the shop keeps about a person.
    ///
    /// # Errors
    /// [`Entity::Account`] when there is none.
    ///
    /// Cancel safe: reads only.
    pub async fn export(&self, id: &AccountId) -> Result<AccountExport> {
        let (id, now) = (id.clone(), self.cx.now());
        self.cx.db().read("account.export", move |tx| export(tx, &id, now)).await
    }

    /// Erases a person, all at once: name, e-mail, phone, CPF, addresses, cart and notifications
    /// go, and every session ends. Orders and payments stay for the books without saying whose they
    /// were, reviews without their author's name. The e-mail can be registered anew. A guest, who
    /// has no password, confirms nothing. Mails that were sent and events go by the background's
    /// work.
    ///
    /// # Errors
    /// [`Entity::Account`];
    /// [`Credential::CurrentPassword`](crate::error::Credential::CurrentPassword) when the password
    /// is wrong, [`Error::TooManyAttempts`] when it was too often; [`Conflict::AdminAccount`];
    /// [`Conflict::OpenOrders`] while an order is unpaid or under way, or waits for its invoice.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn erase(&self, id: &AccountId, input: EraseAccount) -> Result<()> {
        let id = id.clone();
        let known = self.cx.db().lookup("account.get", move |tx| by_id(tx, &id)).await?;
        let Known { account, password_hash: hash, .. } =
            known.ok_or(Error::NotFound(Entity::Account))?;
        if !account.guest {
            let required = || Error::field("password", InvalidValue::Required);
            let password = input.password.ok_or_else(required)?;
            self.confirm_password(&account.id, password, &hash).await?;
        }
        Conflict::AdminAccount.unless(account.role != Role::Admin)?;
        let (id, at) = (account.id, self.cx.work());
        self.cx
            .db()
            .write(lane::ORDERS, "account.erase", move |tx| erase(tx, &at, &id, &hash))
            .await
    }
}

impl Customers<'_> {
    /// All that the shop keeps about a person, who asked the shop for it. The audit log keeps who
    /// took it along, from before there is an answer.
    ///
    /// # Errors
    /// [`Entity::Account`].
    ///
    /// Cancel safe: the answer is read, then one transaction notes it, done or not.
    pub async fn export_person(&self, by: &Actor, id: &AccountId) -> Result<AccountExport> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let (asked, now) = (id.clone(), at.now());
        let read = move |tx: &mut dyn Tx| export(tx, &asked, now);
        let exported = self.cx.db().read("customer.export_person", read).await?;
        let note = move |tx: &mut dyn Tx| {
            audit::record(tx, &at, &by, "customer.export", id.as_str(), &(), &())
        };
        self.cx.db().write(lane::CUSTOMERS, "customer.note_export", note).await?;
        Ok(exported)
    }

    /// Erases a person who asked the shop, or the program around it, for it: what
    /// [`Accounts::erase`] does, without a password. The audit log keeps who did it.
    ///
    /// # Errors
    /// [`Entity::Account`]; [`Conflict::AdminAccount`]; [`Conflict::OpenOrders`] while an order is
    /// unpaid or under way, or waits for its invoice.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn erase_person(&self, by: &Actor, id: &AccountId) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let Known { account, password_hash, .. } =
                by_id(tx, &id)?.ok_or(Error::NotFound(Entity::Account))?;
            Conflict::AdminAccount.unless(account.role != Role::Admin)?;
            erase(tx, &at, &id, &password_hash)?;
            audit::record(tx, &at, &by, "customer.erase", id.as_str(), &(), &())
        };
        self.cx.db().write(lane::ORDERS, "customer.erase_person", job).await
    }
}

fn export(tx: &mut dyn Tx, id: &AccountId, now: Timestamp) -> Result<AccountExport> {
    let known = by_id(tx, id)?.ok_or(Error::NotFound(Entity::Account))?;
    Ok(AccountExport {
        exported_at: now,
        account: known.account,
        external_id: account::external_id(tx, id)?,
        addresses: account::addresses(tx, id)?,
        orders: order::export(tx, id)?,
        returns: order_return::of_account(tx, id)?,
        shipments: fulfilment::of_account(tx, id)?,
        cart: cart::of_account(tx, id)?,
        notifications: notification::all(tx, id)?,
        reviews: review::of_account(tx, id)?,
        wishlist: wishlist::of_account(tx, id)?,
        #[cfg(feature = "nfe")]
        invoices: invoicing::of_account(tx, id)?,
        newsletter: newsletter::of_account(tx, id)?,
    })
}

fn erase(tx: &mut dyn Tx, at: &Work, id: &AccountId, hash: &str) -> Result<()> {
    let open = order::has_open(tx, id)? || order_return::has_open(tx, id)?;
    // It could never be issued, without the buyer and the address.
    #[cfg(feature = "nfe")]
    let open = open || invoicing::owes_invoice(tx, id)?;
    Conflict::OpenOrders.unless(!open)?;
    mails::forget(tx, id)?;
    // By the address, which the account loses next.
    newsletter::forget(tx, id)?;
    account::forget_links(tx, id)?;
    account::empty(tx, at, id, hash)?;
    events::forget(tx, id)?;
    for guest in account::joined_guests(tx, id)? {
        mails::forget(tx, &guest)?;
        events::forget(tx, &guest)?;
    }
    FORGET.iter().try_for_each(|forget| forget(tx, id))
}

/// Deletes the account of a guest who has no orders, with all that is kept about the person. Of one
/// with reviews an empty account stays.
pub(crate) fn remove_guest(tx: &mut dyn Tx, at: &Work, guest: &Known) -> Result<()> {
    let id = &guest.account.id;
    let reviewed = !review::of_account(tx, id)?.is_empty();
    account::forget_links(tx, id)?;
    FORGET.iter().try_for_each(|forget| forget(tx, id))?;
    if reviewed {
        account::empty(tx, at, id, &guest.password_hash)?;
        account::keep_guest(tx, id)
    } else {
        account::delete_guest(tx, id)
    }
}
