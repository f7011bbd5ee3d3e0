//! The lanes of the shop's writes.
//!
//! Where several writes can run at once (PostgreSQL), those of one lane run one after the other,
//! among all servers, and share commits; those of different lanes run at the same time, and are run
//! again where they collide. Concurrent jobs of a lane, such as placing orders, run beside each
//! other and beside no other job of it. So jobs that change the same rows share a lane, and long
//! jobs stay out of the lane of the orders. Every job stands at its lane: renaming a job changes
//! nothing.

use crate::storage::Lane;

/// What moves stock, orders and the counters of their days: placing, payments that arrive, status.
pub(crate) const ORDERS: Lane = Lane::new(0);

/// What is written around calls of third parties (payments, invoices, webhooks, mails), and by
/// background work.
pub(crate) const INTEGRATIONS: Lane = Lane::new(1);

/// What customers change of their own: accounts, carts, addresses, wishlists.
pub(crate) const CUSTOMERS: Lane = Lane::new(2);

/// What staff change: products, categories, coupons, pages.
pub(crate) const CATALOG: Lane = Lane::new(3);
