//! Jobs that run beside others of their lane.

use std::borrow::Cow;
#[cfg(feature = "postgres")]
use std::cmp::Ordering;

use sha2::{Digest, Sha256};

use super::value::Value;
use super::{Job, Param, Tx};
use crate::error::Result;

/// A job that may run beside others of its lane, in three parts of one transaction.
///
/// What it decides rests on guards in its statements, and on rows that no job changes without one
/// of its locks. An engine with one writer runs the parts one after the other. One that runs
/// several transactions at once runs the first parts of a group, makes what they planned
/// ([`Tx::plan`]), runs the middle parts, then the last parts, and commits at once: so the last
/// part is where numbers are taken ([`Tx::next_number`]) and rows are written that need them, by
/// [`Tx::insert`] and [`Tx::append`] alone where it can be.
pub struct ConcurrentJob {
    /// What asks, and refuses; and plans what the middle part changes.
    pub first: Job,
    /// What changes what others may change too.
    pub middle: Job,
    /// What needs a number, or is only written.
    pub last: Job,
    /// What of all concurrent jobs one at a time may work on.
    pub locks: Vec<LockKey>,
    /// What the first part will ask, as far as that is known before. An engine to which each
    /// statement is a round trip may ask for all jobs of a group together, under their locks; the
    /// job asks nevertheless, by the same text and parameters, and is given that answer. So these
    /// are queries of rows that the jobs of a group change in their last parts at the earliest.
    pub prefetch: Vec<Prefetch>,
}

opaque! { ConcurrentJob; }

impl ConcurrentJob {
    /// All parts as one job, for engines in which one write runs at a time.
    pub fn into_job(self) -> Job {
        let Self { mut first, mut middle, mut last, .. } = self;
        Box::new(move |tx: &mut dyn Tx| -> Result<()> {
            first(tx)?;
            middle(tx)?;
            last(tx)
        })
    }
}

/// A query that is known before the job begins that asks it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefetch {
    sql: Cow<'static, str>,
    params: Vec<Value>,
}

impl Prefetch {
    /// A query with its parameters.
    pub fn new(sql: impl Into<Cow<'static, str>>, params: &[Param<'_>]) -> Self {
        Self { sql: sql.into(), params: params.iter().map(Value::of).collect() }
    }

    /// The text of the query.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// Its parameters.
    pub fn params(&self) -> Vec<Param<'_>> {
        self.params.iter().map(Value::param).collect()
    }

    /// Where it stands beside another query; as queries are sorted.
    #[cfg(feature = "postgres")]
    pub(super) fn cmp_query(&self, sql: &str, params: &[Param<'_>]) -> Ordering {
        let own = self.params.iter().map(Value::param);
        (*self.sql).cmp(sql).then_with(|| own.cmp(params.iter().copied()))
    }
}

/// The name of something that concurrent jobs work on one at a time, among all servers. Each job
/// takes all of its locks before it begins, in one order, so that no two wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockKey {
    number: i32,
    is_alone: bool,
}

impl LockKey {
    /// Jobs with this key may share a transaction: each sees what the first part of the one before
    /// it did.
    pub fn shared(kind: &str, name: &str) -> Self {
        Self { number: number(kind, name), is_alone: false }
    }

    /// Each job with this key has a transaction of its own, for it asks for what the last part of
    /// another writes.
    pub fn alone(kind: &str, name: &str) -> Self {
        Self { number: number(kind, name), is_alone: true }
    }

    /// What stands for the name. Two names may share a number, and wait for each other then.
    pub fn number(self) -> i32 {
        self.number
    }

    /// Whether jobs with this key must not share a transaction.
    pub fn is_alone(self) -> bool {
        self.is_alone
    }
}

fn number(kind: &str, name: &str) -> i32 {
    // Servers of different versions must agree on it.
    let digest = Sha256::new().chain_update(kind).chain_update(":").chain_update(name).finalize();
    i32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// Rows that count, and how ([`Tx::next_number`]).
#[derive(Debug)]
pub struct Counter {
    /// The statement that adds `$2` to the row of the key `$1`, makes it where it is missing, and
    /// returns its number then.
    pub add: &'static str,
}
