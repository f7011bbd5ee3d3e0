//! The SQL of orders: all writes of `orders`, `order_item` and `order_history` stand here.

mod lookup;
mod purchases;
mod read;

pub(crate) use self::lookup::{
    OrderUnits, Withdrawn, addresses_of, being_prepared, cancelled_by_sweeper, delivered_at,
    has_any, has_open, has_unpaid, id_of, is_unpaid_too_long, must_exist, nth_latest, number_of,
    owner, prefetch_nth, prefetch_unpaid, returned_units, stock_lines, unit_weights, unpaid,
    was_sent, withdrawn_before_sending,
};
#[cfg(feature = "nfe")]
pub(crate) use self::lookup::{
    closed_from, is_opened_unsent, numbers_of, numbers_of_account, weight_grams,
};
pub(crate) use self::purchases::{coupon_of, has_paid_for, was_paid};
pub(crate) use self::read::{by_ids, find, find_by_number, of_account, owned, progress};
use super::{Change, CouponId, Order, OrderAddress, OrderId, OrderItem, OrderStatus};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::fiscal::Buyer;
use crate::id::{AccountId, OrderItemId};
use crate::metric;
use crate::storage::{InsertRows, Tx, params};
use crate::value::Weight;

/// New orders.
const ORDERS: InsertRows = InsertRows {
    table: "orders",
    insert: "INSERT INTO orders (id, number, account_id, address_id, address, subtotal, shipping,
               discount, total, shipping_service, coupon_id, status, notes, created_at, updated_at,
               buyer)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
};

/// The lines of new orders.
const ITEMS: InsertRows = InsertRows {
    table: "order_item",
    insert: "INSERT INTO order_item (order_id, position, product_id, variant_id, item_id, quantity,
               price, total, name, variant, image, weight_grams)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
};

pub(crate) struct NewOrder<'a> {
    pub(crate) order: &'a Order,
    pub(crate) coupon: Option<&'a CouponId>,
}

pub(crate) fn insert(tx: &mut dyn Tx, new: &NewOrder<'_>) -> Result<()> {
    let order = new.order;
    let address = serde_json::to_string(&order.address).map_err(Error::from_source)?;
    let buyer = written(order.buyer.as_ref())?;
    tx.count(metric::ORDER);
    tx.insert(
        &ORDERS,
        params![
            &order.id,
            &order.order_number,
            &order.user_id,
            &order.address_id,
            &address,
            order.subtotal,
            order.shipping,
            order.discount,
            order.total,
            &order.shipping_service,
            new.coupon,
            order.status,
            &order.notes,
            order.created_at,
            order.updated_at,
            buyer.as_deref()
        ],
    )
}

/// The id of a line item: its order's id and its position, from 1.
pub(crate) fn item_id(order: &OrderId, position: i64) -> OrderItemId {
    format!("{order}-{position}").into()
}

/// The position of a line item within its order; 0, which no line has, for another order's.
pub(crate) fn position_of(order: &OrderId, item: &OrderItemId) -> i64 {
    let position = item.as_str().strip_prefix(order.as_str()).and_then(|it| it.strip_prefix('-'));
    position.and_then(|it| it.parse().ok()).unwrap_or(0)
}

pub(crate) fn insert_item(
    tx: &mut dyn Tx,
    order: &OrderId,
    position: i64,
    stock_item: &str,
    weight: Weight,
    item: &OrderItem,
) -> Result<()> {
    let image = item.product.images.first().map(|image| &image.url);
    tx.insert(
        &ITEMS,
        params![
            order,
            position,
            &item.product_id,
            item.variant_id.as_ref(),
            stock_item,
            item.quantity,
            item.price,
            item.total,
            &item.product_name_snapshot,
            &item.variant_snapshot,
            image,
            weight.grams()
        ],
    )
}

/// Notes that the order's units are on the shelf again, but for those that are part of a return.
pub(crate) fn shelve(tx: &mut dyn Tx, order: &OrderId) -> Result<()> {
    tx.run(
        "UPDATE order_item SET shelved = quantity - returned WHERE order_id = $1",
        params![order],
    )
}

/// Notes that the order holds its units again.
pub(crate) fn unshelve(tx: &mut dyn Tx, order: &OrderId) -> Result<()> {
    tx.run("UPDATE order_item SET shelved = 0 WHERE order_id = $1", params![order])
}

/// Makes units of a line part of a return. False, and nothing changed, where fewer are left: the
/// guard is in the statement, so no two returns have one unit.
pub(crate) fn claim_units(
    tx: &mut dyn Tx,
    order: &OrderId,
    position: i64,
    units: i64,
) -> Result<bool> {
    tx.changes(
        "UPDATE order_item SET returned = returned + $1
         WHERE order_id = $2 AND position = $3 AND quantity - returned >= $1",
        params![units, order, position],
    )
}

/// Leaves units of a line to the customer: their return was rejected or cancelled, or they did not
/// come with it.
pub(crate) fn release_units(
    tx: &mut dyn Tx,
    order: &OrderId,
    position: i64,
    units: i64,
) -> Result<()> {
    tx.run(
        "UPDATE order_item SET returned = returned - $1 WHERE order_id = $2 AND position = $3",
        params![units, order, position],
    )
}

/// Sets the status if the order still has the one it was read with.
pub(crate) fn set_status(
    tx: &mut dyn Tx,
    order: &Order,
    to: OrderStatus,
    cancelled_by: Option<&str>,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "UPDATE orders SET status = $1, cancelled_by = $2, updated_at = $3
         WHERE id = $4 AND status = $5",
        params![to, cancelled_by, now, &order.id, order.status],
    )
}

/// Sets how the parcel is found.
pub(crate) fn set_tracking(
    tx: &mut dyn Tx,
    order: &OrderId,
    code: Option<&str>,
    carrier: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE orders SET tracking_code = $1, carrier = $2, updated_at = $3 WHERE id = $4",
        params![code, carrier, now, order],
    )
}

fn written(buyer: Option<&Buyer>) -> Result<Option<String>> {
    buyer.map(serde_json::to_string).transpose().map_err(Error::from_source)
}

/// Sets who buys.
pub(crate) fn set_buyer(tx: &mut dyn Tx, order: &OrderId, buyer: Option<&Buyer>) -> Result<()> {
    let buyer = written(buyer)?;
    tx.run("UPDATE orders SET buyer = $1 WHERE id = $2", params![buyer.as_deref(), order])
}

/// Sets where an order goes.
pub(super) fn set_address(
    tx: &mut dyn Tx,
    order: &OrderId,
    address: &OrderAddress,
    now: Timestamp,
) -> Result<()> {
    let address = serde_json::to_string(address).map_err(Error::from_source)?;
    tx.run(
        "UPDATE orders SET address = $1, updated_at = $2 WHERE id = $3",
        params![address.as_str(), now, order],
    )
}

pub(crate) fn insert_history(
    tx: &mut dyn Tx,
    at: &Work,
    order: &OrderId,
    change: &Change<'_>,
) -> Result<()> {
    tx.run(
        "INSERT INTO order_history (order_id, status, actor, actor_id, note, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![
            order,
            change.to,
            change.by.actor().as_str(),
            change.by.id(),
            change.note,
            at.now()
        ],
    )
}

/// Notes that the sweeper tried to cancel an order, could not, and tries again then.
pub(crate) fn sweep_again(tx: &mut dyn Tx, order: &OrderId, at: Timestamp) -> Result<()> {
    tx.run("UPDATE orders SET sweep_at = $1 WHERE id = $2", params![at, order])
}

/// Hands all orders of an account over to another one.
pub(crate) fn adopt(tx: &mut dyn Tx, from: &AccountId, to: &AccountId) -> Result<()> {
    tx.run("UPDATE orders SET account_id = $1 WHERE account_id = $2", params![to, from])
}

/// Erases the personal data of an order, and moves it to the redacted address.
///
/// Money that comes late for an erased customer's order must not revive it, since there is nowhere
/// to send it to: a cancellation by the sweeper counts as the shop's own from here on.
pub(super) fn anonymise(tx: &mut dyn Tx, order: &OrderId, address: &OrderAddress) -> Result<()> {
    let address = serde_json::to_string(address).map_err(Error::from_source)?;
    tx.execute(
        "UPDATE orders SET address = $1, notes = NULL, buyer = NULL, tracking_code = NULL,
           cancelled_by = CASE WHEN cancelled_by = 'SWEEPER' THEN 'STAFF' ELSE cancelled_by END
         WHERE id = $2",
        params![&address, order],
    )?;
    tx.run("UPDATE order_history SET note = NULL WHERE order_id = $1", params![order])
}
