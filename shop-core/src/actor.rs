//! Who does something in the back office.

use crate::id::{AccountId, ApiKeyId};
use crate::value::{InvalidValue, Text, wire_enum};

wire_enum! {
    /// What kind of actor it is, as the audit log keeps it.
    #[non_exhaustive]
    pub enum ActorKind {
        /// A person of the shop who is logged in.
        Admin = "ADMIN",
        /// A program with an API key.
        Key = "KEY",
        /// The shop itself, or a program that embeds it; the latter with its name as the id.
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
    /// A program that embeds the shop, or a part of it, by its name; made by [`Actor::host`].
    Host(Text<1, 64>),
    /// The shop itself: the command line, or a program that says no more of itself.
    System,
}

impl Actor {
    /// A program that embeds the shop, or a part of it, by the name that the audit log shows.
    ///
    /// ```
    /// # shop_core::testing::run(async |shop| {
    /// use shop_core::actor::Actor;
    /// use shop_core::audit::AuditFilter;
    /// use shop_core::catalog::NewProduct;
    ///
    /// let erp = Actor::host("erp")?;
    /// let candle = NewProduct::new("Vela de Lavanda".parse()?, "49.90".parse()?, 10.try_into()?)?;
    /// shop.products().create(&erp, candle, None).await?;
    /// let log = shop.audit().list(AuditFilter::default()).await?;
    /// assert_eq!(log.data[0].actor.name.as_deref(), Some("erp"));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`InvalidValue`] where the name is empty, has more than 64 characters, or control
    /// characters.
    pub fn host(name: &str) -> Result<Self, InvalidValue> {
        name.parse().map(Self::Host)
    }

    /// What kind of actor it is.
    pub fn kind(&self) -> ActorKind {
        match self {
            Self::Admin(_) => ActorKind::Admin,
            Self::Key(_) => ActorKind::Key,
            Self::Host(_) | Self::System => ActorKind::System,
        }
    }

    /// The id of the person or key, or the program's name; none for the shop itself.
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Self::Admin(id) => Some(id.as_str()),
            Self::Key(id) => Some(id.as_str()),
            Self::Host(name) => Some(name.as_str()),
            Self::System => None,
        }
    }

    /// The actor that a store kept as its kind and its id ([`Self::kind`], [`Self::id`]).
    ///
    /// # Errors
    /// [`InvalidValue`] where a program's name is none.
    pub(crate) fn from_stored(kind: ActorKind, id: Option<String>) -> Result<Self, InvalidValue> {
        Ok(match (kind, id) {
            (ActorKind::Admin, Some(id)) => Self::Admin(id.into()),
            (ActorKind::Key, Some(id)) => Self::Key(id.into()),
            (_, Some(name)) => Self::host(&name)?,
            (_, None) => Self::System,
        })
    }
}
