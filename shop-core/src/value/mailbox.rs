//! A sender or recipient of mails.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::{Email, InvalidValue};

/// An address with the name of whose it is: `Loja de Velas <loja@velas.example>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    /// The name, if there is one.
    pub name: Option<String>,
    /// The address.
    pub email: Email,
}

impl FromStr for Mailbox {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, email) = match text.trim().strip_suffix('>').and_then(|t| t.split_once('<')) {
            Some((name, email)) => (name.trim().trim_matches('"'), email),
            None => ("", text),
        };
        let name = Some(name.to_owned()).filter(|name| !name.is_empty());
        Ok(Self { name, email: email.parse()? })
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} <{}>", self.email),
            None => self.email.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for Mailbox {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_with_a_name_or_without() {
        for (text, name, email) in [
            ("Loja de Velas <loja@velas.example>", Some("Loja de Velas"), "loja@velas.example"),
            (" \"Velas & Cia\" <a@b.co> ", Some("Velas & Cia"), "a@b.co"),
            ("a@b.co", None, "a@b.co"),
            ("<a@b.co>", None, "a@b.co"),
        ] {
            let mailbox: Mailbox = text.parse().expect("a mailbox");
            assert_eq!((mailbox.name.as_deref(), mailbox.email.as_str()), (name, email), "{text}");
        }
        for bad in ["", "Loja", "Loja <loja>", "Loja <a@b.co", "a@b.co, c@d.co"] {
            assert!(bad.parse::<Mailbox>().is_err(), "{bad}");
        }
    }
}
