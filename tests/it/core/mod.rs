//! Through the library's public API, on a real SQLite file.

mod account;
mod address;
mod api_key;
mod books;
mod card;
mod cart;
mod catalog;
mod coupon;
mod demo;
pub(crate) mod fixture;
mod guest_cart;
mod idempotent_bytes;
mod intent;
mod mail;
mod notification;
mod order;
mod password_reset;
pub(crate) mod payment;
mod privacy;
mod product_admin;
mod refund;
mod review;
mod shipping;
mod shipping_order;
pub(crate) mod stock;
mod storage;
mod wishlist;
