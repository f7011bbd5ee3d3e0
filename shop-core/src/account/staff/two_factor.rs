//! A second factor for the log-ins of staff: codes of an authenticator, with recovery codes for
//! when it is lost.
//!
//! The authenticator's secret is derived from the session secret and a salt of the account, so
//! neither the database nor a backup holds it. With another session secret all codes are wrong;
//! recovery codes still count.

use std::net::IpAddr;

use serde::Serialize;

use super::mail::TwoFactorMail;
use super::totp::{self, TotpKey, TwoFactorCode};
use super::{session_store, two_factor_store};
use crate::account::mail::enqueue_mail;
use crate::account::wrong_passwords::Attempt;
use crate::account::{Account, Accounts, PasswordAttempt, Role, store};
use crate::actor::Actor;
use crate::audit;
use crate::config::Secret;
use crate::context::{Context, Work};
use crate::error::{Conflict, Credential, Entity, Error, Result};
use crate::id::{AccountId, StaffSessionId};
use crate::lane;
use crate::qr_code;
use crate::storage::Tx;

/// Whether log-ins of an account ask for a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TwoFactorStatus {
    /// Whether they do.
    pub enabled: bool,
    /// Recovery codes that were not used yet.
    pub recovery_codes_left: i64,
}

/// What begins an enrolment.
#[apply(input!)]
pub struct BeginTwoFactor {
    /// The account's password.
    pub current_password: PasswordAttempt,
}

/// What confirms an enrolment.
#[apply(input!)]
pub struct ConfirmTwoFactor {
    /// What the authenticator shows.
    pub code: TwoFactorCode,
}

/// What an authenticator has to know. It is shown once.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TwoFactorEnrolment {
    /// The secret in base 32, to be typed.
    pub secret: Secret,
    /// The secret as an `otpauth:` address.
    pub otpauth_url: Secret,
    /// The address as a QR code to be scanned: a PNG in Base64.
    pub qr_code: Secret,
}

/// Two-factor log-ins of the accounts that run the shop:
/// [`Shop::two_factor`](crate::Shop::two_factor).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::account::{BeginTwoFactor, Register};
///
/// let eva = Register {
///     name: "Eva Lima".parse()?,
///     email: "eva@example.com".parse()?,
///     password: "segredo-123".parse()?,
/// };
/// let eva = shop.accounts().create_admin(eva).await?;
/// let password = BeginTwoFactor { current_password: "segredo-123".into() };
/// let enrolment = shop.two_factor().begin(&eva.id, password).await?;
/// // `enrolment.qr_code` is the picture of it; a code of the authenticator confirms it.
/// assert!(enrolment.otpauth_url.reveal().starts_with("otpauth://totp/"));
/// assert!(!shop.two_factor().status(&eva.id).await?.enabled);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TwoFactor<'a> {
    accounts: Accounts<'a>,
}

impl<'a> TwoFactor<'a> {
    pub(crate) fn new(accounts: Accounts<'a>) -> Self {
        Self { accounts }
    }

    /// Calls on behalf of a client at this address; see [`Accounts::from_client`].
    #[must_use]
    pub fn from_client(self, client: IpAddr) -> Self {
        Self { accounts: self.accounts.from_client(client) }
    }

    pub(super) fn cx(&self) -> &'a Context {
        self.accounts.cx
    }

    /// Whether log-ins of an account ask for a code.
    ///
    /// Cancel safe: reads only.
    pub async fn status(&self, account: &AccountId) -> Result<TwoFactorStatus> {
        let account = account.clone();
        let job = move |tx: &mut dyn Tx| {
            Ok(TwoFactorStatus {
                enabled: is_enabled(tx, &account)?,
                recovery_codes_left: two_factor_store::recovery_codes_left(tx, &account)?,
            })
        };
        self.cx().db().lookup("two_factor.status", job).await
    }

    /// Begins an enrolment, which changes nothing until a code confirms it. One that was begun
    /// before and not confirmed is over.
    ///
    /// # Errors
    /// [`Entity::Account`]; [`Error::Forbidden`] for a customer's account;
    /// [`Credential::CurrentPassword`], [`Error::TooManyAttempts`] after ten wrong ones in 15
    /// minutes; [`Conflict::TwoFactorEnabled`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn begin(
        &self,
        account: &AccountId,
        input: BeginTwoFactor,
    ) -> Result<TwoFactorEnrolment> {
        let account = self.confirm_password(account, input.current_password).await?;
        let (salt, at) = (totp::new_salt()?, self.cx().work());
        let authenticator = self.key().authenticator(&salt)?;
        let id = account.id;
        let job = move |tx: &mut dyn Tx| {
            Conflict::TwoFactorEnabled.unless(two_factor_store::begin(tx, &id, &salt, at.now())?)
        };
        self.cx().db().write(lane::CUSTOMERS, "two_factor.begin", job).await?;
        let from = &self.cx().config().mail.from;
        let issuer = from.name.as_deref().unwrap_or(from.email.as_str());
        let otpauth_url = authenticator.url(issuer, &account.email);
        let qr_code = Secret::new(qr_code::png_base64(otpauth_url.reveal())?);
        Ok(TwoFactorEnrolment { secret: authenticator.secret(), otpauth_url, qr_code })
    }

    /// Has log-ins of an account ask for a code from now on, and gives its recovery codes, which
    /// are shown once. All its sessions end but the one that is kept: they were started without a
    /// code.
    ///
    /// # Errors
    /// [`Conflict::TwoFactorEnabled`], [`Conflict::TwoFactorNotBegun`];
    /// [`Credential::TwoFactorCode`], [`Error::TooManyAttempts`] after ten wrong ones in 15
    /// minutes.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn confirm(
        &self,
        account: &AccountId,
        input: ConfirmTwoFactor,
        kept: Option<&StaffSessionId>,
    ) -> Result<Vec<Secret>> {
        let (codes, hashes) = totp::new_recovery_codes()?;
        let (id, kept, at) = (account.clone(), kept.cloned(), self.cx().work());
        let enabling = Enabling { key: self.key().clone(), code: input.code, hashes, kept };
        let attempt = self.count_code(account)?;
        let job = move |tx: &mut dyn Tx| enable(tx, &at, &id, &enabling);
        let enabled = self.cx().db().write(lane::CUSTOMERS, "two_factor.confirm", job).await;
        attempt.settle(enabled, Credential::TwoFactorCode)?;
        self.cx().mail_written();
        Ok(codes)
    }

    /// Ends two-factor log-ins without password and code, for an account whose owner lost the
    /// authenticator and the recovery codes. All its sessions end. For the operator of the machine,
    /// not for the web.
    ///
    /// # Errors
    /// [`Entity::Account`] where no account that runs the shop has this id;
    /// [`Conflict::TwoFactorNotEnabled`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn reset(&self, by: &Actor, account: &AccountId) -> Result<Account> {
        let (by, id, at) = (by.clone(), account.clone(), self.cx().work());
        let job = move |tx: &mut dyn Tx| {
            let account = store::get(tx, &id)?.filter(|account| account.role == Role::Admin);
            let account = account.ok_or(Error::NotFound(Entity::Account))?;
            Conflict::TwoFactorNotEnabled.unless(is_enabled(tx, &id)?)?;
            two_factor_store::delete(tx, &id)?;
            session_store::end_all(tx, &at, &id)?;
            audit::record(tx, &at, &by, "two_factor.reset", id.as_str(), &(), &())?;
            enqueue_mail(tx, &at, &id, &TwoFactorMail::Reset { at: at.now() })?;
            Ok(account)
        };
        let account = self.cx().db().write(lane::CUSTOMERS, "two_factor.reset", job).await?;
        self.cx().mail_written();
        Ok(account)
    }

    pub(super) fn key(&self) -> &'a TotpKey {
        &self.accounts.credentials.totp_key
    }

    pub(super) fn count_code(&self, account: &AccountId) -> Result<Attempt<'a>> {
        self.accounts.credentials.wrong_codes.begin(account, self.cx().now())
    }

    pub(super) async fn confirm_password(
        &self,
        id: &AccountId,
        given: PasswordAttempt,
    ) -> Result<Account> {
        let id = id.clone();
        let known = self.cx().db().lookup("account.get", move |tx| store::by_id(tx, &id)).await?;
        let known = known.ok_or(Error::NotFound(Entity::Account))?;
        if known.account.role != Role::Admin {
            return Err(Error::Forbidden);
        }
        self.accounts.confirm_password(&known.account.id, given, &known.password_hash).await?;
        Ok(known.account)
    }
}

/// What enables the second factor of an account.
struct Enabling {
    key: TotpKey,
    code: TwoFactorCode,
    /// Of the new recovery codes.
    hashes: Vec<String>,
    kept: Option<StaffSessionId>,
}

fn enable(tx: &mut dyn Tx, at: &Work, id: &AccountId, with: &Enabling) -> Result<()> {
    let begun = two_factor_store::get(tx, id)?;
    let begun = begun.ok_or(Error::Conflict(Conflict::TwoFactorNotBegun))?;
    Conflict::TwoFactorEnabled.unless(!begun.enabled)?;
    let step = with.key.authenticator(&begun.salt)?.step(&with.code, at.now());
    let step = step.ok_or(Error::Unauthenticated(Credential::TwoFactorCode))?;
    two_factor_store::use_step(tx, id, step)?;
    two_factor_store::enable(tx, id, &with.hashes, at.now())?;
    match &with.kept {
        Some(kept) => session_store::end_others(tx, at, id, kept).map(drop)?,
        None => session_store::end_all(tx, at, id)?,
    }
    let by = Actor::Admin(id.clone());
    audit::record(tx, at, &by, "two_factor.enable", id.as_str(), &(), &())?;
    enqueue_mail(tx, at, id, &TwoFactorMail::Enabled { at: at.now() })
}

/// Whether log-ins of an account ask for a code.
pub(super) fn is_enabled(tx: &mut dyn Tx, account: &AccountId) -> Result<bool> {
    Ok(two_factor_store::get(tx, account)?.is_some_and(|factor| factor.enabled))
}

/// Uses the code that an account's log-in needs, if it needs one.
pub(super) fn check_code(
    tx: &mut dyn Tx,
    at: &Work,
    key: &TotpKey,
    account: &AccountId,
    code: Option<&TwoFactorCode>,
) -> Result<()> {
    let Some(factor) = two_factor_store::get(tx, account)?.filter(|factor| factor.enabled) else {
        return Ok(());
    };
    let code = code.ok_or(Error::Unauthenticated(Credential::TwoFactor))?;
    if let Some(step) = key.authenticator(&factor.salt)?.step(code, at.now())
        && two_factor_store::use_step(tx, account, step)?
    {
        return Ok(());
    }
    if !two_factor_store::use_recovery_code(tx, account, &code.hash())? {
        return Err(Error::Unauthenticated(Credential::TwoFactorCode));
    }
    let by = Actor::Admin(account.clone());
    audit::record(tx, at, &by, "two_factor.use_recovery_code", account.as_str(), &(), &())
}
