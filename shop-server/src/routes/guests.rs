//! Buying without an account (`/api/auth/guest*`).

use std::time::Duration;

use shop_core::account::{Account, GuestCustomer, Role, Session as NewSession};
use shop_core::guest::{JoinGuest, SetGuestPassword};
use shop_core::id::AccountId;
use shop_core::value::{Cpf, Email};

use super::auth::logged_in;
use crate::routes::prelude::*;

const HOUR: Duration = Duration::from_secs(60 * 60);
/// More than registrations: behind one address of a mobile network are many shoppers, and each who
/// mends a field sends the form again. Guests who order nothing are deleted after eight days.
const GUEST: Rate = Rate { name: "guest", max: 30, window: HOUR };
/// As often as links to reset a password.
const PASSWORD: Rate = Rate { name: "guest-password", max: 5, window: HOUR };

pub(super) fn rows() -> Vec<Route> {
    vec![
        newcomer(Method::POST, "/api/auth/guest", "buyAsGuest", enter)
            .about("Buy without an account: start a guest's session, which opens every row of customers")
            .headers(&[Header::SetCookie])
            .details(
                "Answers the same whether or not the e-mail has an account: the guest's account is \
                 one of its own. A guest who has a session keeps the account and changes what it \
                 says, unless orders of it went to another e-mail. The mails of an order carry a \
                 link that opens the order without a session.",
            )
            .rate(GUEST),
        newcomer(Method::POST, "/api/auth/guest/password", "setGuestPassword", set_password)
            .about("Set a guest's password by the link in a mail about an order, and log in")
            .fails(&[Code::InvalidOrderLink, Code::EmailTaken])
            .headers(&[Header::SetCookie])
            .details(
                "409 `email_taken` where an account has the e-mail already: log in, and join the \
                 guest's orders to it.",
            )
            .rate(PASSWORD),
        customer(Method::POST, "/api/auth/guest/claim", "joinGuestOrders", join)
            .about("Join a guest's orders to one's own account by the link in a mail about one of them")
            .fails(&[Code::InvalidOrderLink, Code::OtherEmail])
            .details("The link must have gone to the account's own e-mail. Again changes nothing."),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct GuestSession {
    user: GuestUser,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GuestUser {
    id: AccountId,
    name: String,
    email: Email,
    phone: Option<String>,
    /// What an NF-e needs.
    cpf: Option<Cpf>,
    role: Role,
    /// Whether the account has no password.
    guest: bool,
}

impl From<Account> for GuestSession {
    fn from(account: Account) -> Self {
        let Account { id, name, email, phone, cpf, role, guest, .. } = account;
        Self { user: GuestUser { id, name, email, phone, cpf, role, guest } }
    }
}

async fn enter(
    mut call: Call<Newcomer>,
    Json(input): Json<GuestCustomer>,
) -> Result<WithHeaders<Created<GuestSession>>> {
    // The cart of this account goes along by itself.
    let current = call.caller.account.take().map(|account| account.id);
    let session = call.accounts().register_guest(input, current.as_ref()).await?;
    let NewSession { account, token, .. } = session;
    let id = account.id.clone();
    logged_in(call, Created(GuestSession::from(account)), &id, &token).await
}

async fn set_password(
    call: Call<Newcomer>,
    Json(input): Json<SetGuestPassword>,
) -> Result<WithHeaders<GuestSession>> {
    let NewSession { account, token, .. } = call.accounts().set_guest_password(input).await?;
    let id = account.id.clone();
    logged_in(call, GuestSession::from(account), &id, &token).await
}

async fn join(call: Call<Customer>, Json(input): Json<JoinGuest>) -> Result<Message> {
    call.accounts().join_guest(&call.caller.0.id, input).await?;
    Ok(Message::new("Pedidos juntados à sua conta"))
}
