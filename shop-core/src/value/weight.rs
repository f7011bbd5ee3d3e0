use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{InvalidValue, inline_schema};
use crate::decimal::{Exact, ReadDecimalError, deserialize_number};

/// A weight, held in whole grams and written in kilograms (`0.3`), 0 to 1000 kg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(i64);

impl Weight {
    /// The weight of a product without one: 0.3 kg.
    pub const DEFAULT: Weight = Weight(300);

    /// From whole grams.
    pub const fn from_grams(grams: i64) -> Self {
        Self(grams)
    }

    /// In whole grams.
    pub const fn grams(self) -> i64 {
        self.0
    }
}

impl std::str::FromStr for Weight {
    type Err = InvalidValue;

    /// Reads kilograms; finer than a gram is rounded.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Exact::parse(text).map(|kilograms| kilograms.rounded(3)) {
            Ok(grams @ 0..=1_000_000) => Ok(Self(grams)),
            Ok(_) | Err(ReadDecimalError::TooLarge) => Err(InvalidValue::Weight { most_kg: 1000 }),
            Err(ReadDecimalError::NotANumber) => Err(InvalidValue::NotANumber),
        }
    }
}

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "at most a tonne in grams")]
        serializer.serialize_f64(self.0 as f64 / 1000.0)
    }
}

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_number(deserializer)
    }
}

inline_schema!(Weight, {
    "type": "number", "minimum": 0, "maximum": 1000, "description": "Kilograms."
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_read_in_every_notation_and_never_too_large() {
        let grams = |text: &str| text.parse::<Weight>().map(Weight::grams);
        assert_eq!((grams("0.3"), grams("3e-1"), grams("0.3004")), (Ok(300), Ok(300), Ok(300)));
        for large in ["1000.001", "79228162514264337593543950335", "1e400", "-1"] {
            assert_eq!(grams(large), Err(InvalidValue::Weight { most_kg: 1000 }), "{large}");
        }
        assert_eq!(grams("x"), Err(InvalidValue::NotANumber));
    }
}
