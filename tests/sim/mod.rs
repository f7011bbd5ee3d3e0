//! A simulated shop that is broken on purpose.
//!
//! A seed decides everything that happens: what customers, staff and programs ask of the shop, how
//! providers and mail servers answer, how time passes, and what breaks: statements, commits,
//! connections, the power, the program itself. After each step the shop's books are held against a
//! model and against the provider's own books. The same seed is the same history, so a failing one
//! is a reproduction: `SHOP_SIM_SEED=<seed> cargo test --workspace --test sim`.

mod action;
mod bank;
mod bank_event;
mod books;
mod carrier;
mod choose;
mod faults;
mod house;
mod judge;
mod log;
mod mailbox;
mod many;
mod model;
mod money;
mod office;
mod papers;
mod perform;
mod report;
mod rng;
mod run;
mod scenario;
mod settle;
mod setup;

pub use self::many::{Limits, many};
pub use self::report::Report;
pub use self::run::{Failure, live, story};
pub use self::scenario::{Scenario, Statement};
