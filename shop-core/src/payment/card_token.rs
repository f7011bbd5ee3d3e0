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
    "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$",
    "writeOnly": true
});

/// The number of a card's bank: the provider's libraries write it as a number or as a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssuerId(pub(crate) i64);

impl<'de> Deserialize<'de> for IssuerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i64),
            Text(String),
        }
        let number = match Written::deserialize(deserializer)? {
            Written::Number(number) => Some(number),
            Written::Text(text) => text.trim().parse().ok(),
        };
        let number = number.filter(|number| *number >= 0);
        number.map(Self).ok_or_else(|| serde::de::Error::custom(InvalidValue::NotANumber))
    }
}

inline_schema!(IssuerId, { "type": ["integer", "string"], "pattern": "^[0-9]{1,18}$" });
