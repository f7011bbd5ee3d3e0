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
//! shop.products().create(&Actor::System, candle, None).await?;
//!
//! let page = shop.products().list(ProductFilter::default()).await?;
//! assert_eq!(page.data[0].slug, "vela-de-lavanda");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # Sell something
//!
//! An order takes its units when it is placed, and is paid through a provider; without any settings
//! the built-in sandbox plays that. Every function that staff use takes an [`actor::Actor`], which
//! the audit log keeps.
//!
//! ```
//! # shop_core::testing::run(async |shop| {
//! use shop_core::checkout::{PlaceItem, PlaceOrder};
//! use shop_core::order::OrderStatus;
//!
//! let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
//! let ana = shop.buyer("Ana").await?;
//! let items = vec![PlaceItem::new(candle.id, 2.try_into()?)];
//! let order = PlaceOrder { cart_items: Some(items), ..PlaceOrder::to(ana.address) };
//! // The same key again is the same order.
//! let key = Some("pedido-1".parse()?);
//! let order = shop.orders().place(&ana.id, order, key).await?.order;
//!
//! let pix = shop.payments().create_pix(&ana.id, &order.id, None).await?;
//! println!("{}", pix.qr_code_text);
//! let order = shop.sandbox().pay(&order.order_number).await?;
//! assert_eq!(order.status, OrderStatus::Processing);
//! # Ok(())
//! # });
//! ```
//!
//! # Your own payment provider
//!
//! Whatever moves money is a [`payment::PixAndCards`] (PIX and cards) or a [`payment::Intents`]. An
//! implementation translates and holds no rule: the shop writes an attempt before it calls, and its
//! id is the key under which a call may have its effect once. A word of the provider is applied by
//! the shop, however often it comes.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use shop_core::BoxFuture;
//! use shop_core::payment::{
//!     Answer, CardRequest, PaymentMethod, PaymentProvider, PixAndCards, PixRequest, ProviderError,
//!     ProviderPayment, ProviderRefund, ProviderRefundStatus, ProviderStatus, RefundRequest,
//! };
//!
//! /// A bank that keeps its books in memory.
//! #[derive(Clone, Default)]
//! struct Bank(Arc<Mutex<Vec<ProviderPayment>>>);
//!
//! impl Bank {
//!     fn set(&self, id: &str, status: ProviderStatus) -> Answer<ProviderPayment> {
//!         let mut books = self.0.lock().unwrap();
//!         let payment = books.iter_mut().find(|payment| payment.id == id);
//!         let payment = payment.ok_or_else(|| ProviderError::Refused("unknown".to_owned()))?;
//!         payment.status = status;
//!         Ok(payment.clone())
//!     }
//! }
//!
//! impl PaymentProvider for Bank {
//!     fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
//!         Box::pin(async move { Ok(self.0.lock().unwrap().iter().find(|it| it.id == id).cloned()) })
//!     }
//!
//!     fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
//!         Box::pin(async move { self.set(id, ProviderStatus::Cancelled) })
//!     }
//!
//!     fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
//!         let refund =
//!             ProviderRefund { id: request.refund.to_string(), status: ProviderRefundStatus::Done };
//!         Box::pin(async move { Ok(refund) })
//!     }
//! }
//!
//! impl PixAndCards for Bank {
//!     fn create_pix<'a>(&'a self, asked: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
//!         Box::pin(async move {
//!             let (id, pending) = (asked.payment.to_string(), ProviderStatus::Pending);
//!             if let Some(first) = self.fetch(&id).await? {
//!                 return Ok(first);
//!             }
//!             let mut payment =
//!                 ProviderPayment::new(id, PaymentMethod::Pix, pending, asked.amount, "BRL");
//!             payment.attempt = Some(asked.payment.clone());
//!             payment.reference = Some(asked.order_number.clone());
//!             payment.pix_code = Some(format!("pix:{}", asked.order_number));
//!             payment.expires_at = Some(asked.expires_at);
//!             self.0.lock().unwrap().push(payment.clone());
//!             Ok(payment)
//!         })
//!     }
//!
//!     fn charge_card<'a>(&'a self, _: &'a CardRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
//!         Box::pin(async { Err(ProviderError::Refused("no cards".to_owned())) })
//!     }
//!
//!     fn find<'a>(&'a self, number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
//!         Box::pin(async move {
//!             let of_order = |it: &&ProviderPayment| it.reference.as_deref() == Some(number);
//!             Ok(self.0.lock().unwrap().iter().filter(of_order).cloned().collect())
//!         })
//!     }
//! }
//!
//! # use shop_core::testing::TestShop;
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let bank = Bank::default();
//! let shop = TestShop::with(|builder| builder.pix_and_cards(bank.clone())).await?;
//! let order = shop.order().await?;
//! let pix = shop.payments().create_pix(&order.user_id, &order.id, None).await?;
//! assert_eq!(pix.qr_code_text, format!("pix:{}", order.order_number));
//!
//! // The bank has the money and says so, in a way of its own that the program has verified.
//! bank.set(pix.payment_id.as_str(), ProviderStatus::Paid)?;
//! shop.payments().reconcile(&order.id).await?;
//! let paid = shop.orders().get_for_customer(&order.user_id, &order.id).await?;
//! assert_eq!(paid.status.as_str(), "PROCESSING");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A provider that signs its notices as Mercado Pago or Stripe does can be handed over instead, in
//! [`settlement::Payments::receive_notice`] and [`settlement::Payments::receive_event`].
//!
//! # Your own carrier
//!
//! A [`shipping::CarrierQuotes`] names prices for a parcel. The first in the list that has options
//! wins; one that fails three times in a row is left alone for a minute.
//!
//! ```
//! use std::sync::Arc;
//!
//! use shop_core::BoxFuture;
//! use shop_core::clock::Timestamp;
//! use shop_core::money::Money;
//! use shop_core::shipping::{CarrierError, CarrierOption, CarrierQuotes, Parcel};
//!
//! /// A courier on a bicycle, who serves the city of São Paulo.
//! struct Courier;
//!
//! impl CarrierQuotes for Courier {
//!     fn name(&self) -> &'static str {
//!         "Bike"
//!     }
//!
//!     fn quote<'a>(
//!         &'a self,
//!         parcel: &'a Parcel,
//!         _: Timestamp,
//!     ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
//!         let option = CarrierOption {
//!             id: "bike-1".to_owned(),
//!             name: "Bicicleta".to_owned(),
//!             price: Money::from_cents(990),
//!             estimated_days: 1,
//!         };
//!         let serves = parcel.to.as_str().starts_with("01");
//!         Box::pin(async move { Ok(if serves { vec![option] } else { Vec::new() }) })
//!     }
//! }
//!
//! # use shop_core::testing::TestShop;
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let shop = TestShop::with(|builder| builder.carriers(vec![Arc::new(Courier)])).await?;
//! let order = shop.order().await?;
//! assert_eq!(order.shipping, Money::from_cents(990));
//! assert_eq!(order.shipping_service.as_deref(), Some("Bicicleta"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Your own storage
//!
//! A [`storage::Storage`] runs named jobs, each in a transaction; [`storage`] has an example. An
//! engine of its own brings a [`storage::Tx`] and a [`storage::Dialect`] too, runs
//! [`storage::pending_migrations`] when it is opened, and is held to [`storage::conformance`].
//!
//! A [`mail::Mailer`], a [`media::MediaStore`], [`shipping::PostalCodes`] and a [`clock::Clock`] of
//! one's own are handed to [`ShopBuilder`] in the same way.
//!
//! # Background work
//!
//! Mails, webhooks, unpaid orders, lost answers of providers: what is due without a request is done
//! by [`Shop::run_background`] beside the program's own work, or by [`Shop::run_due`] from a
//! scheduler. Without either of them nothing is lost, and nothing is sent.
//!
//! ```
//! # shop_core::testing::run(async |shop| {
//! let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
//! let background = tokio::spawn({
//!     let shop = (*shop).clone();
//!     async move { shop.run_background(async { drop(stopped.await) }).await }
//! });
//! // .. the program's own work ..
//! drop(stop);
//! background.await?;
//! # Ok(())
//! # });
//! ```
//!
//! # Tests with a moved clock
//!
//! With the feature `test-util`, [`testing::TestShop`] is a shop in a temporary folder whose clock
//! stands still until it is moved.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use std::time::Duration;
//!
//! use shop_core::testing::TestShop;
//!
//! let shop = TestShop::open().await?;
//! let order = shop.order().await?;
//! assert_eq!(shop.products().get_by_slug("vela-de-lavanda").await?.stock, 8);
//!
//! // The order stays unpaid for three days.
//! shop.advance(Duration::from_secs(73 * 60 * 60));
//! assert_eq!(shop.run_due().await?.orders_cancelled, 1);
//! assert_eq!(shop.products().get_by_slug("vela-de-lavanda").await?.stock, 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a program must do itself
//!
//! - **Run in tokio.** The library brings its own threads for the database and for passwords; it
//!   needs a runtime for its timers and channels only.
//! - **Run the background work.**
//! - **Answer providers**, by handing on what they send.
//!
//! # Inputs, errors, time
//!
//! Inputs are made of values that are right by construction ([`value`]); each parses from text and
//! from JSON, and an id is made `from` one. An [`Error`] says what the caller can do about it. Time
//! comes from a [`clock::Clock`], so a test can open a shop with a [`clock::ManualClock`] and move
//! it.
//!
//! # Features
//!
//! - `sqlite` (by default): the data in a SQLite file.
//! - `demo`: a shop to look at, and made-up trade of any size.
//! - `http`: calls to third parties: payments by Mercado Pago and Stripe, shipping quotes by Melhor
//!   Envio, Correios and Frenet, labels from Melhor Envio, postal codes by ViaCEP, webhooks to
//!   receivers of events.
//! - `media`: pictures that staff upload, and smaller ones made of them.
//! - `nfe`: Brazilian electronic invoices; sheets of labels, and the sandbox's labels.
//! - `postgres`: PostgreSQL, beside SQLite or alone, for a shop on several machines.
//! - `smtp`: mails through a mail server; without it they are files.
//! - `schema`: JSON schemas of everything that goes over a wire.
//! - `test-util`: shops in temporary folders with a clock to move, and [`storage`]'s list of
//!   behaviours for the tests of an engine.

#![deny(missing_docs)]

#[macro_use]
extern crate macro_rules_attribute;

#[macro_use]
mod wire;

pub mod account;
pub mod actor;
pub mod api_key;
pub mod area;
pub mod audit;
pub mod cart;
pub mod catalog;
pub mod checkout;
pub mod clock;
pub mod config;
mod context;
pub mod coupon;
mod decimal;
#[cfg(feature = "demo")]
pub mod demo;
mod detached;
pub mod erasure;
pub mod error;
pub mod event;
mod field_errors;
pub mod fiscal;
mod forms;
pub mod fulfilment;
pub mod guest;
#[cfg(feature = "http")]
mod http_client;
pub mod id;
pub mod idempotency;
pub mod inventory;
#[cfg(feature = "nfe")]
pub mod invoicing;
#[cfg(feature = "nfe")]
pub mod labels;
mod lane;
mod last_use;
mod lease;
mod mac;
pub mod mail;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub mod maintenance;
pub mod measure;
pub mod media;
mod metric;
pub mod money;
mod net_guard;
pub mod newsletter;
#[cfg(feature = "nfe")]
pub mod nfe;
pub mod notification;
pub mod order;
pub mod order_return;
pub mod page;
pub mod payment;
#[cfg(feature = "nfe")]
mod pdf;
mod private_file;
mod provider_calls;
mod qr_code;
mod removal;
pub mod returning;
mod reviewing;
pub mod revision;
mod setting;
pub mod settlement;
pub mod shipment;
pub mod shipping;
pub mod shop;
pub mod site;
mod spreadsheet;
pub mod stock;
pub mod storage;
mod sync;
#[cfg(feature = "test-util")]
pub mod testing;
pub mod value;
pub mod views;
pub mod webhook;
pub mod wishlist;

pub use futures_util::future::BoxFuture;

pub use config::Config;
pub use error::{Error, Result};
pub use shop::{Shop, ShopBuilder, background};
