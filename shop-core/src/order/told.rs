//! What a customer was told of an order's way already, so that nobody reads the same twice. The
//! mails that were written say it, for as long as they are kept.

use std::collections::HashSet;

use serde::Deserialize;

use super::{OrderId, OrderMail, OrderStatus};
use crate::error::Result;
use crate::mail::{self, MailTemplate};
use crate::shipment::SentParcel;
use crate::storage::Tx;

const SHIPPED: &str = "order-shipped";
const PARCEL: &str = "parcel-posted";
/// The mails of an order's way, in its order; the last two say that it ended.
const WAY: [&str; 4] = [SHIPPED, "order-delivered", "order-cancelled", "order-marked-refunded"];

/// What a mail that tells of parcels says of their codes.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StoredMail {
    OrderShipped {
        order: Entered,
        #[serde(default)]
        parcels: Vec<SentParcel>,
    },
    ParcelPosted {
        parcel: SentParcel,
    },
}

/// The code that staff entered.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entered {
    tracking_code: Option<String>,
}

impl StoredMail {
    fn codes(self) -> Vec<String> {
        match self {
            Self::OrderShipped { order, parcels } if parcels.is_empty() => {
                order.tracking_code.into_iter().collect()
            }
            Self::OrderShipped { parcels, .. } => {
                parcels.into_iter().filter_map(|it| it.tracking_code).collect()
            }
            Self::ParcelPosted { parcel } => parcel.tracking_code.into_iter().collect(),
        }
    }
}

/// The tracking codes that the customer was told.
pub(crate) fn told_codes(tx: &mut dyn Tx, order: &OrderId) -> Result<HashSet<String>> {
    let mails = mail::told(tx, order, &[SHIPPED, PARCEL])?;
    let mails = mails.iter().filter_map(|it| serde_json::from_str::<StoredMail>(it).ok());
    Ok(mails.flat_map(StoredMail::codes).collect())
}

/// Whether a mail about an order says what one before it said: that it was sent, by no other code,
/// or that it arrived. That it ended is said each time: it may have gone on in between.
pub(super) fn says_nothing_new(tx: &mut dyn Tx, mail: &OrderMail) -> Result<bool> {
    match mail {
        OrderMail::OrderShipped { order, parcels } => {
            if mail::told(tx, &order.id, &[SHIPPED])?.is_empty() {
                return Ok(false);
            }
            let told = told_codes(tx, &order.id)?;
            let mut codes: Vec<_> =
                parcels.iter().filter_map(|it| it.tracking_code.as_ref()).collect();
            if parcels.is_empty() {
                codes.extend(&order.tracking_code);
            }
            Ok(codes.into_iter().all(|code| told.contains(code)))
        }
        OrderMail::OrderDelivered { order, .. } => {
            Ok(!mail::told(tx, &order.id, &[mail.kind()])?.is_empty())
        }
        _ => Ok(false),
    }
}

/// Takes back what waits to be said of an order and is not true any more, because the order went
/// back.
pub(super) fn take_back(
    tx: &mut dyn Tx,
    order: &OrderId,
    from: OrderStatus,
    to: OrderStatus,
) -> Result<()> {
    if place(to) >= place(from) {
        return Ok(());
    }
    let untrue = match to {
        OrderStatus::Pending | OrderStatus::Processing => &WAY[..],
        OrderStatus::Shipped => &WAY[1..],
        OrderStatus::Delivered | OrderStatus::Cancelled | OrderStatus::Refunded => &WAY[2..],
    };
    mail::take_back(tx, order, untrue)
}

/// How far an order with a status is.
fn place(status: OrderStatus) -> u8 {
    match status {
        OrderStatus::Pending => 0,
        OrderStatus::Processing => 1,
        OrderStatus::Shipped => 2,
        OrderStatus::Delivered => 3,
        OrderStatus::Cancelled | OrderStatus::Refunded => 4,
    }
}
