//! The audit log with the names of the admins, as they are now.

use crate::audit::{AuditActor, AuditEntry, AuditFilter, AuditLog};
use crate::error::{Error, Result};
use crate::page::{Page, PageRequest, Pagination};
use crate::storage::{Filter, Row, Tx};
use crate::value::{Since, Until};

/// More entries than these are not counted.
const COUNTED: i64 = 10_000;

impl AuditLog<'_> {
    /// What was done, the latest first. No more than 10,000 entries are counted.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: AuditFilter) -> Result<Page<AuditEntry>> {
        self.cx.db().read("audit.list", move |tx| select(tx, &filter)).await
    }
}

fn select(tx: &mut dyn Tx, wanted: &AuditFilter) -> Result<Page<AuditEntry>> {
    let mut filter = Filter::default();
    filter.compare("a.actor_id =", wanted.actor_id.as_ref());
    filter.compare("a.action =", wanted.action.as_ref());
    filter.compare("a.resource_id =", wanted.resource_id.as_ref());
    filter.compare("a.created_at >=", wanted.from.map(Since::get));
    filter.compare("a.created_at <", wanted.to.map(Until::get));
    let counted = format!(
        "SELECT count(*) FROM (SELECT 1 FROM audit a{} LIMIT {COUNTED}) counted",
        filter.sql()
    );
    let total = tx.value(&counted, filter.params())?;
    let request = PageRequest::of(wanted.page, wanted.limit);
    let conditions = filter.sql().to_owned();
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset()));
    let sql = format!(
        "SELECT a.id, a.actor, a.actor_id, who.name, a.action, a.resource_id, a.old_values,
                a.new_values, a.created_at
         FROM audit a LEFT JOIN account who ON who.id = a.actor_id{conditions}
         ORDER BY a.id DESC LIMIT {limit} OFFSET {offset}"
    );
    let data = tx.all(&sql, filter.params(), read)?;
    Ok(Page { data, pagination: Pagination::new(request, total) })
}

fn read(row: &dyn Row) -> Result<AuditEntry> {
    let fields = |column| {
        let text: String = row.get(column)?;
        serde_json::from_str(&text).map_err(Error::from_source)
    };
    Ok(AuditEntry {
        id: row.get::<i64>(0)?.to_string(),
        actor: AuditActor { kind: row.get(1)?, id: row.get(2)?, name: row.get(3)? },
        action: row.get(4)?,
        resource_id: row.get(5)?,
        before: fields(6)?,
        after: fields(7)?,
        created_at: row.get(8)?,
    })
}
