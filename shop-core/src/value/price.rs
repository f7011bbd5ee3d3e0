use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{InvalidValue, inline_schema};
use crate::money::Money;

/// What something is sold for: an amount of at least one cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Price(Money);

impl Price {
    /// The amount.
    pub const fn get(self) -> Money {
        self.0
    }
}

impl From<Price> for Money {
    fn from(price: Price) -> Self {
        price.0
    }
}

impl TryFrom<Money> for Price {
    type Error = InvalidValue;

    fn try_from(amount: Money) -> Result<Self, Self::Error> {
        if amount > Money::ZERO { Ok(Self(amount)) } else { Err(InvalidValue::NotPositive) }
    }
}

/// Reads what something used to cost: `null` and 0 mean that there is no such price.
///
/// # Errors
/// When the value is no amount, or a negative one.
pub fn compare_price<'de, D>(deserializer: D) -> Result<Option<Price>, D::Error>
where
    D: Deserializer<'de>,
{
    match Option::<Money>::deserialize(deserializer)? {
        None | Some(Money::ZERO) => Ok(None),
        Some(amount) => amount.try_into().map(Some).map_err(serde::de::Error::custom),
    }
}

/// The same for a PATCH, where absent leaves it as it is ([`super::nullable`]).
///
/// # Errors
/// As [`compare_price`].
pub fn nullable_compare_price<'de, D>(deserializer: D) -> Result<Option<Option<Price>>, D::Error>
where
    D: Deserializer<'de>,
{
    compare_price(deserializer).map(Some)
}

impl std::str::FromStr for Price {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let money = text.parse::<Money>()?;
        money.try_into()
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Money::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

inline_schema!(Price, { "type": "number", "format": "money", "minimum": 0.01 });
