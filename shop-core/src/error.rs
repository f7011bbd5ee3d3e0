//! What can go wrong, by what a caller can do about it.
//!
//! One enum for the whole library. It knows nothing of HTTP: the server maps it to a status and a
//! Portuguese text in one place, and a program that embeds the library matches on it, or goes by
//! [`Error::code`]. A version may bring new variants; a test of the server holds that it has a
//! reply for each.

#[macro_use]
mod coded;
mod conflict;
mod convert;
mod credential;
mod entity;
mod refusal;

use std::sync::Arc;
use std::time::Duration;

pub use self::conflict::Conflict;
pub(crate) use self::convert::check_count;
pub use self::convert::with_causes;
pub use self::credential::Credential;
pub use self::entity::Entity;
pub use self::refusal::{CardRejection, CouponRefusal, Refusal};
pub use crate::field_errors::FieldErrors;

/// The result of everything in this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The source of an [`Error::Internal`] or [`Error::Provider`]; shared, because one failed commit
/// answers every job of its group.
pub type Source = Arc<dyn std::error::Error + Send + Sync>;

coded! {
    /// Why an operation of the shop did not happen. Nothing was changed unless a method says so.
    #[derive(Debug, Clone, thiserror::Error)]
    #[non_exhaustive]
    pub enum Error {
        /// The input breaks a rule; every wrong field is named at once.
        #[error("invalid input: {0}")]
        Invalid(FieldErrors) = "invalid_input",
        /// There is no such thing, or it is not the caller's.
        #[error("{0:?} not found")]
        NotFound(Entity) by Error::NotFound(what) => what,
        /// Something else already has this unique value.
        #[error("conflict: {0:?}")]
        Conflict(Conflict) by Error::Conflict(what) => what,
        /// The input is well-formed, but a rule of business says no.
        #[error("refused: {0}")]
        Refused(Refusal) by Error::Refused(refusal) => refusal,
        /// The caller did not prove an identity.
        #[error("unauthenticated: {0:?}")]
        Unauthenticated(Credential) by Error::Unauthenticated(credential) => credential,
        /// The caller is known, and may not do this.
        #[error("forbidden")]
        Forbidden = "forbidden",
        /// E-mail and password are right, but staff suspended the account.
        #[error("the account is suspended")]
        Suspended = "account_suspended",
        /// The same was tried too often of late, e.g. a password that is wrong; nothing was done.
        #[error("too many attempts, try again in {retry_after:?}")]
        TooManyAttempts {
            /// How many there may be.
            max: usize,
            /// How long to wait before the next one.
            retry_after: Duration,
        } = "rate_limited",
        /// Too much is queued already; the same call may succeed a little later.
        #[error("busy, try again in {retry_after:?}")]
        Busy {
            /// How long to wait before the next try.
            retry_after: Duration,
        } = "busy",
        /// The machine below the database fails, its disk is full, read-only or broken, or a
        /// database server is away or takes no writes, as a standby does. The same call succeeds
        /// once that is mended, without a restart. Nothing was changed; only where the disk failed
        /// while a commit was brought to it, the next start may find it done.
        #[error("the database cannot be used, try again in {retry_after:?}")]
        StorageUnavailable {
            /// How long to wait before the next try.
            retry_after: Duration,
            /// What the machine said. For the log.
            #[source]
            source: Source,
        } = "busy",
        /// A third party failed; the shop's own state is as it was.
        #[error("provider {name} failed")]
        Provider {
            /// Which one, e.g. `provider1`.
            name: &'static str,
            /// What it said. Never holds a secret.
            #[source]
            source: Source,
        } = "provider_failure",
        /// The shop cannot be opened as it is set up. Only opening one fails so.
        #[error("{what}")]
        Unusable {
            /// What is wrong, and what to do about it. Never holds a secret.
            what: String,
            /// What it was found by.
            #[source]
            source: Source,
        } = "internal_error",
        /// A defect or a broken machine. The source is for the log, never for the client.
        #[error("internal error")]
        Internal(#[source] Source) = "internal_error",
    }
}

/// The codes of all enums of errors, each with what it means.
const MEANINGS: [&[(&str, &str)]; 7] = [
    Error::MEANINGS,
    Entity::MEANINGS,
    Conflict::MEANINGS,
    Credential::MEANINGS,
    Refusal::MEANINGS,
    CouponRefusal::MEANINGS,
    CardRejection::MEANINGS,
];

impl Error {
    /// Every code there is ([`Error::code`]); some errors share one.
    ///
    /// ```
    /// use shop_core::Error;
    /// use shop_core::error::{Entity, Refusal};
    ///
    /// assert_eq!(Error::NotFound(Entity::Order).code(), "order_not_found");
    /// assert_eq!(Error::Refused(Refusal::EmptyCart).code(), Refusal::EmptyCart.code());
    /// assert!(Error::codes().any(|code| code == "order_not_found"));
    /// ```
    pub fn codes() -> impl Iterator<Item = &'static str> {
        MEANINGS.into_iter().flatten().map(|(code, _)| *code).filter(|code| !code.is_empty())
    }

    /// When an error with this code comes: what its variant's documentation says, so that a program
    /// can show it or translate it. `None` for a code that there is not.
    ///
    /// ```
    /// let meaning = shop_core::Error::meaning_of("order_not_found");
    /// assert!(meaning.is_some_and(|text| text.starts_with("There is no such order")));
    /// ```
    pub fn meaning_of(code: &str) -> Option<&'static str> {
        let (_, meaning) = MEANINGS.into_iter().flatten().find(|(own, _)| *own == code)?;
        Some(meaning.trim_ascii_start())
    }
}
