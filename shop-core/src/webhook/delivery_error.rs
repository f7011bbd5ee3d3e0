//! Why a webhook was not delivered: a code, for every surface to say in its own words.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::error::Result;
use crate::storage::{FromColumn, Row};

/// Why a webhook was not delivered. Displayed, kept and serialised as a code, with what belongs to
/// it behind a colon: `timeout: 10`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeliveryError {
    /// `unreachable: ..`: there was no connection, or it broke; with the reason in English.
    Unreachable(String),
    /// `timeout: ..`: no whole answer came in time; with the time in seconds.
    Timeout(u64),
    /// `too_large`: the answer's header is too large.
    TooLarge,
    /// `not_public`: the address leads into a private network.
    NotPublic,
    /// `unusable: ..`: nothing can be sent to the address; with the reason in English.
    Unusable(String),
    /// `redirect`: the answer leads elsewhere, and redirects are not followed.
    Redirect,
    /// `status: ..`: the answer's status is not between 200 and 299.
    Status(u16),
    /// Words for people, without a code: what versions before 1.0 kept.
    Text(String),
}

impl fmt::Display for DeliveryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "unreachable: {why}"),
            Self::Timeout(seconds) => write!(f, "timeout: {seconds}"),
            Self::TooLarge => f.write_str("too_large"),
            Self::NotPublic => f.write_str("not_public"),
            Self::Unusable(why) => write!(f, "unusable: {why}"),
            Self::Redirect => f.write_str("redirect"),
            Self::Status(status) => write!(f, "status: {status}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl FromStr for DeliveryError {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let (code, detail) = text.split_once(": ").unwrap_or((text, ""));
        let read = match code {
            "unreachable" => Some(Self::Unreachable(detail.to_owned())),
            "timeout" => detail.parse().ok().map(Self::Timeout),
            "too_large" => Some(Self::TooLarge),
            "not_public" => Some(Self::NotPublic),
            "unusable" => Some(Self::Unusable(detail.to_owned())),
            "redirect" => Some(Self::Redirect),
            "status" => detail.parse().ok().map(Self::Status),
            _ => None,
        };
        Ok(read.unwrap_or_else(|| Self::Text(text.to_owned())))
    }
}

impl Serialize for DeliveryError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromColumn for DeliveryError {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let text: String = row.get(column)?;
        let Ok(error) = text.parse();
        Ok(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_read_back_as_it_is_kept_and_older_words_stay() {
        let all = [
            DeliveryError::Unreachable("connection error".to_owned()),
            DeliveryError::Timeout(10),
            DeliveryError::TooLarge,
            DeliveryError::NotPublic,
            DeliveryError::Unusable("no host".to_owned()),
            DeliveryError::Redirect,
            DeliveryError::Status(500),
            DeliveryError::Text("sem resposta em 10 s".to_owned()),
        ];
        for error in all {
            assert_eq!(error.to_string().parse(), Ok(error));
        }
    }
}
