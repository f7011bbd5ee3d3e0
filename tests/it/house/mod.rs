//! The layout of shop-core as ARCHITECTURE.md describes it.

mod floors;
mod sources;
mod tables;
