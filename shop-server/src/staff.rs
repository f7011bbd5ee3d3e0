//! Callers of rows that concern their own account and its sessions, and the name by which a session
//! is told apart. Admins who must enrol a second factor first are admitted here and nowhere else.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::USER_AGENT;
use shop_core::account::{Account, Role};
use shop_core::actor::Actor;
use shop_core::error::{Credential, Error};
use shop_core::id::StaffSessionId;

use crate::app::{App, Head};
use crate::caller::{Access, Acting, Caller, identity, session_tokens, with_role};
use crate::input::Input;
use crate::openapi::{Operation, Schemas};
use crate::reply::Failure;

/// A session of any role.
pub(crate) struct Own(pub(crate) Account);

impl Caller for Own {
    const ACCESS: Access = Access::Own;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        Ok(Self(identity(app, head).await?.account))
    }
}

/// A session of an admin, and which one it is.
pub(crate) struct Staff {
    pub(crate) account: Account,
    pub(crate) session: StaffSessionId,
}

impl Acting for Staff {
    fn actor(&self) -> Actor {
        Actor::Admin(self.account.id.clone())
    }
}

impl Caller for Staff {
    const ACCESS: Access = Access::Staff;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        let identity = identity(app, head).await?;
        let account = with_role(identity.account, Role::Admin)?;
        let session = identity.session.ok_or(Error::Unauthenticated(Credential::Session))?;
        Ok(Self { account, session })
    }
}

/// Every caller, with what may be the tokens of a session that is to end.
pub(crate) struct Leaving(pub(crate) Vec<String>);

impl Caller for Leaving {
    const ACCESS: Access = Access::Public;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        let tokens = session_tokens(&head.parts.headers, &app.options.cookies.session);
        Ok(Self(tokens.map(str::to_owned).collect()))
    }
}

/// The name that the caller's browser or program gives itself, as far as it is text.
pub(crate) struct UserAgent(pub(crate) Option<String>);

impl Input for UserAgent {
    fn parse(head: &Head, _: &Bytes) -> Result<Self, Failure> {
        let name = head.parts.headers.get(USER_AGENT);
        Ok(Self(name.map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned())))
    }

    fn describe(_: &mut Operation, _: &mut Schemas) {}
}
