//! The SQL of the sandbox's labels: all writes of `sandbox_label`.

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::money::Money;
use crate::storage::{Filter, Tx, params, read_columns};
use crate::value::words;

words! {
    /// How far a label of the sandbox has come.
    pub(crate) enum State {
        InCart = "IN_CART",
        Paid = "PAID",
        Generated = "GENERATED",
        Posted = "POSTED",
        Undelivered = "UNDELIVERED",
        Delivered = "DELIVERED",
        Cancelled = "CANCELLED",
    }
}

impl State {
    /// Whether its carrier knows a code of it.
    pub(super) fn has_code(self) -> bool {
        !matches!(self, Self::InCart | Self::Paid)
    }
}

/// A label.
pub(crate) struct Label {
    pub(crate) id: i64,
    pub(crate) reference: String,
    pub(crate) state: State,
    pub(crate) service: String,
    pub(crate) price: Money,
    pub(crate) paper: String,
    pub(crate) posted_at: Option<Timestamp>,
    pub(crate) delivered_at: Option<Timestamp>,
}

/// A label as it is put into the cart.
pub(crate) struct New {
    pub(crate) reference: String,
    pub(crate) service: String,
    pub(crate) price: Money,
    pub(crate) paper: String,
}

read_columns!(Label: id, reference, state, service, price, paper, posted_at, delivered_at);

/// The columns of a label.
macro_rules! select_label {
    ($tail:literal) => {
        concat!(
            "SELECT id, reference, status, service, price, paper, posted_at, delivered_at
             FROM sandbox_label ",
            $tail
        )
    };
}

impl Label {
    /// By which the carrier that the sandbox plays follows the parcel: thirteen characters with a
    /// check digit, as the postal union has them (S10).
    pub(super) fn code(&self) -> String {
        const WEIGHTS: [i64; 8] = [8, 6, 4, 2, 3, 5, 9, 7];
        let digits = format!("{:08}", self.id % 100_000_000);
        let sum: i64 = digits
            .bytes()
            .zip(WEIGHTS)
            .map(|(digit, weight)| i64::from(digit - b'0') * weight)
            .sum();
        let check = match 11 - sum % 11 {
            10 => 0,
            11 => 5,
            check => check,
        };
        format!("SB{digits}{check}BR")
    }
}

pub(super) fn insert(tx: &mut dyn Tx, new: &New, now: Timestamp) -> Result<Label> {
    let id: Option<i64> = tx.find(
        "INSERT INTO sandbox_label (reference, status, service, price, paper, created_at)
         VALUES ($1, 'IN_CART', $2, $3, $4, $5) RETURNING id",
        params![&new.reference, &new.service, new.price, &new.paper, now],
    )?;
    let added = by_id(tx, id.unwrap_or_default())?;
    added.ok_or_else(|| Error::internal("the label is not there"))
}

pub(super) fn by_id(tx: &mut dyn Tx, id: i64) -> Result<Option<Label>> {
    tx.find(select_label!("WHERE id = $1"), params![id])
}

pub(super) fn by_reference(tx: &mut dyn Tx, reference: &str) -> Result<Vec<Label>> {
    tx.list(select_label!("WHERE reference = $1 ORDER BY id"), params![reference])
}

/// Moves a label that is in one of these states; false where it is in another.
pub(super) fn set(
    tx: &mut dyn Tx,
    id: i64,
    from: &[State],
    to: State,
    now: Timestamp,
) -> Result<bool> {
    let mut filter = Filter::default();
    let posted = (to == State::Posted).then_some(now);
    let delivered = (to == State::Delivered).then_some(now);
    let (to, posted, delivered) = (filter.bind(to), filter.bind(posted), filter.bind(delivered));
    filter.compare("id =", Some(id));
    let states = filter.bind_all(from.iter().copied());
    filter.and(&format!("status IN ({states})"));
    let sql = format!(
        "UPDATE sandbox_label SET status = {to}, posted_at = coalesce(posted_at, {posted}),
           delivered_at = coalesce(delivered_at, {delivered}){}",
        filter.sql()
    );
    tx.changes(&sql, filter.params())
}

/// What all labels took from the balance.
pub(super) fn spent(tx: &mut dyn Tx) -> Result<Money> {
    tx.value(
        "SELECT CAST(coalesce(sum(price), 0) AS BIGINT) FROM sandbox_label
         WHERE status NOT IN ('IN_CART', 'CANCELLED')",
        &[],
    )
}

/// Forgets whom a label names.
pub(crate) fn forget(tx: &mut dyn Tx, reference: &str) -> Result<()> {
    tx.run("UPDATE sandbox_label SET paper = '' WHERE reference = $1", params![reference])
}
