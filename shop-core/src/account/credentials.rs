//! What passwords and sessions are checked with.

use std::sync::Arc;

use argon2::Params;

use super::password::PasswordHasher;
use super::session_token::SessionKeys;
use super::staff::TotpKey;
use super::wrong_passwords::WrongPasswords;
use crate::config::Secret;
use crate::id::StaffSessionId;
use crate::last_use::LastUses;

/// The state behind log-ins: the queue of password hashes, the counts of wrong passwords and codes,
/// the keys that session tokens are signed with, and when sessions of staff were last used.
pub(crate) struct Credentials {
    pub(super) hasher: PasswordHasher,
    pub(super) wrong_passwords: WrongPasswords,
    /// Of second factors, which only callers with the right password can try.
    pub(super) wrong_codes: WrongPasswords,
    pub(super) totp_key: TotpKey,
    pub(super) session_keys: Arc<SessionKeys>,
    pub(super) session_uses: LastUses<StaffSessionId>,
}

impl Credentials {
    /// New passwords are hashed with these parameters.
    pub(crate) fn new(session_secret: &Secret, password_params: Params) -> Self {
        Self {
            hasher: PasswordHasher::new(password_params),
            wrong_passwords: WrongPasswords::default(),
            wrong_codes: WrongPasswords::default(),
            totp_key: TotpKey::new(session_secret),
            session_keys: Arc::new(SessionKeys::new(session_secret)),
            session_uses: LastUses::default(),
        }
    }
}

opaque! { Credentials; }
