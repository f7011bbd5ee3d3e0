//! Events of people who were erased.
//!
//! The outbox has no index of whose its events are: every order would pay for it. So who is erased
//! is noted in that transaction, and his events are looked for afterwards, on the readers' threads.

use crate::account::EventCustomer;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::{self, EventName, Mention};
use crate::id::AccountId;
use crate::lane;
use crate::order;
use crate::order::{EventOrder, EventStatusChange};
use crate::storage::Tx;
use crate::webhook;

/// How many events one look takes in.
const STRETCH: i64 = 2000;

/// A stretch of the log to be looked through for a person.
#[derive(Clone)]
struct Stretch {
    account: AccountId,
    from: i64,
    to: i64,
    upto: i64,
}

/// Notes that all events so far must forget a person.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    let last = event::last(tx)?;
    tx.execute(
        "INSERT INTO event_erasure (account_id, upto) VALUES ($1, $2)
         ON CONFLICT (account_id) DO UPDATE SET upto = excluded.upto, done = 0",
        &[account.into(), last.into()],
    )
    .map(drop)
}

/// Makes the events of everybody who was erased nobody's; tells how many there were.
pub(crate) async fn erase_due(cx: &Context) -> Result<usize> {
    let mut erased = 0;
    while let Some(stretch) = cx.db().lookup("event.erasure", next).await? {
        let part = stretch.clone();
        let found = cx.db().read("event.of_account", move |tx| about(tx, &part)).await?;
        erased += found.len();
        let job = move |tx: &mut dyn Tx| {
            found.iter().try_for_each(|event| rewrite(tx, event))?;
            progress(tx, &stretch)
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

/// The same event, of nobody: as much as is left of the order itself, and of the account.
fn without_person(name: &str, payload: &str) -> Result<String> {
    let named = |event: EventName| event.as_str() == name;
    let parsed = if named(EventName::CustomerCreated) {
        let customer: EventCustomer = parse(payload)?;
        let email = format!("{}@removido.invalid", customer.id);
        let email = email.parse().map_err(Error::from_source)?;
        serde_json::to_string(&EventCustomer { name: "Cliente".to_owned(), email, ..customer })
    } else if named(EventName::OrderStatusChanged) {
        let change: EventStatusChange = parse(payload)?;
        let order = nobodys(change.order);
        serde_json::to_string(&EventStatusChange { order, ..change })
    } else {
        serde_json::to_string(&nobodys(parse(payload)?))
    };
    parsed.map_err(Error::from_source)
}

fn parse<T: serde::de::DeserializeOwned>(payload: &str) -> Result<T> {
    serde_json::from_str(payload).map_err(Error::from_source)
}

fn nobodys(order: EventOrder) -> EventOrder {
    let address = order::redact(order.address);
    EventOrder { notes: None, address, ..order }
}

fn next(tx: &mut dyn Tx) -> Result<Option<Stretch>> {
    tx.one(
        "SELECT account_id, done, upto FROM event_erasure ORDER BY account_id LIMIT 1",
        &[],
        |row| {
            let (from, upto): (i64, i64) = (row.get(1)?, row.get(2)?);
            let to = upto.min(from + STRETCH);
            Ok(Stretch { account: row.get(0)?, from, to, upto })
        },
    )
}

fn about(tx: &mut dyn Tx, stretch: &Stretch) -> Result<Vec<Mention>> {
    event::mentioning(tx, stretch.account.as_str(), stretch.from, stretch.to)
}

/// Only from where the stretch began: whoever comes late, when another server went on with it or
/// more is to be erased, must not make it skip anything.
fn progress(tx: &mut dyn Tx, stretch: &Stretch) -> Result<()> {
    let Stretch { account, from, to, upto } = stretch;
    if to == upto {
        return tx
            .execute(
                "DELETE FROM event_erasure WHERE account_id = $1 AND done = $2 AND upto = $3",
                &[account.into(), (*from).into(), (*upto).into()],
            )
            .map(drop);
    }
    tx.execute(
        "UPDATE event_erasure SET done = $1 WHERE account_id = $2 AND done = $3",
        &[(*to).into(), account.into(), (*from).into()],
    )
    .map(drop)
}
