//! Black-box tests: through the library's public API, through HTTP, through the real binaries.

#![expect(clippy::needless_pass_by_value, reason = "fixtures take JSON as it is written")]

mod binary;
mod cli;
mod cluster;
mod core;
mod crash;
mod database;
mod docs;
mod fakes;
mod house;
mod http;
mod own_postgres;
mod race;
