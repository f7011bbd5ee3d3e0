//! The check digits of company numbers.

use std::str::FromStr;

use super::{InvalidValue, text_value, trim};

/// Whether a text is the number of a company (CNPJ), without punctuation: twelve digits or capital
/// letters and two check digits.
pub(crate) fn is_cnpj(text: &[u8]) -> bool {
    text.len() == 14
        && text[..12].iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && text.iter().any(|b| *b != text[0])
        && check_digit(&text[..12]) == text[12]
        && check_digit(&text[..13]) == text[13]
}

/// Modulo 11 with weights 2 to 9 from the right, again and again. A character counts as its code
/// less that of `0`, so digits count as themselves and `A` as 17.
pub(crate) fn check_digit(text: &[u8]) -> u8 {
    let weighted = text.iter().rev().zip((2..=9).cycle());
    let sum: u32 = weighted.map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0')) * weight).sum();
    match sum % 11 {
        0 | 1 => b'0',
        rest => b'0' + u8::try_from(11 - rest).unwrap_or_default(),
    }
}

/// What a company is registered by: twelve digits or capital letters and two check digits.
/// Letters are in use since July 2026, so it is a text everywhere. Read with or without
/// punctuation, kept without.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cnpj(String);

text_value!(Cnpj, "cnpj");

impl Cnpj {
    /// As people write it, with its punctuation.
    pub(crate) fn punctuated(&self) -> String {
        let part = |range| self.0.get(range).unwrap_or_default();
        let (root, branch) = ([part(0..2), part(2..5), part(5..8)].join("."), part(8..12));
        format!("{root}/{branch}-{}", part(12..14))
    }
}

impl FromStr for Cnpj {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain: String = trim(text).chars().filter(|c| !matches!(c, '.' | '/' | '-')).collect();
        let plain = plain.to_ascii_uppercase();
        if is_cnpj(plain.as_bytes()) { Ok(Self(plain)) } else { Err(InvalidValue::Cnpj) }
    }
}
