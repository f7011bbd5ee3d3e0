use std::str::FromStr;

use super::{InvalidValue, text_value, trim};

/// A Brazilian taxpayer number of a person: eleven digits with valid check digits.
/// Read with or without punctuation, kept without.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cpf(String);

text_value!(Cpf, "cpf");

impl FromStr for Cpf {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: String = trim(text).chars().filter(|c| !matches!(c, '.' | '-')).collect();
        if is_valid(digits.as_bytes()) { Ok(Self(digits)) } else { Err(InvalidValue::Cpf) }
    }
}

fn is_valid(digits: &[u8]) -> bool {
    digits.len() == 11
        && digits.iter().all(u8::is_ascii_digit)
        && digits.iter().any(|d| *d != digits[0])
        && check_digit(&digits[..9]) == digits[9]
        && check_digit(&digits[..10]) == digits[10]
}

/// The digit, modulo 11, with weights that fall to 2 at the last place.
fn check_digit(digits: &[u8]) -> u8 {
    let sum: u32 =
        digits.iter().rev().zip(2..).map(|(d, weight)| u32::from(d - b'0') * weight).sum();
    let rest = sum * 10 % 11 % 10;
    b'0' + u8::try_from(rest).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_digits_must_hold() {
        assert_eq!(
            "529.982.247-25".parse::<Cpf>().map(|c| c.to_string()).as_deref(),
            Ok("52998224725")
        );
        for bad in ["52998224724", "52998224735", "11111111111", "5299822472", "5299822472a"] {
            assert!(bad.parse::<Cpf>().is_err(), "{bad}");
        }
    }
}
