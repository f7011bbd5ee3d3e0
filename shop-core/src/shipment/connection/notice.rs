//! Notices of Melhor Envio, and their signature.
//!
//! A notice names its label and says little that one could rely on: its event and the state in it
//! need not agree. So it has the shop read the label, and nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::config::Secret;
use crate::mac::Mac;

/// The longest id of a label that is looked for.
const MAX_ID: usize = 64;

/// A notice as it came: the signature is over the very bytes.
#[derive(Debug, Clone, Default)]
pub struct LabelNotice {
    /// The header `X-ME-Signature`: the base64 of the body's HMAC-SHA256, whose key is the secret
    /// of the application.
    pub signature: Option<String>,
    /// The body, untouched.
    pub body: Vec<u8>,
}

impl LabelNotice {
    /// The provider's id of the label that a notice is about. `None` where the signature does not
    /// hold, or the notice names none.
    pub(super) fn label(&self, secret: &Secret) -> Option<String> {
        if !self.is_signed(secret) {
            return None;
        }
        let body: Value = serde_json::from_slice(&self.body).ok()?;
        let id = body["data"]["id"].as_str()?;
        (1..=MAX_ID).contains(&id.len()).then(|| id.to_owned())
    }

    /// Compares in constant time.
    fn is_signed(&self, secret: &Secret) -> bool {
        let signature =
            self.signature.as_deref().and_then(|text| STANDARD.decode(text.trim()).ok());
        let mac = Mac::new(secret.reveal().as_bytes(), &[&self.body]);
        signature.is_some_and(|signature| mac.is_ok_and(|mac| mac.is(&signature)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "test-me-app-secret-0001";
    const BODY: &str = r#"{"event":"order.delivered","data":{"id":"x"}}"#;
    const SIGNATURE: &str = "hN99htg7wQ7xk8whG/MwqXV4RUBREDx5u60TTJsyzUc=";

    fn label(signature: Option<&str>, body: &str, secret: &str) -> Option<String> {
        let notice = LabelNotice { signature: signature.map(str::to_owned), body: body.into() };
        notice.label(&Secret::new(secret))
    }

    #[test]
    fn the_documented_signature_holds() {
        assert_eq!(label(Some(SIGNATURE), BODY, SECRET).as_deref(), Some("x"));
    }

    #[test]
    fn a_changed_byte_another_secret_or_no_signature_does_not_hold() {
        for i in 0..SIGNATURE.len() {
            let mut bytes = SIGNATURE.as_bytes().to_vec();
            bytes[i] = if bytes[i] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8_lossy(&bytes).into_owned();
            assert_eq!(label(Some(&changed), BODY, SECRET), None, "{changed}");
        }
        assert_eq!(label(Some(SIGNATURE), &format!("{BODY} "), SECRET), None);
        assert_eq!(label(Some(SIGNATURE), BODY, "test-me-app-secret-0002"), None);
        assert_eq!(label(Some(SIGNATURE), BODY, ""), None);
        assert_eq!(label(None, BODY, SECRET), None);
        // The bytes are right, and the notation is hexadecimal.
        let hex = "84df7d86d83bc10ef193cc211bf330a97578454051103c79bbad134c9b32cd47";
        assert_eq!(label(Some(hex), BODY, SECRET), None);
    }
}
