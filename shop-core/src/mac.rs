//! HMAC-SHA-256: what the shop signs, and what providers sign for it.

use hmac::digest::InvalidLength;
use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;

/// The message authentication code of a message under a key.
pub(crate) struct Mac(Hmac<Sha256>);

impl Mac {
    /// That of the parts, one after the other.
    ///
    /// # Errors
    /// The key is empty: anybody could have signed.
    pub(crate) fn new(key: &[u8], parts: &[&[u8]]) -> Result<Self, InvalidLength> {
        if key.is_empty() {
            return Err(InvalidLength);
        }
        let mut mac = Hmac::new_from_slice(key)?;
        for part in parts {
            mac.update(part);
        }
        Ok(Self(mac))
    }

    pub(crate) fn bytes(self) -> [u8; 32] {
        self.0.finalize().into_bytes().into()
    }

    /// Whether it is this one; compared in constant time.
    pub(crate) fn is(&self, signature: &[u8]) -> bool {
        self.0.clone().verify_slice(signature).is_ok()
    }
}
