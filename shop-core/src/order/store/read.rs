//! Orders, read whole.

use std::collections::HashMap;

use super::item_id;
use crate::error::{Error, Result};
use crate::fiscal::Buyer;
use crate::id::{AccountId, OrderId};
use crate::order::{
    Order, OrderAddress, OrderImage, OrderItem, OrderPayment, OrderProduct, OrderProgress,
};
use crate::payment::store as payment;
use crate::storage::{Filter, Row, Tx, params};

/// The columns of an order, for [`read_order`].
macro_rules! select_order {
    ($tail:literal) => {
        concat!(
            "SELECT o.id, o.number, o.account_id, o.address_id, o.subtotal, o.shipping, o.discount,
                    o.total, o.status, o.notes, o.shipping_service, o.address, o.created_at,
                    o.updated_at, o.tracking_code, o.carrier, o.buyer
             FROM orders o ",
            $tail
        )
    };
}

fn read_order(row: &dyn Row) -> Result<Order> {
    let total = row.get(7)?;
    Ok(Order {
        id: row.get(0)?,
        order_number: row.get(1)?,
        user_id: row.get(2)?,
        address_id: row.get(3)?,
        subtotal: row.get(4)?,
        shipping: row.get(5)?,
        discount: row.get(6)?,
        total,
        status: row.get(8)?,
        notes: row.get(9)?,
        shipping_service: row.get(10)?,
        address: read_address(row, 11)?,
        created_at: row.get(12)?,
        updated_at: row.get(13)?,
        tracking_code: row.get(14)?,
        carrier: row.get(15)?,
        buyer: read_buyer(row, 16)?,
        items: Vec::new(),
        payment: OrderPayment::before_any(total),
    })
}

/// An order by its id.
pub(crate) fn find(tx: &mut dyn Tx, id: &OrderId) -> Result<Option<Order>> {
    let order = tx.one(select_order!("WHERE o.id = $1"), params![id], read_order)?;
    order.map(|order| complete(tx, order)).transpose()
}

/// An order by its number.
pub(crate) fn find_by_number(tx: &mut dyn Tx, number: &str) -> Result<Option<Order>> {
    let order = tx.one(select_order!("WHERE o.number = $1"), params![number], read_order)?;
    order.map(|order| complete(tx, order)).transpose()
}

/// An order by its id, if it is the customer's.
pub(crate) fn owned(tx: &mut dyn Tx, customer: &AccountId, id: &OrderId) -> Result<Option<Order>> {
    Ok(find(tx, id)?.filter(|order| order.user_id == *customer))
}

/// How far an order is, if it is the customer's.
pub(crate) fn progress(
    tx: &mut dyn Tx,
    customer: &AccountId,
    id: &OrderId,
) -> Result<Option<OrderProgress>> {
    let order = tx.one(select_order!("WHERE o.id = $1"), params![id], read_order)?;
    let Some(mut order) = order.filter(|order| order.user_id == *customer) else {
        return Ok(None);
    };
    for (_, method, status) in payment::states_of_orders(tx, std::slice::from_ref(id))? {
        order.payment.follow(method, status);
    }
    Ok(Some(order.into()))
}

/// The customer's orders, newest first.
pub(crate) fn of_account(tx: &mut dyn Tx, customer: &AccountId) -> Result<Vec<Order>> {
    let mut orders = tx.all(
        select_order!("WHERE o.account_id = $1 ORDER BY o.created_at DESC, o.id DESC"),
        params![customer],
        read_order,
    )?;
    let items = tx.all(
        "SELECT i.position, i.product_id, i.variant_id, i.quantity, i.price, i.total, i.name,
                i.variant, i.image, i.order_id
         FROM orders o JOIN order_item i ON i.order_id = o.id
         WHERE o.account_id = $1 ORDER BY i.order_id, i.position",
        params![customer],
        |row| {
            let order: OrderId = row.get(9)?;
            let item = read_item(row, &order)?;
            Ok((order, item))
        },
    )?;
    let ids: Vec<OrderId> = orders.iter().map(|order| order.id.clone()).collect();
    let mut by_id: HashMap<OrderId, &mut Order> =
        orders.iter_mut().map(|order| (order.id.clone(), order)).collect();
    for (order, item) in items {
        if let Some(order) = by_id.get_mut(&order) {
            order.items.push(item);
        }
    }
    for (order, method, status) in payment::states_of_orders(tx, &ids)? {
        if let Some(order) = by_id.get_mut(&order) {
            order.payment.follow(method, status);
        }
    }
    Ok(orders)
}

/// The orders of these ids, at least one: three queries, however many.
pub(crate) fn by_ids(tx: &mut dyn Tx, ids: &[OrderId]) -> Result<HashMap<OrderId, Order>> {
    let mut filter = Filter::default();
    let among = filter.bind_all(ids);
    let sql = format!("{} WHERE o.id IN ({among})", select_order!(""));
    let orders = tx.all(&sql, filter.params(), read_order)?;
    let mut orders: HashMap<OrderId, Order> =
        orders.into_iter().map(|order| (order.id.clone(), order)).collect();
    let sql = format!(
        "SELECT position, product_id, variant_id, quantity, price, total, name, variant, image,
                order_id
         FROM order_item WHERE order_id IN ({among}) ORDER BY order_id, position"
    );
    tx.query(&sql, filter.params(), &mut |row| {
        let id: OrderId = row.get(9)?;
        let item = read_item(row, &id)?;
        if let Some(order) = orders.get_mut(&id) {
            order.items.push(item);
        }
        Ok(())
    })?;
    for (order, method, status) in payment::states_of_orders(tx, ids)? {
        if let Some(order) = orders.get_mut(&order) {
            order.payment.follow(method, status);
        }
    }
    Ok(orders)
}

fn complete(tx: &mut dyn Tx, mut order: Order) -> Result<Order> {
    order.items = tx.all(
        "SELECT position, product_id, variant_id, quantity, price, total, name, variant, image
         FROM order_item WHERE order_id = $1 ORDER BY position",
        params![&order.id],
        |row| read_item(row, &order.id),
    )?;
    for (_, method, status) in payment::states_of_orders(tx, std::slice::from_ref(&order.id))? {
        order.payment.follow(method, status);
    }
    Ok(order)
}

fn read_item(row: &dyn Row, order: &OrderId) -> Result<OrderItem> {
    let name: String = row.get(6)?;
    let image: Option<String> = row.get(8)?;
    let images = image.map(|url| OrderImage { url, is_primary: true });
    Ok(OrderItem {
        id: item_id(order, row.get(0)?),
        product_id: row.get(1)?,
        variant_id: row.get(2)?,
        quantity: row.get(3)?,
        price: row.get(4)?,
        total: row.get(5)?,
        product_name_snapshot: name.clone(),
        variant_snapshot: row.get(7)?,
        product: OrderProduct { name, images: images.into_iter().collect() },
    })
}

fn read_buyer(row: &dyn Row, column: usize) -> Result<Option<Buyer>> {
    let buyer = row.text(column)?.map(serde_json::from_str).transpose();
    buyer.map_err(Error::from_source)
}

pub(super) fn read_address(row: &dyn Row, column: usize) -> Result<OrderAddress> {
    serde_json::from_str(row.text(column)?.unwrap_or_default()).map_err(Error::from_source)
}
