//! The data of events about orders.
//!
//! These shapes are a contract of their own, apart from the shop's other answers: fields are added,
//! never changed or taken away, within one version of the events.

use serde::Deserialize;

use super::{Order, OrderAddress, OrderItem, OrderPayment, OrderStatus};
use crate::clock::Timestamp;
use crate::id::{AccountId, OrderId, OrderItemId, ProductId, RefundId, VariantId};
use crate::money::Money;

/// An order as it was when the event happened: the data of `order.created`, `order.paid`,
/// `order.shipped` and `order.delivered`.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventOrder {
    /// The order's id.
    pub id: OrderId,
    /// The number that people use.
    pub order_number: String,
    /// The customer's account.
    pub user_id: AccountId,
    /// The order's state.
    pub status: OrderStatus,
    /// The line items together.
    pub subtotal: Money,
    /// What sending it costs.
    pub shipping: Money,
    /// What a coupon took off.
    pub discount: Money,
    /// `subtotal - discount + shipping`.
    pub total: Money,
    /// What the customer wrote with it.
    pub notes: Option<String>,
    /// How it is sent.
    pub shipping_service: Option<String>,
    /// By which the carrier finds the parcel.
    pub tracking_code: Option<String>,
    /// What was bought.
    pub items: Vec<EventOrderItem>,
    /// Where it goes.
    pub address: OrderAddress,
    /// Its payment: the one that paid it, else one that was refunded or charged back, else one
    /// under review, else the latest attempt.
    #[serde(deserialize_with = "OrderPayment::or_before_any")]
    pub payment: OrderPayment,
    /// When it was placed.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A line of an order.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventOrderItem {
    /// The order's id and the position of the line, from 1.
    pub id: OrderItemId,
    /// The product.
    pub product_id: ProductId,
    /// The variant, if one was chosen.
    pub variant_id: Option<VariantId>,
    /// Units.
    pub quantity: i64,
    /// The price of one unit.
    pub price: Money,
    /// `price` times `quantity`.
    pub total: Money,
    /// The product's name when it was bought.
    pub product_name_snapshot: String,
    /// The variant's values when it was bought.
    pub variant_snapshot: Option<String>,
}

/// The data of `order.status_changed`.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventStatusChange {
    /// The order with its new status.
    pub order: EventOrder,
    /// The status it had.
    pub previous_status: OrderStatus,
}

/// The data of `order.refunded`: one refund that is done, made by the shop or at the provider.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventRefund {
    /// The order after the refund; its status is `REFUNDED` once all of its payment went back.
    pub order: EventOrder,
    /// The refund's id.
    pub refund_id: RefundId,
    /// What went back by this refund.
    pub amount: Money,
    /// What went back of the payment so far, this refund included.
    pub total_refunded: Money,
}

impl EventRefund {
    pub(crate) fn new(order: &Order, refund_id: RefundId, amount: Money, total: Money) -> Self {
        Self { order: EventOrder::from(order), refund_id, amount, total_refunded: total }
    }
}

impl From<&Order> for EventOrder {
    fn from(order: &Order) -> Self {
        Self {
            id: order.id.clone(),
            order_number: order.order_number.clone(),
            user_id: order.user_id.clone(),
            status: order.status,
            subtotal: order.subtotal,
            shipping: order.shipping,
            discount: order.discount,
            total: order.total,
            notes: order.notes.clone(),
            shipping_service: order.shipping_service.clone(),
            tracking_code: order.tracking_code.clone(),
            items: order.items.iter().map(EventOrderItem::from).collect(),
            address: order.address.clone(),
            payment: order.payment.clone(),
            created_at: order.created_at,
            updated_at: order.updated_at,
        }
    }
}

impl From<&OrderItem> for EventOrderItem {
    fn from(item: &OrderItem) -> Self {
        Self {
            id: item.id.clone(),
            product_id: item.product_id.clone(),
            variant_id: item.variant_id.clone(),
            quantity: item.quantity,
            price: item.price,
            total: item.total,
            product_name_snapshot: item.product_name_snapshot.clone(),
            variant_snapshot: item.variant_snapshot.clone(),
        }
    }
}
