//! Through the library's public API, on a real SQLite file.

mod account;
mod address;
mod storage;
