//! The SQL of orders.

mod read;

pub(crate) use self::read::{by_ids, of_account};
pub(crate) use self::read::{find, find_by_number, owned};
use super::{AccountId, Change, CouponId, Order, OrderId, OrderItem, OrderStatus, UnpaidCutoff};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::stock::StockLine;
use crate::storage::Tx;
use crate::value::Weight;

pub(crate) struct NewOrder<'a> {
    pub(crate) order: &'a Order,
    pub(crate) coupon: Option<&'a CouponId>,
}

pub(crate) fn insert(tx: &mut dyn Tx, new: &NewOrder<'_>) -> Result<()> {
    let order = new.order;
    let address = serde_json::to_string(&order.address).map_err(Error::from_source)?;
    tx.execute(
        "INSERT INTO orders (id, number, account_id, address_id, address, subtotal, shipping,
           discount, total, shipping_service, coupon_id, status, notes, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        &[
            (&order.id).into(),
            (&order.order_number).into(),
            (&order.user_id).into(),
            (&order.address_id).into(),
            (&address).into(),
            order.subtotal.into(),
            order.shipping.into(),
            order.discount.into(),
            order.total.into(),
            order.shipping_service.as_ref().into(),
            new.coupon.into(),
            order.status.as_str().into(),
            order.notes.as_ref().into(),
            order.created_at.into(),
            order.updated_at.into(),
        ],
    )?;
    Ok(())
}

/// The id of a line item: its order's, and its place in it.
pub(crate) fn item_id(order: &OrderId, position: i64) -> String {
    format!("{order}-{position}")
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
    tx.execute(
        "INSERT INTO order_item (order_id, position, product_id, variant_id, item_id, quantity,
           price, total, name, variant, image, weight_grams)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &[
            order.into(),
            position.into(),
            (&item.product_id).into(),
            item.variant_id.as_ref().into(),
            stock_item.into(),
            item.quantity.into(),
            item.price.into(),
            item.total.into(),
            (&item.product_name_snapshot).into(),
            item.variant_snapshot.as_ref().into(),
            image.into(),
            weight.grams().into(),
        ],
    )?;
    Ok(())
}

/// The stock that an order's line items stand for, by their items' ids.
///
/// This is the order in which every transaction locks rows of `stock`: orders, cancellations and
/// corrections. So none of them waits for a row while it holds one that the other waits for; an
/// order's row and its coupon's come before its stock. PostgreSQL commits several jobs in one
/// transaction, where jobs after the first may still collide; it makes one of the two run again.
pub(crate) fn stock_lines(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<(StockLine, String)>> {
    let mut lines: Vec<(StockLine, String)> = tx.all(
        "SELECT item_id, product_id, quantity, name FROM order_item WHERE order_id = $1",
        &[order.into()],
        |row| {
            let line = StockLine {
                item_id: row.get(0)?,
                product_id: row.get(1)?,
                quantity: row.get(2)?,
                new_lines: 0,
            };
            Ok((line, row.get(3)?))
        },
    )?;
    // Not by the database, whose collation may be another one than Rust's.
    lines.sort_by(|(one, _), (other, _)| one.item_id.cmp(&other.item_id));
    Ok(lines)
}

/// Sets the status if the order still has the one it was read with.
pub(crate) fn set_status(
    tx: &mut dyn Tx,
    order: &Order,
    to: OrderStatus,
    cancelled_by: Option<&str>,
    now: Timestamp,
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE orders SET status = $1, cancelled_by = $2, updated_at = $3
         WHERE id = $4 AND status = $5",
        &[
            to.as_str().into(),
            cancelled_by.into(),
            now.into(),
            (&order.id).into(),
            order.status.as_str().into(),
        ],
    )?;
    Ok(changed == 1)
}

/// Sets how the parcel is found.
pub(crate) fn set_tracking(
    tx: &mut dyn Tx,
    order: &OrderId,
    code: Option<&str>,
    carrier: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE orders SET tracking_code = $1, carrier = $2, updated_at = $3 WHERE id = $4",
        &[code.into(), carrier.into(), now.into(), order.into()],
    )?;
    Ok(())
}

pub(crate) fn insert_history(
    tx: &mut dyn Tx,
    at: &Work,
    order: &OrderId,
    change: &Change<'_>,
) -> Result<()> {
    tx.execute(
        "INSERT INTO order_history (order_id, status, actor, actor_id, note, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            order.into(),
            change.to.as_str().into(),
            change.by.as_str().into(),
            change.by.id().into(),
            change.note.into(),
            at.now().into(),
        ],
    )?;
    Ok(())
}

/// Whether the sweeper cancelled the order, and not a person.
pub(crate) fn cancelled_by_sweeper(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    tx.value(
        "SELECT coalesce(cancelled_by, '') = 'SWEEPER' FROM orders WHERE id = $1",
        &[order.into()],
    )
}

/// Whether so many orders of a customer await payment. `coalesce` keeps the planner to the
/// customer's own orders, which one index tells of; there is another one by status.
pub(crate) fn has_unpaid(tx: &mut dyn Tx, customer: &AccountId, count: u32) -> Result<bool> {
    let nth = tx.one(
        "SELECT created_at FROM orders
         WHERE account_id = $1 AND coalesce(status, '') = 'PENDING'
         ORDER BY created_at DESC LIMIT 1 OFFSET $2",
        &[customer.into(), (i64::from(count) - 1).into()],
        |row| row.get::<Timestamp>(0),
    )?;
    Ok(nth.is_some())
}

/// When the nth latest order of a customer was placed.
pub(crate) fn nth_latest(
    tx: &mut dyn Tx,
    customer: &AccountId,
    n: u32,
) -> Result<Option<Timestamp>> {
    tx.one(
        "SELECT created_at FROM orders WHERE account_id = $1
         ORDER BY created_at DESC LIMIT 1 OFFSET $2",
        &[customer.into(), (i64::from(n) - 1).into()],
        |row| row.get(0),
    )
}

/// Orders that have waited too long to be paid: those first that the sweeper never tried to cancel
/// in vain, then those whose last try is longest ago. An order that is paid does not wait, also when
/// staff set it back to PENDING.
pub(crate) fn unpaid(tx: &mut dyn Tx, cutoff: UnpaidCutoff, limit: i64) -> Result<Vec<OrderId>> {
    let latest = cutoff.pix.max(cutoff.other);
    tx.all(
        "SELECT o.id FROM orders o
         WHERE o.status = 'PENDING' AND o.created_at <= $1 AND o.total > 0
           AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.order_id = o.id AND p.status = 'PAID')
           AND (o.created_at <= $2 OR (
             o.created_at <= $3
             AND EXISTS (SELECT 1 FROM payment p WHERE p.order_id = o.id AND p.method = 'PIX')
             AND NOT EXISTS (SELECT 1 FROM payment p
                             WHERE p.order_id = o.id AND p.method <> 'PIX')))
         ORDER BY o.sweep_tried_at, o.created_at LIMIT $4",
        &[latest.into(), cutoff.other.into(), cutoff.pix.into(), limit.into()],
        |row| row.get(0),
    )
}

/// Notes that the sweeper tried to cancel an order, and could not.
pub(crate) fn note_sweep(tx: &mut dyn Tx, order: &OrderId, now: Timestamp) -> Result<()> {
    tx.execute("UPDATE orders SET sweep_tried_at = $1 WHERE id = $2", &[now.into(), order.into()])?;
    Ok(())
}
