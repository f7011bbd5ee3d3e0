//! Passwords: what may be one, and the threads that hash them.
//!
//! Hashing one takes about 12 ms of a core and 19 MiB on purpose. It happens on threads of its
//! own, so that a storm of log-ins can neither stall the async workers nor fill the memory, and
//! behind a bounded queue that serves clients in turns, so that a storm ends in [`Error::Busy`] for
//! the clients that make it, and keeps no other waiting.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use argon2::password_hash::phc::{Output, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use serde::Deserialize;
use tokio::sync::oneshot;

use super::fair_queue::{FairQueue, Full, Requester};
use crate::error::{Error, Result};
use crate::value::{InvalidValue, check_length, deserialize_by_from_str, inline_schema};

/// A new password: 8 to 128 characters, every one of them kept,
/// spaces at its ends too. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct NewPassword(String);

/// A password that is claimed to be right: any text, because what was never a valid password is
/// simply a wrong one. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct PasswordAttempt(String);

const MIN_LENGTH: usize = 8;
const MAX_LENGTH: usize = 128;

impl std::str::FromStr for NewPassword {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        check_length(text, MIN_LENGTH, MAX_LENGTH)?;
        Ok(Self(text.to_owned()))
    }
}

deserialize_by_from_str!(NewPassword);

any_text! { PasswordAttempt; }

opaque! { NewPassword; }

opaque! { PasswordAttempt; }

inline_schema!(NewPassword, {
    "type": "string", "minLength": MIN_LENGTH, "maxLength": MAX_LENGTH, "writeOnly": true
});

inline_schema!(PasswordAttempt, { "type": "string", "writeOnly": true });

/// What new passwords are hashed with: argon2id, 19 MiB, two passes (OWASP's first choice). Known
/// ones are verified with what stands in their own hash, so these may change.
pub(crate) const PASSWORD_PARAMS: Params = Params::DEFAULT;

/// What tests hash with: 8 KiB, one pass. Such a hash keeps nobody from guessing.
#[cfg(feature = "test-util")]
pub(crate) const WEAK_PASSWORD_PARAMS: Params = match Params::new(8, 1, 1, None) {
    Ok(params) => params,
    Err(_) => panic!("argon2's least"),
};

/// How long a thread keeps its memory after the last password.
const KEEP_MEMORY: Duration = Duration::from_secs(10);

/// The threads that hash. They start with the first password, and end with this value.
pub(crate) struct PasswordHasher {
    queue: Arc<Queue>,
    params: Params,
}

impl PasswordHasher {
    /// Hashes new passwords with these.
    pub(crate) fn new(params: Params) -> Self {
        Self { queue: Arc::default(), params }
    }

    /// The PHC string of a password, with a salt of its own.
    pub(super) async fn hash(&self, by: Requester, password: NewPassword) -> Result<String> {
        let (done, answer) = oneshot::channel();
        self.enqueue(by, Task::Hash { password, done })?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Whether the password is the one that was hashed. Without a hash (no account has the e-mail)
    /// it is not, and to find that out takes as long.
    pub(super) async fn verify(
        &self,
        by: Requester,
        password: PasswordAttempt,
        hash: Option<String>,
    ) -> Result<bool> {
        let (done, answer) = oneshot::channel();
        self.enqueue(by, Task::Verify { password, hash, done })?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    fn enqueue(&self, by: Requester, task: Task) -> Result<()> {
        let busy = |Full| Error::Busy { retry_after: Duration::from_secs(2) };
        let mut waiting = self.queue.lock();
        if !waiting.has_threads {
            start_threads(&self.queue, &self.params)?;
            waiting.has_threads = true;
        }
        waiting.tasks.push(by, task).map_err(busy)?;
        drop(waiting);
        self.queue.changed.notify_one();
        Ok(())
    }
}

impl Drop for PasswordHasher {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
    }
}

/// What waits to be hashed.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    /// Told when a task comes, and when none will come any more.
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    tasks: FairQueue<Task>,
    /// Whether somebody works on them: threads start with the first password.
    has_threads: bool,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task; nothing once the queue is closed, or when none came for that long.
    fn next(&self, patience: Option<Duration>) -> Option<Task> {
        let until = patience.map(|patience| Instant::now() + patience);
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            if let Some(task) = waiting.tasks.pop() {
                return Some(task);
            }
            waiting = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return None,
                Some(left) => {
                    let waited = self.changed.wait_timeout(waiting, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

fn stopped() -> Error {
    Error::internal("the hashing threads have stopped")
}

/// Half the cores, and never more than two threads: the rest of the machine sells candles. One is
/// enough where the machine gives no more.
fn start_threads(queue: &Arc<Queue>, params: &Params) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for running in 0..(cores / 2).clamp(1, 2) {
        let (queue, params) = (Arc::clone(queue), params.clone());
        let thread = std::thread::Builder::new().name("shop-password".to_owned());
        match thread.spawn(move || run(&queue, &params)) {
            Err(error) if running == 0 => return Err(Error::from_source(error)),
            Err(error) => tracing::warn!(%error, "no second thread for passwords"),
            Ok(_) => {}
        }
    }
    Ok(())
}

/// Works until the hasher is gone. The memory is kept from password to password, because half of
/// the time of a hash with fresh memory is spent on the page faults of 19 MiB, and is given back
/// when no more come, because an idle shop should be small.
fn run(queue: &Queue, params: &Params) {
    while let Some(first) = queue.next(None) {
        let mut memory = Memory::new();
        let mut next = Some(first);
        while let Some(task) = next {
            task.run(params, &mut memory);
            next = queue.next(Some(KEEP_MEMORY));
        }
    }
}

enum Task {
    Hash { password: NewPassword, done: oneshot::Sender<Result<String>> },
    Verify { password: PasswordAttempt, hash: Option<String>, done: oneshot::Sender<Result<bool>> },
}

impl Task {
    /// Does the work, unless the caller has gone meanwhile.
    fn run(self, params: &Params, memory: &mut Memory) {
        match self {
            Self::Hash { password, done } if !done.is_closed() => {
                drop(done.send(hash(&password, params, memory)));
            }
            Self::Verify { password, hash, done } if !done.is_closed() => {
                drop(done.send(verify(&password, hash.as_deref(), params, memory)));
            }
            Self::Hash { .. } | Self::Verify { .. } => {}
        }
    }
}

/// The blocks that argon2 works in.
struct Memory(Vec<Block>);

impl Memory {
    /// Address space, not memory: pages that are not touched cost nothing. Above 32 MiB glibc
    /// always maps a block by itself and unmaps it when it is freed. Below, it keeps what was
    /// freed once in its heap (measured: 19 MiB more stay resident after each idle spell).
    const RESERVED_BLOCKS: usize = 33 * 1024;

    fn new() -> Self {
        Self(Vec::with_capacity(Self::RESERVED_BLOCKS))
    }

    fn blocks(&mut self, params: &Params) -> &mut [Block] {
        let count = params.block_count();
        if self.0.len() < count {
            self.0.resize(count, Block::new());
        }
        &mut self.0[..count]
    }
}

fn hash(password: &NewPassword, params: &Params, memory: &mut Memory) -> Result<String> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(Error::from_source)?;
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    argon2
        .hash_password_into_with_memory(
            password.0.as_bytes(),
            &salt,
            &mut output,
            memory.blocks(params),
        )
        .map_err(Error::from_source)?;
    Ok(phc(params, &salt, &output)?.to_string())
}

/// Without a hash, with the work that one by these parameters would be.
fn verify(
    password: &PasswordAttempt,
    hash: Option<&str>,
    params: &Params,
    memory: &mut Memory,
) -> Result<bool> {
    let known = match hash {
        Some(hash) => PasswordHash::new(hash).map_err(Error::from_source)?,
        None => phc(params, &[0; 16], &[0; Params::DEFAULT_OUTPUT_LEN])?,
    };
    let (Some(salt), Some(expected)) = (&known.salt, &known.hash) else {
        return Err(Error::internal("a stored password hash has no salt or no output"));
    };
    let mut output = [0; Output::MAX_LENGTH];
    let output = &mut output[..expected.len()];
    let (argon2, params) = parse_parameters(&known).map_err(Error::from_source)?;
    argon2
        .hash_password_into_with_memory(password.0.as_bytes(), salt, output, memory.blocks(&params))
        .map_err(Error::from_source)?;
    // The comparison of two outputs takes the same time wherever they differ.
    let same = Output::new(output).map_err(Error::from_source)? == *expected;
    Ok(same && hash.is_some())
}

fn parse_parameters(known: &PasswordHash) -> argon2::password_hash::Result<(Argon2<'_>, Params)> {
    let algorithm = Algorithm::try_from(known.algorithm.as_str())?;
    let version = known.version.map_or(Ok(Version::default()), Version::try_from)?;
    let params = Params::try_from(known)?;
    Ok((Argon2::new(algorithm, version, params.clone()), params))
}

/// What is stored where no password shall ever be right: it reads like a hash, and is none.
pub(crate) fn no_password() -> Result<String> {
    phc(&PASSWORD_PARAMS, &[0; 16], &[0; Params::DEFAULT_OUTPUT_LEN]).map(|hash| hash.to_string())
}

fn phc(params: &Params, salt: &[u8], output: &[u8]) -> Result<PasswordHash> {
    Ok(PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: params.try_into().map_err(Error::from_source)?,
        salt: Some(Salt::new(salt).map_err(Error::from_source)?),
        hash: Some(Output::new(output).map_err(Error::from_source)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_to_128_characters_and_none_is_lost() {
        for (text, fine) in [
            ("1234567", false),
            ("12345678", true),
            (" 123456 ", true),
            ("çãõéíúâê", true),
            (&"x".repeat(128), true),
            (&"x".repeat(129), false),
        ] {
            let password = text.parse::<NewPassword>();
            assert_eq!(password.is_ok(), fine, "{text}");
            assert!(password.is_err() || password.is_ok_and(|password| password.0 == text));
        }
    }

    #[test]
    fn debug_shows_no_password() {
        let secret = "correct horse";
        let new: NewPassword = secret.parse().expect("long enough");
        let text = format!("{new:?} {:?}", PasswordAttempt::from(secret));
        assert!(!text.contains("horse"), "{text}");
    }

    #[test]
    fn only_the_password_that_was_hashed_is_right() {
        let mut memory = Memory::new();
        let stored = hash(&"correct horse".parse().expect("fine"), &PASSWORD_PARAMS, &mut memory);
        let stored = stored.expect("a hash");
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        for (attempt, right) in [("correct horse", true), ("correct horse ", false), ("", false)] {
            let outcome = verify(&attempt.into(), Some(&stored), &PASSWORD_PARAMS, &mut memory);
            assert_eq!(outcome.ok(), Some(right), "{attempt}");
            let unknown = verify(&attempt.into(), None, &PASSWORD_PARAMS, &mut memory);
            assert_eq!(unknown.ok(), Some(false));
        }
    }

    #[test]
    fn hashes_with_other_parameters_still_hold() {
        let params = Params::new(64, 3, 2, Some(24)).expect("valid");
        let mut output = [0; 24];
        Argon2::new(Algorithm::Argon2i, Version::V0x13, params.clone())
            .hash_password_into(b"correct horse", b"some salt", &mut output)
            .expect("a hash");
        let known = PasswordHash {
            algorithm: Algorithm::Argon2i.ident(),
            params: params.try_into().expect("valid"),
            ..phc(&PASSWORD_PARAMS, b"some salt", &output).expect("valid")
        };
        let mut memory = Memory::new();
        let attempt = "correct horse".into();
        let right = verify(&attempt, Some(&known.to_string()), &PASSWORD_PARAMS, &mut memory);
        assert_eq!(right.ok(), Some(true));
    }

    #[tokio::test]
    async fn who_has_more_than_a_share_of_the_queue_is_told_to_wait_and_others_are_served() {
        let hasher = PasswordHasher::new(PASSWORD_PARAMS);
        let by = |who: &str| Requester::new(None, who);
        let mut waiting = Vec::new();
        let busy = loop {
            let (done, answer) = oneshot::channel();
            let password = "correct horse".parse().expect("fine");
            match hasher.enqueue(by("ana"), Task::Hash { password, done }) {
                Ok(()) => waiting.push(answer),
                Err(error) => break error,
            }
        };
        assert!(matches!(busy, Error::Busy { .. }), "{busy}");
        let stored = hasher.hash(by("bia"), "correct horse".parse().expect("fine")).await;
        assert!(stored.is_ok());
        // One of hers was under way, at most one more had its turn before.
        let done = waiting.iter_mut().filter_map(|answer| answer.try_recv().ok()).count();
        assert!(done < waiting.len(), "{done} of {}", waiting.len());
    }
}
