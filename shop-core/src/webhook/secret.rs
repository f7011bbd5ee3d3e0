//! What an endpoint's deliveries are signed with, and how.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Deserializer};
use sha2::Sha256;

use crate::error::{Error, Result};
use crate::storage::{FromColumn, Row};
use crate::value::InvalidValue;

/// What a receiver checks signatures with: 8 to 256 characters, every one of them kept. It is never
/// shown again, but it is stored as it is, since every delivery is signed with it.
///
/// One of the form `whsec_<base64>` is what Standard Webhooks calls a secret: for that signature the
/// key is what the base64 stands for. Any other text is its own key, and for `X-Webhook-Signature`
/// every text is.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

const MIN_LENGTH: usize = 8;
const MAX_LENGTH: usize = 256;
const PREFIX: &str = "whsec_";

impl WebhookSecret {
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// The value of `X-Webhook-Signature` (section "Events", delivery rule 3).
    pub(super) fn sign_body(&self, body: &[u8]) -> Result<String> {
        let mut mac = mac(self.0.as_bytes())?;
        mac.update(body);
        Ok(format!("sha256={}", hex::encode(mac.finalize().into_bytes())))
    }

    /// One entry of `webhook-signature`, as Standard Webhooks has it.
    pub(super) fn sign_message(&self, id: &str, seconds: i64, body: &[u8]) -> Result<String> {
        let mut mac = mac(&self.standard_key())?;
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(body);
        Ok(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    }

    fn standard_key(&self) -> Vec<u8> {
        let decoded = self.0.strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok());
        decoded.unwrap_or_else(|| self.0.as_bytes().to_vec())
    }
}

fn mac(key: &[u8]) -> Result<Hmac<Sha256>> {
    Hmac::new_from_slice(key).map_err(Error::from_source)
}

impl std::str::FromStr for WebhookSecret {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.chars().count() {
            MIN_LENGTH..=MAX_LENGTH => Ok(Self(text.to_owned())),
            ..MIN_LENGTH => {
                Err(InvalidValue(format!("Deve ter no mínimo {MIN_LENGTH} caracteres").into()))
            }
            _ => Err(InvalidValue(format!("Deve ter no máximo {MAX_LENGTH} caracteres").into())),
        }
    }
}

impl<'de> Deserialize<'de> for WebhookSecret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl FromColumn for WebhookSecret {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        row.get(column).map(Self)
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(..)")
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for WebhookSecret {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WebhookSecret".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string", "minLength": MIN_LENGTH, "maxLength": MAX_LENGTH, "writeOnly": true,
            "description": "Signs what is sent; never shown again. `whsec_` and base64 is a secret \
                            of Standard Webhooks, any other text its own key."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> WebhookSecret {
        text.parse().expect("a secret")
    }

    /// The vector that the libraries of Standard Webhooks are tested with.
    #[test]
    fn the_published_vector_of_standard_webhooks_holds() {
        let signed = secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").sign_message(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signed.expect("signed"), expected);
    }

    /// The second test case of RFC 4231, whose key is too short for a secret here.
    #[test]
    fn the_signature_of_a_body_is_hmac_sha_256_in_hex() {
        let signed = WebhookSecret("Jefe".to_owned()).sign_body(b"what do ya want for nothing?");
        let expected = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(signed.expect("signed"), expected);
    }

    #[test]
    fn a_text_that_is_no_base64_is_its_own_key() {
        for text in ["segredo-muito-bom", "whsec_no*base64"] {
            assert_eq!(secret(text).standard_key(), text.as_bytes());
        }
        assert_eq!(secret("whsec_c2VncmVkbw==").standard_key(), b"segredo");
        assert!(!format!("{:?}", secret("segredo-muito-bom")).contains("segredo"));
        assert!("seven77".parse::<WebhookSecret>().is_err());
    }
}
