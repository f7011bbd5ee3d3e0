//! Events about customers who were erased.
//!
//! The outbox has no index by customer: every order would pay for it. So an erasure is noted in its
//! transaction, and the events are searched for afterwards, on the readers' threads.

use crate::account::{self, EventCustomer};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::{self, EventName, Mention};
use crate::id::AccountId;
use crate::lane;
use crate::order;
use crate::order::{EventOrder, EventRefund, EventStatusChange};
use crate::order_return::EventReturn;
use crate::shipment::EventShipment;
use crate::storage::{Tx, params};
use crate::webhook;

/// How many events one search covers.
const BATCH: i64 = 2000;

/// A range of the log to be searched for a customer.
#[derive(Clone)]
struct IdRange {
    account: AccountId,
    from: i64,
    to: i64,
    upto: i64,
}

/// Notes that a customer is to be removed from all events so far.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    let last = event::last(tx)?;
    tx.run(
        "INSERT INTO event_erasure (account_id, upto) VALUES ($1, $2)
         ON CONFLICT (account_id) DO UPDATE SET upto = excluded.upto, done = 0",
        params![account, last],
    )
}

/// Removes erased customers from the events that are due; returns how many events were rewritten.
pub(crate) async fn erase_events_due(cx: &Context) -> Result<usize> {
    let mut erased = 0;
    while let Some(range) = cx.db().lookup("event.erasure", next).await? {
        let part = range.clone();
        let found = cx.db().read("event.of_account", move |tx| about(tx, &part)).await?;
        erased += found.len();
        let job = move |tx: &mut dyn Tx| {
            found.iter().try_for_each(|event| rewrite(tx, event))?;
            progress(tx, &range)
        };
        cx.db().write(lane::INTEGRATIONS, "event.erase", job).await?;
    }
    Ok(erased)
}

fn rewrite(tx: &mut dyn Tx, event: &Mention) -> Result<()> {
    // What this version cannot read goes whole.
    let without = without_person(&event.name, &event.payload).unwrap_or_else(|_| "{}".to_owned());
    event::replace_payload(tx, event.id, &without)?;
    // What receivers answer may repeat what they were sent.
    webhook::erase_responses(tx, event.id)
}

/// The event without personal data: what is left of the order or the account.
fn without_person(name: &str, payload: &str) -> Result<String> {
    let named = |event: EventName| event.as_str() == name;
    let parsed = if named(EventName::CustomerCreated) {
        let customer: EventCustomer = parse(payload)?;
        let email = account::erased_email(&customer.id)?;
        serde_json::to_string(&EventCustomer { name: "Cliente".to_owned(), email, ..customer })
    } else if named(EventName::OrderStatusChanged) {
        let change: EventStatusChange = parse(payload)?;
        let order = without_buyer(change.order);
        serde_json::to_string(&EventStatusChange { order, ..change })
    } else if named(EventName::OrderRefunded) {
        let refund: EventRefund = parse(payload)?;
        let order = without_buyer(refund.order);
        serde_json::to_string(&EventRefund { order, ..refund })
    } else if [EventName::ReturnRequested, EventName::ReturnReceived, EventName::ReturnRefunded]
        .into_iter()
        .any(named)
    {
        let returned: EventReturn = parse(payload)?;
        serde_json::to_string(&EventReturn { reason: None, tracking_code: None, ..returned })
    } else if named(EventName::ShipmentUpdated) {
        let shipment: EventShipment = parse(payload)?;
        let (tracking_code, tracking_url) = (None, None);
        serde_json::to_string(&EventShipment { tracking_code, tracking_url, ..shipment })
    } else {
        serde_json::to_string(&without_buyer(parse(payload)?))
    };
    parsed.map_err(Error::from_source)
}

fn parse<T: serde::de::DeserializeOwned>(payload: &str) -> Result<T> {
    serde_json::from_str(payload).map_err(Error::from_source)
}

fn without_buyer(order: EventOrder) -> EventOrder {
    let address = order::redact(order.address);
    EventOrder { notes: None, address, tracking_code: None, ..order }
}

fn next(tx: &mut dyn Tx) -> Result<Option<IdRange>> {
    tx.one(
        "SELECT account_id, done, upto FROM event_erasure ORDER BY account_id LIMIT 1",
        &[],
        |row| {
            let (from, upto): (i64, i64) = (row.get(1)?, row.get(2)?);
            let to = upto.min(from + BATCH);
            Ok(IdRange { account: row.get(0)?, from, to, upto })
        },
    )
}

fn about(tx: &mut dyn Tx, range: &IdRange) -> Result<Vec<Mention>> {
    event::mentioning(tx, range.account.as_str(), range.from, range.to)
}

/// Moves on from where the range began, and from nowhere else: a server that comes late, after
/// another one went on or a further erasure was noted, must not skip anything.
fn progress(tx: &mut dyn Tx, range: &IdRange) -> Result<()> {
    let IdRange { account, from, to, upto } = range;
    if to == upto {
        return tx.run(
            "DELETE FROM event_erasure WHERE account_id = $1 AND done = $2 AND upto = $3",
            params![account, *from, *upto],
        );
    }
    tx.run(
        "UPDATE event_erasure SET done = $1 WHERE account_id = $2 AND done = $3",
        params![*to, account, *from],
    )
}
