//! What an endpoint's deliveries are signed with.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::Result;
use crate::storage::{FromColumn, Row};
use crate::value::{InvalidValue, check_length, deserialize_by_from_str, inline_schema};

/// What a receiver checks signatures with: 8 to 256 characters, every one of them kept. It is never
/// shown again, but it is stored as it is, since every delivery is signed with it.
///
/// One of the form `whsec_<base64>` is what Standard Webhooks calls a secret: for that signature
/// the key is what the base64 stands for. Any other text is its own key, and for
/// `X-Webhook-Signature` every text is. What follows `whsec_` must be base64.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

/// Before what is base64 of the key.
pub(super) const PREFIX: &str = "whsec_";
const MIN_LENGTH: usize = 8;
const MAX_LENGTH: usize = 256;

impl WebhookSecret {
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// One of any length.
    #[cfg(all(test, feature = "http"))]
    pub(super) fn unchecked(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl std::str::FromStr for WebhookSecret {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        check_length(text, MIN_LENGTH, MAX_LENGTH)?;
        // Receivers would disagree about its key: some decode it as far as it goes.
        if text.strip_prefix(PREFIX).is_some_and(|encoded| STANDARD.decode(encoded).is_err()) {
            return Err(InvalidValue::WebhookSecret);
        }
        Ok(Self(text.to_owned()))
    }
}

deserialize_by_from_str!(WebhookSecret);

impl FromColumn for WebhookSecret {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        row.get(column).map(Self)
    }
}

opaque! { WebhookSecret; }

inline_schema!(WebhookSecret, {
    "type": "string", "format": "webhook-secret", "minLength": MIN_LENGTH, "maxLength": MAX_LENGTH, "writeOnly": true,
    "description": "Signs what is sent; never shown again. `whsec_` and base64 is a secret \
                    of Standard Webhooks, any other text its own key."
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_eight_characters_and_is_never_shown() {
        let secret: WebhookSecret = "segredo-muito-bom".parse().expect("a secret");
        assert!(!format!("{secret:?}").contains("segredo"));
        assert!("seven77".parse::<WebhookSecret>().is_err());
    }

    #[test]
    fn what_follows_the_prefix_of_standard_webhooks_is_base64() {
        assert!("whsec_c2VncmVkbw==".parse::<WebhookSecret>().is_ok());
        for wrong in ["whsec_minhasenha1", "whsec_no*base64", "whsec_c2VncmVkbw==\n"] {
            assert_eq!(wrong.parse::<WebhookSecret>().err(), Some(InvalidValue::WebhookSecret));
        }
    }
}
