//! How deliveries are signed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::WebhookSecret;
use super::secret::PREFIX;
use crate::error::{Error, Result};
use crate::mac::Mac;

impl WebhookSecret {
    /// The value of `X-Webhook-Signature` (docs/events.md).
    pub(super) fn sign_body(&self, body: &[u8]) -> Result<String> {
        let mac = Mac::new(self.reveal().as_bytes(), &[body]).map_err(Error::from_source)?;
        Ok(format!("sha256={}", hex::encode(mac.bytes())))
    }

    /// One entry of `webhook-signature`, as Standard Webhooks has it.
    pub(super) fn sign_message(&self, id: &str, seconds: i64, body: &[u8]) -> Result<String> {
        let head = format!("{id}.{seconds}.");
        let mac = Mac::new(&self.standard_key(), &[head.as_bytes(), body]);
        let mac = mac.map_err(Error::from_source)?;
        Ok(format!("v1,{}", STANDARD.encode(mac.bytes())))
    }

    fn standard_key(&self) -> Vec<u8> {
        let decoded =
            self.reveal().strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok());
        decoded.unwrap_or_else(|| self.reveal().as_bytes().to_vec())
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
        let signed = WebhookSecret::unchecked("Jefe").sign_body(b"what do ya want for nothing?");
        let expected = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(signed.expect("signed"), expected);
    }

    #[test]
    fn a_text_that_is_no_base64_is_its_own_key() {
        // The second one was taken by earlier versions.
        for text in ["segredo-muito-bom", "whsec_no*base64"] {
            assert_eq!(WebhookSecret::unchecked(text).standard_key(), text.as_bytes());
        }
        assert_eq!(secret("whsec_c2VncmVkbw==").standard_key(), b"segredo");
    }
}
