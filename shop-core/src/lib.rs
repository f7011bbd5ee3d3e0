//! The whole service of an online shop as a typed, asynchronous library.

pub mod account;
pub mod clock;
pub mod config;
pub mod error;
pub mod event;
pub mod id;
pub mod money;
pub mod page;
pub mod shop;
pub mod stock;
pub mod storage;
pub mod value;

pub use config::Config;
pub use error::{Error, Result};
pub use shop::{Shop, ShopBuilder};
