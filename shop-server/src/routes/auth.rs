//! Account and session (`/api/auth/*`).

use std::time::Duration;

use shop_core::Shop;
use shop_core::account::{
    Account, ChangePassword, ForgotPassword, LogIn, ProfilePatch, Register, ResetPassword, Role,
    Session as NewSession,
};
use shop_core::cart::CartOwner;
use shop_core::clock::Timestamp;
use shop_core::erasure::EraseAccount;
use shop_core::fiscal::BuyingCompany;
use shop_core::id::AccountId;
use shop_core::value::{Cpf, Email};

use crate::input::OptionalJson;
use crate::routes::prelude::*;
use crate::staff::{Leaving, Own, UserAgent};

/// How many profiles with an e-mail one client may send in an hour: each asks whether an address
/// has an account.
const EMAIL_CHANGES_PER_HOUR: u32 = 20;
/// Whoever logs in on and on is guessing passwords.
const LOGIN: Rate = Rate { name: "login", max: 10, window: Duration::from_secs(15 * 60) };
/// Each registration sends a mail, to whatever address it names.
const REGISTER: Rate = Rate { name: "register", max: 5, window: Duration::from_secs(60 * 60) };

/// Links to reset a password, as often as registrations.
const FORGOT_PASSWORD: Rate =
    Rate { name: "forgot-password", max: 5, window: Duration::from_secs(60 * 60) };

pub(super) fn rows() -> Vec<Route> {
    vec![
        newcomer(Method::POST, "/api/auth/register", "register", register)
            .about("Register a customer and start a session; a guest's cart becomes the customer's")
            .fails(&[Code::EmailTaken])
            .headers(&[Header::SetCookie])
            .rate(REGISTER),
        newcomer(Method::POST, "/api/auth/login", "login", log_in)
            .about("Start a session; a guest's cart joins the account's")
            .fails(&[
                Code::InvalidCredentials,
                Code::AccountSuspended,
                Code::TwoFactorRequired,
                Code::InvalidTwoFactor,
            ])
            .headers(&[Header::SetCookie])
            .details(
                "Browsers keep the cookie; programs take `token` and send it as a bearer token. \
                 It holds for seven days, or until the password changes. For an admin with \
                 two-factor log-ins send e-mail and password first, and again with `code` after a \
                 401 `two_factor_required`; each call counts against the limit.",
            )
            .rate(LOGIN),
        leaving(Method::POST, "/api/auth/logout", "logout", log_out)
            .about("Drop the session's cookie, whether or not it is valid")
            .headers(&[Header::SetCookie])
            .details(
                "Forgets the cookie, and ends the session of an admin. A customer's token that a \
                 program kept holds until it expires or the password changes.",
            )
            .own_pages_only(),
        own(Method::GET, "/api/auth/me", "getProfile", profile).about("The account of the session"),
        own(Method::PUT, "/api/auth/me", "updateProfile", update_profile)
            .about("Change one's own name, phone, CPF or company; or e-mail, with the current password")
            .fails(&[Code::EmailTaken, Code::WrongPassword, Code::RateLimited]),
        own(Method::DELETE, "/api/auth/me", "eraseAccount", erase)
            .about("Erase one's own account and all personal data; orders stay, anonymised")
            .fails(&[Code::WrongPassword, Code::RateLimited, Code::AdminAccount, Code::OpenOrders])
            .headers(&[Header::SetCookie])
            .details(
                "For good, as the LGPD wants it: what the law makes the shop keep (orders, \
                 invoices) stays without the person.",
            ),
        own(Method::PATCH, "/api/auth/me/password", "changePassword", change_password)
            .about("Change one's own password; all other sessions end")
            .fails(&[Code::WrongPassword, Code::RateLimited])
            .headers(&[Header::SetCookie]),
        public(Method::POST, "/api/auth/forgot-password", "forgotPassword", forgot_password)
            .about("Send a link to reset the password, if the e-mail has an account")
            .details("Answers the same whether or not there is such an account.")
            .rate(FORGOT_PASSWORD),
        public(Method::POST, "/api/auth/reset-password", "resetPassword", reset_password)
            .about("Set another password by a link; all sessions end")
            .fails(&[Code::InvalidResetToken]),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Registered {
    user: RegisteredUser,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RegisteredUser {
    id: AccountId,
    name: String,
    email: Email,
    role: Role,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LoggedIn {
    user: LoggedInUser,
    /// What the cookie holds, for programs without a cookie jar.
    token: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LoggedInUser {
    id: AccountId,
    name: String,
    email: Email,
    phone: Option<String>,
    role: Role,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Profile {
    id: AccountId,
    name: String,
    email: Email,
    phone: Option<String>,
    /// What an NF-e needs.
    cpf: Option<Cpf>,
    #[serde(flatten)]
    company: BuyingCompany,
    role: Role,
    /// Whether it is a guest's, without a password.
    guest: bool,
    created_at: Timestamp,
}

impl From<Account> for Profile {
    fn from(account: Account) -> Self {
        let Account { id, name, email, phone, cpf, company, role, guest, created_at, .. } = account;
        Self { id, name, email, phone, cpf, company, role, guest, created_at }
    }
}

async fn register(
    call: Call<Newcomer>,
    Json(input): Json<Register>,
) -> Result<WithHeaders<Created<Registered>>> {
    let NewSession { account, token, .. } = call.accounts().register(input).await?;
    let Account { id, name, email, role, .. } = account;
    let user = RegisteredUser { id: id.clone(), name, email, role };
    logged_in(call, Created(Registered { user }), &id, &token).await
}

async fn log_in(
    call: Call<Newcomer>,
    UserAgent(program): UserAgent,
    Json(input): Json<LogIn>,
) -> Result<WithHeaders<LoggedIn>> {
    let sessions = call.shop().sessions().from_client(call.client);
    let NewSession { account, token, .. } =
        sessions.with_user_agent(program.as_deref()).log_in(input).await?;
    let Account { id, name, email, phone, role, .. } = account;
    let user = LoggedInUser { id: id.clone(), name, email, phone, role };
    logged_in(call, LoggedIn { user, token: token.clone() }, &id, &token).await
}

/// The answer that starts a session. The carts that the browser had, with and without a session,
/// join the account's where they are a guest's. A cart that cannot be merged now stays the guest's
/// until the next log-in, and locks no account.
pub(super) async fn logged_in<O>(
    call: Call<Newcomer>,
    answer: O,
    id: &AccountId,
    token: &str,
) -> Result<WithHeaders<O>> {
    let answer = WithHeaders::cookie(answer, &call.cookies().keep_session(call.shop(), token))?;
    let Newcomer { cart, account } = &call.caller;
    if let Some(before) = account.as_ref().filter(|before| before.id != *id) {
        merge(call.shop(), CartOwner::from(&before.id), id).await;
    }
    match cart {
        Some(cart) if merge(call.shop(), CartOwner::from(cart), id).await => {
            answer.and_cookie(&call.cookies().forget_cart(call.shop()))
        }
        _ => Ok(answer),
    }
}

/// Whether the cart is the account's now.
async fn merge(shop: &Shop, from: CartOwner, id: &AccountId) -> bool {
    let merged = shop.carts().merge(from, id).await;
    if let Err(error) = &merged {
        tracing::warn!(account = %id, %error, "the guest's cart is not merged");
    }
    merged.is_ok()
}

async fn log_out(call: Call<Leaving>) -> Result<WithHeaders<Message>> {
    for token in &call.caller.0 {
        call.shop().sessions().log_out(token).await?;
    }
    WithHeaders::cookie(
        Message::new("Sessão encerrada"),
        &call.cookies().forget_session(call.shop()),
    )
}

async fn profile(call: Call<Own>) -> Result<Profile> {
    Ok(call.caller.0.into())
}

async fn update_profile(
    call: Call<Own>,
    Json(patch): Json<ProfilePatch>,
) -> Result<Profile, Failure> {
    if patch.email.is_some() {
        call.admit("email_change", EMAIL_CHANGES_PER_HOUR, Duration::from_secs(60 * 60))?;
    }
    let account = call.accounts().update(&call.caller.0.id, patch).await?;
    Ok(account.into())
}

async fn erase(
    call: Call<Own>,
    OptionalJson(input): OptionalJson<EraseAccount>,
) -> Result<WithHeaders<Message>> {
    call.accounts().erase(&call.caller.0.id, input).await?;
    WithHeaders::cookie(Message::new("Conta excluída"), &call.cookies().forget_session(call.shop()))
}

async fn change_password(
    call: Call<Own>,
    program: UserAgent,
    Json(input): Json<ChangePassword>,
) -> Result<WithHeaders<Message>> {
    set_password(&call, &call.caller.0.id, program, input).await
}

/// Changes the caller's own password, which answers with a new session in place of all others.
pub(super) async fn set_password<C>(
    call: &Call<C>,
    account: &AccountId,
    UserAgent(program): UserAgent,
    input: ChangePassword,
) -> Result<WithHeaders<Message>> {
    let accounts = call.accounts().with_user_agent(program.as_deref());
    let session = accounts.change_password(account, input).await?;
    let cookie = call.cookies().keep_session(call.shop(), &session.token);
    WithHeaders::cookie(Message::new("Senha alterada"), &cookie)
}

async fn forgot_password(call: Call<Public>, Json(input): Json<ForgotPassword>) -> Result<Message> {
    call.accounts().forgot_password(input).await?;
    Ok(Message::new("Se o e-mail estiver cadastrado, você receberá um link em instantes"))
}

async fn reset_password(call: Call<Public>, Json(input): Json<ResetPassword>) -> Result<Message> {
    call.accounts().reset_password(input).await?;
    Ok(Message::new("Senha redefinida. Entre com a senha nova"))
}
