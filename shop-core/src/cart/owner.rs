//! Who a cart belongs to: an account, or a guest with a token.

use std::str::FromStr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::account;
use crate::error::{Error, Result};
use crate::id::AccountId;
use crate::storage::Tx;
use crate::value::InvalidValue;

/// How long a guest's cart is kept after its last change.
pub(super) const LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What a guest shows to get at the guest's cart: 32 random bytes, written in base64url. Only their
/// SHA-256 is stored. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct GuestToken([u8; 32]);

impl GuestToken {
    /// A new guest's token.
    ///
    /// # Errors
    /// [`Error::Internal`] when the machine has no randomness.
    pub fn generate() -> Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(Error::from_source)?;
        Ok(Self(bytes))
    }

    /// The token as text, for the guest only.
    pub fn reveal(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    fn owner(&self) -> String {
        hex::encode(Sha256::digest(self.0))
    }
}

impl FromStr for GuestToken {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidValue::Cart;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid())?;
        bytes.try_into().map(Self).map_err(|_| invalid())
    }
}

opaque! { GuestToken; }

/// Who a cart belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CartOwner {
    /// An account's.
    Account(AccountId),
    /// A guest's, who has not logged in.
    Guest(GuestToken),
}

impl From<&AccountId> for CartOwner {
    fn from(account: &AccountId) -> Self {
        Self::Account(account.clone())
    }
}

impl From<&GuestToken> for CartOwner {
    fn from(guest: &GuestToken) -> Self {
        Self::Guest(guest.clone())
    }
}

impl From<&CartOwner> for CartOwner {
    fn from(owner: &CartOwner) -> Self {
        owner.clone()
    }
}

/// An owner as the rows of a cart name it.
#[derive(Debug, Clone)]
pub(super) struct OwnerKey {
    pub(super) text: String,
    pub(super) is_guest: bool,
}

impl From<CartOwner> for OwnerKey {
    fn from(owner: CartOwner) -> Self {
        match owner {
            CartOwner::Account(id) => Self { text: id.to_string(), is_guest: false },
            CartOwner::Guest(token) => Self { text: token.owner(), is_guest: true },
        }
    }
}

impl OwnerKey {
    /// Whether nobody has to log in for it: it is a guest's, or a guest's account's.
    pub(super) fn is_of_guest(&self, tx: &mut dyn Tx) -> Result<bool> {
        if self.is_guest {
            return Ok(true);
        }
        let account = account::get(tx, &self.text.as_str().into())?;
        Ok(account.is_some_and(|account| account.guest))
    }

    /// Refuses an account that was suspended, erased or taken over since its session was read: no
    /// account would own the cart.
    ///
    /// # Errors
    /// As [`account::check_active`].
    pub(super) fn check(&self, tx: &mut dyn Tx) -> Result<()> {
        if self.is_guest {
            return Ok(());
        }
        account::check_active(tx, &self.text.as_str().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_nothing_else_is_one() {
        let token = GuestToken::generate().expect("a token");
        let text = token.reveal();
        assert_eq!(text.len(), 43);
        assert_eq!(text.parse(), Ok(token.clone()));
        assert_ne!(GuestToken::generate().expect("a token"), token);
        for bad in ["", "x", &text[1..], &format!("{text}A"), &format!("{text}="), &"+".repeat(43)]
        {
            assert!(bad.parse::<GuestToken>().is_err(), "{bad:?}");
        }
        assert!(!format!("{token:?}").contains(&text));
        assert_ne!(token.owner(), hex::encode(token.0));
    }
}
