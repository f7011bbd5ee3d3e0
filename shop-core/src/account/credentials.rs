//! What passwords and sessions are checked with.

use super::password::PasswordHasher;
use super::session_token::SessionKeys;
use super::wrong_passwords::WrongPasswords;
use crate::config::Secret;

/// The state behind log-ins: the queue of password hashes, the count of wrong passwords, and the
/// keys that session tokens are signed with.
pub(crate) struct Credentials {
    pub(super) hasher: PasswordHasher,
    pub(super) wrong_passwords: WrongPasswords,
    pub(super) session_keys: SessionKeys,
}

impl Credentials {
    pub(crate) fn new(session_secret: &Secret) -> Self {
        Self {
            hasher: PasswordHasher::new(),
            wrong_passwords: WrongPasswords::default(),
            session_keys: SessionKeys::new(session_secret),
        }
    }
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}
