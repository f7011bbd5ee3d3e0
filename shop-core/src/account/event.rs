//! What events say of a customer.
//!
//! These shapes are a contract of their own, apart from the shop's other answers: fields are added,
//! never changed or taken away, within one version of the events.

use serde::Deserialize;

use crate::clock::Timestamp;
use crate::id::AccountId;
use crate::value::Email;

/// The data of `customer.created`.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventCustomer {
    /// The account's id.
    pub id: AccountId,
    /// The customer's name.
    pub name: String,
    /// The customer's e-mail.
    pub email: Email,
    /// When the account was registered.
    pub created_at: Timestamp,
}
