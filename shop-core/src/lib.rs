//! The whole service of an online shop as a typed, asynchronous library.
//!
//! [`Shop`] holds everything and hands out a small handle for each topic: [`Shop::products`],
//! [`Shop::orders`], [`Shop::payments`], .. A handle's methods take validated inputs, run one or
//! two units of work in the shop's file of data, and answer with plain data.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let dir = tempfile::tempdir()?;
//! # let database = dir.path().join("shop.db").display().to_string();
//! use shop_core::actor::Actor;
//! use shop_core::catalog::{NewProduct, ProductFilter};
//! use shop_core::{Config, Shop};
//!
//! let shop = Shop::open(Config { database, ..Config::default() }).await?;
//! let candle = NewProduct::new("Vela de Lavanda".parse()?, "49.90".parse()?, 10.try_into()?)?;
//! shop.products().create(&Actor::System, candle).await?;
//!
//! let page = shop.products().list(ProductFilter::default()).await?;
//! assert_eq!(page.data[0].slug, "vela-de-lavanda");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # What a program must do itself
//!
//! - **Run in tokio.** The library brings its own threads for the database and for passwords; it
//!   needs a runtime for its timers and channels only.
//! - **Run the background work**, with [`Shop::run_background`] beside its own or
//!   [`Shop::run_due`] from a scheduler: unpaid orders are cancelled there.
//! - **Answer providers.** Hand the signed parts of a notice to
//!   [`payment::Payments::receive_notice`].
//!
//! # Inputs, errors, time
//!
//! Inputs are made of values that are right by construction ([`value`]); each parses from text and
//! from JSON. An [`Error`] says what the caller can do about it. Time comes from a [`clock::Clock`],
//! so a test can open a shop with a [`clock::ManualClock`] and move it.
//!
//! # Features
//!
//! - `http`: calls to third parties: payments by Mercado Pago and Stripe, shipping quotes by Melhor
//!   Envio, Correios and Frenet, postal codes by ViaCEP, webhooks to whoever subscribed to events.
//! - `media`: pictures that staff upload, and smaller ones made of them.
//! - `nfe`: Brazilian electronic invoices.
//! - `smtp`: mails through a mail server; without it they are files.
//! - `schema`: JSON schemas of everything that goes over a wire.
//! - `test-util`: [`storage`]'s list of behaviours for whoever writes an engine.

#![deny(missing_docs)]

pub mod account;
pub mod actor;
pub mod api_key;
pub mod audit;
pub mod background;
pub mod cart;
pub mod catalog;
pub mod clock;
pub mod config;
pub mod coupon;
pub mod dashboard;
pub mod demo;
pub mod error;
pub mod event;
#[cfg(feature = "http")]
mod http_client;
pub mod id;
pub mod idempotency;
mod lease;
pub mod mail;
pub mod media;
pub mod money;
mod net_guard;
pub mod newsletter;
#[cfg(feature = "nfe")]
pub mod nfe;
pub mod notification;
pub mod order;
pub mod page;
pub mod payment;
pub mod revision;
mod setting;
pub mod shipping;
pub mod shop;
pub mod site;
mod spreadsheet;
pub mod stock;
pub mod storage;
pub mod value;
pub mod webhook;
pub mod wishlist;

pub use config::Config;
pub use error::{Error, Result};
pub use shop::{Shop, ShopBuilder};
