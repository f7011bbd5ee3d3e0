//! Endpoints that the shop switches off by itself.

use serde::{Deserialize, Serialize};

use super::store;
use crate::actor::Actor;
use crate::audit;
use crate::error::{Error, Result};
use crate::id::{AccountId, Moment, WebhookId};
use crate::mail::{self, Letter};
use crate::notification::{self, Message};
use crate::storage::{FromColumn, Row, Tx};
use crate::value::WebhookUrl;

/// Why the shop switched an endpoint off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "UPPERCASE")]
pub enum DisabledReason {
    /// It said that it is gone for good (410).
    Gone,
    /// Nothing but failures for five days.
    Failing,
}

impl DisabledReason {
    /// As it is written on the wire and in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "GONE",
            Self::Failing => "FAILING",
        }
    }

    /// For people.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Gone => "o destino respondeu que não existe mais (410)",
            Self::Failing => "todas as entregas falharam nos últimos cinco dias",
        }
    }
}

impl FromColumn for DisabledReason {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        match row.text(column)? {
            Some("GONE") => Ok(Self::Gone),
            Some("FAILING") => Ok(Self::Failing),
            other => Err(Error::internal(format!("unknown reason {other:?}"))),
        }
    }
}

/// Switches an endpoint off and tells everybody who runs the shop, in the shop and by mail.
pub(super) fn disable(
    tx: &mut dyn Tx,
    at: &Moment,
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
    let letter = Letter::WebhookDisabled { host: host.clone(), reason };
    for admin in admins(tx)? {
        mail::post_to_account(tx, at, &admin, &letter)?;
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

fn admins(tx: &mut dyn Tx) -> Result<Vec<AccountId>> {
    tx.all(
        "SELECT id FROM account WHERE role = 'ADMIN' AND active = 1 ORDER BY created_at, id",
        &[],
        |row| row.get(0),
    )
}
