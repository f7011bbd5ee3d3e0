//! What a customer is sent when an order's status changes: a notification each time, and a mail where
//! there is more to say.

use super::{MovedBy, Order, OrderStatus};
use crate::account;
use crate::context::Work;
use crate::error::Result;
use crate::notification::{self, Message};
use crate::order::OrderMail;
use crate::payment::PaymentStatus;
use crate::shipment::{self, SentParcel};
use crate::storage::Tx;

/// Notifies the customer of the status that an order has now, in the transaction that changes it.
pub(super) fn notify(tx: &mut dyn Tx, at: &Work, order: &Order, by: MovedBy<'_>) -> Result<()> {
    let parcels = match order.status {
        OrderStatus::Shipped => shipment::sent(tx, &order.id)?,
        _ => Vec::new(),
    };
    if let Some(mail) = mail(order, by, parcels) {
        account::enqueue_mail(tx, at, &order.user_id, &mail)?;
    }
    let (title, text) = text(order, by);
    let message = Message {
        kind: "ORDER_STATUS",
        title,
        body: &format!("O pedido {} {text}", order.order_number),
        link: &format!("/pedidos/{}", order.id),
    };
    notification::notify(tx, at, &order.user_id, &message)
}

/// Whether staff say REFUNDED of an order whose payment did not go back: no money moves by that.
pub(super) fn is_only_marked(order: &Order, by: MovedBy<'_>) -> bool {
    order.status == OrderStatus::Refunded
        && by != MovedBy::Payment
        && order.payment.status != PaymentStatus::Refunded
}

/// Mails about money that arrived or went back are sent by the settlement.
fn mail(order: &Order, by: MovedBy<'_>, parcels: Vec<SentParcel>) -> Option<OrderMail> {
    let marked = is_only_marked(order, by);
    let status = order.status;
    let order = Box::new(order.clone());
    match status {
        OrderStatus::Refunded if marked => Some(OrderMail::OrderMarkedRefunded { order }),
        OrderStatus::Pending | OrderStatus::Processing | OrderStatus::Refunded => None,
        OrderStatus::Shipped => Some(OrderMail::OrderShipped { order, parcels }),
        OrderStatus::Delivered => Some(OrderMail::OrderDelivered { order }),
        OrderStatus::Cancelled => {
            Some(OrderMail::OrderCancelled { order, unpaid: by == MovedBy::Sweeper })
        }
    }
}

/// What a notification says; the text goes on after the order's number.
fn text(order: &Order, by: MovedBy<'_>) -> (&'static str, &'static str) {
    match order.status {
        OrderStatus::Pending => ("Aguardando pagamento", "está aguardando o pagamento."),
        OrderStatus::Processing if by == MovedBy::Payment => {
            ("Pagamento confirmado", "foi pago e já está sendo preparado.")
        }
        OrderStatus::Processing => ("Pedido em preparação", "já está sendo preparado."),
        OrderStatus::Shipped => ("Pedido enviado", "foi postado e está a caminho."),
        OrderStatus::Delivered => ("Pedido entregue", "foi entregue. Aproveite!"),
        OrderStatus::Cancelled if by == MovedBy::Sweeper => (
            "Pedido cancelado",
            "foi cancelado porque o pagamento não foi confirmado dentro do prazo.",
        ),
        OrderStatus::Cancelled => ("Pedido cancelado", "foi cancelado."),
        OrderStatus::Refunded if is_only_marked(order, by) => {
            ("Pedido marcado como reembolsado", "foi marcado como reembolsado.")
        }
        OrderStatus::Refunded => ("Pedido reembolsado", "foi reembolsado: o valor foi devolvido."),
    }
}
