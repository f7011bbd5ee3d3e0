//! The SQL of orders.

use std::collections::HashMap;

use super::{
    AccountId, AddressId, Change, CouponId, Order, OrderAddress, OrderId, OrderImage, OrderItem,
    OrderPayment, OrderProduct, OrderStatus, ProductId, VariantId,
};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::Moment;
use crate::money::Money;
use crate::payment::PaymentStatus;
use crate::stock::StockLine;
use crate::storage::{Filter, FromColumn, Row, Tx};
use crate::value::Weight;

impl FromColumn for OrderStatus {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let text = row.text(column)?.unwrap_or_default();
        let known = Self::ALL.into_iter().find(|status| status.as_str() == text);
        known.ok_or_else(|| Error::internal(format!("unknown order status {text:?}")))
    }
}

/// The address of the customer's address book, as an order keeps it.
pub(super) fn address(
    tx: &mut dyn Tx,
    customer: &AccountId,
    id: &AddressId,
) -> Result<Option<OrderAddress>> {
    tx.one(
        "SELECT street, number, complement, district, city, state, zip_code FROM address
         WHERE id = $1 AND account_id = $2",
        &[id.into(), customer.into()],
        |row| {
            Ok(OrderAddress {
                street: row.get(0)?,
                number: row.get(1)?,
                complement: row.get(2)?,
                district: row.get(3)?,
                city: row.get(4)?,
                state: row.get(5)?,
                zip_code: row.get(6)?,
            })
        },
    )
}

/// What an order needs to know of a product.
pub(super) struct Sellable {
    pub(super) name: String,
    pub(super) price: Money,
    pub(super) active: bool,
    pub(super) weight: Option<Weight>,
    pub(super) image: Option<String>,
}

pub(super) fn sellable(tx: &mut dyn Tx, product: &ProductId) -> Result<Option<Sellable>> {
    tx.one(
        "SELECT name, price, active, weight_grams, images FROM product WHERE id = $1",
        &[product.into()],
        |row| {
            Ok(Sellable {
                name: row.get(0)?,
                price: row.get(1)?,
                active: row.get(2)?,
                weight: row.int(3)?.map(Weight::from_grams),
                image: main_image(row.text(4)?.unwrap_or("[]"))?,
            })
        },
    )
}

/// The address of the main picture, else of the first.
fn main_image(images: &str) -> Result<Option<String>> {
    if images == "[]" {
        return Ok(None);
    }
    let images: Vec<OrderImage> = serde_json::from_str(images).map_err(Error::from_source)?;
    let main = images.iter().position(|image| image.is_primary).unwrap_or(0);
    Ok(images.into_iter().nth(main).map(|image| image.url))
}

/// A variant's price and its values as one text, e.g. "200 g, Azul".
pub(super) fn variant(
    tx: &mut dyn Tx,
    product: &ProductId,
    variant: &VariantId,
) -> Result<Option<(Money, Option<String>)>> {
    let price = tx.one(
        "SELECT price FROM variant WHERE id = $1 AND product_id = $2",
        &[variant.into(), product.into()],
        |row| row.get(0),
    )?;
    let Some(price) = price else { return Ok(None) };
    let values = tx.all(
        "SELECT o.value FROM variant_value v
         JOIN variant_option o ON o.id = v.variant_option_id
         JOIN variant_type t ON t.id = o.variant_type_id
         WHERE v.variant_id = $1 ORDER BY t.position, t.name",
        &[variant.into()],
        |row| row.get::<String>(0),
    )?;
    Ok(Some((price, (!values.is_empty()).then(|| values.join(", ")))))
}

pub(super) struct NewOrder<'a> {
    pub(super) order: &'a Order,
    pub(super) coupon: Option<&'a CouponId>,
}

pub(super) fn insert(tx: &mut dyn Tx, new: &NewOrder<'_>) -> Result<()> {
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
pub(super) fn item_id(order: &OrderId, position: i64) -> String {
    format!("{order}-{position}")
}

pub(super) fn insert_item(
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

/// The columns of an order, for [`read_order`].
macro_rules! select_order {
    ($tail:literal) => {
        concat!(
            "SELECT o.id, o.number, o.account_id, o.address_id, o.subtotal, o.shipping, o.discount,
                    o.total, o.status, o.notes, o.shipping_service, o.address, o.created_at,
                    o.updated_at, o.tracking_code, o.carrier
             FROM orders o ",
            $tail
        )
    };
}

fn read_order(row: &dyn Row) -> Result<Order> {
    Ok(Order {
        id: row.get(0)?,
        order_number: row.get(1)?,
        user_id: row.get(2)?,
        address_id: row.get(3)?,
        subtotal: row.get(4)?,
        shipping: row.get(5)?,
        discount: row.get(6)?,
        total: row.get(7)?,
        status: row.get(8)?,
        notes: row.get(9)?,
        shipping_service: row.get(10)?,
        address: serde_json::from_str(row.text(11)?.unwrap_or_default())
            .map_err(Error::from_source)?,
        created_at: row.get(12)?,
        updated_at: row.get(13)?,
        tracking_code: row.get(14)?,
        carrier: row.get(15)?,
        items: Vec::new(),
        payment: None,
    })
}

/// An order by its id.
pub(crate) fn find(tx: &mut dyn Tx, id: &OrderId) -> Result<Option<Order>> {
    let order = tx.one(select_order!("WHERE o.id = $1"), &[id.into()], read_order)?;
    order.map(|order| complete(tx, order)).transpose()
}

/// An order by its number.
pub(crate) fn find_by_number(tx: &mut dyn Tx, number: &str) -> Result<Option<Order>> {
    let order = tx.one(select_order!("WHERE o.number = $1"), &[number.into()], read_order)?;
    order.map(|order| complete(tx, order)).transpose()
}

/// An order by its id, if it is the customer's.
pub(crate) fn owned(tx: &mut dyn Tx, customer: &AccountId, id: &OrderId) -> Result<Option<Order>> {
    Ok(find(tx, id)?.filter(|order| order.user_id == *customer))
}

/// The customer's orders, newest first: three queries, however many orders.
pub(super) fn of_account(tx: &mut dyn Tx, customer: &AccountId) -> Result<Vec<Order>> {
    let mut orders = tx.all(
        select_order!("WHERE o.account_id = $1 ORDER BY o.created_at DESC, o.id DESC"),
        &[customer.into()],
        read_order,
    )?;
    let items = tx.all(
        "SELECT i.position, i.product_id, i.variant_id, i.quantity, i.price, i.total, i.name,
                i.variant, i.image, i.order_id
         FROM orders o JOIN order_item i ON i.order_id = o.id
         WHERE o.account_id = $1 ORDER BY i.order_id, i.position",
        &[customer.into()],
        |row| {
            let order: OrderId = row.get(9)?;
            let item = read_item(row, &order)?;
            Ok((order, item))
        },
    )?;
    let payments = tx.all(
        "SELECT p.method, p.status, p.order_id
         FROM orders o JOIN payment p ON p.order_id = o.id
         WHERE o.account_id = $1 ORDER BY p.created_at, p.id",
        &[customer.into()],
        |row| Ok((row.get::<OrderId>(2)?, read_payment(row)?)),
    )?;
    let mut by_id: HashMap<OrderId, &mut Order> =
        orders.iter_mut().map(|order| (order.id.clone(), order)).collect();
    for (order, item) in items {
        if let Some(order) = by_id.get_mut(&order) {
            order.items.push(item);
        }
    }
    for (order, payment) in payments {
        if let Some(order) = by_id.get_mut(&order) {
            order.payment = Some(more_telling(order.payment.take(), payment));
        }
    }
    Ok(orders)
}

/// The orders of these ids: three queries, however many.
pub(super) fn by_ids(tx: &mut dyn Tx, ids: &[OrderId]) -> Result<HashMap<OrderId, Order>> {
    let mut filter = Filter::default();
    let places: Vec<String> = ids.iter().map(|id| filter.bind(id)).collect();
    let among = places.join(", ");
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
    let sql = format!(
        "SELECT method, status, order_id FROM payment WHERE order_id IN ({among})
         ORDER BY created_at, id"
    );
    tx.query(&sql, filter.params(), &mut |row| {
        if let Some(order) = orders.get_mut(&row.get::<OrderId>(2)?) {
            order.payment = Some(more_telling(order.payment.take(), read_payment(row)?));
        }
        Ok(())
    })?;
    Ok(orders)
}

fn complete(tx: &mut dyn Tx, mut order: Order) -> Result<Order> {
    order.items = tx.all(
        "SELECT position, product_id, variant_id, quantity, price, total, name, variant, image
         FROM order_item WHERE order_id = $1 ORDER BY position",
        &[(&order.id).into()],
        |row| read_item(row, &order.id),
    )?;
    let payments = tx.all(
        "SELECT method, status FROM payment WHERE order_id = $1 ORDER BY created_at, id",
        &[(&order.id).into()],
        read_payment,
    )?;
    for payment in payments {
        order.payment = Some(more_telling(order.payment.take(), payment));
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

fn read_payment(row: &dyn Row) -> Result<OrderPayment> {
    Ok(OrderPayment { method: row.get(0)?, status: row.get(1)? })
}

/// Of an earlier and a later payment, the one that tells how the order stands: of two that tell as
/// much, the later one.
fn more_telling(earlier: Option<OrderPayment>, later: OrderPayment) -> OrderPayment {
    match earlier {
        Some(earlier) if telling(earlier.status) > telling(later.status) => earlier,
        _ => later,
    }
}

/// The payment that paid the order tells more than money that is under review, and that more than
/// an attempt.
fn telling(status: PaymentStatus) -> u8 {
    match status {
        PaymentStatus::Paid | PaymentStatus::Refunded | PaymentStatus::ChargedBack => 2,
        PaymentStatus::Review => 1,
        PaymentStatus::Pending
        | PaymentStatus::Failed
        | PaymentStatus::Expired
        | PaymentStatus::Cancelled => 0,
    }
}

/// The stock that an order's line items stand for.
pub(super) fn stock_lines(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<(StockLine, String)>> {
    tx.all(
        "SELECT item_id, product_id, quantity, name FROM order_item WHERE order_id = $1
         ORDER BY item_id",
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
    )
}

/// Sets the status if the order still has the one it was read with.
pub(super) fn set_status(
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
pub(super) fn set_tracking(
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

pub(super) fn insert_history(
    tx: &mut dyn Tx,
    at: &Moment,
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

/// Unpaid orders placed before a moment, oldest first.
pub(crate) fn unpaid_before(
    tx: &mut dyn Tx,
    before: Timestamp,
    limit: i64,
) -> Result<Vec<OrderId>> {
    tx.all(
        "SELECT id FROM orders WHERE status = 'PENDING' AND created_at <= $1
         ORDER BY created_at LIMIT $2",
        &[before.into(), limit.into()],
        |row| row.get(0),
    )
}
