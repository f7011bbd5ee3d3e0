//! Sessions: what somebody who logged in shows with each request (section "Session cookie").
//!
//! A session is a signed token and nothing is stored for it. It holds for seven days, and for as
//! long as its account exists, is active and keeps its password (decision 15).

use std::net::IpAddr;

use serde::Deserialize;

use super::credentials::Credentials;
use super::fair_queue::Requester;
use super::session_token::{Claims, LIFETIME_SECONDS};
use super::{Account, Known, PasswordAttempt, store};
use crate::context::Context;
use crate::error::{Credential, Error, Result};
use crate::value::Email;

/// What somebody logs in with. Any text will do: what could never be right is simply wrong.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LogIn {
    /// The account's e-mail, in whatever case.
    pub email: String,
    /// Its password.
    pub password: PasswordAttempt,
}

/// Somebody who logged in. `Debug` does not show the token.
#[derive(Clone)]
pub struct Session {
    /// Who it is.
    pub account: Account,
    /// What proves it: an HS256 JWT.
    pub token: String,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("account", &self.account).finish_non_exhaustive()
    }
}

/// Sessions: [`Shop::sessions`](crate::Shop::sessions).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::account::LogIn;
///
/// let ana = shop.buyer("Ana").await?;
/// let log_in: LogIn =
///     serde_json::from_str(r#"{ "email": "ana@example.com", "password": "segredo-123" }"#)?;
/// let session = shop.sessions().log_in(log_in).await?;
/// assert_eq!(shop.sessions().verify(&session.token).await?.id, ana.id);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sessions<'a> {
    cx: &'a Context,
    credentials: &'a Credentials,
    client: Option<IpAddr>,
}

impl<'a> Sessions<'a> {
    /// How long a session holds, in seconds: seven days.
    pub const LIFETIME_SECONDS: i64 = LIFETIME_SECONDS;

    pub(crate) fn new(cx: &'a Context, credentials: &'a Credentials) -> Self {
        Self { cx, credentials, client: None }
    }

    /// Calls on behalf of a client at this address; see [`Accounts::from_client`].
    ///
    /// [`Accounts::from_client`]: super::Accounts::from_client
    #[must_use]
    pub fn from_client(self, client: IpAddr) -> Self {
        Self { client: Some(client), ..self }
    }

    /// Starts a session.
    ///
    /// # Errors
    /// [`Credential::Login`] when the e-mail is unknown or the password is wrong; which of the two
    /// cannot be told, not from the time it takes either. [`Error::Suspended`] for those who know
    /// the password of a suspended account, and for nobody else.
    pub async fn log_in(&self, input: LogIn) -> Result<Session> {
        let LogIn { email, password } = input;
        // Before the look-up: a change of password between it and the token ends the session.
        let now = self.cx.now().seconds();
        let known = match email.parse::<Email>() {
            Ok(email) => {
                self.cx.db().lookup("session.log_in", move |tx| store::by_email(tx, &email)).await?
            }
            Err(_) => None,
        };
        let hash = known.as_ref().map(|known| known.password_hash.clone());
        let by = Requester::stranger(self.client, &email);
        let right = self.credentials.hasher.verify(by, password, hash).await?;
        match known {
            Some(known) if right && !known.account.is_active => Err(Error::Suspended),
            Some(known) if right => self.issue(known.account, now.max(known.sessions_from)),
            _ => Err(Error::Unauthenticated(Credential::Login)),
        }
    }

    /// The account whose session this is.
    ///
    /// # Errors
    /// [`Credential::Session`] when it was not issued by this shop, has expired, or its account is
    /// gone, suspended or has another password since.
    pub async fn verify(&self, token: &str) -> Result<Account> {
        let claims = self.credentials.session_keys.open(token, self.cx.now());
        let claims = claims.ok_or(Error::Unauthenticated(Credential::Session))?;
        let (starts, user_id) = (claims.starts(), claims.user_id);
        let known =
            self.cx.db().lookup("session.verify", move |tx| store::by_id(tx, &user_id)).await?;
        match known {
            Some(Known { account, sessions_from, .. })
                if account.is_active && starts >= sessions_from =>
            {
                Ok(account)
            }
            _ => Err(Error::Unauthenticated(Credential::Session)),
        }
    }

    /// A session that starts at a second, which is not before the account's `sessions_from`.
    /// That may be the next second: of those that start within the second in which the account's
    /// other sessions ended, only this one shall hold.
    pub(super) fn issue(self, account: Account, starts: i64) -> Result<Session> {
        let token = self.credentials.session_keys.seal(&Claims {
            user_id: account.id.clone(),
            email: account.email.to_string(),
            role: account.role,
            // Other programs take a token from the future for a forged one.
            iat: starts.min(self.cx.now().seconds()),
            exp: starts + LIFETIME_SECONDS,
        })?;
        Ok(Session { account, token })
    }
}

#[cfg(feature = "sqlite")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Register;
    use crate::config::Config;
    use crate::lane;
    use crate::shop::Shop;
    use crate::storage::Tx;

    #[tokio::test]
    async fn only_who_knows_the_password_learns_of_a_suspension() {
        let dir = tempfile::tempdir().expect("a folder");
        let database = dir.path().join("shop.db").display().to_string();
        let shop = Shop::open(Config { database, ..Config::default() }).await.expect("a shop");
        let input = Register {
            name: "Ana".parse().expect("a name"),
            email: "ana@example.com".parse().expect("an e-mail"),
            password: "correct horse".parse().expect("a password"),
        };
        let session = shop.accounts().register(input).await.expect("registered");
        assert!(shop.sessions().verify(&session.token).await.is_ok());
        let suspend = |tx: &mut dyn Tx| tx.execute("UPDATE account SET active = 0", &[]);
        shop.context()
            .db()
            .write(lane::CUSTOMERS, "test.suspend", suspend)
            .await
            .expect("suspended");

        let log_in = async |password: &str| {
            let input = LogIn { email: "ana@example.com".to_owned(), password: password.into() };
            shop.sessions().log_in(input).await
        };
        let right = log_in("correct horse").await;
        assert!(matches!(right, Err(Error::Suspended)), "{right:?}");
        let wrong = log_in("wrong horse").await;
        assert!(matches!(wrong, Err(Error::Unauthenticated(Credential::Login))), "{wrong:?}");
        let session = shop.sessions().verify(&session.token).await;
        assert!(matches!(session, Err(Error::Unauthenticated(Credential::Session))), "{session:?}");
    }
}
