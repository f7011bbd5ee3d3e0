//! Returns: goods of an order that a customer sends back, with what they were paid.
//!
//! A return names units of an order's lines. It takes them out of the order while it lasts (a
//! guarded counter on the line, so no two returns have one unit), and moves from state to state
//! with its history, its events and its mails in one transaction (`course.rs`). Whether the goods
//! go back to the shelf and whether the money goes back are acts of their own.

mod course;
mod event;
mod invoices;
mod mail;
mod share;
mod store;

use serde::{Deserialize, Serialize};

pub(crate) use self::course::{
    Move, ReturnBy, begin, finish, follow_refunds, must_get, received, release, transition,
};
pub use self::event::{EventReturn, EventReturnItem};
pub use self::invoices::InvoiceOfReturn;
pub(crate) use self::invoices::invoiced_freight;
pub use self::mail::ReturnMail;
pub(crate) use self::share::{freight_due, goods, of_units};
pub(crate) use self::store::{
    add_restocked, adopt, anonymise, begin_refund, by_id, by_ids, by_protocol, count_of_order,
    has_open, history, of_account, of_order, owned, release_missing, set_freight,
    set_item_received, set_parcel, set_received, set_rejection,
};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::fiscal::InvoiceStatus;
use crate::id::{AccountId, OrderId, OrderItemId, RefundId, ReturnId};
use crate::money::Money;
use crate::revision::Revision;
use crate::value::wire_enum;

wire_enum! {
    /// Why goods come back, as the law sees it.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum ReturnKind {
        /// The customer withdraws from the purchase within seven days of delivery, without a reason
        /// (CDC, art. 49).
        Withdrawal = "WITHDRAWAL",
        /// The goods have a defect (CDC, art. 18 and 26).
        Defect = "DEFECT",
    }
}

wire_enum! {
    /// The state of a return.
    #[derive(Hash)]
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum ReturnStatus {
        /// Awaits a decision of staff.
        Requested = "REQUESTED",
        /// Accepted; the goods are with the customer.
        Approved = "APPROVED",
        /// The goods are on their way back.
        InTransit = "IN_TRANSIT",
        /// The goods arrived, or some of them.
        Received = "RECEIVED",
        /// The money went back.
        Refunded = "REFUNDED",
        /// Staff said no.
        Rejected = "REJECTED",
        /// Called off before the goods came.
        Cancelled = "CANCELLED",
    }
}

impl ReturnStatus {
    /// Whether it waits for the customer or for staff.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Requested | Self::Approved | Self::InTransit | Self::Received)
    }

    /// Whether its units are part of it. Those of a return that was rejected or cancelled are the
    /// customer's.
    pub(crate) fn holds_units(self) -> bool {
        !matches!(self, Self::Rejected | Self::Cancelled)
    }
}

wire_enum! {
    /// How far the money of a return is.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum ReturnRefundStatus {
        /// Nobody gave it back yet.
        None = "NONE",
        /// The provider was asked and has not answered.
        Pending = "PENDING",
        /// The provider said no; staff may try again.
        Failed = "FAILED",
        /// It went back.
        Done = "DONE",
    }
}

wire_enum! {
    /// What moved a return to another status.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum ReturnActor {
        /// The customer.
        Customer = "CUSTOMER",
        /// A member of staff.
        Staff = "STAFF",
        /// A program with an API key.
        Key = "KEY",
        /// The shop's operator on the command line, or a program that embeds the shop.
        System = "SYSTEM",
        /// A refund that is done.
        Payment = "PAYMENT",
    }
}

/// Goods of an order that come back.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct OrderReturn {
    /// A UUID of version 7.
    pub id: ReturnId,
    /// The number that people use: the order's with `-D1`, `-D2`, ..
    pub protocol: String,
    /// The order.
    pub order_id: OrderId,
    /// The order's number.
    pub order_number: String,
    /// The customer's account.
    pub user_id: AccountId,
    /// A withdrawal or a defect.
    pub kind: ReturnKind,
    /// The state of the return.
    pub status: ReturnStatus,
    /// Whether staff opened it after its term had ended.
    pub courtesy: bool,
    /// What the customer says about it.
    pub reason: Option<String>,
    /// Why staff said no.
    pub rejection_reason: Option<String>,
    /// When the order was delivered, as it was known when the return was opened.
    pub delivered_at: Option<Timestamp>,
    /// The first instant after the term in which the law gives the right; `null` where nobody knows
    /// when the order was delivered, so that the term has not begun.
    pub term_ends_at: Option<Timestamp>,
    /// By which the carrier finds the parcel that comes back.
    pub tracking_code: Option<String>,
    /// Who carries it.
    pub carrier: Option<String>,
    /// What comes back.
    pub items: Vec<ReturnItem>,
    /// What the items were paid, after their part of the order's discount.
    pub amount: Money,
    /// What goes back of the order's freight (`returns.refund_freight`).
    pub freight: Money,
    /// The money.
    pub refund: ReturnRefund,
    /// The invoices of the goods that came back, oldest first; those that were cancelled, too.
    #[serde(default)]
    pub invoices: Vec<InvoiceOfReturn>,
    /// When the goods arrived.
    pub received_at: Option<Timestamp>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Units of one line of the order.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct ReturnItem {
    /// The line of the order.
    pub order_item_id: OrderItemId,
    /// The product's name when it was bought.
    pub product_name: String,
    /// The variant's values when it was bought.
    pub variant: Option<String>,
    /// Units that come back.
    pub quantity: i64,
    /// Units that arrived; `null` before staff said so.
    pub received: Option<i64>,
    /// Units that did not arrive and are the customer's again, as no money went back for them.
    pub released: i64,
    /// Units of those that arrived that staff put back on the shelf.
    pub restocked: i64,
    /// Units that stand on an invoice of the return.
    #[serde(default)]
    pub invoiced: i64,
    /// What the units were paid, after their part of the order's discount; without those that are
    /// the customer's again.
    pub amount: Money,
}

/// The money of a return.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct ReturnRefund {
    /// How far it is.
    pub status: ReturnRefundStatus,
    /// The refund of the order's payment; `null` before one was begun, and where the return was
    /// closed without money.
    pub refund_id: Option<RefundId>,
    /// How much goes back by it.
    pub amount: Option<Money>,
    /// When it was done.
    pub refunded_at: Option<Timestamp>,
}

impl ReturnRefund {
    /// The money of a return as it is opened.
    pub(crate) fn none() -> Self {
        Self { status: ReturnRefundStatus::None, refund_id: None, amount: None, refunded_at: None }
    }
}

/// A move of a return to another status.
#[apply(answer!)]
pub struct ReturnMove {
    /// Where it was moved to.
    pub status: ReturnStatus,
    /// By whom.
    pub actor: ReturnActor,
    /// The id of the account or API key.
    pub actor_id: Option<String>,
    /// What staff said about it.
    pub note: Option<String>,
    /// When it was moved.
    pub created_at: Timestamp,
}

impl OrderReturn {
    /// The state that staff see and change: status, parcel, what arrived, the money and the
    /// invoices.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        #[derive(Serialize)]
        struct Managed<'a> {
            status: ReturnStatus,
            refund: ReturnRefundStatus,
            tracking_code: Option<&'a str>,
            carrier: Option<&'a str>,
            items: Vec<(Option<i64>, i64)>,
            invoices: Vec<(&'a str, InvoiceStatus)>,
        }
        Revision::of(&Managed {
            status: self.status,
            refund: self.refund.status,
            tracking_code: self.tracking_code.as_deref(),
            carrier: self.carrier.as_deref(),
            items: self.items.iter().map(|item| (item.received, item.restocked)).collect(),
            invoices: self.invoices.iter().map(|it| (it.id.as_str(), it.status)).collect(),
        })
    }

    /// Whether the customer uses a right that staff cannot refuse: a withdrawal in its term.
    pub(crate) fn is_of_right(&self) -> bool {
        self.kind == ReturnKind::Withdrawal && !self.courtesy
    }

    /// Whether the shop pays for the posting, as the law says of a withdrawal and of a defect
    /// alike. Of what comes by courtesy, the two agree.
    pub(crate) fn is_posted_free(&self) -> bool {
        !self.courtesy
    }

    /// Whether money of it went back or is on its way.
    pub(crate) fn has_refund(&self) -> bool {
        matches!(self.refund.status, ReturnRefundStatus::Pending | ReturnRefundStatus::Done)
    }

    /// Whether an invoice says that goods of it came back.
    pub(crate) fn is_invoiced(&self) -> bool {
        self.invoices.iter().any(|invoice| invoice.status.is_live())
    }

    /// Whether no unit is back on the shelf.
    pub(crate) fn is_off_shelf(&self) -> bool {
        self.items.iter().all(|item| item.restocked == 0)
    }
}

impl ReturnItem {
    /// The units that are part of the return.
    pub(crate) fn units(&self) -> i64 {
        self.quantity - self.released
    }

    /// Units of the return that did not arrive.
    pub(crate) fn missing(&self) -> i64 {
        self.received.map_or(0, |came| self.units() - came)
    }
}
