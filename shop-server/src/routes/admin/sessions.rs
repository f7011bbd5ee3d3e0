//! One's own sessions (`/api/admin/sessions`).

use shop_core::account::StaffSession;
use shop_core::id::StaffSessionId;

use crate::routes::prelude::*;
use crate::staff::Staff;

const SESSIONS: &str = "/api/admin/sessions";

pub(super) fn rows() -> Vec<Route> {
    vec![
        staff(Method::GET, SESSIONS, "listSessions", list)
            .about("One's own sessions, the latest first")
            .details("`lastUsedAt` is right to a minute or so. At most 100 hold at a time."),
        staff(Method::DELETE, "/api/admin/sessions/{id}", "endSession", end)
            .about("End one of one's own sessions: its next request is refused"),
        staff(Method::DELETE, SESSIONS, "endOtherSessions", end_others)
            .about("End all of one's own sessions but the one that calls"),
    ]
}

/// One of the caller's sessions.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OwnSession {
    #[serde(flatten)]
    session: StaffSession,
    /// Whether it is the one that calls.
    current: bool,
}

/// What was ended.
#[derive(Debug, Serialize, JsonSchema)]
struct Ended {
    /// How many sessions.
    ended: usize,
}

async fn list(call: Call<Staff>) -> Result<Vec<OwnSession>> {
    let Staff { account, session: own } = &call.caller;
    let sessions = call.shop().sessions().list(&account.id).await?;
    let mark = |session: StaffSession| OwnSession { current: session.id == *own, session };
    Ok(sessions.into_iter().map(mark).collect())
}

async fn end(call: Call<Staff>, Id(id): Id<StaffSessionId>) -> Result<Message> {
    call.shop().sessions().end(&call.actor(), &call.caller.account.id, &id).await?;
    Ok(Message::new("Sessão encerrada"))
}

async fn end_others(call: Call<Staff>) -> Result<Ended> {
    let Staff { account, session } = &call.caller;
    let ended = call.shop().sessions().end_others(&call.actor(), &account.id, session).await?;
    Ok(Ended { ended })
}
