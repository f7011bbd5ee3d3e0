//! Endpoints that the shop switches off by itself.

use serde::Serialize;

use super::mail::WebhookMail;
use super::{DisabledReason, store};
use crate::account;
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::Result;
use crate::id::WebhookId;
use crate::notification::{self, Message};
use crate::storage::Tx;
use crate::value::WebhookUrl;

/// Switches an endpoint off and notifies all active admins, in the shop and by mail.
pub(super) fn disable(
    tx: &mut dyn Tx,
    at: &Work,
    id: &WebhookId,
    reason: DisabledReason,
) -> Result<()> {
    if !store::switch_off(tx, id, reason)? {
        return Ok(());
    }
    let Some(endpoint) = store::find(tx, id)? else { return Ok(()) };
    // The rest of the address may hold a secret.
    let host = endpoint.url.parse().map_or(String::new(), |url: WebhookUrl| url.host().to_owned());
    tracing::warn!(webhook = %id, host, ?reason, "a webhook was switched off");
    let (on, off) = (Switched { active: true }, Switched { active: false });
    audit::record(tx, at, &Actor::System, "webhook.disable", id.as_str(), &on, &off)?;
    let mail = WebhookMail::WebhookDisabled { host: host.clone(), reason };
    for admin in account::active_admins(tx)? {
        account::enqueue_mail(tx, at, &admin, &mail)?;
        let message = Message {
            kind: "WEBHOOK",
            title: "Webhook desativado",
            body: &format!("{host}: {}.", reason.text()),
            link: "/admin/webhooks",
        };
        notification::notify(tx, at, &admin, &message)?;
    }
    Ok(())
}

/// What the audit log keeps of it.
#[derive(Serialize)]
struct Switched {
    active: bool,
}
