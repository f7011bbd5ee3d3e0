//! What waits and what stands in the database, for those who run the shop.
//!
//! Asked again and again, so each figure is found by an index and no more than [`COUNTED`] rows of
//! it are looked at; the orders are those of the counters of the days.

use super::Dashboard;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::fiscal::InvoiceStatus;
use crate::order::OrderStatus;
use crate::payment;
use crate::storage::{FromColumn, Tx, params, read_columns};

/// How much of each kind is counted at most.
const COUNTED: i64 = 1000;

/// The states of invoices that are not settled.
const OPEN_INVOICES: [InvoiceStatus; 4] = [
    InvoiceStatus::Numbered,
    InvoiceStatus::Signed,
    InvoiceStatus::Rejected,
    InvoiceStatus::Denied,
];

/// What waits, and the orders by status. No more than 1000 of a kind are counted, but for orders.
/// Every server on one database tells the same.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Figures {
    /// The orders of each status.
    pub orders: [(OrderStatus, i64); OrderStatus::ALL.len()],
    /// Payments whose money does not fit their order.
    pub payments_in_review: i64,
    /// Attempts to pay and refunds of which the provider was to be asked by now.
    pub payment_checks_due: i64,
    /// The invoices that are not settled, by status.
    pub open_invoices: [(InvoiceStatus, i64); OPEN_INVOICES.len()],
    /// Orders whose invoice could not be issued without being asked for.
    pub invoices_not_issued: i64,
    /// Mails that are to be sent: those that were not tried yet, and those that are tried again.
    pub unsent_mails: Backlog,
    /// Mails whose tries failed, those included that were given up within 90 days.
    pub failing_mails: i64,
    /// Events that were not handed to the queue of webhooks yet.
    pub unqueued_events: Backlog,
    /// Events that endpoints which are switched on are still to get; one counts for each endpoint.
    pub queued_events: Backlog,
    /// Endpoints to which nothing got through lately.
    pub failing_webhooks: i64,
}

/// How much of something waits, and since when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// How much; no more than 1000 are counted.
    pub count: i64,
    /// When the oldest of it was made; `None` where nothing waits.
    pub oldest: Option<Timestamp>,
}

read_columns!(Backlog: count, oldest);

impl Dashboard<'_> {
    /// What waits and what stands in the database, for those who run the shop. It costs the same
    /// however many orders there are.
    ///
    /// # Errors
    /// Whatever keeps the database from answering.
    ///
    /// Cancel safe: reads only.
    pub async fn get_figures(&self) -> Result<Figures> {
        let now = self.cx.now();
        self.cx.db().read("dashboard.figures", move |tx| figures(tx, now)).await
    }
}

fn figures(tx: &mut dyn Tx, now: Timestamp) -> Result<Figures> {
    let count = |tx: &mut dyn Tx, rows: &str| -> Result<i64> { counted(tx, rows, &[]) };
    Ok(Figures {
        orders: orders(tx)?,
        payments_in_review: count(tx, "SELECT 1 FROM payment WHERE status = 'REVIEW'")?,
        payment_checks_due: counted(tx, payment::store::DUE, params![now])?
            + counted(tx, DUE_REFUNDS, params![now])?,
        open_invoices: open_invoices(tx)?,
        invoices_not_issued: count(tx, "SELECT 1 FROM nfe_to_issue WHERE problem IS NOT NULL")?,
        unsent_mails: unsent_mails(tx)?,
        failing_mails: count(tx, FAILING_MAILS)?,
        unqueued_events: unqueued_events(tx)?,
        queued_events: queued_events(tx)?,
        failing_webhooks: count(tx, "SELECT 1 FROM webhook WHERE failing_since IS NOT NULL")?,
    })
}

const DUE_REFUNDS: &str = "SELECT 1 FROM refund WHERE status = 'PENDING' AND check_at <= $1";
/// By the order of their own index: the planner may otherwise take that of all unsent mails.
const FAILING_MAILS: &str = "SELECT 1 FROM mail WHERE sent_at IS NULL AND last_error IS NOT NULL
                             ORDER BY created_at, id";

fn counted(tx: &mut dyn Tx, rows: &str, params: &[crate::storage::Param<'_>]) -> Result<i64> {
    tx.value(&format!("SELECT count(*) FROM ({rows} LIMIT {COUNTED}) counted"), params)
}

/// There is a row for each day with orders.
fn orders(tx: &mut dyn Tx) -> Result<[(OrderStatus, i64); OrderStatus::ALL.len()]> {
    let sum = |name: OrderStatus| {
        let column = name.as_str().to_lowercase();
        format!("CAST(coalesce(sum({column}), 0) AS BIGINT)")
    };
    let sums = OrderStatus::ALL.map(sum).join(", ");
    let sql = format!("SELECT {sums} FROM order_day");
    let mut orders = OrderStatus::ALL.map(|status| (status, 0));
    tx.query(&sql, &[], &mut |row| {
        for (column, (_, count)) in orders.iter_mut().enumerate() {
            *count = i64::from_column(row, column)?;
        }
        Ok(())
    })?;
    Ok(orders)
}

fn open_invoices(tx: &mut dyn Tx) -> Result<[(InvoiceStatus, i64); OPEN_INVOICES.len()]> {
    let mut open = OPEN_INVOICES.map(|status| (status, 0));
    for (status, count) in &mut open {
        let rows = "SELECT 1 FROM nfe WHERE book IN ('SANDBOX', 'HOMOLOGATION', 'PRODUCTION')
                      AND status = $1";
        *count = counted(tx, rows, params![*status])?;
    }
    Ok(open)
}

/// One that was not tried yet is due since it was written, so the oldest of those is among the
/// first that are due; the oldest of the others is among the oldest whose tries failed.
fn unsent_mails(tx: &mut dyn Tx) -> Result<Backlog> {
    let due: Backlog = tx.value(
        &format!(
            "SELECT count(*), min(created_at) FROM (
               SELECT created_at FROM mail WHERE sent_at IS NULL AND next_try_at IS NOT NULL
               ORDER BY next_try_at LIMIT {COUNTED}) due"
        ),
        &[],
    )?;
    let failing: Option<Timestamp> = tx.value(
        &format!(
            "SELECT min(created_at) FROM (
               SELECT created_at, next_try_at FROM mail
               WHERE sent_at IS NULL AND last_error IS NOT NULL
               ORDER BY created_at, id LIMIT {COUNTED}) failing
             WHERE next_try_at IS NOT NULL"
        ),
        &[],
    )?;
    Ok(Backlog { count: due.count, oldest: due.oldest.into_iter().chain(failing).min() })
}

/// A build without the feature `http` queues none.
fn unqueued_events(tx: &mut dyn Tx) -> Result<Backlog> {
    if cfg!(not(feature = "http")) {
        return Ok(Backlog::default());
    }
    let after: i64 = tx.value("SELECT event_id FROM webhook_cursor WHERE id = 1", &[])?;
    tx.value(
        &format!(
            "SELECT count(*), min(created_at) FROM (
               SELECT created_at FROM event WHERE id > $1 ORDER BY id LIMIT {COUNTED}) waiting"
        ),
        params![after],
    )
}

/// Each endpoint's by itself, and the first that are due of each.
fn queued_events(tx: &mut dyn Tx) -> Result<Backlog> {
    let (count, oldest): (i64, Option<i64>) = tx.value(
        &format!(
            "SELECT CAST(coalesce(sum(waiting.n), 0) AS BIGINT), min(waiting.oldest) FROM (
               SELECT (SELECT count(*) FROM (
                   SELECT 1 FROM webhook_queue q
                   WHERE q.webhook_id = w.id AND q.next_try_at IS NOT NULL LIMIT {COUNTED}) c) AS n,
                 (SELECT min(o.event_id) FROM (
                   SELECT q.event_id FROM webhook_queue q
                   WHERE q.webhook_id = w.id AND q.next_try_at IS NOT NULL
                   ORDER BY q.next_try_at LIMIT {COUNTED}) o) AS oldest
               FROM webhook w WHERE w.active = 1) waiting"
        ),
        &[],
    )?;
    let at = match oldest {
        Some(event) => tx.find("SELECT created_at FROM event WHERE id = $1", params![event])?,
        None => None,
    };
    Ok(Backlog { count, oldest: at })
}
