//! The outbox as a log that programs read in its order.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::EventName;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::Result;
use crate::storage::{FromColumn, Param, Row, Tx, params};
use crate::value::{InvalidValue, deserialize_by_from_str, inline_schema};

/// The most events a page has.
const LONGEST_PAGE: u32 = 100;
/// The most payload a page has, unless its first event alone has more.
const HEAVIEST_PAGE: i64 = 4 * 1024 * 1024;

/// Names an event. Later events have greater ids, so that one is also where a reader stands in the
/// log. A text on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(i64);

/// Something that happened, as webhooks carry it and the log shows it.
#[apply(inexact_answer!)]
pub struct Event {
    /// Its id: where to go on reading the log.
    pub id: EventId,
    /// What happened, e.g. `order.created`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub event: EventName,
    /// The version of the shape of `data`.
    pub version: u32,
    /// When it happened.
    pub timestamp: Timestamp,
    /// What the event says; its shape goes by `event` (`EventOrder` and its like).
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub data: Box<RawValue>,
}

/// A page of the log.
#[apply(inexact_answer!)]
pub struct EventPage {
    /// The events, oldest first.
    pub data: Vec<Event>,
    /// What to give as `after` next time; `null` as long as there is no event at all.
    pub next: Option<EventId>,
    /// Whether there are more events already.
    pub has_more: bool,
    /// Whether events right after the given one are not kept any more, or the log ends before it
    /// because the database was put back from a copy: the reader has to look at the things
    /// themselves, and goes on from `next`.
    pub gap: bool,
}

/// The log of what happened. Events are kept for 30 days.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// let order = shop.order().await?;
/// let happened = shop.events().list(None, 50).await?;
/// let names: Vec<&str> = happened.data.iter().map(|event| event.event.as_str()).collect();
/// assert!(names.contains(&"customer.created") && names.contains(&"order.created"));
/// // What happens from now on comes behind `happened.next`.
/// assert!(shop.events().list(happened.next, 50).await?.data.is_empty());
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Events<'a> {
    pub(super) cx: &'a Context,
}

impl Events<'_> {
    /// The events after one, oldest first, or from the oldest that is kept. At most `limit` (1 to
    /// 100), and fewer where they are heavy. An event never appears before one that a reader has
    /// seen.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, after: Option<EventId>, limit: u32) -> Result<EventPage> {
        let limit = limit.clamp(1, LONGEST_PAGE);
        self.cx.db().read("event.list", move |tx| page(tx, after, limit)).await
    }
}

impl EventId {
    /// Stands where there is no event, as in a test; names none.
    #[cfg(feature = "http")]
    pub(crate) const NONE: Self = Self(0);

    pub(super) fn new(number: i64) -> Self {
        Self(number)
    }

    pub(crate) fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for EventId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(id) if id >= 0 => Ok(Self(id)),
            _ => Err(InvalidValue::EventId),
        }
    }
}

impl Serialize for EventId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

deserialize_by_from_str!(EventId);

impl FromColumn for EventId {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        row.get(column).map(Self)
    }
}

impl From<EventId> for Param<'_> {
    fn from(id: EventId) -> Self {
        Self::Int(id.0)
    }
}

inline_schema!(EventId, { "type": "string", "format": "event-id" });

fn page(tx: &mut dyn Tx, after: Option<EventId>, limit: u32) -> Result<EventPage> {
    let from = after.map_or(0, EventId::get);
    let end = super::last(tx)?;
    if from > end {
        let next = Some(EventId(end));
        return Ok(EventPage { data: Vec::new(), next, has_more: false, gap: true });
    }
    let oldest: Option<i64> = tx.value("SELECT min(id) FROM event", &[])?;
    let (last, has_more) = end_of_page(tx, from, limit)?;
    let data: Vec<Event> = tx.list(
        "SELECT id, name, payload, created_at FROM event WHERE id > $1 AND id <= $2 ORDER BY id",
        params![from, last],
    )?;
    let next = data.last().map(|event| event.id).or(after);
    let gap = after.is_some() && oldest.is_some_and(|oldest| oldest > from + 1);
    Ok(EventPage { data, next, has_more, gap })
}

/// The last event that the page has room for, and whether there are more.
fn end_of_page(tx: &mut dyn Tx, from: i64, limit: u32) -> Result<(i64, bool)> {
    let sizes: Vec<(i64, i64)> = tx.list(
        "SELECT id, length(payload) FROM event WHERE id > $1 ORDER BY id LIMIT $2",
        params![from, limit + 1],
    )?;
    let (mut last, mut weight, mut taken) = (from, 0, 0);
    for (id, size) in &sizes {
        weight += size;
        if taken == limit || taken > 0 && weight > HEAVIEST_PAGE {
            break;
        }
        (last, taken) = (*id, taken + 1);
    }
    Ok((last, sizes.last().is_some_and(|(id, _)| *id > last)))
}

#[cfg(all(feature = "sqlite", feature = "test-util", not(feature = "http")))]
#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::KEPT;

    #[test]
    fn a_build_that_sends_no_webhooks_forgets_events_too() {
        crate::testing::run(async |shop| {
            shop.order().await?;
            let before = shop.events().list(None, 100).await?.data.len();
            assert!(before > 1);
            shop.advance(KEPT + Duration::from_secs(1));
            let done = shop.run_due().await?;
            assert!(done.events_forgotten > 0 && done.failures == 0, "{done:?}");
            Ok(())
        });
    }
}
