use std::str::FromStr;

use super::{InvalidValue, text_value, trim};

/// A Brazilian postal code: eight digits, read with or without its hyphen, kept without.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cep(String);

text_value!(Cep, "cep");

impl Cep {
    /// As people write it, with its hyphen.
    pub(crate) fn punctuated(&self) -> String {
        let (area, street) = self.0.split_at(5);
        format!("{area}-{street}")
    }

    /// The part of the city, without the street: the first five digits, then zeros.
    pub(crate) fn area(&self) -> Self {
        Self(format!("{}000", &self.0[..5]))
    }
}

impl FromStr for Cep {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = trim(text);
        let digits = match text.split_once('-') {
            Some((prefix, suffix)) if prefix.len() == 5 => format!("{prefix}{suffix}"),
            _ => text.to_owned(),
        };
        if digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_digit()) {
            Ok(Self(digits))
        } else {
            Err(InvalidValue::Cep)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_digits_with_or_without_the_hyphen() {
        assert_eq!("01001-000".parse::<Cep>().map(|c| c.to_string()).as_deref(), Ok("01001000"));
        assert_eq!("01001000".parse::<Cep>().map(|c| c.punctuated()).as_deref(), Ok("01001-000"));
        assert_eq!("01310-123".parse::<Cep>().map(|c| c.area().0).as_deref(), Ok("01310000"));
        for bad in ["0100100", "010010000", "0100-1000", "01001_000", "abcdefgh", "٠١٠٠١٠٠٠"]
        {
            assert!(bad.parse::<Cep>().is_err(), "{bad}");
        }
    }
}
