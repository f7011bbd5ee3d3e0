//! Who does something in the back office.

use crate::id::{AccountId, ApiKeyId};

/// Who changes the shop. Everything that the back office can do takes one, and the audit log keeps
/// it ([`crate::audit`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person of the shop who is logged in.
    Admin(AccountId),
    /// A program with an API key.
    Key(ApiKeyId),
    /// The shop itself, or whoever has the machine: the command line, a program that embeds it.
    System,
}

impl Actor {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Admin(_) => "ADMIN",
            Self::Key(_) => "KEY",
            Self::System => "SYSTEM",
        }
    }

    /// Which person or program; none for the shop itself.
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Self::Admin(id) => Some(id.as_str()),
            Self::Key(id) => Some(id.as_str()),
            Self::System => None,
        }
    }
}
