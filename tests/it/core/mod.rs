//! Through the library's public API, on a real SQLite file.

mod account;
mod address;
mod api_key;
mod cart;
mod catalog;
mod coupon;
mod customer;
mod demo;
mod desk;
pub(crate) mod fixture;
mod guest_cart;
mod idempotent_bytes;
mod mail;
mod notification;
mod order;
mod password_reset;
mod payment;
mod privacy;
mod product_admin;
mod review;
mod shipping;
mod shipping_order;
pub(crate) mod stock;
mod storage;
mod wishlist;
