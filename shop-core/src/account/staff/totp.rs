//! One-time codes: those of an authenticator (RFC 6238: six digits, 30 seconds, SHA-1, which is
//! what authenticators know), and the recovery codes that replace it.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use totp_rs::{Builder, Totp};

use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::{Error, Result};
use crate::mac::Mac;
use crate::value::{Email, inline_schema};

/// How many recovery codes there are.
const RECOVERY_CODES: usize = 10;
/// What the secrets of authenticators are derived for, so that nothing else that the session secret
/// signs can be one of them.
const PURPOSE: &[u8] = b"two-factor secret of staff:";
/// 160 bits, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
/// 80 bits: too many to be found by trying all, so that a plain hash of a code is enough to keep.
const RECOVERY_BYTES: usize = 10;

/// A code of an authenticator, or a recovery code; spaces, hyphens and case make no difference. Any
/// text will do: what could never be right is simply wrong. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct TwoFactorCode(String);

impl TwoFactorCode {
    /// Whether it is what a form sends whose field was left empty.
    pub(in crate::account) fn is_blank(&self) -> bool {
        self.normal().is_empty()
    }

    fn normal(&self) -> String {
        let written = self.0.chars().filter(|c| !c.is_whitespace() && *c != '-');
        written.map(|c| c.to_ascii_lowercase()).collect()
    }

    /// What is kept of it where it is a recovery code.
    pub(super) fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.normal()))
    }
}

any_text! { TwoFactorCode; }

opaque! { TwoFactorCode; }

inline_schema!(TwoFactorCode, { "type": "string", "writeOnly": true });

/// What the secrets of authenticators are derived from.
#[derive(Clone)]
pub(in crate::account) struct TotpKey(Secret);

impl TotpKey {
    pub(in crate::account) fn new(session_secret: &Secret) -> Self {
        Self(session_secret.clone())
    }

    /// The authenticator of a salt.
    pub(super) fn authenticator(&self, salt: &str) -> Result<Authenticator> {
        let key = self.0.reveal().as_bytes();
        let mac = Mac::new(key, &[PURPOSE, salt.as_bytes()]).map_err(Error::from_source)?;
        let mut secret = mac.bytes().to_vec();
        secret.truncate(SECRET_BYTES);
        let totp = Builder::new().with_secret(secret).build().map_err(Error::from_source)?;
        Ok(Authenticator(totp))
    }
}

/// What makes the codes of one account.
pub(super) struct Authenticator(Totp);

impl Authenticator {
    /// The secret as people type it.
    pub(super) fn secret(&self) -> Secret {
        Secret::new(self.0.secret().to_base32())
    }

    /// The secret as authenticators read it from a QR code.
    pub(super) fn url(&self, issuer: &str, account: &Email) -> Secret {
        let written = |text: &str| {
            // A colon stands between issuer and account, even where it is encoded.
            let text = text.replace(':', " ");
            utf8_percent_encode(text.trim(), NON_ALPHANUMERIC).to_string()
        };
        let (issuer, account) = (written(issuer), written(account.as_str()));
        let secret = self.secret();
        Secret::new(format!(
            "otpauth://totp/{issuer}:{account}?secret={}&issuer={issuer}&algorithm=SHA1&digits=6&period=30",
            secret.reveal()
        ))
    }

    /// The time step that a code belongs to, if it is one of now, of 30 seconds before or after.
    pub(super) fn step(&self, code: &TwoFactorCode, now: Timestamp) -> Option<i64> {
        let now = u64::try_from(now.seconds()).ok()?;
        self.0.check(&code.normal(), now).and_then(|step| i64::try_from(step).ok())
    }
}

/// Random bytes as text.
pub(super) fn new_salt() -> Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(Error::from_source)?;
    Ok(hex::encode(bytes))
}

/// New recovery codes, and what is kept of them.
pub(super) fn new_recovery_codes() -> Result<(Vec<Secret>, Vec<String>)> {
    let new = |_| new_recovery_code().map(Secret::new);
    let codes: Vec<Secret> = (0..RECOVERY_CODES).map(new).collect::<Result<_>>()?;
    let hashes = codes.iter().map(|code| TwoFactorCode::from(code.reveal()).hash()).collect();
    Ok((codes, hashes))
}

/// A recovery code as people note it: `abcd-efgh-ijkl-mnop`.
fn new_recovery_code() -> Result<String> {
    let mut bytes = vec![0_u8; RECOVERY_BYTES];
    getrandom::fill(&mut bytes).map_err(Error::from_source)?;
    let letters = totp_rs::Secret::new(bytes.into_boxed_slice()).to_base32().to_ascii_lowercase();
    let letters: Vec<char> = letters.chars().collect();
    Ok(letters.chunks(4).map(String::from_iter).collect::<Vec<_>>().join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1000)
    }

    #[test]
    fn codes_are_those_of_rfc_6238() {
        let secret = b"12345678901234567890".to_vec();
        let totp = Authenticator(Builder::new().with_secret(secret).build().expect("a secret"));
        // Appendix B, the last six of its eight digits.
        for (second, code) in [(59, "287082"), (1_111_111_109, "081804"), (2_000_000_000, "279037")]
        {
            assert_eq!(totp.step(&code.into(), at(second)), Some(second / 30), "{code}");
        }
        assert_eq!(totp.step(&"28 70-82".into(), at(59)), Some(1));
        assert_eq!(totp.step(&"287082".into(), at(89)), Some(1), "one step late");
        assert_eq!(totp.step(&"287082".into(), at(29)), Some(1), "one step early");
        for wrong in ["287082 0", "94287082", "+87082", "", "２８７０８２"] {
            assert_eq!(totp.step(&wrong.into(), at(59)), None, "{wrong}");
        }
        assert_eq!(totp.step(&"287082".into(), at(90)), None);
    }

    #[test]
    fn a_secret_follows_from_the_session_secret_and_the_salt() {
        let of = |key: &str, salt: &str| {
            let key = TotpKey::new(&Secret::new(key));
            key.authenticator(salt).expect("an authenticator").secret().reveal().to_owned()
        };
        let secret = of("one", "salt");
        assert_eq!((secret.len(), of("one", "salt")), (32, secret.clone()));
        assert!(of("two", "salt") != secret && of("one", "pepper") != secret);
    }

    #[test]
    fn an_address_for_authenticators_has_one_colon() {
        let key = TotpKey::new(&Secret::new("one"));
        let authenticator = key.authenticator("salt").expect("an authenticator");
        let email = "eva+loja@example.com".parse().expect("an e-mail");
        let url = authenticator.url("Velas: de & cera", &email);
        let (label, query) = url.reveal().split_once('?').expect("a query");
        assert_eq!(label, "otpauth://totp/Velas%20%20de%20%26%20cera:eva%2Bloja%40example%2Ecom");
        let secret = authenticator.secret();
        assert!(query.starts_with(&format!("secret={}&issuer=Velas", secret.reveal())), "{query}");
    }

    #[test]
    fn recovery_codes_are_compared_without_their_looks() {
        let code = new_recovery_code().expect("a code");
        assert_eq!((code.len(), code.matches('-').count()), (19, 3));
        let typed = TwoFactorCode::from(&*code.to_uppercase().replace('-', " "));
        assert_eq!(typed.hash(), TwoFactorCode::from(&*code).hash());
        assert_ne!(code, new_recovery_code().expect("a code"));
        assert_eq!(format!("{typed:?}"), "TwoFactorCode { .. }");
    }
}
