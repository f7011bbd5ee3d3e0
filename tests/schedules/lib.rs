//! The shop's own concurrency under `shuttle`, which runs the same threads in one order after
//! another.
//!
//! The files themselves are compiled here, not copies of them: the writer of SQLite, the
//! generations by which caches notice changes, the cache of answers, questions that are asked once,
//! and last uses. They find `shuttle`'s locks and queue where the shop has those of the standard
//! library. What is not tried here waits inside the database or for a whole process: lanes, claims
//! and leases are rows of a database (`tests/it/race.rs`).

// The files' own tests need what only their packages have.
#![cfg(not(test))]
#![expect(clippy::missing_panics_doc, reason = "a property that does not hold panics")]

// The files of the server say `shop_core`, the writer says `crossbeam_channel`.
extern crate self as crossbeam_channel;
extern crate self as shop_core;

pub use self::queue::{Receiver, RecvTimeoutError, Sender, unbounded};

mod cached;
mod questions;
mod queue;
mod uses;

#[expect(dead_code, reason = "a part of it is used")]
#[path = "../../shop-server/src/cache.rs"]
mod cache;
#[path = "../../shop-core/src/shipping/in_flight.rs"]
mod in_flight;
#[expect(dead_code, reason = "a part of it is used")]
#[path = "../../shop-core/src/last_use.rs"]
mod last_use;
#[path = "../../shop-core/src/measure.rs"]
pub mod measure;
pub mod storage;

pub use self::cached::{
    no_answer_is_older_than_the_index_it_came_from, no_answer_is_older_than_what_its_caller_knows,
    rows_that_changed_are_never_missed,
};
pub use self::questions::equal_questions_are_asked_once;
pub use self::uses::no_use_is_lost;

pub(crate) use shop::{clock, error};

/// The locks that the scheduler knows.
pub(crate) mod sync {
    pub(crate) use shuttle::sync::{Mutex, atomic};
    pub(crate) use std::sync::PoisonError;
}

/// As the server's, without what only HTTP needs.
pub(crate) mod etag {
    /// An answer that is ready to be sent.
    #[derive(Debug, Clone)]
    pub(crate) struct Tagged {
        pub(crate) body: bytes::Bytes,
    }
}

/// The areas that answers depend on.
pub mod area {
    use crate::storage::Area;

    /// The catalogue.
    pub const CATALOG: Area = Area::new(0, &[]);
    /// The stock.
    pub const STOCK: Area = Area::new(1, &[]);
    /// The index of the lists.
    pub const LISTING: Area = Area::new(3, &[]);
}
