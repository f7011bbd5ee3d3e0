//! What several programs of the tests share. The tests of the whole shop are in `it/`.

#[expect(dead_code, reason = "made for the tests in `it/`; the simulation needs a part of it")]
#[path = "it/database.rs"]
mod database;
pub mod sim;
