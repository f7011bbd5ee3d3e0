//! Sessions: what somebody who logged in shows with each request (section "Session cookie").
//!
//! A session is a signed token and nothing is stored for it. It holds for seven days, and for as
//! long as its account exists, is active and keeps its password (decision 15).

use std::net::IpAddr;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use super::credentials::Credentials;
use super::fair_queue::Requester;
use super::{Account, Known, PasswordAttempt, Role, store};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::context::Context;
use crate::error::{Credential, Error, Result};
use crate::id::AccountId;
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
    pub const LIFETIME_SECONDS: i64 = 7 * 24 * 60 * 60;

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
            exp: starts + Self::LIFETIME_SECONDS,
        })?;
        Ok(Session { account, token })
    }
}

/// What a token says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Claims {
    user_id: AccountId,
    email: String,
    role: Role,
    /// In seconds: when it was made.
    iat: i64,
    /// In seconds: from here on the session is over.
    exp: i64,
}

impl Claims {
    /// From which second on the session holds.
    fn starts(&self) -> i64 {
        self.exp - Sessions::LIFETIME_SECONDS
    }
}

/// What signs tokens and checks them.
pub(crate) struct SessionKeys {
    sign: EncodingKey,
    check: DecodingKey,
    rules: Validation,
}

impl SessionKeys {
    pub(crate) fn new(secret: &Secret) -> Self {
        let secret = secret.reveal().as_bytes();
        let mut rules = Validation::new(Algorithm::HS256);
        // Expiry is a matter of the shop's clock, and this crate only knows the machine's.
        rules.validate_exp = false;
        rules.required_spec_claims.clear();
        let (sign, check) = (EncodingKey::from_secret(secret), DecodingKey::from_secret(secret));
        Self { sign, check, rules }
    }

    fn seal(&self, claims: &Claims) -> Result<String> {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &self.sign)
            .map_err(Error::from_source)
    }

    /// What a token says that is this shop's and has not expired.
    fn open(&self, token: &str, now: Timestamp) -> Option<Claims> {
        let opened = jsonwebtoken::decode::<Claims>(token, &self.check, &self.rules).ok()?;
        let jsonwebtoken::TokenData { header, claims, .. } = opened;
        // Whoever made it demands that the reader understands something; this one does not.
        if header.crit.is_some() {
            return None;
        }
        (now.seconds() < claims.exp).then_some(claims)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;
    use crate::account::Register;
    use crate::config::Config;
    use crate::lane;
    use crate::shop::Shop;
    use crate::storage::Tx;

    const START: Timestamp = Timestamp::from_millis(1_795_266_068_123);

    fn claims() -> Claims {
        let iat = START.seconds();
        Claims {
            user_id: "018f".into(),
            email: "ana@example.com".to_owned(),
            role: Role::Customer,
            iat,
            exp: iat + Sessions::LIFETIME_SECONDS,
        }
    }

    #[test]
    fn a_token_says_exactly_five_things() {
        let token = SessionKeys::new(&Secret::new("secret")).seal(&claims()).expect("a token");
        let parts: Vec<&str> = token.split('.').collect();
        let read = |part: &str| {
            let bytes = URL_SAFE_NO_PAD.decode(part).expect("base64url");
            serde_json::from_slice::<serde_json::Value>(&bytes).expect("JSON")
        };
        assert_eq!(read(parts[0]), serde_json::json!({ "alg": "HS256", "typ": "JWT" }));
        let expected = serde_json::json!({
            "userId": "018f", "email": "ana@example.com", "role": "CUSTOMER",
            "iat": 1_795_266_068_i64, "exp": 1_795_870_868_i64
        });
        assert_eq!(read(parts[1]), expected);
    }

    #[test]
    fn every_change_of_one_byte_makes_a_token_invalid() {
        let keys = SessionKeys::new(&Secret::new("secret"));
        let token = keys.seal(&claims()).expect("a token");
        assert_eq!(keys.open(&token, START), Some(claims()));
        for position in 0..token.len() {
            for byte in (0..128).filter(|byte| *byte != token.as_bytes()[position]) {
                let mut changed = token.clone().into_bytes();
                changed[position] = byte;
                let changed = String::from_utf8(changed).expect("ASCII");
                assert_eq!(keys.open(&changed, START), None, "byte {position} as {byte}");
            }
        }
        for end in 0..token.len() {
            assert_eq!(keys.open(&token[..end], START), None, "cut at {end}");
        }
    }

    #[test]
    fn only_this_secret_and_only_hs256_count() {
        let keys = SessionKeys::new(&Secret::new("secret"));
        let other = SessionKeys::new(&Secret::new("another")).seal(&claims()).expect("a token");
        assert_eq!(keys.open(&other, START), None);
        let header = Header::new(Algorithm::HS512);
        let hs512 = jsonwebtoken::encode(&header, &claims(), &keys.sign).expect("a token");
        assert_eq!(keys.open(&hs512, START), None);
        let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&claims()).expect("JSON"));
        let good = keys.seal(&claims()).expect("a token");
        let signature = good.rsplit('.').next().unwrap_or_default();
        for alg in ["none", "None", "HS384", "RS256", ""] {
            let header = URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"{alg}","typ":"JWT"}}"#));
            for signature in ["", signature] {
                let forged = format!("{header}.{payload}.{signature}");
                assert_eq!(keys.open(&forged, START), None, "{alg}");
            }
        }
    }

    #[test]
    fn a_token_that_demands_to_be_understood_is_refused() {
        let keys = SessionKeys::new(&Secret::new("secret"));
        let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&claims()).expect("JSON"));
        let signed = |header: &str| {
            let message = format!("{}.{payload}", URL_SAFE_NO_PAD.encode(header));
            let signature =
                jsonwebtoken::crypto::sign(message.as_bytes(), &keys.sign, Algorithm::HS256);
            format!("{message}.{}", signature.expect("signed"))
        };
        assert_eq!(keys.open(&signed(r#"{"alg":"HS256"}"#), START), Some(claims()));
        // RFC 7515, 4.1.11. The last two are none that it allows.
        for crit in [r#"["b64"]"#, r#"["exp","https://example.com/UNDEFINED"]"#, "[]", r#""exp""#] {
            let token = signed(&format!(r#"{{"alg":"HS256","crit":{crit}}}"#));
            assert_eq!(keys.open(&token, START), None, "{crit}");
        }
    }

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
