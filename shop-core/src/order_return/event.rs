//! The data of events about returns.
//!
//! These shapes are a contract of their own, apart from the shop's other answers: fields are added,
//! never changed or taken away, within one version of the events.

use serde::Deserialize;

use super::{OrderReturn, ReturnItem, ReturnKind, ReturnRefundStatus, ReturnStatus};
use crate::clock::Timestamp;
use crate::id::{AccountId, OrderId, OrderItemId, RefundId, ReturnId};
use crate::money::Money;

/// A return as it was when the event happened: the data of `return.requested`, `return.received`
/// and `return.refunded`.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventReturn {
    /// The return's id.
    pub id: ReturnId,
    /// The number that people use.
    pub protocol: String,
    /// The order whose goods come back.
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
    /// By which the carrier finds the parcel that comes back.
    pub tracking_code: Option<String>,
    /// What comes back.
    pub items: Vec<EventReturnItem>,
    /// What the items were paid, after their part of the order's discount.
    pub amount: Money,
    /// What goes back of the order's freight.
    pub freight: Money,
    /// How far the money is.
    pub refund_status: ReturnRefundStatus,
    /// The refund by which it goes back.
    pub refund_id: Option<RefundId>,
    /// How much goes back by it.
    pub refund_amount: Option<Money>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Units of one line of the order.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventReturnItem {
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
    /// Units of them that are back on the shelf.
    pub restocked: i64,
    /// What the units were paid.
    pub amount: Money,
}

impl From<&OrderReturn> for EventReturn {
    fn from(of: &OrderReturn) -> Self {
        Self {
            id: of.id.clone(),
            protocol: of.protocol.clone(),
            order_id: of.order_id.clone(),
            order_number: of.order_number.clone(),
            user_id: of.user_id.clone(),
            kind: of.kind,
            status: of.status,
            courtesy: of.courtesy,
            reason: of.reason.clone(),
            tracking_code: of.tracking_code.clone(),
            items: of.items.iter().map(EventReturnItem::from).collect(),
            amount: of.amount,
            freight: of.freight,
            refund_status: of.refund.status,
            refund_id: of.refund.refund_id.clone(),
            refund_amount: of.refund.amount,
            created_at: of.created_at,
            updated_at: of.updated_at,
        }
    }
}

impl From<&ReturnItem> for EventReturnItem {
    fn from(item: &ReturnItem) -> Self {
        Self {
            order_item_id: item.order_item_id.clone(),
            product_name: item.product_name.clone(),
            variant: item.variant.clone(),
            quantity: item.quantity,
            received: item.received,
            restocked: item.restocked,
            amount: item.amount,
        }
    }
}
