//! The shop over HTTP.
//!
//! [`serve()`] answers requests for an open [`shop_core::Shop`] until it is told to stop. Every
//! endpoint is one row of a table (`routes/`); what a request goes through stands in `app.rs`. No
//! rule of the shop is here.

#![cfg_attr(
    not(all(feature = "media", feature = "nfe")),
    expect(
        dead_code,
        reason = "some of what answers uploads and invoices is used by nothing else"
    )
)]

mod app;
mod body;
mod cache;
mod caller;
mod card_attempt;
mod check;
pub mod config;
mod cookie;
mod cors;
mod etag;
mod event_stream;
mod figures;
mod file_body;
mod format;
mod host;
mod input;
mod key;
mod latest;
#[cfg(feature = "program")]
mod listener;
mod metrics;
#[cfg(feature = "media")]
mod multipart;
mod normal;
mod openapi;
mod order_owner;
mod output;
mod pages;
mod parser;
mod payload;
pub mod portuguese;
mod rate_limit;
mod raw_json;
mod readiness;
mod reply;
mod request_id;
mod route;
mod routes;
mod schema;
mod serve;
mod service;
mod staff;
mod table;

pub use file_body::FileBody;
#[cfg(feature = "program")]
pub use listener::listen;
pub use payload::Payload;
pub use serve::{ServeOptions, serve};
pub use service::{Peer, ShopService};
