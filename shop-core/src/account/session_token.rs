//! The token of a session: a JWT that the shop signs and checks.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use super::{Account, Role};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::{Error, Result};
use crate::id::AccountId;

/// How long a session holds, in seconds: seven days.
pub(super) const LIFETIME_SECONDS: i64 = 7 * 24 * 60 * 60;

/// What a token says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Claims {
    pub(super) user_id: AccountId,
    pub(super) email: String,
    pub(super) role: Role,
    /// In seconds: when it was made.
    pub(super) iat: i64,
    /// In seconds: from here on the session is over.
    pub(super) exp: i64,
}

impl Claims {
    /// Of a session that starts at a second, which may be a later one than now.
    pub(super) fn of(account: &Account, starts: i64, now: Timestamp) -> Self {
        Self {
            user_id: account.id.clone(),
            email: account.email.to_string(),
            role: account.role,
            // Other programs take a token from the future for a forged one.
            iat: starts.min(now.seconds()),
            exp: starts + LIFETIME_SECONDS,
        }
    }

    /// From which second on the session holds.
    pub(super) fn starts(&self) -> i64 {
        self.exp - LIFETIME_SECONDS
    }
}

/// What signs tokens and checks them.
pub(super) struct SessionKeys {
    sign: EncodingKey,
    check: DecodingKey,
    rules: Validation,
}

impl SessionKeys {
    pub(super) fn new(secret: &Secret) -> Self {
        let secret = secret.reveal().as_bytes();
        let mut rules = Validation::new(Algorithm::HS256);
        // Expiry is a matter of the shop's clock, and this crate only knows the machine's.
        rules.validate_exp = false;
        rules.required_spec_claims.clear();
        let (sign, check) = (EncodingKey::from_secret(secret), DecodingKey::from_secret(secret));
        Self { sign, check, rules }
    }

    pub(super) fn seal(&self, claims: &Claims) -> Result<String> {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &self.sign)
            .map_err(Error::from_source)
    }

    /// What a token says that is this shop's and has not expired.
    pub(super) fn open(&self, token: &str, now: Timestamp) -> Option<Claims> {
        let opened = jsonwebtoken::decode::<Claims>(token, &self.check, &self.rules).ok()?;
        let jsonwebtoken::TokenData { header, claims, .. } = opened;
        // An extension that the reader must understand; none is known here.
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

    const START: Timestamp = Timestamp::from_millis(1_795_266_068_123);

    fn claims() -> Claims {
        let iat = START.seconds();
        Claims {
            user_id: "018f".into(),
            email: "ana@example.com".to_owned(),
            role: Role::Customer,
            iat,
            exp: iat + LIFETIME_SECONDS,
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
}
