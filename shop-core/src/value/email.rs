use std::str::FromStr;

use super::{InvalidValue, text_value, trim};

/// An e-mail address, trimmed. Addresses are compared without regard to case (docs/decisions.md,
/// "Values").
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

text_value!(Email, "email");

impl Email {
    /// An address that stands in the program itself.
    pub(crate) fn known(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// The form by which two addresses are the same.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

impl FromStr for Email {
    type Err = InvalidValue;

    /// Takes what a mail server could deliver: one `@`, a local part of at most 64 characters, a
    /// host name with a dot. Finer rules turn real customers away.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = trim(text);
        let fine = text.len() <= 254
            && text.is_ascii()
            && text.split_once('@').is_some_and(|(local, host)| is_local(local) && is_host(host));
        if fine { Ok(Self(text.to_owned())) } else { Err(InvalidValue::Email) }
    }
}

fn is_local(local: &str) -> bool {
    let atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    (1..=64).contains(&local.len())
        && local.chars().all(atom)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
}

fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.contains('.') && host.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_addresses_pass_and_broken_ones_do_not() {
        for good in ["ana@example.com", " Ana.Souza+loja@mail.example.com.br ", "o'hara@x-y.io"] {
            assert!(good.parse::<Email>().is_ok(), "{good}");
        }
        let bad =
            ["", "ana", "ana@", "@x.com", "a b@x.com", "a@x", "a@@x.com", ".a@x.com", "a@-x.com"];
        for bad in bad {
            assert!(bad.parse::<Email>().is_err(), "{bad}");
        }
    }
}
