//! The codes that tax law gives goods.

use serde::{Deserialize, Serialize};

use crate::value::InvalidValue;

/// A code of exactly so many digits. It is read with the dots of the law's tables too,
/// `3406.00.00`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Digits<const N: usize>(String);

/// A number of a bar code: 8, 12, 13 or 14 digits, the last of which follows from the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Gtin(String);

/// What goods are counted in: one to six letters or digits, `UN`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Unit(String);

/// Where goods come from, 0 (the country) to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Origin(u8);

/// How goods came to the shop, which the code of operation of their sale says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum Production {
    /// The shop makes them.
    Own,
    /// The shop buys and sells them.
    Resale,
}

/// Gives the codes of this file their text forms and what a form says of a wrong one.
macro_rules! codes {
    ($($name:ident $([$n:ident])?, $format:expr, $wrong:ident, $read:expr;)+) => {$(
        impl$(<const $n: usize>)? $name$(<$n>)? {
            #[cfg(feature = "schema")]
            const FORMAT: &'static str = $format;

            /// The code as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl$(<const $n: usize>)? std::str::FromStr for $name$(<$n>)? {
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let read: fn(&str) -> Option<String> = $read;
                read(text.trim()).map(Self).ok_or(InvalidValue::$wrong)
            }
        }

        impl$(<const $n: usize>)? crate::storage::FromColumn for $name$(<$n>)? {
            fn from_column(row: &dyn crate::storage::Row, column: usize) -> crate::Result<Self> {
                let text: String = row.get(column)?;
                text.parse().map_err(crate::Error::from_source)
            }
        }

        impl<'de $(, const $n: usize)?> Deserialize<'de> for $name$(<$n>)? {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl$(<const $n: usize>)? schemars::JsonSchema for $name$(<$n>)? {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                Self::FORMAT.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "format": Self::FORMAT })
            }
        }
    )+};
}

codes! {
    Digits[N], table(N).0, DigitCount, |text| read_digits(text, N);
    Gtin, "gtin", Gtin, |text| is_gtin(text).then(|| text.to_owned());
    Unit, "fiscal-unit", FiscalUnit, |text| is_unit(text).then(|| text.to_owned());
}

/// What a code of so many digits is called, and how the law's table of it groups them by dots.
const fn table(count: usize) -> (&'static str, &'static [usize]) {
    match count {
        4 => ("cfop", &[1, 3]),
        7 => ("cest", &[2, 3, 2]),
        _ => ("ncm", &[4, 2, 2]),
    }
}

/// The digits, without the dots that the law's tables print between them.
fn read_digits(text: &str, count: usize) -> Option<String> {
    let as_printed = text.split('.').map(str::len).eq(table(count).1.iter().copied());
    let digits = if as_printed { text.replace('.', "") } else { text.to_owned() };
    let holds = digits.len() == count && digits.bytes().all(|b| b.is_ascii_digit());
    holds.then_some(digits)
}

fn is_unit(text: &str) -> bool {
    (1..=6).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn is_gtin(text: &str) -> bool {
    if !matches!(text.len(), 8 | 12 | 13 | 14) || !text.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let weighted = text.bytes().rev().map(|b| u32::from(b - b'0')).zip([1, 3].into_iter().cycle());
    weighted.map(|(digit, weight)| digit * weight).sum::<u32>() % 10 == 0
}

/// Codes of this program's own, known to be ones.
#[cfg(feature = "nfe")]
impl<const N: usize> Digits<N> {
    pub(crate) fn known(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(feature = "nfe")]
impl Unit {
    pub(crate) fn known(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

impl Origin {
    /// The country itself.
    pub const NATIONAL: Self = Self(0);

    /// The code.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<i64> for Origin {
    type Error = InvalidValue;

    fn try_from(code: i64) -> Result<Self, Self::Error> {
        match u8::try_from(code) {
            Ok(code @ 0..=8) => Ok(Self(code)),
            _ => Err(InvalidValue::Between { least: 0, most: 8 }),
        }
    }
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Origin {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Origin".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": 0, "maximum": 8 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_checked_where_they_come_in() {
        assert!("34060000".parse::<Digits<8>>().is_ok());
        assert!("3406000".parse::<Digits<8>>().is_err());
        for (printed, digits) in [("3406.00.00", "34060000"), ("28.038.00", ""), ("34.060.000", "")]
        {
            let read = printed.parse::<Digits<8>>();
            assert_eq!(read.as_ref().map_or("", Digits::as_str), digits, "{printed}");
        }
        assert_eq!("28.038.00".parse::<Digits<7>>().expect("a CEST").as_str(), "2803800");
        assert_eq!("5.102".parse::<Digits<4>>().expect("a CFOP").as_str(), "5102");
        assert!("7891000315507".parse::<Gtin>().is_ok());
        assert!("7891000315508".parse::<Gtin>().is_err());
        assert!("UN".parse::<Unit>().is_ok());
        assert!("UNIDADES".parse::<Unit>().is_err());
        assert!(Origin::try_from(9).is_err());
    }
}
