//! Fulfilment: how an order's parcels get their labels and reach the customer.
//!
//! Each call of a provider stands between two jobs: the first stores what is about to be done, the
//! second books the answer (`advance.rs`). What was begun and not finished is gone on with by the
//! background work of whatever server comes first (docs/decisions.md, "Shipments").

mod account;
mod advance;
mod book;
mod bulk;
mod buy;
mod call;
mod cancel;
mod due;
mod list;
mod mail;
mod notice;
mod parcels;
mod payment;
mod person;
#[cfg(feature = "nfe")]
mod play;
mod poll;
mod price;
#[cfg(feature = "nfe")]
mod print;
mod request;
mod service;
mod track;

use std::time::Duration;

pub use self::account::LabelAccount;
pub use self::bulk::{BuyManyLabels, LabelsBought, UnboughtOrder};
pub use self::buy::BuyLabels;
pub use self::cancel::RetryShipment;
pub use self::list::ShipmentFilter;
pub use self::mail::ShipmentMail;
pub use self::parcels::{NewParcel, NewParcelItem};
pub use self::person::ExportedShipment;
pub(crate) use self::person::{forget, of_account};
pub use self::poll::Tracked;
pub(crate) use self::service::Fulfilment;

/// How long a claim on a shipment holds: longer than the calls between two of its jobs may take.
const CLAIM: Duration = Duration::from_secs(5 * 60);
/// How long one call of a provider may take.
const CALL: Duration = Duration::from_secs(60);
/// How long after a payment was stored its call may go on. Before half of it is over the call must
/// have begun: a server that was stopped meanwhile, as a machine that slept, gives it up.
const PAYMENT: Duration = Duration::from_secs(2 * 60);
/// How long a caller waits for labels; what is not done by then is gone on with in the background.
const WAIT: Duration = Duration::from_secs(20);

/// Parcels and their labels: [`Shop::shipments`](crate::Shop::shipments).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// let order = shop.order().await?;
/// shop.sandbox().pay(&order.order_number).await?;
/// assert_eq!(shop.shipments().waiting_orders().await?, [order.id.clone()]);
///
/// // Where `shipping.labels.provider` is set, `buy` and `buy_many` get them their labels.
/// let account = shop.shipments().account().await?;
/// assert_eq!(account.provider, None);
/// assert_eq!(shop.shipments().list_for_order(&order.id).await?, []);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Shipments<'a> {
    fulfilment: &'a Fulfilment,
}

impl<'a> Shipments<'a> {
    pub(crate) fn new(fulfilment: &'a Fulfilment) -> Self {
        Self { fulfilment }
    }
}
