//! How errors are made: by a text, a source or a field, by `?`, or where something does not hold;
//! and how they are told with all their causes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use super::{Conflict, Error, FieldErrors, Result};
use crate::money::ParseMoneyError;
use crate::value::{InvalidValue, UnknownWord};

/// How soon a database that cannot be used is worth another try.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
const RETRY: Duration = Duration::from_secs(5);

/// Refuses an input whose list `field` has no item, or more than `most`.
pub(crate) fn check_count(field: &str, count: usize, most: usize) -> Result<()> {
    if (1..=most).contains(&count) {
        return Ok(());
    }
    Err(Error::field(field, InvalidValue::ItemCount { least: 1, most: most as u64 }))
}

impl Error {
    /// An [`Error::Internal`] that only has a text.
    pub fn internal(message: impl Into<String>) -> Self {
        #[derive(Debug, thiserror::Error)]
        #[error("{0}")]
        struct Message(String);
        Self::Internal(Arc::new(Message(message.into())))
    }

    /// An [`Error::Busy`]: another call changes the same, or the storage has no room; one may ask
    /// again in a second.
    pub(crate) fn busy() -> Self {
        Self::Busy { retry_after: Duration::from_secs(1) }
    }

    /// An [`Error::StorageUnavailable`]: what is below the database, or the database itself, takes
    /// no writes, and one may ask again in some seconds.
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(crate) fn storage_unavailable(source: super::Source) -> Self {
        Self::StorageUnavailable { retry_after: RETRY, source }
    }

    /// Wraps a foreign error as [`Error::Internal`].
    pub fn from_source(source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Internal(Arc::new(source))
    }

    /// An [`Error::Internal`] about how a shop is set up as [`Error::Unusable`], which says what it
    /// is.
    pub(crate) fn into_unusable(self) -> Self {
        match self {
            Self::Internal(source) => Self::Unusable { what: with_causes(&*source), source },
            other => other,
        }
    }

    /// An [`Error::Invalid`] that names one field.
    pub fn field(field: impl Into<String>, wrong: impl Into<InvalidValue>) -> Self {
        let mut fields = FieldErrors::default();
        fields.add(field, wrong);
        Self::Invalid(fields)
    }

    /// The same, about fields that are called otherwise in a larger input; other errors stay as
    /// they are.
    pub(crate) fn rename_fields(self, rename: impl Fn(&str) -> String) -> Self {
        let Self::Invalid(FieldErrors { field_errors, form_errors }) = self else { return self };
        let renamed = field_errors.into_iter().map(|(field, wrong)| (rename(&field), wrong));
        Self::Invalid(FieldErrors { field_errors: renamed.collect(), form_errors })
    }
}

impl FieldErrors {
    /// `Ok` when nothing is wrong, else all of it as one [`Error::Invalid`].
    pub fn into_result(self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(Error::Invalid(self)) }
    }
}

/// A value that is wrong on its own, in an [`Error::Invalid`] that names no field: `?` on what is
/// parsed, in a function that answers with [`Result`].
impl From<InvalidValue> for Error {
    fn from(wrong: InvalidValue) -> Self {
        let mut fields = FieldErrors::default();
        fields.add_form(wrong);
        Self::Invalid(fields)
    }
}

impl From<UnknownWord> for Error {
    fn from(wrong: UnknownWord) -> Self {
        InvalidValue::Unreadable { why: wrong.to_string() }.into()
    }
}

/// A text that is no instant.
impl From<chrono::ParseError> for Error {
    fn from(_: chrono::ParseError) -> Self {
        InvalidValue::Date.into()
    }
}

/// `?` on a value that takes any text.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl From<ParseMoneyError> for Error {
    fn from(wrong: ParseMoneyError) -> Self {
        InvalidValue::from(wrong).into()
    }
}

impl Conflict {
    /// Refuses what does not fit.
    ///
    /// # Errors
    /// [`Error::Conflict`].
    pub(crate) fn unless(self, fits: bool) -> Result<()> {
        if fits { Ok(()) } else { Err(Error::Conflict(self)) }
    }
}

/// An error with everything below it, for logs and operators:
/// `cannot write: disk full: os error 28`. A cause that is told already is not told twice.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    for cause in causes.map(ToString::to_string) {
        if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}
