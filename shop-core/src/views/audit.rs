//! The audit log with the names of the admins, as they are now, and of programs.

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

/// A page is found by an index before anything of it is read.
fn select(tx: &mut dyn Tx, wanted: &AuditFilter) -> Result<Page<AuditEntry>> {
    let mut filter = Filter::default();
    filter.compare("a.actor_id =", wanted.actor_id.as_ref());
    filter.compare("a.action =", wanted.action.as_ref());
    filter.compare("a.resource_id =", wanted.resource_id.as_ref());
    filter.compare("a.created_at >=", wanted.from.map(Since::get));
    filter.compare("a.created_at <", wanted.to.map(Until::get));
    let total = filter.count(tx, "audit a", COUNTED)?;
    let request = PageRequest::of(wanted.page, wanted.limit);
    let conditions = filter.sql().to_owned();
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset()));
    let sql = format!(
        "SELECT a.id, a.actor, a.actor_id,
                CASE a.actor WHEN 'SYSTEM' THEN a.actor_id ELSE COALESCE(who.name, program.name) END, a.action, a.resource_id, a.old_values,
                a.new_values, a.created_at
         FROM (SELECT a.id FROM audit a{conditions}
               ORDER BY a.id DESC LIMIT {limit} OFFSET {offset}) hit
         CROSS JOIN audit a LEFT JOIN account who ON who.id = a.actor_id
         LEFT JOIN api_key program ON program.id = a.actor_id
         WHERE a.id = hit.id ORDER BY a.id DESC"
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::explain;

    #[tokio::test]
    async fn no_page_of_the_log_reads_an_entry_that_it_does_not_show() {
        let (who, what) = ("someone".parse().ok(), "order.update".parse().ok());
        for (actor_id, action) in [(who.clone(), None), (None, what.clone()), (who, what)] {
            let from = "2026-03-01".parse().ok();
            let wanted = AuditFilter { actor_id, action, from, ..AuditFilter::default() };
            let job = move |tx: &mut dyn Tx| select(tx, &wanted).map(drop);
            let plan = explain::plan(job).await;
            let found =
                plan.iter().filter(|step| step.starts_with("SEARCH a USING COVERING INDEX"));
            assert_eq!(found.count(), 2, "for the count and for the page: {plan:#?}");
        }
    }
}
