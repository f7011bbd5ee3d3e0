//! What a customer is sent when an order's status changes: a notification, and a mail where there
//! is more to say. What was said before is not said again.

use super::{MovedBy, Order, OrderStatus, Withdrawn, store, told};
use crate::account;
use crate::context::Work;
use crate::error::Result;
use crate::money::Money;
use crate::notification::{self, Message};
use crate::order::OrderMail;
use crate::payment::PaymentStatus;
use crate::shipment::{self, SentParcel};
use crate::storage::Tx;

/// Notifies the customer of the status that an order has now, in the transaction that changes it.
pub(super) fn notify(
    tx: &mut dyn Tx,
    at: &Work,
    previous: OrderStatus,
    order: &Order,
    by: MovedBy<'_>,
) -> Result<()> {
    told::take_back(tx, &order.id, previous, order.status)?;
    if let Some(mail) = mail(tx, at, order, by)? {
        if told::says_nothing_new(tx, &mail)? {
            return Ok(());
        }
        account::enqueue_mail(tx, at, &order.user_id, &mail)?;
    }
    let (title, text) = text(order, by);
    let message = Message {
        kind: "ORDER_STATUS",
        title,
        body: &format!("O pedido {} {text}", order.order_number),
        link: &notification::order_link(&order.id),
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
fn mail(tx: &mut dyn Tx, at: &Work, order: &Order, by: MovedBy<'_>) -> Result<Option<OrderMail>> {
    let marked = is_only_marked(order, by);
    let status = order.status;
    let mut order = Box::new(order.clone());
    Ok(match status {
        OrderStatus::Refunded if marked => Some(OrderMail::OrderMarkedRefunded { order }),
        OrderStatus::Pending | OrderStatus::Processing | OrderStatus::Refunded => None,
        OrderStatus::Shipped => {
            let parcels = parcels(tx, &order, by)?;
            Some(OrderMail::OrderShipped { order, parcels })
        }
        OrderStatus::Delivered => {
            leave_out_unsent(tx, &mut order)?;
            Some(OrderMail::OrderDelivered { order, delivered_at: Some(at.now()) })
        }
        OrderStatus::Cancelled => {
            Some(OrderMail::OrderCancelled { order, unpaid: by == MovedBy::Sweeper })
        }
    })
}

/// The parcels in which an order is on its way. Staff who say that it was sent speak of the labels
/// that the shop bought, whose posting the carrier will tell later, unless they entered another
/// code.
fn parcels(tx: &mut dyn Tx, order: &Order, by: MovedBy<'_>) -> Result<Vec<SentParcel>> {
    if by != MovedBy::Carrier {
        let labelled = shipment::labelled(tx, &order.id)?;
        let is_known =
            |code: &String| labelled.iter().any(|it| it.tracking_code.as_ref() == Some(code));
        if order.tracking_code.as_ref().is_none_or(is_known) {
            return Ok(labelled);
        }
    }
    shipment::sent(tx, &order.id)
}

/// Leaves the units out that the customer withdrew from before anything was sent.
fn leave_out_unsent(tx: &mut dyn Tx, order: &mut Order) -> Result<()> {
    for Withdrawn { position, units, .. } in store::withdrawn_before_sending(tx, &order.id)? {
        let line = usize::try_from(position - 1).ok().and_then(|at| order.items.get_mut(at));
        if let Some(line) = line {
            line.quantity -= units;
            line.total = line.price * line.quantity;
        }
    }
    order.items.retain(|line| line.quantity > 0);
    Ok(())
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
        OrderStatus::Refunded if order.total == Money::ZERO => {
            ("Pedido devolvido", "foi devolvido por inteiro: não havia valor a reembolsar.")
        }
        OrderStatus::Refunded => ("Pedido reembolsado", "foi reembolsado: o valor foi devolvido."),
    }
}
