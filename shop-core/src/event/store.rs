//! The table of events, which only this file writes.

use std::time::Duration;

use serde::Serialize;

use super::log::{Event, EventId};
use super::{EventName, VERSION};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::storage::{AppendLog, PLACES, Tx, params, placed, read_columns};

/// How long events, and the deliveries of them, can be looked up.
pub(crate) const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The most events that one transaction purges.
const ROUND: i64 = 500;

/// The events, which their readers follow by number.
const LOG: AppendLog = AppendLog {
    table: "event",
    insert: "INSERT INTO event (name, payload, created_at) VALUES ($1, $2, $3)",
};

/// Writes an event with a snapshot of its data.
pub(crate) fn emit(
    tx: &mut dyn Tx,
    at: &Work,
    name: EventName,
    data: &impl Serialize,
) -> Result<()> {
    let payload = serde_json::to_string(data).map_err(Error::from_source)?;
    tx.append(&LOG, params![name.as_str(), &payload, at.now()])
}

/// An event as it is kept, if it still is.
pub(crate) fn stored(tx: &mut dyn Tx, id: EventId) -> Result<Option<Event>> {
    tx.find("SELECT id, name, payload, created_at FROM event WHERE id = $1", params![id])
}

/// Of these events, at most a page of them, those that are still kept.
pub(crate) fn stored_page(tx: &mut dyn Tx, ids: &[EventId]) -> Result<Vec<Event>> {
    let places = &*PLACES;
    let sql = format!("SELECT id, name, payload, created_at FROM event WHERE id IN ({places})");
    tx.list(&sql, &placed(ids.iter().copied()))
}

read_columns!(Event: id, event, data, timestamp; version: VERSION);

/// How much later than its time an event may be written. It has the time of its unit of work, which
/// is read before the job waits for its turn, and gets its id at the commit.
const LONGEST_DELAY: Duration = Duration::from_secs(10 * 60);

/// An event from which on all those stand that happened at an instant or later, besides some of the
/// minutes before it. Ids and times ascend together but for [`LONGEST_DELAY`], so halving finds it
/// without an index that every order would have to keep.
pub(crate) fn first_since(tx: &mut dyn Tx, since: Timestamp) -> Result<Option<EventId>> {
    let since = since.minus(LONGEST_DELAY);
    let bounds =
        tx.find::<(Option<i64>, Option<i64>)>("SELECT min(id), max(id) FROM event", &[])?;
    let Some((Some(mut low), Some(last))) = bounds else { return Ok(None) };
    let mut high = last + 1;
    while low < high {
        let middle = low + (high - low) / 2;
        let event: Option<(i64, Timestamp)> = tx.find(
            "SELECT id, created_at FROM event WHERE id >= $1 ORDER BY id LIMIT 1",
            params![middle],
        )?;
        match event {
            Some((id, at)) if at < since => low = id + 1,
            _ => high = middle,
        }
    }
    Ok((low <= last).then_some(EventId::new(low)))
}

/// Whether there is an event after this number.
pub(crate) fn has_after(tx: &mut dyn Tx, number: i64) -> Result<bool> {
    // Not by `EXISTS`: PostgreSQL takes a third of all events to be later, and so reads the table
    // until it comes across one, which is to its end where there is none.
    tx.value("SELECT coalesce(max(id), 0) > $1 FROM event", params![number])
}

/// The last of the next events after this number, of which there may be so many.
pub(crate) fn last_of_next(tx: &mut dyn Tx, number: i64, limit: i64) -> Result<Option<i64>> {
    tx.value(
        "SELECT max(id) FROM (SELECT id FROM event WHERE id > $1 ORDER BY id LIMIT $2) upcoming",
        params![number, limit],
    )
}

/// The names and data of the events after `from` up to `to` that have one of these names.
#[cfg(feature = "nfe")]
pub(crate) fn payloads(
    tx: &mut dyn Tx,
    from: i64,
    to: i64,
    names: [EventName; 3],
) -> Result<Vec<(String, String)>> {
    let [one, two, three] = names.map(EventName::as_str);
    tx.list(
        "SELECT name, payload FROM event
         WHERE id > $1 AND id <= $2 AND name IN ($3, $4, $5) ORDER BY id",
        params![from, to, one, two, three],
    )
}

/// The number of the latest event; 0 as long as there is none.
pub(crate) fn last(tx: &mut dyn Tx) -> Result<i64> {
    tx.value("SELECT coalesce(max(id), 0) FROM event", &[])
}

/// An event whose data name a text.
#[derive(Debug, Clone)]
pub(crate) struct Mention {
    pub(crate) id: EventId,
    pub(crate) name: String,
    pub(crate) payload: String,
}

read_columns!(Mention: id, name, payload);

/// The events after `from` up to `to` whose data hold this text as a whole JSON string.
pub(crate) fn mentioning(tx: &mut dyn Tx, text: &str, from: i64, to: i64) -> Result<Vec<Mention>> {
    tx.list(
        "SELECT id, name, payload FROM event
         WHERE id > $1 AND id <= $2 AND payload LIKE $3",
        params![from, to, &format!("%\"{text}\"%")],
    )
}

/// Gives an event other data: only for what must be erased.
pub(crate) fn replace_payload(tx: &mut dyn Tx, id: EventId, payload: &str) -> Result<()> {
    tx.run("UPDATE event SET payload = $1 WHERE id = $2", params![payload, id])
}

/// Deletes events of long ago, a few in each round, all of them below this number. The last event
/// stays, because the next id follows from it.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp, below: i64) -> Result<usize> {
    tx.execute(
        "DELETE FROM event
         WHERE id IN (SELECT id FROM event ORDER BY id LIMIT $1) AND created_at <= $2
           AND id < (SELECT max(id) FROM event) AND id < $3",
        params![ROUND, now.minus(KEPT), below],
    )
}
