//! Through the library's public API, on a real SQLite file.

mod account;
mod address;
mod cart;
mod catalog;
mod demo;
pub(crate) mod fixture;
mod order;
mod payment;
mod shipping;
mod shipping_order;
mod storage;
