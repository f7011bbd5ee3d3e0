//! Decimal numbers, read exactly from their text.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// How many digits behind the point are kept.
const PLACES: i64 = 8;
/// Numbers from here on are too large for anything that the shop reads: 10 to the power of 11.
const TOO_LARGE: i64 = 11;

/// A decimal number: whole hundred-millionths, and whether its text has anything beyond them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exact {
    negative: bool,
    /// The absolute value times 10 to the power of 8, rounded down.
    units: u64,
    /// Whether a digit that was not kept is other than zero.
    more: bool,
}

/// Why a text is no number that can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadDecimalError {
    NotANumber,
    TooLarge,
}

impl Exact {
    /// Reads a number as JSON and programs write it (`59.7`, `-1`, `5.97e1`), also with a plus sign
    /// or without a digit on one side of the point. One pass over the text, whatever its exponent.
    pub(crate) fn parse(text: &str) -> Result<Self, ReadDecimalError> {
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = || whole.bytes().chain(fraction.bytes());
        if digits().next().is_none() || !digits().all(|digit| digit.is_ascii_digit()) {
            return Err(ReadDecimalError::NotANumber);
        }
        let mut number = Self { negative, units: 0, more: false };
        // The power of ten that the next digit counts.
        let mut place = i64::try_from(whole.len()).unwrap_or(i64::MAX).saturating_add(exponent);
        for digit in digits().map(|digit| u64::from(digit - b'0')) {
            place = place.saturating_sub(1);
            match digit {
                0 => {}
                _ if place >= TOO_LARGE => return Err(ReadDecimalError::TooLarge),
                _ if place < -PLACES => number.more = true,
                _ => number.units += digit * power_of_ten(place + PLACES),
            }
        }
        Ok(number)
    }

    /// The nearest number with so many decimals, as a count of its last place; halves are rounded
    /// away from zero.
    pub(crate) fn rounded(self, decimals: u32) -> i64 {
        let step = step(decimals);
        let count = i64::try_from((self.units + step / 2) / step).unwrap_or(i64::MAX);
        if self.negative { -count } else { count }
    }

    /// Whether it is at most a millionth away from [`Exact::rounded`].
    pub(crate) fn is_nearly_rounded(self, decimals: u32) -> bool {
        const MILLIONTH: u64 = 100;
        let nearest = self.rounded(decimals).unsigned_abs() * step(decimals);
        match self.units.checked_sub(nearest) {
            Some(above) => above < MILLIONTH || (above == MILLIONTH && !self.more),
            None => nearest - self.units <= MILLIONTH,
        }
    }

    /// The same number, if it is a whole one.
    pub(crate) fn to_whole(self) -> Option<i64> {
        (!self.more && self.units.is_multiple_of(step(0))).then(|| self.rounded(0))
    }
}

/// How many hundred-millionths one in the last of so many decimals is.
fn step(decimals: u32) -> u64 {
    power_of_ten(PLACES - i64::from(decimals))
}

fn power_of_ten(exponent: i64) -> u64 {
    10_u64.pow(u32::try_from(exponent).unwrap_or_default())
}

fn read_exponent(text: &str) -> Result<i64, ReadDecimalError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(ReadDecimalError::NotANumber);
    }
    // One that does not fit moves every digit out of sight all the same.
    let size = digits.parse().unwrap_or(i64::MAX / 2);
    Ok(if text.starts_with('-') { -size } else { size })
}

/// Reads a number from its text, where the format hands the text out (JSON), and otherwise from the
/// shortest decimal of the number that it hands out instead. A text in quotes is no number.
pub(crate) fn deserialize_number<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    deserializer.deserialize_newtype_struct(RAW_TEXT, NumberVisitor(PhantomData))
}

/// By this name `serde_json` is asked for a value's text ([`RawValue`] asks so too); every other
/// format takes it for the name of a type. If `serde_json` renamed it, JSON would be read as those
/// are.
const RAW_TEXT: &str = "$serde_json::private::RawValue";

struct NumberVisitor<T>(PhantomData<T>);

impl<'de, T: FromStr<Err: Display>> Visitor<'de> for NumberVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let raw = Box::<RawValue>::deserialize(MapAccessDeserializer::new(map))?;
        raw.get().parse().map_err(Error::custom)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        // Binary formats hold what was written, which is a float; some cannot say what they hold.
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(self)
        } else {
            deserializer.deserialize_f64(self)
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_f32<E: Error>(self, number: f32) -> Result<T, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        number.to_string().parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_every_notation() {
        let cents = |text: &str| Exact::parse(text).map(|number| number.rounded(2)).ok();
        for same in ["59.7", "59.70000", "5.97e1", "5.97E+1", "0597e-1", "+59.7", "59700e-3"] {
            assert_eq!(cents(same), Some(5970), "{same}");
        }
        assert_eq!((cents(".5"), cents("5."), cents("-0.005")), (Some(50), Some(500), Some(-1)));
        assert_eq!((cents("0e400"), cents("1e-400")), (Some(0), Some(0)));
        for bad in
            ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "1_0", "0x1", "--1", "1e1.5", "NaN", "١"]
        {
            assert_eq!(Exact::parse(bad), Err(ReadDecimalError::NotANumber), "{bad}");
        }
        for large in ["1e400", "1e11", "1e99999999999999999999", &"9".repeat(1_000_000)] {
            assert_eq!(Exact::parse(large), Err(ReadDecimalError::TooLarge));
        }
        assert_eq!(
            Exact::parse("99999999999.99999999").map(|number| number.units).ok(),
            Some(9_999_999_999_999_999_999)
        );
    }

    #[test]
    fn a_millionth_is_near_and_what_is_beyond_it_is_not() {
        let near = |text: &str| Exact::parse(text).expect("a number").is_nearly_rounded(2);
        for text in
            ["59.7", "59.699999999999996", "59.700001", "59.699999", "-59.6999999", "1e-400"]
        {
            assert!(near(text), "{text}");
        }
        for text in
            ["59.70000100001", "59.700001000000000000001", "59.6999989", "0.005", "0.00000101"]
        {
            assert!(!near(text), "{text}");
        }
    }

    #[test]
    fn a_whole_number_may_have_a_point() {
        let whole = |text: &str| Exact::parse(text).ok().and_then(Exact::to_whole);
        assert_eq!((whole("5.0"), whole("5e0"), whole("50E-1")), (Some(5), Some(5), Some(5)));
        assert_eq!((whole("-5.000"), whole("1e3")), (Some(-5), Some(1000)));
        assert_eq!((whole("5.5"), whole("5.0000000000000001"), whole("1e30")), (None, None, None));
    }
}
