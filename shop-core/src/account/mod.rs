//! Accounts: their profiles, passwords, sessions and address books.

mod active;
mod address;
mod address_store;
mod admin;
mod credentials;
mod customer;
mod demo;
mod event;
mod external;
mod external_store;
mod fair_queue;
mod guest;
mod joined_store;
mod mail;
mod password;
mod profile;
mod reset;
mod reset_link;
mod session;
mod session_token;
mod staff;
mod store;
mod wrong_passwords;

use std::net::IpAddr;

use serde::Deserialize;

pub(crate) use self::active::set_active;
pub use self::address::{Address, AddressPatch, Addresses, NewAddress};
#[cfg(feature = "demo")]
pub(crate) use self::address_store::insert as insert_address;
pub(crate) use self::address_store::{
    forget as forget_addresses, get as address, list as addresses, prefetch as prefetch_address,
};
pub(crate) use self::credentials::Credentials;
pub use self::customer::{Customers, SetActive};
pub(crate) use self::demo::suspend_demo;
pub use self::event::EventCustomer;
pub use self::external::{ExternalCustomer, ExternalId};
pub(crate) use self::external_store::{external_id, forget as forget_external_id};
use self::fair_queue::Requester;
pub use self::guest::GuestCustomer;
pub(crate) use self::guest::{new_guest, renew_guest, set_guest_password};
pub(crate) use self::joined_store::{forget_joined, joined_guests, note_joined};
pub use self::mail::AccountMail;
pub(crate) use self::mail::enqueue_mail;
pub(crate) use self::password::PASSWORD_PARAMS;
#[cfg(feature = "test-util")]
pub(crate) use self::password::WEAK_PASSWORD_PARAMS;
#[cfg(feature = "demo")]
pub(crate) use self::password::no_password;
pub use self::password::{NewPassword, PasswordAttempt};
pub use self::profile::ProfilePatch;
pub use self::reset::{ForgotPassword, ResetPassword};
pub use self::reset_link::ResetToken;
pub(crate) use self::reset_link::{delete_all as forget_links, purge as purge_links};
pub use self::session::{LogIn, Session, Sessions};
use self::staff::SecondStep;
pub use self::staff::TwoFactorMail;
pub(crate) use self::staff::purge_sessions as purge_staff_sessions;
pub use self::staff::{
    BeginTwoFactor, ConfirmTwoFactor, DisableTwoFactor, Identity, RenewRecoveryCodes, StaffSession,
    TwoFactor, TwoFactorCode, TwoFactorEnrolment, TwoFactorStatus,
};
#[cfg(feature = "http")]
pub(crate) use self::store::active_admins;
pub(crate) use self::store::{
    abandoned_guests, by_id, delete_guest, email_key, empty, erased_email, get, is_demo_email,
    is_taken, keep_guest, name_of, prefetch, prove_email, proved_email_key, put_off_guest,
};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{Credential, Entity, Error, Result};
use crate::event::{EventName, emit};
use crate::fiscal::{Buyer, BuyingCompany};
use crate::id::AccountId;
use crate::lane;
use crate::storage::Tx;
use crate::value::{Cpf, Email, Mailbox, Text, wire_enum};

wire_enum! {
    /// What an account may do.
    pub enum Role {
        /// Buys.
        Customer = "CUSTOMER",
        /// Runs the shop.
        Admin = "ADMIN",
    }
}

/// A user's account.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct Account {
    /// UUID version 7.
    pub id: AccountId,
    /// The person's name.
    pub name: String,
    /// As it was entered; compared without regard to case.
    pub email: Email,
    /// As it was entered, if it was.
    pub phone: Option<String>,
    /// The taxpayer number, which an NF-e needs.
    pub cpf: Option<Cpf>,
    /// The company that the account buys for, if it does.
    #[serde(flatten)]
    pub company: BuyingCompany,
    /// What the account may do.
    pub role: Role,
    /// False when staff suspended it: then there is no log-in with it.
    pub is_active: bool,
    /// When it was registered.
    pub created_at: Timestamp,
    /// Whether it was made for a purchase without a password: its e-mail is not proved, and other
    /// accounts may have the same.
    #[serde(default)]
    pub guest: bool,
}

impl Account {
    /// Who buys with the account, as the tax office knows it; none where the account does not say.
    pub(crate) fn buyer(&self) -> Option<Buyer> {
        let buyer = Buyer::of(self.cpf.as_ref(), &self.company)?;
        Some(Buyer { name: Some(self.name.clone()), ..buyer })
    }
}

/// A new account.
#[apply(input!)]
pub struct Register {
    /// The person's name; an invoice takes none of one character.
    pub name: Text<2, 120>,
    /// No other account may have it, in whatever case.
    pub email: Email,
    /// What the person will log in with.
    pub password: NewPassword,
}

/// A change of password, confirmed with the current one.
#[apply(input!)]
pub struct ChangePassword {
    /// What the account's password is now.
    pub current_password: PasswordAttempt,
    /// What it shall be.
    pub new_password: NewPassword,
}

/// Accounts: [`Shop::accounts`](crate::Shop::accounts).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::account::Register;
///
/// let ana = Register {
///     name: "Ana Souza".parse()?,
///     email: "ana@example.com".parse()?,
///     password: "segredo-123".parse()?,
/// };
/// let session = shop.accounts().register(ana).await?;
/// assert_eq!(shop.accounts().get(&session.account.id).await?.name, "Ana Souza");
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Accounts<'a> {
    pub(crate) cx: &'a Context,
    credentials: &'a Credentials,
    client: Option<IpAddr>,
    user_agent: Option<&'a str>,
}

impl<'a> Accounts<'a> {
    pub(crate) fn new(cx: &'a Context, credentials: &'a Credentials) -> Self {
        Self { cx, credentials, client: None, user_agent: None }
    }

    /// Calls on behalf of a client at this address. Passwords of different addresses are hashed in
    /// turns, so that one that sends many keeps no other waiting; where no address is known,
    /// those of different accounts are.
    #[must_use]
    pub fn from_client(self, client: IpAddr) -> Self {
        Self { client: Some(client), ..self }
    }

    /// Calls on behalf of a browser or program of this name, by which staff knows its sessions.
    #[must_use]
    pub fn with_user_agent(self, user_agent: Option<&'a str>) -> Self {
        Self { user_agent, ..self }
    }

    /// A session that follows from a call of these.
    pub(crate) async fn issue(&self, account: Account, starts: i64) -> Result<Session> {
        let mut sessions = Sessions::new(self.cx, self.credentials);
        sessions = sessions.with_user_agent(self.user_agent);
        if let Some(client) = self.client {
            sessions = sessions.from_client(client);
        }
        let issued = sessions.start(account, starts, SecondStep::Done).await?;
        issued.ok_or(Error::Unauthenticated(Credential::Session))
    }

    fn requester(&self, account: &str) -> Requester {
        Requester::new(self.client, account)
    }

    /// Registers a customer, sends a mail of welcome and starts a session. Emits
    /// `customer.created`.
    ///
    /// # Errors
    /// [`Conflict::Email`](crate::error::Conflict::Email) when an account has this e-mail.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn register(&self, input: Register) -> Result<Session> {
        let account = self.create(input, Role::Customer, Origin::Real).await?;
        self.cx.mail_written();
        let issued_at = account.created_at.seconds();
        self.issue(account, issued_at).await
    }

    /// Creates an account that runs the shop. Meant for the operator of the machine, not for the
    /// web.
    ///
    /// # Errors
    /// [`Conflict::Email`](crate::error::Conflict::Email) when an account has this e-mail.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create_admin(&self, input: Register) -> Result<Account> {
        self.create(input, Role::Admin, Origin::Real).await
    }

    /// Creates an account of the demonstration, to which nothing is ever mailed.
    #[cfg(feature = "demo")]
    pub(crate) async fn create_demo(&self, input: Register, role: Role) -> Result<Account> {
        self.create(input, role, Origin::Demo).await
    }

    async fn create(&self, input: Register, role: Role, origin: Origin) -> Result<Account> {
        let Register { name, email, password } = input;
        let by = Requester::stranger(self.client, &email.key());
        let hash = self.credentials.hasher.hash(by, password).await?;
        let at = self.cx.work();
        let account = Account {
            id: at.id(),
            name: name.to_string(),
            email,
            phone: None,
            cpf: None,
            company: BuyingCompany::default(),
            role,
            is_active: true,
            created_at: at.now(),
            guest: false,
        };
        let job = move |tx: &mut dyn Tx| create(tx, &at, &account, origin, &hash);
        self.cx.db().write(lane::CUSTOMERS, "account.create", job).await
    }

    /// An account.
    ///
    /// # Errors
    /// [`Entity::Account`] when there is none.
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &AccountId) -> Result<Account> {
        let id = id.clone();
        let known = self.cx.db().lookup("account.get", move |tx| store::by_id(tx, &id)).await?;
        known.map(|known| known.account).ok_or(Error::NotFound(Entity::Account))
    }

    /// Gives the account another password. All its sessions are over; the one that is returned
    /// is new.
    ///
    /// # Errors
    /// [`Entity::Account`]; [`Credential::CurrentPassword`] when that is wrong,
    /// [`Error::TooManyAttempts`] when it was too often.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn change_password(&self, id: &AccountId, input: ChangePassword) -> Result<Session> {
        let ChangePassword { current_password, new_password } = input;
        let id = id.clone();
        let known = self.cx.db().lookup("account.get", move |tx| store::by_id(tx, &id)).await?;
        let Known { account, password_hash: old, .. } =
            known.ok_or(Error::NotFound(Entity::Account))?;
        self.confirm_password(&account.id, current_password, &old).await?;
        let by = self.requester(account.id.as_str());
        let new = self.credentials.hasher.hash(by, new_password).await?;
        let (id, at) = (account.id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            reset_link::delete_all(tx, &id)?;
            staff::end_sessions(tx, &at, &id)?;
            note_of_staff(tx, &at, &id, "account.change_password")?;
            let sessions_from = store::save_password(tx, &at, &id, &old, &new)?;
            enqueue_mail(tx, &at, &id, &AccountMail::PasswordChanged { at: at.now() })?;
            Ok(sessions_from)
        };
        let sessions_from =
            self.cx.db().write(lane::CUSTOMERS, "account.change_password", job).await?;
        self.cx.mail_written();
        self.issue(account, sessions_from).await
    }
}

/// Writes down what an admin did to the own way into the back office; of customers nothing is kept.
fn note_of_staff(tx: &mut dyn Tx, at: &Work, id: &AccountId, action: &'static str) -> Result<()> {
    if store::get(tx, id)?.is_none_or(|account| account.role != Role::Admin) {
        return Ok(());
    }
    audit::record(tx, at, &Actor::Admin(id.clone()), action, id.as_str(), &(), &())
}

/// An account with what proves who it is: no answer has it.
pub(crate) struct Known {
    pub(crate) account: Account,
    pub(crate) password_hash: String,
    /// In seconds: sessions issued before are over.
    pub(crate) sessions_from: i64,
    /// Whether it was made up for a demonstration.
    is_demo: bool,
}

impl Account {
    /// Refuses an account that was suspended or erased, as a session of it is.
    ///
    /// # Errors
    /// [`Credential::Session`].
    pub(crate) fn check_active(&self) -> Result<()> {
        if self.is_active { Ok(()) } else { Err(Error::Unauthenticated(Credential::Session)) }
    }
}

/// Refuses an account that was suspended or erased, or is gone, as a guest's is whose orders
/// another account took over. For jobs whose caller had a session when it was read.
///
/// # Errors
/// [`Entity::Account`]; [`Credential::Session`].
pub(crate) fn check_active(tx: &mut dyn Tx, id: &AccountId) -> Result<()> {
    get(tx, id)?.ok_or(Error::NotFound(Entity::Account))?.check_active()
}

impl Known {
    /// Where mails to the account go. None where it has no mailbox: it is of the demonstration, or
    /// of who was erased.
    pub(crate) fn mailbox(&self) -> Option<Mailbox> {
        let Account { id, email, name, .. } = &self.account;
        let has_one = !self.is_demo && email.as_str() != store::erased_address(id);
        has_one.then(|| Mailbox { email: email.clone(), name: Some(name.clone()) })
    }
}

/// Whether an account is a person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A person.
    Real,
    /// It was made up for a demonstration.
    Demo,
}

/// Adds a customer of the demonstration, as bulk data: without an event and without a mail.
#[cfg(feature = "demo")]
pub(crate) fn insert_demo_customer(tx: &mut dyn Tx, account: &Account, hash: &str) -> Result<()> {
    store::insert(tx, account, Origin::Demo, hash)
}

fn create(
    tx: &mut dyn Tx,
    at: &Work,
    account: &Account,
    origin: Origin,
    hash: &str,
) -> Result<Account> {
    store::insert(tx, account, origin, hash)?;
    if account.role == Role::Admin {
        admin::note_creation(tx, at, &account.id)?;
    }
    if account.role == Role::Customer {
        announce(tx, at, account)?;
        enqueue_mail(tx, at, &account.id, &AccountMail::Welcome {})?;
    }
    Ok(account.clone())
}

/// Emits that a customer is new.
fn announce(tx: &mut dyn Tx, at: &Work, account: &Account) -> Result<()> {
    let Account { id, name, email, created_at, .. } = account.clone();
    let data = EventCustomer { id, name, email, created_at };
    emit(tx, at, EventName::CustomerCreated, &data).map(drop)
}
