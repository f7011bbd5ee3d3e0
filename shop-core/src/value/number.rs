use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{InvalidValue, inline_schema};
use crate::decimal::Exact;

/// The whole number that a text is, also where it is written with a point or an exponent (`5.0`,
/// `5e0`), as programs do whose numbers are all floating point. Beyond a hundred thousand million
/// there is none.
pub fn whole_number(text: &str) -> Option<i64> {
    Exact::parse(text).ok()?.to_whole()
}

/// Makes a whole number with a range, which its schema states and its deserialiser enforces.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $min:literal..=$max:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i64);

        impl $name {
            /// The number.
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl TryFrom<i64> for $name {
            type Error = InvalidValue;

            fn try_from(value: i64) -> Result<Self, Self::Error> {
                match value {
                    $min..=$max => Ok(Self(value)),
                    _ if value < $min => {
                        Err(InvalidValue::AtLeast { least: $min })
                    }
                    _ => Err(InvalidValue::AtMost { most: $max }),
                }
            }
        }

        impl TryFrom<i32> for $name {
            type Error = InvalidValue;

            fn try_from(value: i32) -> Result<Self, Self::Error> {
                i64::from(value).try_into()
            }
        }

        impl TryFrom<u32> for $name {
            type Error = InvalidValue;

            fn try_from(value: u32) -> Result<Self, Self::Error> {
                i64::from(value).try_into()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                i64::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
            }
        }

        inline_schema!($name, { "type": "integer", "minimum": $min, "maximum": $max });
    };
}

number! {
    /// Units of a product in a cart or an order: 1 to 10000.
    Quantity, 1..=10_000
}
number! {
    /// Units on the shelf: 0 to a thousand million.
    StockLevel, 0..=1_000_000_000
}

impl StockLevel {
    /// The nearest number of units that there can be.
    pub(crate) fn clamped(units: i64) -> Self {
        Self(units.clamp(0, 1_000_000_000))
    }
}

number! {
    /// Units that came, or with a minus sign went: at most a thousand million.
    StockChangeBy, -1_000_000_000..=1_000_000_000
}
number! {
    /// How often something may be used: 1 to a thousand million.
    UseLimit, 1..=1_000_000_000
}
number! {
    /// In how many parts a card pays: 1 to 48.
    Installments, 1..=48
}
number! {
    /// What a product is worth to who bought it: 1 to 5.
    Rating, 1..=5
}
