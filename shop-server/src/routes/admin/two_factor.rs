//! One's own second factor (`/api/admin/settings/two-factor`).

use shop_core::account::{
    BeginTwoFactor, ConfirmTwoFactor, DisableTwoFactor, RenewRecoveryCodes, TwoFactor,
    TwoFactorStatus,
};
use shop_core::config::Secret;

use crate::routes::prelude::*;
use crate::staff::Staff;

const TWO_FACTOR: &str = "/api/admin/settings/two-factor";
const CONFIRM: &str = "/api/admin/settings/two-factor/confirm";
const RECOVERY_CODES: &str = "/api/admin/settings/two-factor/recovery-codes";
/// Why what needs the password and a code may be refused.
const PROOF: &[Code] =
    &[Code::WrongPassword, Code::InvalidTwoFactor, Code::RateLimited, Code::TwoFactorNotEnabled];

pub(super) fn rows() -> Vec<Route> {
    vec![
        staff(Method::GET, TWO_FACTOR, "getTwoFactor", status)
            .about("Whether one's own log-ins ask for a code besides the password"),
        staff(Method::POST, TWO_FACTOR, "beginTwoFactor", begin)
            .about("Begin to enrol an authenticator; the answer is the only one with its secret")
            .details(
                "Nothing changes until a code confirms it. Authenticators scan `qrCode`, which is \
                 `otpauthUrl` as a picture. Beginning again forgets what was not confirmed.",
            )
            .fails(&[Code::WrongPassword, Code::RateLimited, Code::TwoFactorEnabled]),
        staff(Method::POST, CONFIRM, "confirmTwoFactor", confirm)
            .about("Confirm the authenticator by a code: from now on log-ins ask for one")
            .details(
                "The answer is the only one with the recovery codes, each of which replaces a code \
             once. All other sessions of the account end.",
            )
            .fails(&[
                Code::InvalidTwoFactor,
                Code::RateLimited,
                Code::TwoFactorEnabled,
                Code::TwoFactorNotBegun,
            ]),
        staff(Method::DELETE, TWO_FACTOR, "disableTwoFactor", disable)
            .about("Have one's own log-ins ask for the password alone")
            .fails(PROOF),
        staff(Method::POST, RECOVERY_CODES, "renewRecoveryCodes", renew_recovery_codes)
            .about("Have new recovery codes in place of all of before")
            .details(
                "The answer is the only one with them. The authenticator and the sessions stay as \
                 they are.",
            )
            .fails(PROOF),
    ]
}

/// What an authenticator has to know.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Enrolment {
    /// The secret in base 32, to be typed.
    secret: String,
    /// The secret as an address.
    otpauth_url: String,
    /// The address as a QR code: a PNG in Base64.
    qr_code: String,
}

/// The codes that replace the authenticator.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecoveryCodes {
    /// Ten, each good for once.
    recovery_codes: Vec<String>,
}

fn two_factor(call: &Call<Staff>) -> TwoFactor<'_> {
    call.shop().two_factor().from_client(call.client)
}

async fn status(call: Call<Staff>) -> Result<TwoFactorStatus> {
    two_factor(&call).status(&call.caller.account.id).await
}

async fn begin(call: Call<Staff>, Json(input): Json<BeginTwoFactor>) -> Result<Created<Enrolment>> {
    let begun = two_factor(&call).begin(&call.caller.account.id, input).await?;
    let [secret, otpauth_url, qr_code] =
        [begun.secret, begun.otpauth_url, begun.qr_code].map(|it| it.reveal().to_owned());
    Ok(Created(Enrolment { secret, otpauth_url, qr_code }))
}

async fn confirm(call: Call<Staff>, Json(input): Json<ConfirmTwoFactor>) -> Result<RecoveryCodes> {
    let Staff { account, session } = &call.caller;
    let codes = two_factor(&call).confirm(&account.id, input, Some(session)).await?;
    Ok(shown_once(&codes))
}

async fn renew_recovery_codes(
    call: Call<Staff>,
    Json(input): Json<RenewRecoveryCodes>,
) -> Result<RecoveryCodes> {
    let codes = two_factor(&call).renew_recovery_codes(&call.caller.account.id, input).await?;
    Ok(shown_once(&codes))
}

fn shown_once(codes: &[Secret]) -> RecoveryCodes {
    let recovery_codes = codes.iter().map(|code| code.reveal().to_owned()).collect();
    RecoveryCodes { recovery_codes }
}

async fn disable(call: Call<Staff>, Json(input): Json<DisableTwoFactor>) -> Result<Message> {
    two_factor(&call).disable(&call.caller.account.id, input).await?;
    Ok(Message::new("Verificação em duas etapas desativada"))
}
