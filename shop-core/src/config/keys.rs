//! A setting: what it is called, how it is written, what holds where it is not set, and what is
//! said to a value that is none.

/// A setting. Made by [`text`], [`secret`], [`list`], [`flag`] and [`number`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Key {
    /// As it stands in the file: `orders.unpaid_ttl_hours`.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// As it would be written for an override; nothing where the setting is not set then.
    pub(super) default: Option<&'static str>,
    /// What a value must be, to stand behind "expected ".
    pub(super) expects: &'static str,
}

/// How a value is written. A text stays a text, whatever it looks like: a postal code keeps its
/// leading zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// A text that is never shown.
    Secret,
    /// A whole number, from and to.
    Integer(i64, i64),
    Boolean,
    /// Texts; in an override with commas between.
    List,
}

impl Key {
    /// The name of its override: `SHOP_ORDERS__UNPAID_TTL_HOURS`.
    pub(super) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name.to_ascii_uppercase().replace('.', "__"))
    }
}

/// What the names of overrides begin with.
pub(super) const PREFIX: &str = "SHOP_";

/// A setting that is a text. `expects` says what a value must be, to stand behind "expected "; a
/// default is written as an override would be.
#[must_use]
pub const fn text(name: &'static str, default: Option<&'static str>, expects: &'static str) -> Key {
    Key { name, kind: Kind::Text, default, expects }
}

/// A text that is never shown, not even in errors. It has no default.
#[must_use]
pub const fn secret(name: &'static str, expects: &'static str) -> Key {
    Key { name, kind: Kind::Secret, default: None, expects }
}

/// A list of texts; in an override with commas between.
#[must_use]
pub const fn list(name: &'static str, default: Option<&'static str>, expects: &'static str) -> Key {
    Key { name, kind: Kind::List, default, expects }
}

/// A setting that is on or off.
#[must_use]
pub const fn flag(name: &'static str, default: &'static str) -> Key {
    Key { name, kind: Kind::Boolean, default: Some(default), expects: "true or false" }
}

/// A whole number, from and to.
#[must_use]
pub const fn number(
    name: &'static str,
    (from, to): (i64, i64),
    default: &'static str,
    expects: &'static str,
) -> Key {
    Key { name, kind: Kind::Integer(from, to), default: Some(default), expects }
}
