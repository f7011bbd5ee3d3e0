//! The layout of shop-core as ARCHITECTURE.md describes it.

mod actions;
mod cancellation;
mod floors;
mod ports;
mod sources;
mod tables;
