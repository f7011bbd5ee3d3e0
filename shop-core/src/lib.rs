//! The whole service of an online shop as a typed, asynchronous library.

pub mod account;
pub mod background;
pub mod cart;
pub mod catalog;
pub mod clock;
pub mod config;
pub mod coupon;
pub mod demo;
pub mod error;
pub mod event;
pub mod id;
pub mod idempotency;
pub mod media;
pub mod money;
pub mod notification;
pub mod order;
pub mod page;
pub mod payment;
mod setting;
pub mod shipping;
pub mod shop;
pub mod stock;
pub mod storage;
pub mod value;
pub mod wishlist;

pub use config::Config;
pub use error::{Error, Result};
pub use shop::{Shop, ShopBuilder};
