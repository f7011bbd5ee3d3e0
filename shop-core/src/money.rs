//! Amounts of money, exact to the cent.

mod apportion;

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};
use std::str::FromStr;

use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::apportion::{UnitsShare, apportion, portion, share_of_units};
use crate::decimal::{Exact, ReadDecimalError, deserialize_number};
use crate::forms::inline_schema;

/// An amount in Brazilian reais, held as a whole number of cents.
///
/// On the wire it is a number in reais. From JSON it is read from the number's text, so no amount
/// passes through a float on its way in; an exponent is taken in JSON alone. Where serde has made a
/// float of the number before (in a `flatten` or `untagged` place, or in a format that has floats),
/// the shortest decimal of that float is read, which is the amount that was written. What is at
/// most 0.000001 away from a whole cent is that cent: so much is left where programs add up and
/// multiply in floating point. Anything else with more than two decimals is refused rather than
/// rounded; see [`AskedAmount`] for amounts that are only asked about.
///
/// # Example: prices and their text
/// ```
/// use shop_core::money::Money;
/// let price: Money = "129.90".parse()?;
/// assert_eq!(price.cents(), 12990);
/// assert_eq!((price * 2).to_string(), "259.80");
/// assert_eq!("59.699999999999996".parse(), Ok(Money::from_cents(5970)));
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

    /// Reads the text of a number of JSON, which may have an exponent.
    ///
    /// # Errors
    /// When it is no number, is finer than a cent or above [`Money::MAX`].
    pub fn from_number(text: &str) -> Result<Self, ParseMoneyError> {
        let exact = Exact::parse(text)?;
        if !exact.is_nearly_rounded(2) {
            return Err(ParseMoneyError::TooManyDecimals);
        }
        Self::in_range(exact.rounded(2))
    }

    fn in_range(cents: i64) -> Result<Self, ParseMoneyError> {
        if cents.abs() <= Self::MAX.0 { Ok(Self(cents)) } else { Err(ParseMoneyError::OutOfRange) }
    }

    /// Exactly, in reais.
    pub fn to_decimal(self) -> Decimal {
        Decimal::new(self.0, 2)
    }

    /// `percent` of the amount, rounded to cents half away from zero.
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
}

/// An amount that is only asked about, as what a cart comes to or the highest price of a list: any
/// number of reais, rounded to cents half away from zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskedAmount(Money);

impl AskedAmount {
    /// The amount in whole cents.
    pub const fn get(self) -> Money {
        self.0
    }

    /// Reads an amount as it may come in a query. For serde fields outside JSON, where numbers
    /// arrive as text.
    ///
    /// # Errors
    /// When the text is no number, or one above [`Money::MAX`].
    pub fn deserialize_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: From<Self>,
    {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse::<Self>().map(T::from).map_err(serde::de::Error::custom)
    }
}

impl From<Money> for AskedAmount {
    fn from(amount: Money) -> Self {
        Self(amount)
    }
}

impl FromStr for AskedAmount {
    type Err = ParseMoneyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Money::in_range(Exact::parse(text)?.rounded(2)).map(Self)
    }
}

impl<'de> Deserialize<'de> for AskedAmount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_number(deserializer)
    }
}

/// Why a number is not an amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseMoneyError {
    /// Not a decimal number.
    #[error("not a number")]
    NotANumber,
    /// Finer than a cent.
    #[error("more than two decimals")]
    TooManyDecimals,
    /// Above [`Money::MAX`] or below its negative.
    #[error("out of range")]
    OutOfRange,
}

impl TryFrom<Decimal> for Money {
    type Error = ParseMoneyError;

    fn try_from(value: Decimal) -> Result<Self, Self::Error> {
        let cents = value.checked_mul(Decimal::ONE_HUNDRED).ok_or(ParseMoneyError::OutOfRange)?;
        if !cents.fract().is_zero() {
            return Err(ParseMoneyError::TooManyDecimals);
        }
        Self::in_range(i64::try_from(cents).map_err(|_| ParseMoneyError::OutOfRange)?)
    }
}

impl FromStr for Money {
    type Err = ParseMoneyError;

    /// Reads an amount as people write it. An exponent is refused: in a command `1e2` is a typing
    /// error, and in a file `1E-1` is what a spreadsheet program made of another text.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains(['e', 'E']) {
            return Err(ParseMoneyError::NotANumber);
        }
        Self::from_number(text)
    }
}

/// An amount as a number of JSON, in every notation.
struct NumberOfReais(Money);

impl FromStr for NumberOfReais {
    type Err = ParseMoneyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Money::from_number(text).map(Self)
    }
}

impl From<ReadDecimalError> for ParseMoneyError {
    fn from(error: ReadDecimalError) -> Self {
        match error {
            ReadDecimalError::NotANumber => Self::NotANumber,
            ReadDecimalError::TooLarge => Self::OutOfRange,
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

/// The result of a calculation. One that does not fit is a defect: a panic, which a job of the
/// storage turns into an error, is better than money that is wrong. Amounts from outside are at
/// most [`Money::MAX`], so it takes millions of the largest ones.
fn fitting(cents: Option<i64>) -> Money {
    Money(cents.expect("amounts of money add up within 64 bits"))
}

impl Add for Money {
    type Output = Self;
    /// # Panics
    /// When the sum does not fit, in every build.
    fn add(self, other: Self) -> Self {
        fitting(self.0.checked_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Money {
    type Output = Self;
    /// # Panics
    /// When the difference does not fit, in every build.
    fn sub(self, other: Self) -> Self {
        fitting(self.0.checked_sub(other.0))
    }
}

impl Neg for Money {
    type Output = Self;
    fn neg(self) -> Self {
        fitting(self.0.checked_neg())
    }
}

impl std::ops::Mul<i64> for Money {
    type Output = Self;
    /// # Panics
    /// When the product does not fit, in every build.
    fn mul(self, factor: i64) -> Self {
        fitting(self.0.checked_mul(factor))
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
        deserialize_number(deserializer).map(|NumberOfReais(amount)| amount)
    }
}

inline_schema!(Money, { "type": "number", "format": "money" });

inline_schema!(AskedAmount, { "type": "number", "format": "asked-amount" });

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
        assert_eq!(read("59.699999999999996"), Some(5970));
        assert_eq!(read("0.005"), None);
        assert_eq!(read("1e400"), None);
        assert_eq!(read("\"1.00\""), None);
        assert_eq!(read("99999999999"), None);
        assert_eq!(read("null"), None);
    }

    #[test]
    fn json_numbers_never_pass_through_a_float() {
        // A float of them is at most a millionth away from a cent; they are not.
        for text in ["0.0100010000000000000000001", "99999999.0100010000000000000000001"] {
            assert_eq!(serde_json::from_str::<Money>(text).ok(), None, "{text}");
        }
    }

    #[test]
    fn amounts_that_are_only_asked_about_are_rounded() {
        let read = |text| serde_json::from_str::<AskedAmount>(text).map(|it| it.get().cents()).ok();
        assert_eq!(
            (read("0.005"), read("-0.005"), read("10.0049")),
            (Some(1), Some(-1), Some(1000))
        );
        assert_eq!((read("99999999.999"), read("\"1\""), read("1e400")), (None, None, None));
    }

    proptest::proptest! {
        #[test]
        fn what_floating_point_leaves_of_a_multiple_is_that_multiple(
            price in 1_i64..1_000_000, n in 1_i64..10_000,
        ) {
            #[expect(clippy::cast_precision_loss, reason = "that is what is looked at")]
            let computed = price as f64 / 100.0 * n as f64;
            proptest::prop_assume!(price * n <= Money::MAX.cents());
            proptest::prop_assert_eq!(computed.to_string().parse(), Ok(Money::from_cents(price * n)));
            let exponent = serde_json::from_str(&format!("{computed:e}"));
            proptest::prop_assert_eq!(exponent.ok(), Some(Money::from_cents(price * n)));
        }

        #[test]
        fn what_floating_point_leaves_of_a_sum_is_that_sum(
            prices in proptest::collection::vec(1_i64..1_000_000, 1..200),
        ) {
            #[expect(clippy::cast_precision_loss, reason = "that is what is looked at")]
            let computed: f64 = prices.iter().map(|price| *price as f64 / 100.0).sum();
            let exact = Money::from_cents(prices.iter().sum());
            proptest::prop_assert_eq!(computed.to_string().parse(), Ok(exact));
        }
    }

    #[test]
    fn what_does_not_fit_is_a_panic_and_never_another_amount() {
        let (most, cent) = (Money::from_cents(i64::MAX), Money::from_cents(1));
        let overflows: [fn(Money, Money) -> Money; 5] = [
            |most, cent| most + cent,
            |most, cent| -most - cent - cent,
            |most, _| most * 2,
            |most, cent| [most, cent].into_iter().sum(),
            |most, cent| -(-most - cent),
        ];
        for (n, overflow) in overflows.into_iter().enumerate() {
            let wrapped = std::panic::catch_unwind(|| overflow(most, cent));
            assert!(wrapped.is_err(), "{n}: {wrapped:?}");
        }
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        let ten = Decimal::from(10);
        assert_eq!(Money::from_cents(5).percent(ten).cents(), 1);
        assert_eq!(Money::from_cents(4).percent(ten).cents(), 0);
        assert_eq!(Money::from_cents(-5).percent(ten).cents(), -1);
    }
}
