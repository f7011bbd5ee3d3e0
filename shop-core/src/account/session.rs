//! Sessions: the proof of a log-in, sent with each request.
//!
//! A session is a signed token. It holds for seven days, and for as long as its account exists, is
//! active and keeps its password (docs/decisions.md, "Access"). Nothing is stored for a customer's;
//! those of staff have a row each (`staff/session.rs`), so that they can be seen and ended.

use std::net::IpAddr;
use std::sync::Arc;

use super::credentials::Credentials;
use super::fair_queue::Requester;
use super::session_token::{Claims, LIFETIME_SECONDS};
use super::staff::{self, Identity, NewSession, SecondStep};
use super::{Account, Known, PasswordAttempt, Role, TwoFactorCode, store};
use crate::context::Context;
use crate::error::{Credential, Entity, Error, Result};
use crate::id::AccountId;
use crate::lane;
use crate::storage::Tx;
use crate::value::Email;

/// The input of a log-in. Any text is taken: what could never be right is simply wrong.
#[apply(input!)]
pub struct LogIn {
    /// The account's e-mail, in whatever case.
    pub email: String,
    /// Its password.
    pub password: PasswordAttempt,
    /// What the authenticator shows, or a recovery code; where an account that runs the shop has
    /// two-factor log-ins.
    #[serde(default)]
    pub code: Option<TwoFactorCode>,
}

/// A session that was started. `Debug` does not show the token.
#[derive(Clone)]
#[non_exhaustive]
pub struct Session {
    /// The account that logged in.
    pub account: Account,
    /// What proves it: an HS256 JWT.
    pub token: String,
}

opaque! { Session { account }; }

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
    pub(super) cx: &'a Context,
    pub(super) credentials: &'a Credentials,
    client: Option<IpAddr>,
    user_agent: Option<&'a str>,
}

impl<'a> Sessions<'a> {
    /// How long a session holds, in seconds: seven days.
    pub const LIFETIME_SECONDS: i64 = LIFETIME_SECONDS;

    pub(crate) fn new(cx: &'a Context, credentials: &'a Credentials) -> Self {
        Self { cx, credentials, client: None, user_agent: None }
    }

    /// Calls on behalf of a client at this address; see [`Accounts::from_client`].
    ///
    /// [`Accounts::from_client`]: super::Accounts::from_client
    #[must_use]
    pub fn from_client(self, client: IpAddr) -> Self {
        Self { client: Some(client), ..self }
    }

    /// Calls on behalf of a browser or program of this name, by which staff knows its sessions.
    #[must_use]
    pub fn with_user_agent(self, user_agent: Option<&'a str>) -> Self {
        Self { user_agent, ..self }
    }

    /// Starts a session.
    ///
    /// # Errors
    /// [`Credential::Login`] when the e-mail is unknown or the password is wrong; which of the two
    /// cannot be told, not from the time it takes either. [`Error::Suspended`] for those who know
    /// the password of a suspended account, and for nobody else. In the same way
    /// [`Credential::TwoFactor`] where the account needs a code and none came,
    /// [`Credential::TwoFactorCode`] where it is wrong or was used, and
    /// [`Error::TooManyAttempts`] after ten wrong ones of an account in 15 minutes.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn log_in(&self, input: LogIn) -> Result<Session> {
        let LogIn { email, password, code } = input;
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
            Some(known) if right => {
                let starts = now.max(known.sessions_from);
                let code = code.filter(|code| !code.is_blank());
                let issued = self.start(known.account, starts, SecondStep::Code(code)).await?;
                issued.ok_or(Error::Unauthenticated(Credential::Login))
            }
            _ => Err(Error::Unauthenticated(Credential::Login)),
        }
    }

    /// Starts a session for an account that the calling program has authenticated by means of its
    /// own. Nothing is asked for here, no second factor either: the program answers for who it is.
    ///
    /// # Errors
    /// [`Entity::Account`]; [`Error::Suspended`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn issue(&self, account: &AccountId) -> Result<Session> {
        // Before the look-up: what ends the account's sessions between it and the token ends this
        // one.
        let now = self.cx.now().seconds();
        let id = account.clone();
        let known = self.cx.db().lookup("session.issue", move |tx| store::by_id(tx, &id)).await?;
        let Known { account, sessions_from, .. } = known.ok_or(Error::NotFound(Entity::Account))?;
        if !account.is_active {
            return Err(Error::Suspended);
        }
        let issued = self.start(account, now.max(sessions_from), SecondStep::Done).await?;
        issued.ok_or(Error::Suspended)
    }

    /// The account whose session this is.
    ///
    /// # Errors
    /// [`Credential::Session`] when it was not issued by this shop, has expired, or its account is
    /// gone, suspended or has another password since, or it was ended;
    /// [`Refusal::TwoFactorRequired`](crate::error::Refusal::TwoFactorRequired) where the account
    /// must enrol a second factor first.
    ///
    /// Cancel safe: reads only.
    pub async fn verify(&self, token: &str) -> Result<Account> {
        self.identify(token).await?.admitted()
    }

    /// The holder of a session, which one it is where the account runs the shop, and whether it
    /// must enrol a second factor first.
    ///
    /// # Errors
    /// [`Credential::Session`], as [`Sessions::verify`] has it.
    ///
    /// Cancel safe: reads only.
    pub async fn identify(&self, token: &str) -> Result<Identity> {
        let now = self.cx.now();
        let claims = self.credentials.session_keys.open(token, now);
        let claims = claims.ok_or(Error::Unauthenticated(Credential::Session))?;
        let (hash, role) = (staff::token_hash(token), claims.role);
        let demand = self.cx.config().staff.require_two_factor;
        let job = move |tx: &mut dyn Tx| staff::identify(tx, &claims, &hash, demand);
        // A customer's takes a single query, which PostgreSQL answers without a transaction, and a
        // name stands for jobs that ask alike.
        let name = match role {
            Role::Customer => "session.verify",
            Role::Admin => "session.verify_staff",
        };
        let identity = self.cx.db().lookup(name, job).await?;
        let identity = identity.ok_or(Error::Unauthenticated(Credential::Session))?;
        if let Some(session) = &identity.session {
            self.credentials.session_uses.used(session, now);
        }
        Ok(identity)
    }

    /// A session that starts at a second, which is not before the account's `sessions_from`.
    /// That may be the next second: of those that start within the second in which the account's
    /// other sessions ended, only this one shall hold. Nothing where they were ended once more
    /// meanwhile.
    pub(super) async fn start(
        self,
        account: Account,
        starts: i64,
        second_step: SecondStep,
    ) -> Result<Option<Session>> {
        let token = match account.role {
            Role::Customer => {
                let claims = Claims::of(&account, starts, self.cx.now());
                Some(self.credentials.session_keys.seal(&claims)?)
            }
            Role::Admin => self.start_staff(&account, starts, second_step).await?,
        };
        Ok(token.map(|token| Session { account, token }))
    }

    /// Wrong codes are counted by account: only callers with the right password get this far.
    async fn start_staff(
        self,
        account: &Account,
        starts: i64,
        second_step: SecondStep,
    ) -> Result<Option<String>> {
        let with_code = matches!(second_step, SecondStep::Code(Some(_)));
        let begin = || self.credentials.wrong_codes.begin(&account.id, self.cx.now());
        let attempt = with_code.then(begin).transpose()?;
        let new =
            NewSession::new(account.clone(), starts, second_step, self.user_agent, self.client);
        let (keys, totp_key) =
            (Arc::clone(&self.credentials.session_keys), self.credentials.totp_key.clone());
        let at = self.cx.work();
        let job = move |tx: &mut dyn Tx| staff::start(tx, &at, &keys, &new, &totp_key);
        let started = self.cx.db().write(lane::CUSTOMERS, "session.start", job).await;
        match attempt {
            Some(attempt) => attempt.settle(started, Credential::TwoFactorCode),
            None => started,
        }
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
            let input = LogIn {
                email: "ana@example.com".to_owned(),
                password: password.into(),
                code: None,
            };
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
