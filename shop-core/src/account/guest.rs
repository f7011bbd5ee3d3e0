//! Accounts of guests: customers who buy without making up a password.
//!
//! A guest's account is one of its own for each browser, whatever e-mail was typed: an e-mail alone
//! neither opens nor names another account. Its mailbox is proved by the links in the mails of its
//! orders (`order/link.rs`).

use std::time::Duration;

use super::password::no_password;
use super::{
    Account, AccountMail, Accounts, NewPassword, Origin, Requester, Role, announce, enqueue_mail,
    store,
};
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::fiscal::BuyingCompany;
use crate::storage::Tx;
use crate::value::{Cpf, Email, OptionalText, Text};

/// How long a guest's account is kept that nothing was ordered with: a day longer than its session.
const GUEST_LIFETIME: Duration = Duration::from_secs(8 * 24 * 60 * 60);

/// A customer who buys without a password.
#[apply(input!)]
pub struct GuestCustomer {
    /// The person's name; an invoice takes none of one character.
    pub name: Text<2, 120>,
    /// Where the order's mails go. Other accounts may have it, too.
    pub email: Email,
    /// As the person writes it.
    pub phone: Option<OptionalText<30>>,
    /// The taxpayer number, which an NF-e and some payment providers need.
    pub cpf: Option<Cpf>,
}

impl GuestCustomer {
    /// What it says of an account.
    fn fill(&self, account: Account) -> Account {
        let phone = self.phone.as_ref().map(ToString::to_string).filter(|text| !text.is_empty());
        let (name, email) = (self.name.to_string(), self.email.clone());
        Account { name, email, phone, cpf: self.cpf.clone(), ..account }
    }
}

impl Accounts<'_> {
    /// The hash of a password that is set by a link; the link tells one client from another
    /// where no address is known.
    pub(crate) async fn hash_by_link(&self, link: &str, password: NewPassword) -> Result<String> {
        let by = Requester::stranger(self.client, link);
        self.credentials.hasher.hash(by, password).await
    }
}

/// Makes a guest's account. Nothing is mailed and no event is emitted: the person who typed the
/// e-mail has not registered, and need not own it.
pub(crate) fn new_guest(tx: &mut dyn Tx, at: &Work, guest: &GuestCustomer) -> Result<Account> {
    let account = guest.fill(Account {
        id: at.id(),
        name: String::new(),
        email: guest.email.clone(),
        phone: None,
        cpf: None,
        company: BuyingCompany::default(),
        role: Role::Customer,
        is_active: true,
        created_at: at.now(),
        guest: true,
    });
    store::insert(tx, &account, Origin::Real, &no_password()?)?;
    store::set_guest_until(tx, &account.id, at.now().plus(GUEST_LIFETIME))?;
    Ok(account)
}

/// Writes what a guest typed anew to the account that the browser has already.
pub(crate) fn renew_guest(
    tx: &mut dyn Tx,
    at: &Work,
    known: Account,
    guest: &GuestCustomer,
) -> Result<Account> {
    let account = guest.fill(known);
    store::save_profile(tx, at, &account)?;
    store::set_guest_until(tx, &account.id, at.now().plus(GUEST_LIFETIME))?;
    Ok(account)
}

/// Makes a guest's account one that logs in, and returns it with the second from which sessions
/// hold. Emits `customer.created` and welcomes, as a registration does.
///
/// # Errors
/// [`Conflict::Email`] where another account has the e-mail, or this one has a password already.
pub(crate) fn set_guest_password(
    tx: &mut dyn Tx,
    at: &Work,
    account: &Account,
    hash: &str,
) -> Result<(Account, i64)> {
    Conflict::Email.unless(store::promote(tx, at, account, hash)?)?;
    let known = store::by_id(tx, &account.id)?.ok_or(Error::NotFound(Entity::Account))?;
    announce(tx, at, &known.account)?;
    enqueue_mail(tx, at, &account.id, &AccountMail::Welcome {})?;
    Ok((known.account, known.sessions_from))
}
