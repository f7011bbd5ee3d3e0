//! What only the accounts that run the shop have: sessions that can be seen and ended, and a second
//! factor.

mod mail;
mod session;
mod session_store;
mod totp;
mod two_factor;
mod two_factor_change;
mod two_factor_store;

pub use self::mail::TwoFactorMail;
pub use self::session::{Identity, StaffSession};
pub(super) use self::session::{NewSession, SecondStep, identify, start, token_hash};
pub(super) use self::session_store::end_all as end_sessions;
pub(crate) use self::session_store::purge as purge_sessions;
pub(super) use self::totp::TotpKey;
pub use self::totp::TwoFactorCode;
pub use self::two_factor::{
    BeginTwoFactor, ConfirmTwoFactor, TwoFactor, TwoFactorEnrolment, TwoFactorStatus,
};
pub use self::two_factor_change::{DisableTwoFactor, RenewRecoveryCodes};
