//! Shops on a disk that loses its power, is full, or fails.
//!
//! SQLite's file system is replaced for this whole program (`vfs`), so that everything below the
//! shop's engine is the test's: which writes reached the disk, and which calls fail.

#![cfg(unix)]

mod defects;
mod life;
mod medium;
mod power;
#[expect(dead_code, reason = "made for the simulation; this needs a part of it")]
#[path = "../sim/rng.rs"]
mod rng;
#[expect(unsafe_code, reason = "SQLite takes a file system as C functions only")]
mod vfs;
