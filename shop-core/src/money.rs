//! Amounts of money, exact to the cent.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};
use std::str::FromStr;

use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// An amount in Brazilian reais, held as a whole number of cents.
///
/// On the wire it is a JSON number in reais with at most two decimals (decision 20). It is read
/// from the number's text, so no amount ever passes through a float on its way in; more than two
/// decimals are refused rather than rounded.
///
/// # Example: prices and their text
/// ```
/// use shop_core::money::Money;
/// let price: Money = "129.90".parse()?;
/// assert_eq!(price.cents(), 12990);
/// assert_eq!((price * 2).to_string(), "259.80");
/// assert!("0.001".parse::<Money>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

impl Money {
    /// No money.
    pub const ZERO: Money = Money(0);
    /// The largest amount that is read from outside: R$ 99.999.999,99.
    pub const MAX: Money = Money(9_999_999_999);

    /// From whole cents.
    pub const fn from_cents(cents: i64) -> Self {
        Self(cents)
    }

    /// In whole cents.
    pub const fn cents(self) -> i64 {
        self.0
    }

    /// Exactly, in reais.
    pub fn to_decimal(self) -> Decimal {
        Decimal::new(self.0, 2)
    }

    /// `percent` of the amount, rounded to cents half away from zero (decision 6).
    #[must_use]
    pub fn percent(self, percent: Decimal) -> Self {
        let exact = Decimal::from(self.0) * percent / Decimal::ONE_HUNDRED;
        let cents = exact.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
        Self(i64::try_from(cents).unwrap_or(i64::MAX))
    }

    /// As people in Brazil read it: `R$ 1.234,56`. Every text for people has amounts in this form.
    ///
    /// ```
    /// use shop_core::money::Money;
    /// assert_eq!(Money::from_cents(123_456).in_reais(), "R$ 1.234,56");
    /// ```
    pub fn in_reais(self) -> String {
        let cents = self.0.unsigned_abs();
        let digits = (cents / 100).to_string();
        let mut grouped = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                grouped.push('.');
            }
            grouped.push(digit);
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}R$ {grouped},{:02}", cents % 100)
    }

    /// Reads an amount as it may come in a query or an environment variable. For serde fields
    /// outside JSON, where numbers arrive as text.
    ///
    /// # Errors
    /// When the text is no amount with at most two decimals.
    pub fn deserialize_text<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Self>, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map(Some).map_err(serde::de::Error::custom)
    }
}

/// Why a number is not an amount of money. Displays in Brazilian Portuguese, for a form's field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseMoneyError {
    /// Not a decimal number.
    #[error("Deve ser um número")]
    NotANumber,
    /// Finer than a cent.
    #[error("Deve ter no máximo duas casas decimais")]
    TooManyDecimals,
    /// Above [`Money::MAX`] or below its negative.
    #[error("Valor fora do intervalo permitido")]
    OutOfRange,
}

impl TryFrom<Decimal> for Money {
    type Error = ParseMoneyError;

    fn try_from(value: Decimal) -> Result<Self, Self::Error> {
        let cents = value.checked_mul(Decimal::ONE_HUNDRED).ok_or(ParseMoneyError::OutOfRange)?;
        if !cents.fract().is_zero() {
            return Err(ParseMoneyError::TooManyDecimals);
        }
        match i64::try_from(cents) {
            Ok(cents) if cents.abs() <= Self::MAX.0 => Ok(Self(cents)),
            _ => Err(ParseMoneyError::OutOfRange),
        }
    }
}

impl FromStr for Money {
    type Err = ParseMoneyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let exact = Decimal::from_str_exact(text).or_else(|_| Decimal::from_scientific(text));
        match exact {
            Ok(value) => value.try_into(),
            // More digits than a decimal holds: a number all the same.
            Err(rust_decimal::Error::Underflow) => Err(ParseMoneyError::TooManyDecimals),
            Err(_) if text.parse::<f64>().is_ok_and(f64::is_finite) => {
                Err(ParseMoneyError::OutOfRange)
            }
            Err(_) => Err(ParseMoneyError::NotANumber),
        }
    }
}

impl fmt::Display for Money {
    /// Two decimals and a point, without a currency sign: `129.90`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

impl Add for Money {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Money {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Money {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl std::ops::Mul<i64> for Money {
    type Output = Self;
    fn mul(self, factor: i64) -> Self {
        Self(self.0 * factor)
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Exact: below 10^15 cents the shortest text of the nearest float is the decimal itself.
        #[expect(clippy::cast_precision_loss, reason = "amounts stay far below 2^53 cents")]
        serializer.serialize_f64(self.0 as f64 / 100.0)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The raw text of the JSON number; a JSON string keeps its quotes and fails to parse.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        raw.get().parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Money {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Money".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "format": "money", "multipleOf": 0.01 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_in_brazil() {
        for (cents, text) in [
            (0, "R$ 0,00"),
            (1990, "R$ 19,90"),
            (100_000, "R$ 1.000,00"),
            (123_456, "R$ 1.234,56"),
            (9_999_999_999, "R$ 99.999.999,99"),
            (-100_000, "-R$ 1.000,00"),
        ] {
            assert_eq!(Money::from_cents(cents).in_reais(), text);
        }
    }

    #[test]
    fn json_numbers_are_read_from_their_text() {
        let read = |text| serde_json::from_str::<Money>(text).ok().map(Money::cents);
        assert_eq!(read("129.9"), Some(12990));
        assert_eq!(read("1e2"), Some(10_000));
        assert_eq!(read("0.10"), Some(10));
        assert_eq!(read("0.005"), None);
        assert_eq!(read("\"1.00\""), None);
        assert_eq!(read("99999999999"), None);
        assert_eq!(read("null"), None);
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        let ten = Decimal::from(10);
        assert_eq!(Money::from_cents(5).percent(ten).cents(), 1);
        assert_eq!(Money::from_cents(4).percent(ten).cents(), 0);
        assert_eq!(Money::from_cents(-5).percent(ten).cents(), -1);
    }
}
