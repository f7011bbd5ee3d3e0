//! The address book of an account. One of its addresses is the default, as long as there is any.

use serde::Deserialize;

use super::address_store::{count, get, insert, list, make_default, newest_other, remove, save};
use crate::context::{Context, Work};
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, AddressId};
use crate::lane;
use crate::storage::Tx;
use crate::value::{Cep, InvalidValue, OptionalText, Text, Uf};

/// An address in an account's address book.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct Address {
    /// UUID version 7.
    pub id: AddressId,
    /// What its owner calls it, e.g. "Casa".
    pub label: String,
    /// The street, without the number.
    pub street: String,
    /// A text, because "s/n" and "12 B" are numbers too.
    pub number: String,
    /// Flat, block and the like.
    pub complement: Option<String>,
    /// The district ("bairro").
    pub district: String,
    /// The city.
    pub city: String,
    /// The state, by its two letters.
    pub state: Uf,
    /// Eight digits.
    pub zip_code: Cep,
    /// Whether a check-out starts with this one.
    pub is_default: bool,
}

/// A new address.
#[apply(input!)]
pub struct NewAddress {
    /// What its owner calls it, e.g. "Casa".
    pub label: Text<1, 60>,
    /// The street, without the number.
    pub street: Text<1, 200>,
    /// The house's number, or what stands for it.
    pub number: Text<1, 20>,
    /// Flat, block and the like; an empty text is none.
    pub complement: Option<OptionalText<100>>,
    /// The district ("bairro").
    pub district: Text<1, 120>,
    /// The city.
    pub city: Text<1, 120>,
    /// The state, by its two letters.
    pub state: Uf,
    /// Eight digits, with or without the hyphen.
    pub zip_code: Cep,
    /// Makes it the default. The first address is the default anyway.
    pub is_default: Option<bool>,
}

/// What to change of an address; fields that are absent stay.
#[apply(patch!)]
pub struct AddressPatch {
    /// What its owner calls it, e.g. "Casa".
    pub label: Option<Text<1, 60>>,
    /// The street, without the number.
    pub street: Option<Text<1, 200>>,
    /// The house's number, or what stands for it.
    pub number: Option<Text<1, 20>>,
    /// Null or an empty text clears it.
    pub complement: Option<Option<OptionalText<100>>>,
    /// The district ("bairro").
    pub district: Option<Text<1, 120>>,
    /// The city.
    pub city: Option<Text<1, 120>>,
    /// The state, by its two letters.
    pub state: Option<Uf>,
    /// Eight digits, with or without the hyphen.
    pub zip_code: Option<Cep>,
    /// True makes it the default; false hands that to the newest other address, if there is one.
    pub is_default: Option<bool>,
}

/// Address books: [`Shop::addresses`](crate::Shop::addresses).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// let ana = shop.buyer("Ana").await?;
/// let addresses = shop.addresses().list(&ana.id).await?;
/// assert_eq!(addresses[0].zip_code.as_str(), "01001000");
/// assert!(addresses[0].is_default);
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Addresses<'a> {
    cx: &'a Context,
}

/// How many addresses a book holds; more is a programme gone wild.
const MAX_ADDRESSES: i64 = 100;

impl Addresses<'_> {
    /// The account's addresses: the default one, then the newest first.
    ///
    /// # Errors
    /// Only the storage's.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, account: &AccountId) -> Result<Vec<Address>> {
        let account = account.clone();
        self.cx.db().lookup("address.list", move |tx| list(tx, &account)).await
    }

    /// Adds an address. The first one is the default.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the book is full (100 addresses);
    /// [`Credential::Session`](crate::error::Credential::Session) when the account was suspended or
    /// erased meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create(&self, account: &AccountId, input: NewAddress) -> Result<Address> {
        let (account, at) = (account.clone(), self.cx.work());
        let address = entered(at.id(), input);
        let job = move |tx: &mut dyn Tx| create(tx, &at, &account, address.clone());
        self.cx.db().write(lane::CUSTOMERS, "address.create", job).await
    }

    /// Changes what the patch names. Orders that were sent there keep the address as it was.
    ///
    /// # Errors
    /// [`Entity::Address`] when there is none, or it is another account's.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        account: &AccountId,
        id: &AddressId,
        patch: AddressPatch,
    ) -> Result<Address> {
        let (account, id) = (account.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| update(tx, &account, &id, patch.clone());
        self.cx.db().write(lane::CUSTOMERS, "address.update", job).await
    }

    /// Removes an address. When it was the default, the newest other one becomes it.
    ///
    /// # Errors
    /// [`Entity::Address`] when there is none, or it is another account's.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete(&self, account: &AccountId, id: &AddressId) -> Result<()> {
        let (account, id) = (account.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            let was_default = remove(tx, &account, &id)?.ok_or(NO_ADDRESS)?;
            let heir = if was_default { newest_other(tx, &account, &id)? } else { None };
            heir.map_or(Ok(()), |heir| make_default(tx, &account, &heir))
        };
        self.cx.db().write(lane::CUSTOMERS, "address.delete", job).await
    }
}

const NO_ADDRESS: Error = Error::NotFound(Entity::Address);

fn create(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    mut address: Address,
) -> Result<Address> {
    super::check_active(tx, account)?;
    let count = count(tx, account)?;
    if count >= MAX_ADDRESSES {
        let mut full = crate::error::FieldErrors::default();
        full.add_form(InvalidValue::TooManyAddresses { most: MAX_ADDRESSES.unsigned_abs() });
        return Err(Error::Invalid(full));
    }
    address.is_default |= count == 0;
    insert(tx, at, account, &address)?;
    if address.is_default {
        make_default(tx, account, &address.id)?;
    }
    Ok(address)
}

fn update(
    tx: &mut dyn Tx,
    account: &AccountId,
    id: &AddressId,
    patch: AddressPatch,
) -> Result<Address> {
    let before = get(tx, account, id)?.ok_or(NO_ADDRESS)?;
    let heir = match patch.is_default {
        Some(true) => Some(id.clone()),
        Some(false) if before.is_default => newest_other(tx, account, id)?,
        _ => None,
    };
    save(tx, account, &patched(before, patch))?;
    if let Some(heir) = heir {
        make_default(tx, account, &heir)?;
    }
    get(tx, account, id)?.ok_or(NO_ADDRESS)
}

fn entered(id: AddressId, input: NewAddress) -> Address {
    Address {
        id,
        label: input.label.to_string(),
        street: input.street.to_string(),
        number: input.number.to_string(),
        complement: input.complement.as_ref().and_then(filled),
        district: input.district.to_string(),
        city: input.city.to_string(),
        state: input.state,
        zip_code: input.zip_code,
        is_default: input.is_default.unwrap_or_default(),
    }
}

/// All but `is_default`, which concerns the other addresses too.
fn patched(before: Address, patch: AddressPatch) -> Address {
    Address {
        label: patch.label.map_or(before.label, |it| it.to_string()),
        street: patch.street.map_or(before.street, |it| it.to_string()),
        number: patch.number.map_or(before.number, |it| it.to_string()),
        complement: patch
            .complement
            .map_or(before.complement, |text| text.as_ref().and_then(filled)),
        district: patch.district.map_or(before.district, |it| it.to_string()),
        city: patch.city.map_or(before.city, |it| it.to_string()),
        state: patch.state.unwrap_or(before.state),
        zip_code: patch.zip_code.unwrap_or(before.zip_code),
        ..before
    }
}

fn filled(text: &OptionalText<100>) -> Option<String> {
    Some(text.to_string()).filter(|text| !text.is_empty())
}
