//! The locks and counters of files whose concurrency is tried under a scheduler
//! (`tests/schedules`), which puts its own in this place.

pub(crate) use std::sync::{Mutex, PoisonError, atomic};
