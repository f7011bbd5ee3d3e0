//! What the provider gives the customer's browser for a card.

use serde::{Deserialize, Deserializer};

use crate::config::Secret;
use crate::value::{InvalidValue, deserialize_by_from_str, inline_schema};

/// What the provider gave the customer's browser for a card. `Debug` does not show it.
#[derive(Debug, Clone)]
pub struct CardToken(Secret);

impl CardToken {
    /// The token itself, for the one call that needs it.
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl std::str::FromStr for CardToken {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fine = (1..=255).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        let wrong = || InvalidValue::CardToken;
        fine.then(|| Self(Secret::new(text))).ok_or_else(wrong)
    }
}

deserialize_by_from_str!(CardToken);

inline_schema!(CardToken, {
    "type": "string", "format": "card-token", "minLength": 1, "maxLength": 255,
    "pattern": "^[!-~]+$", "writeOnly": true
});

/// The number of a card's bank: the provider's libraries write it as a number or as a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssuerId(pub(crate) i64);

impl IssuerId {
    /// More has no bank's number.
    const MOST: i64 = 999_999_999_999_999_999;

    fn of(number: i64) -> Result<Self, InvalidValue> {
        let known = (0..=Self::MOST).contains(&number);
        known.then_some(Self(number)).ok_or(InvalidValue::NotANumber)
    }
}

impl std::str::FromStr for IssuerId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::of(text.trim().parse().map_err(|_| InvalidValue::NotANumber)?)
    }
}

impl<'de> Deserialize<'de> for IssuerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i64),
            Text(String),
        }
        let number = match Written::deserialize(deserializer)? {
            Written::Number(number) => Self::of(number),
            Written::Text(text) => text.parse(),
        };
        number.map_err(serde::de::Error::custom)
    }
}

inline_schema!(IssuerId, {
    "type": ["integer", "string"], "format": "issuer-id", "pattern": "^[0-9]{1,18}$",
    "minimum": 0, "maximum": 999_999_999_999_999_999_i64
});
