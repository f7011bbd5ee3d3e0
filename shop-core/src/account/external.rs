//! Customers whom the program around the shop logs in: accounts by a key of that program.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::password::no_password;
use super::{Account, Accounts, Origin, Role, announce, external_store, store};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::fiscal::BuyingCompany;
use crate::id::AccountId;
use crate::lane;
use crate::storage::Tx;
use crate::value::{Email, InvalidValue, Text};

/// The key by which the program around the shop knows a customer: 1 to 255 characters, without
/// control characters and without spaces around them. Compared byte by byte.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ExternalId(String);

impl ExternalId {
    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ExternalId {
    type Err = InvalidValue;

    /// Takes the text as it is: a key that were trimmed would be another one's.
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let fits: Text<1, 255> = text.parse()?;
        if fits.as_str() != text || text.contains(char::is_control) {
            return Err(InvalidValue::Characters);
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for ExternalId {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<ExternalId> for String {
    fn from(id: ExternalId) -> Self {
        id.0
    }
}

impl fmt::Display for ExternalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the program around the shop says of a customer who has no account yet.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExternalCustomer {
    /// The person's name.
    pub name: Text<1, 120>,
    /// Where the shop's mails go. No other account may have it.
    pub email: Email,
}

impl ExternalCustomer {
    /// A customer of this name and e-mail.
    pub fn new(name: Text<1, 120>, email: Email) -> Self {
        Self { name, email }
    }
}

impl Accounts<'_> {
    /// The account with a key of the program around the shop; a new customer's where there is none
    /// yet. The same key is the same account, however many calls come at once. A new account has no
    /// password, so nobody logs in with one; `customer.created` is emitted, and no mail of welcome
    /// is sent. An account that is there stays as it is.
    ///
    /// ```
    /// # shop_core::testing::run(async |shop| {
    /// use shop_core::account::ExternalCustomer;
    ///
    /// let key = "erp-4711".parse()?;
    /// let ana = ExternalCustomer::new("Ana Souza".parse()?, "ana@example.com".parse()?);
    /// let account = shop.accounts().ensure(&key, ana.clone()).await?;
    /// assert_eq!(shop.accounts().ensure(&key, ana).await?, account);
    ///
    /// let session = shop.sessions().issue(&account.id).await?;
    /// assert_eq!(shop.sessions().verify(&session.token).await?, account);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`Conflict::Email`] when another account has this e-mail: an account is not taken over by an
    /// e-mail alone. Once the program knows that it is the same person's, [`Accounts::link`] gives
    /// that account the key.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn ensure(&self, id: &ExternalId, customer: ExternalCustomer) -> Result<Account> {
        let key = id.clone();
        let find = move |tx: &mut dyn Tx| external_store::account(tx, &key);
        if let Some(known) = self.cx.db().lookup("account.by_external_id", find).await? {
            return Ok(known);
        }
        let (id, at, hash) = (id.clone(), self.cx.work(), no_password()?);
        let account = Account {
            id: at.id(),
            name: customer.name.to_string(),
            email: customer.email,
            phone: None,
            cpf: None,
            company: BuyingCompany::default(),
            role: Role::Customer,
            is_active: true,
            created_at: at.now(),
            guest: false,
        };
        let job = move |tx: &mut dyn Tx| {
            // Another call may have made it since.
            if let Some(known) = external_store::account(tx, &id)? {
                return Ok(known);
            }
            store::insert(tx, &account, Origin::Real, &hash)?;
            attach(tx, &at, &id, &account.id)?;
            announce(tx, &at, &account)?;
            Ok(account.clone())
        };
        self.cx.db().write(lane::CUSTOMERS, "account.ensure", job).await
    }

    /// Gives an account that the shop has already the key by which the program around it knows the
    /// person: [`Accounts::ensure`] finds it from then on, and its password stays. Once is enough;
    /// again changes nothing.
    ///
    /// # Errors
    /// [`Entity::Account`]; [`Conflict::ExternalId`] when the account has another key, or the key
    /// is another account's.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn link(&self, by: &Actor, id: &ExternalId, account: &AccountId) -> Result<()> {
        let (by, id, account, at) = (by.clone(), id.clone(), account.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            store::get(tx, &account)?.ok_or(Error::NotFound(Entity::Account))?;
            if external_store::external_id(tx, &account)?.as_deref() == Some(id.as_str()) {
                return Ok(());
            }
            attach(tx, &at, &id, &account)?;
            audit::record(tx, &at, &by, "customer.link", account.as_str(), &(), &())
        };
        self.cx.db().write(lane::CUSTOMERS, "account.link", job).await
    }
}

fn attach(tx: &mut dyn Tx, at: &Work, id: &ExternalId, account: &AccountId) -> Result<()> {
    Conflict::ExternalId.unless(external_store::insert(tx, at, id, account)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_taken_as_it_is_or_not_at_all() {
        for key in ["1", "erp:4711", "ana@example.com", "ção 9", &"x".repeat(255)] {
            assert_eq!(key.parse::<ExternalId>().map(String::from).as_deref(), Ok(key));
        }
        for key in ["", " ", " 1", "1 ", "a\nb", "a\0", &"x".repeat(256)] {
            assert!(key.parse::<ExternalId>().is_err(), "{key:?}");
        }
    }
}
