//! Who does something in the back office.

use crate::id::{AccountId, ApiKeyId};
use crate::value::wire_enum;

wire_enum! {
    /// What kind of actor it is, as the audit log keeps it.
    #[non_exhaustive]
    pub enum ActorKind {
        /// A person of the shop who is logged in.
        Admin = "ADMIN",
        /// A program with an API key.
        Key = "KEY",
        /// The shop itself, or a program that embeds it.
        System = "SYSTEM",
    }
}

/// Who changes the shop. Everything that the back office can do takes one, and the audit log keeps
/// it ([`crate::audit`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person of the shop who is logged in.
    Admin(AccountId),
    /// A program with an API key.
    Key(ApiKeyId),
    /// The shop itself: the command line, or a program that embeds it.
    System,
}

impl Actor {
    /// What kind of actor it is.
    pub fn kind(&self) -> ActorKind {
        match self {
            Self::Admin(_) => ActorKind::Admin,
            Self::Key(_) => ActorKind::Key,
            Self::System => ActorKind::System,
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
