use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{InvalidValue, inline_schema};
use crate::decimal::{Exact, ReadDecimalError, deserialize_number};

/// The length of a side, held in whole millimetres and written in centimetres (`16.5`), 0.1 to 500
/// cm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Length(i64);

/// The longest side that anything has, in centimetres.
const MOST_CM: u32 = 500;

impl Length {
    /// From whole millimetres.
    pub const fn from_millimetres(millimetres: i64) -> Self {
        Self(millimetres)
    }

    /// From whole centimetres.
    pub const fn from_centimetres(centimetres: u32) -> Self {
        Self(centimetres as i64 * 10)
    }

    /// In whole millimetres.
    pub const fn millimetres(self) -> i64 {
        self.0
    }

    /// In whole centimetres, rounded up, as carriers take sides.
    pub const fn whole_centimetres(self) -> i64 {
        (self.0 + 9) / 10
    }
}

impl std::str::FromStr for Length {
    type Err = InvalidValue;

    /// Reads centimetres; finer than a millimetre is rounded.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Exact::parse(text).map(|centimetres| centimetres.rounded(1)) {
            Ok(millimetres) if (1..=i64::from(MOST_CM) * 10).contains(&millimetres) => {
                Ok(Self(millimetres))
            }
            Ok(_) | Err(ReadDecimalError::TooLarge) => {
                Err(InvalidValue::Length { most_cm: MOST_CM })
            }
            Err(ReadDecimalError::NotANumber) => Err(InvalidValue::NotANumber),
        }
    }
}

/// In centimetres, e.g. `16.5`.
impl std::fmt::Display for Length {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 % 10 {
            0 => write!(f, "{}", self.0 / 10),
            tenths => write!(f, "{}.{tenths}", self.0 / 10),
        }
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "some metres in millimetres")]
        serializer.serialize_f64(self.0 as f64 / 10.0)
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_number(deserializer)
    }
}

inline_schema!(Length, {
    "type": "number", "minimum": 0.1, "maximum": 500, "description": "Centimetres."
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_read_to_the_millimetre_and_is_never_nothing() {
        let read = |text: &str| text.parse::<Length>().map(Length::millimetres);
        assert_eq!((read("16"), read("16.5"), read("1.6e1")), (Ok(160), Ok(165), Ok(160)));
        assert_eq!((read("0.1"), read("500")), (Ok(1), Ok(5000)));
        for wrong in ["0", "-1", "0.04", "500.1", "1e400"] {
            assert_eq!(read(wrong), Err(InvalidValue::Length { most_cm: 500 }), "{wrong}");
        }
        assert_eq!(read("x"), Err(InvalidValue::NotANumber));
        let side = |millimetres| Length::from_millimetres(millimetres);
        assert_eq!((side(160).to_string(), side(165).to_string()), ("16".into(), "16.5".into()));
        assert_eq!((side(160).whole_centimetres(), side(161).whole_centimetres()), (16, 17));
    }
}
