use std::str::FromStr;

use super::{InvalidValue, text_value};

/// A Brazilian state by its two letters (`SP`), read in either case, kept in capitals.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uf(String);

text_value!(Uf, "uf");

const ALL: [&str; 27] = [
    "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE",
    "PI", "PR", "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO",
];

impl FromStr for Uf {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let upper = text.trim().to_ascii_uppercase();
        if ALL.contains(&upper.as_str()) { Ok(Self(upper)) } else { Err(InvalidValue::State) }
    }
}
