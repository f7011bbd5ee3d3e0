//! The number by which a state knows a company that pays its tax on goods.

use std::str::FromStr;

use super::{InvalidValue, text_value};

/// A registration with a state (IE): 2 to 14 digits, whose check digits differ by state and are not
/// looked at. Read with or without punctuation, kept without. A company without one has none, and
/// says nothing: `ISENTO` is no registration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StateRegistration(String);

text_value!(StateRegistration, "state-registration");

impl FromStr for StateRegistration {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kept = |c: &char| !matches!(c, '.' | '-' | '/' | ' ');
        let plain: String = text.trim().chars().filter(kept).collect();
        let is_one = (2..=14).contains(&plain.len())
            && plain.bytes().all(|b| b.is_ascii_digit())
            && plain.bytes().any(|b| b != b'0');
        if is_one { Ok(Self(plain)) } else { Err(InvalidValue::BuyerRegistration) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_digits_with_or_without_punctuation() {
        let read = |text: &str| text.parse::<StateRegistration>().map(|it| it.to_string());
        assert_eq!(read(" 110.042.490.114 ").as_deref(), Ok("110042490114"));
        assert_eq!(read("062.307.904/0081").as_deref(), Ok("0623079040081"));
        for wrong in ["", "1", "ISENTO", "P-01100424.3/002", "123456789012345", "00"] {
            assert_eq!(read(wrong), Err(InvalidValue::BuyerRegistration), "{wrong}");
        }
    }
}
