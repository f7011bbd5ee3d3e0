//! Requests that may be repeated without a second effect (docs/decisions.md, "Orders and stock").
//!
//! The first answer is written in the very transaction of its effect, so no crash can keep one
//! without the other. Only answers that changed something are kept: a refused request may be sent
//! again with the same key once its reason is gone. One refusal is kept too, that of a refund by
//! its provider: the refund stands in the books, and another try is another refund, with another
//! key.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::actor::Actor;
use crate::clock::Timestamp;
use crate::error::{Error, Refusal, Result};
use crate::id::AccountId;
use crate::storage::{InsertRows, LockKey, Prefetch, Tx, params};
use crate::value::InvalidValue;

/// How long a key is remembered.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Keys that one round forgets: whatever else is written waits for it.
const ROUND: i64 = 500;

/// Of a new answer.
const INSERT: &str = "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at)
                      VALUES ($1, $2, $3, $4, $5)";
/// The answers to new requests.
const ANSWERS: InsertRows = InsertRows { table: "idempotency", insert: INSERT };

/// Also a row whose time is over: only where there is one its place has to be made free.
const FIRST: &str = "SELECT fingerprint, answer, created_at FROM idempotency
                     WHERE scope = $1 AND key = $2";

/// What a caller sends as `Idempotency-Key`: 1 to 255 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl FromStr for IdempotencyKey {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fine = (1..=255).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        if fine { Ok(Self(text.to_owned())) } else { Err(InvalidValue::IdempotencyKey) }
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A request that may carry a key. Without one nothing is kept of it, and it is no repeat.
#[derive(Debug, Clone)]
pub(crate) struct IdempotentRequest(Option<KeyedRequest>);

/// What is kept of a request that asks a third party, for its repeats: first what it began, then
/// its answer.
#[derive(Serialize, Deserialize)]
pub(crate) enum Remembered<Id, Answer> {
    Begun(Id),
    Answered(Answer),
}

/// What is kept of a request that came before with the same key.
enum First<T> {
    Answer(T),
    /// Its time is over, and its row is there still.
    Expired,
    None,
}

/// A request that carries a key: who does what, with which input.
#[derive(Debug, Clone)]
struct KeyedRequest {
    /// Begins with who asks: what is kept of an account lies side by side ([`forget`]).
    scope: String,
    key: IdempotencyKey,
    fingerprint: String,
}

impl IdempotentRequest {
    /// `actor` keeps the keys of different callers apart, `operation` those of different requests.
    pub(crate) fn new(
        key: Option<IdempotencyKey>,
        actor: &str,
        operation: &str,
        input: &impl Serialize,
    ) -> Result<Self> {
        let Some(key) = key else { return Ok(Self(None)) };
        let input = serde_json::to_vec(input).map_err(Error::from_source)?;
        let fingerprint = hex::encode(Sha256::digest(input));
        Ok(Self(Some(KeyedRequest { scope: format!("{actor}:{operation}"), key, fingerprint })))
    }

    /// A request of staff, of an API key or of the program around the shop.
    pub(crate) fn by(
        key: Option<IdempotencyKey>,
        actor: &Actor,
        operation: &str,
        input: &impl Serialize,
    ) -> Result<Self> {
        Self::new(key, actor.id().unwrap_or_default(), operation, input)
    }

    /// Whether anything of it is kept.
    pub(crate) fn has_key(&self) -> bool {
        self.0.is_some()
    }

    /// The first answer, if this is a repeat.
    ///
    /// # Errors
    /// [`Refusal::IdempotencyKeyReused`] when the key came with another input.
    pub(crate) fn stored_answer<T: DeserializeOwned>(
        &self,
        tx: &mut dyn Tx,
        now: Timestamp,
    ) -> Result<Option<T>> {
        match self.first(tx, now)? {
            First::Answer(answer) => Ok(Some(answer)),
            First::Expired | First::None => Ok(None),
        }
    }

    fn first<T: DeserializeOwned>(&self, tx: &mut dyn Tx, now: Timestamp) -> Result<First<T>> {
        let Some(KeyedRequest { scope, key, fingerprint }) = &self.0 else {
            return Ok(First::None);
        };
        let first = tx.find::<(String, String, Timestamp)>(FIRST, params![scope, &key.0])?;
        match first {
            None => Ok(First::None),
            Some((.., created_at)) if created_at <= now.minus(LIFETIME) => Ok(First::Expired),
            Some((first, ..)) if first != *fingerprint => {
                Err(Error::Refused(Refusal::IdempotencyKeyReused))
            }
            Some((_, answer, _)) => {
                serde_json::from_str(&answer).map(First::Answer).map_err(Error::from_source)
            }
        }
    }

    /// What [`IdempotentRequest::stored_answer`] asks.
    pub(crate) fn prefetch(&self) -> Option<Prefetch> {
        let KeyedRequest { scope, key, .. } = self.0.as_ref()?;
        Some(Prefetch::new(FIRST, params![scope, &key.0]))
    }

    /// As [`IdempotentRequest::stored_answer`], by the job that gives the first answer where there
    /// is none yet, and keeps it by [`IdempotentRequest::keep_answer`]. Jobs with the same key must
    /// run one after the other: [`IdempotentRequest::lock`].
    pub(crate) fn claim<T: DeserializeOwned>(
        &self,
        tx: &mut dyn Tx,
        now: Timestamp,
    ) -> Result<Option<T>> {
        match self.first(tx, now)? {
            First::Answer(answer) => Ok(Some(answer)),
            First::None => Ok(None),
            First::Expired => {
                // Its place is needed.
                self.forget(tx)?;
                Ok(None)
            }
        }
    }

    /// What jobs with the same key lock.
    pub(crate) fn lock(&self) -> Option<LockKey> {
        let KeyedRequest { scope, key, .. } = self.0.as_ref()?;
        Some(LockKey::alone("idempotency", &format!("{scope} {key}")))
    }

    /// Keeps the answer to a request that was claimed.
    pub(crate) fn keep_answer(
        &self,
        tx: &mut dyn Tx,
        now: Timestamp,
        answer: &impl Serialize,
    ) -> Result<()> {
        let Some(KeyedRequest { scope, key, fingerprint }) = &self.0 else { return Ok(()) };
        let answer = serde_json::to_string(answer).map_err(Error::from_source)?;
        tx.insert(&ANSWERS, params![scope, &key.0, fingerprint, &answer, now])
    }

    /// Forgets the key: its time is over, or what it was sent with was refused in the end.
    pub(crate) fn forget(&self, tx: &mut dyn Tx) -> Result<()> {
        let Some(KeyedRequest { scope, key, .. }) = &self.0 else { return Ok(()) };
        tx.run("DELETE FROM idempotency WHERE scope = $1 AND key = $2", params![scope, &key.0])
    }

    /// Keeps the answer for repeats; a forgotten key's row is taken over.
    pub(crate) fn store_answer(
        &self,
        tx: &mut dyn Tx,
        now: Timestamp,
        answer: &impl Serialize,
    ) -> Result<()> {
        let Some(KeyedRequest { scope, key, fingerprint }) = &self.0 else { return Ok(()) };
        let answer = serde_json::to_string(answer).map_err(Error::from_source)?;
        let sql = format!(
            "{INSERT} ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint,
               answer = excluded.answer, created_at = excluded.created_at"
        );
        tx.run(&sql, params![scope, &key.0, fingerprint, &answer, now])
    }
}

/// Forgets what an account's requests were answered with, and what those of staff about its returns
/// were, which say what the customer wrote: these stand in an index of their own, and are few.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    let (first, after) = (format!("{account}:"), format!("{account};"));
    tx.run("DELETE FROM idempotency WHERE scope >= $1 AND scope < $2", params![&first, &after])?;
    tx.run(
        "DELETE FROM idempotency
         WHERE scope LIKE '%:return.%' AND answer LIKE '%\"' || $1 || '\"%'",
        params![account],
    )
}

/// Forgets keys past their time, some in a round, and counts them.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    tx.execute(
        "DELETE FROM idempotency WHERE (scope, key) IN (
           SELECT scope, key FROM idempotency WHERE created_at <= $1 LIMIT $2)",
        params![now.minus(LIFETIME), ROUND],
    )
}
