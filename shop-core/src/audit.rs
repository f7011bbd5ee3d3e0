//! The audit log: who did what to which thing, with what changed, written in the transaction of the
//! deed.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::actor::{Actor, ActorKind};
use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{Error, Result};
use crate::page::{PageLimit, PageNumber};
use crate::storage::{InsertRows, Tx, params};
use crate::value::{OptionalText, Since, Until};

/// Something that was done in the back office.
#[apply(answer!)]
pub struct AuditEntry {
    /// A number that counts up, as text.
    pub id: String,
    /// Who did it.
    pub actor: AuditActor,
    /// What was done: `<resource>.<verb>`, e.g. `product.update`.
    pub action: String,
    /// To which thing.
    pub resource_id: String,
    /// The fields that changed, as they were.
    pub before: Map<String, Value>,
    /// The fields that changed, as they are since.
    pub after: Map<String, Value>,
    /// When it was done.
    pub created_at: Timestamp,
}

/// Who did something, as the log shows it.
#[apply(answer!)]
pub struct AuditActor {
    /// `ADMIN`, `KEY` or `SYSTEM`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: ActorKind,
    /// The admin's account, the API key, or the name of a program that embeds the shop.
    pub id: Option<String>,
    /// The admin's name as it is now, the API key's, or the program's.
    pub name: Option<String>,
}

/// Which entries to list, the latest first (`GET /api/admin/audit`).
#[apply(filter!)]
pub struct AuditFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Entries a page.
    pub limit: Option<PageLimit>,
    /// Only of this admin, API key or program.
    pub actor_id: Option<OptionalText<64>>,
    /// Only this action, e.g. `product.update`.
    pub action: Option<OptionalText<64>>,
    /// Only about this thing.
    pub resource_id: Option<OptionalText<64>>,
    /// On this day or at this time, or later.
    pub from: Option<Since>,
    /// Until the end of this day, or before this time.
    pub to: Option<Until>,
}

/// What an action was done to, with its entry's id, from behind an entry on, the oldest first.
#[cfg(feature = "media")]
pub(crate) fn after(
    tx: &mut dyn Tx,
    action: &str,
    id: i64,
    limit: i64,
) -> Result<Vec<(i64, String)>> {
    tx.list(
        "SELECT id, resource_id FROM audit WHERE action = $1 AND id > $2 ORDER BY id LIMIT $3",
        params![action, id, limit],
    )
}

/// The audit log.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::audit::AuditFilter;
///
/// shop.product("Vela de Lavanda", "49.90", 10).await?;
/// let log = shop.audit().list(AuditFilter::default()).await?;
/// assert_eq!(log.data[0].action, "product.create");
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct AuditLog<'a> {
    pub(crate) cx: &'a Context,
}

/// The entries of the log.
const LOG: InsertRows = InsertRows {
    table: "audit",
    insert: "INSERT INTO audit (actor, actor_id, action, resource_id, old_values, new_values,
               created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
};

/// What the log keeps of a parcel's code: its end. The whole one leads to the person, and the log
/// is kept when the account is erased.
pub(crate) fn end_of_code(code: &str) -> String {
    let start = code.char_indices().nth_back(3).map_or(0, |(at, _)| at);
    format!("…{}", &code[start..])
}

/// Writes down a deed: of the fields of `before` and `after`, which must be objects or null, those
/// that differ. What must not be kept must not be in them.
pub(crate) fn record(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    action: &'static str,
    resource_id: &str,
    before: &impl Serialize,
    after: &impl Serialize,
) -> Result<()> {
    let (before, after) = changes(fields(before)?, fields(after)?);
    tx.insert(
        &LOG,
        params![
            by.kind().as_str(),
            by.id(),
            action,
            resource_id,
            &json(&before)?,
            &json(&after)?,
            at.now(),
        ],
    )
}

fn fields(value: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(value).map_err(Error::from_source)? {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(Map::new()),
        _ => Err(Error::internal("the audit log keeps objects")),
    }
}

/// Only the fields in which two objects differ.
fn changes(
    mut before: Map<String, Value>,
    mut after: Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    before.retain(|name, value| {
        let same = after.get(name) == Some(value);
        if same {
            after.remove(name);
        }
        !same
    });
    (before, after)
}

fn json(fields: &Map<String, Value>) -> Result<String> {
    serde_json::to_string(fields).map_err(Error::from_source)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changed(before: Value, after: Value) -> (Value, Value) {
        let fields = |value: Value| fields(&value).expect("an object or nothing");
        let (before, after) = changes(fields(before), fields(after));
        (before.into(), after.into())
    }

    #[test]
    fn only_what_changed_is_kept() {
        let (before, after) =
            changed(json!({ "name": "Vela", "price": 10 }), json!({ "name": "Vela", "price": 12 }));
        assert_eq!((before, after), (json!({ "price": 10 }), json!({ "price": 12 })));
        let (before, after) = changed(Value::Null, json!({ "name": "Vela" }));
        assert_eq!((before, after), (json!({}), json!({ "name": "Vela" })));
        let (before, after) = changed(json!({ "a": 1, "b": null }), json!({ "a": 1 }));
        assert_eq!((before, after), (json!({ "b": null }), json!({})));
    }
}
