//! Changes of a second factor that need the password and a code.

use super::mail::TwoFactorMail;
use super::totp::{self, TwoFactorCode};
use super::two_factor::{TwoFactor, check_code, is_enabled};
use super::two_factor_store;
use crate::account::PasswordAttempt;
use crate::account::mail::enqueue_mail;
use crate::actor::Actor;
use crate::audit;
use crate::config::Secret;
use crate::context::Work;
use crate::error::{Conflict, Credential, Result};
use crate::id::AccountId;
use crate::lane;
use crate::storage::Tx;

/// What ends two-factor log-ins of an account.
#[apply(input!)]
pub struct DisableTwoFactor {
    /// The account's password.
    pub current_password: PasswordAttempt,
    /// What the authenticator shows, or a recovery code.
    pub code: TwoFactorCode,
}

/// What gives an account other recovery codes.
#[apply(input!)]
pub struct RenewRecoveryCodes {
    /// The account's password.
    pub current_password: PasswordAttempt,
    /// What the authenticator shows, or a recovery code.
    pub code: TwoFactorCode,
}

impl TwoFactor<'_> {
    /// Has log-ins of an account ask for the password alone.
    ///
    /// # Errors
    /// [`Entity::Account`](crate::error::Entity::Account);
    /// [`Credential::CurrentPassword`](crate::error::Credential::CurrentPassword) and
    /// [`Credential::TwoFactorCode`](crate::error::Credential::TwoFactorCode),
    /// [`crate::Error::TooManyAttempts`] after ten wrong ones of either in 15 minutes;
    /// [`Conflict::TwoFactorNotEnabled`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn disable(&self, account: &AccountId, input: DisableTwoFactor) -> Result<()> {
        let DisableTwoFactor { current_password, code } = input;
        self.change_with_proof(account, current_password, code, Change::Disable).await
    }

    /// Gives an account new recovery codes, which are shown once; those of before are over. The
    /// authenticator and the sessions stay as they are.
    ///
    /// # Errors
    /// As [`TwoFactor::disable`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn renew_recovery_codes(
        &self,
        account: &AccountId,
        input: RenewRecoveryCodes,
    ) -> Result<Vec<Secret>> {
        let RenewRecoveryCodes { current_password, code } = input;
        let (codes, hashes) = totp::new_recovery_codes()?;
        let change = Change::RenewRecoveryCodes(hashes);
        self.change_with_proof(account, current_password, code, change).await?;
        Ok(codes)
    }

    async fn change_with_proof(
        &self,
        account: &AccountId,
        password: PasswordAttempt,
        code: TwoFactorCode,
        change: Change,
    ) -> Result<()> {
        let account = self.confirm_password(account, password).await?;
        let attempt = self.count_code(&account.id)?;
        let (key, at, id, name) = (self.key().clone(), self.cx().work(), account.id, change.name());
        let job = move |tx: &mut dyn Tx| {
            Conflict::TwoFactorNotEnabled.unless(is_enabled(tx, &id)?)?;
            check_code(tx, &at, &key, &id, Some(&code))?;
            change.apply(tx, &at, &id)
        };
        let changed = self.cx().db().write(lane::CUSTOMERS, name, job).await;
        attempt.settle(changed, Credential::TwoFactorCode)?;
        self.cx().mail_written();
        Ok(())
    }
}

/// What needs the password and a code.
enum Change {
    Disable,
    /// With what is kept of the new ones.
    RenewRecoveryCodes(Vec<String>),
}

impl Change {
    /// What the audit log calls it.
    fn name(&self) -> &'static str {
        match self {
            Self::Disable => "two_factor.disable",
            Self::RenewRecoveryCodes(_) => "two_factor.renew_recovery_codes",
        }
    }

    fn apply(&self, tx: &mut dyn Tx, at: &Work, id: &AccountId) -> Result<()> {
        let mail = match self {
            Self::Disable => {
                two_factor_store::delete(tx, id)?;
                TwoFactorMail::Disabled { at: at.now() }
            }
            Self::RenewRecoveryCodes(hashes) => {
                two_factor_store::renew_recovery_codes(tx, id, hashes)?;
                TwoFactorMail::RecoveryCodesRenewed { at: at.now() }
            }
        };
        let by = Actor::Admin(id.clone());
        audit::record(tx, at, &by, self.name(), id.as_str(), &(), &())?;
        enqueue_mail(tx, at, id, &mail)
    }
}
