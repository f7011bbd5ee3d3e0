//! The revision of a thing, so that a change does not overwrite another one that its author has not
//! seen.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::{Conflict, Error, Result};
use crate::value::InvalidValue;

/// Names the state of a thing: equal states have equal revisions. Each kind of thing says what its
/// revision covers; what changes by itself, as stock does when something is sold, is left out.
///
/// Over HTTP it is the `ETag` of an admin's answer and the `If-Match` of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision(String);

impl Revision {
    /// The revision of whatever a value serialises to.
    pub(crate) fn of(value: &impl Serialize) -> Result<Self> {
        let json = serde_json::to_vec(value).map_err(Error::from_source)?;
        let digest = Sha256::digest(json);
        // Only accidents must not collide.
        Ok(Self(hex::encode(&digest[..16])))
    }

    /// Refuses a change of another state than the present one.
    ///
    /// # Errors
    /// [`Conflict::Changed`] when the thing is not in the state that was expected.
    pub(crate) fn check(&self, expected: Option<&Self>) -> Result<()> {
        match expected {
            Some(expected) if expected != self => Err(Error::Conflict(Conflict::Changed)),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Revision {
    type Err = InvalidValue;

    /// Any short text is a revision; one that never was names no state.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue::ETag)
        }
    }
}
