//! What the shop has written down, read in one snapshot beside it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use shop_core::Result;
use shop_core::storage::{FromColumn, ReadCost, Storage, Tx};

/// Everything that the model is held against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Books {
    pub(crate) orders: BTreeMap<String, OrderRow>,
    pub(crate) payments: BTreeMap<String, PaymentRow>,
    pub(crate) refunds: BTreeMap<String, RefundRow>,
    pub(crate) returns: BTreeMap<String, ReturnRow>,
    pub(crate) invoices: BTreeMap<String, InvoiceRow>,
    /// Units of each item, and what its movements sum to.
    pub(crate) stock: BTreeMap<String, (i64, i64)>,
    /// How often each coupon counts as used, and whether it holds; which orders use which.
    pub(crate) coupons: BTreeMap<String, (i64, bool)>,
    /// Price in cents, and whether it is on sale.
    pub(crate) products: BTreeMap<String, (i64, bool)>,
    /// Whether each customer's account is active.
    pub(crate) accounts: BTreeMap<String, bool>,
    pub(crate) coupon_uses: BTreeMap<String, String>,
    /// Units by the cart's owner and the item.
    pub(crate) carts: BTreeMap<(String, String), i64>,
    /// The mails, by the order that they are about and their kind.
    pub(crate) mails: BTreeMap<(String, String), i64>,
    /// Mails that wait to be sent, and those that were.
    pub(crate) unsent: i64,
    pub(crate) sent: Vec<String>,
    pub(crate) notifications: BTreeMap<String, i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OrderRow {
    pub(crate) number: String,
    pub(crate) customer: String,
    pub(crate) status: String,
    pub(crate) subtotal: i64,
    pub(crate) shipping: i64,
    pub(crate) discount: i64,
    pub(crate) total: i64,
    pub(crate) created_at: i64,
    pub(crate) lines: Vec<LineRow>,
    /// The moves so far: to which status, by whom.
    pub(crate) history: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineRow {
    pub(crate) item: String,
    pub(crate) quantity: i64,
    pub(crate) price: i64,
    pub(crate) returned: i64,
    pub(crate) shelved: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PaymentRow {
    pub(crate) order: String,
    pub(crate) provider: String,
    pub(crate) status: String,
    pub(crate) amount: i64,
    pub(crate) captured: i64,
    pub(crate) refunded: i64,
    pub(crate) charged_back: i64,
    pub(crate) at_provider: Option<String>,
    /// Whether it ever paid its order.
    pub(crate) was_paid: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefundRow {
    pub(crate) payment: String,
    pub(crate) order: String,
    pub(crate) amount: i64,
    pub(crate) status: String,
    pub(crate) origin: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReturnRow {
    pub(crate) order: String,
    pub(crate) status: String,
    pub(crate) refund_status: String,
    pub(crate) refund_amount: i64,
    /// Of each line: its position, units that came back, and what of them is on the shelf.
    pub(crate) lines: Vec<(i64, Option<i64>, i64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InvoiceRow {
    pub(crate) order: String,
    pub(crate) number: i64,
    pub(crate) status: String,
    pub(crate) key: Option<String>,
    pub(crate) total: i64,
    /// Whether its cancellation is under way.
    pub(crate) is_being_cancelled: bool,
}

impl Books {
    pub(crate) async fn read(engine: &Arc<dyn Storage>) -> Result<Self> {
        let read = Arc::new(Mutex::new(Self::default()));
        let slot = Arc::clone(&read);
        let job = Box::new(move |tx: &mut dyn Tx| {
            let books = snapshot(tx)?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = books;
            Ok(())
        });
        engine.read("simulation.books", ReadCost::Unbounded, job).await?;
        let mut books = read.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *books))
    }
}

fn snapshot(tx: &mut dyn Tx) -> Result<Books> {
    let mut books = Books { orders: orders(tx)?, returns: returns(tx)?, ..Books::default() };
    let payments =
        "SELECT id, order_id, provider, status, amount, captured, refunded, charged_back,
        provider_payment_id, paid_at IS NOT NULL FROM payment";
    books.payments = map(tx, payments, |row| {
        Ok(PaymentRow {
            order: row.get(1)?,
            provider: row.get(2)?,
            status: row.get(3)?,
            amount: row.get(4)?,
            captured: row.get(5)?,
            refunded: row.get(6)?,
            charged_back: row.get(7)?,
            at_provider: row.get(8)?,
            was_paid: row.get(9)?,
        })
    })?;
    let refunds = "SELECT id, payment_id, order_id, amount, status, origin FROM refund";
    books.refunds = map(tx, refunds, |row| {
        Ok(RefundRow {
            payment: row.get(1)?,
            order: row.get(2)?,
            amount: row.get(3)?,
            status: row.get(4)?,
            origin: row.get(5)?,
        })
    })?;
    let invoices = "SELECT id, order_id, number, status, access_key, total, cancel_xml IS NOT NULL
        FROM nfe";
    books.invoices = map(tx, invoices, |row| {
        Ok(InvoiceRow {
            order: row.get(1)?,
            number: row.get(2)?,
            status: row.get(3)?,
            key: row.get(4)?,
            total: row.get(5)?,
            is_being_cancelled: row.get(6)?,
        })
    })?;
    let stock = "SELECT item_id, quantity, coalesce((SELECT CAST(sum(delta) AS BIGINT)
        FROM stock_movement m WHERE m.item_id = s.item_id), 0) FROM stock s";
    books.stock = map(tx, stock, |row| Ok((row.get(1)?, row.get(2)?)))?;
    let coupons = "SELECT id, used_count, active FROM coupon";
    books.coupons = map(tx, coupons, |row| Ok((row.get(1)?, row.get(2)?)))?;
    let products = "SELECT id, price, active FROM product";
    books.products = map(tx, products, |row| Ok((row.get(1)?, row.get(2)?)))?;
    let accounts = "SELECT id, active FROM account WHERE role = 'CUSTOMER'";
    books.accounts = map(tx, accounts, |row| row.get(1))?;
    books.coupon_uses = map(tx, "SELECT order_id, coupon_id FROM coupon_use", |row| row.get(1))?;
    let mails = "SELECT order_id, kind, count(*) FROM mail WHERE order_id IS NOT NULL
        GROUP BY order_id, kind";
    let rows: Vec<(String, String, i64)> = tx.list(mails, &[])?;
    books.mails = rows.into_iter().map(|(order, kind, n)| ((order, kind), n)).collect();
    let carts = "SELECT owner, item_id, quantity FROM cart_item";
    let rows: Vec<(String, String, i64)> = tx.list(carts, &[])?;
    books.carts = rows.into_iter().map(|(owner, item, n)| ((owner, item), n)).collect();
    let unsent = "SELECT count(*) FROM mail WHERE sent_at IS NULL AND next_try_at IS NOT NULL";
    books.unsent = tx.value(unsent, &[])?;
    books.sent = tx.list("SELECT id FROM mail WHERE sent_at IS NOT NULL", &[])?;
    let notified = "SELECT account_id, count(*) FROM notification WHERE type = 'ORDER_STATUS'
        GROUP BY account_id";
    books.notifications = map(tx, notified, |row| row.get(1))?;
    Ok(books)
}

fn orders(tx: &mut dyn Tx) -> Result<BTreeMap<String, OrderRow>> {
    let orders = "SELECT id, number, account_id, status, subtotal, shipping, discount, total,
        created_at FROM orders";
    let mut orders = map(tx, orders, |row| {
        Ok(OrderRow {
            number: row.get(1)?,
            customer: row.get(2)?,
            status: row.get(3)?,
            subtotal: row.get(4)?,
            shipping: row.get(5)?,
            discount: row.get(6)?,
            total: row.get(7)?,
            created_at: row.get(8)?,
            lines: Vec::new(),
            history: Vec::new(),
        })
    })?;
    let lines = "SELECT order_id, item_id, quantity, price, returned, shelved FROM order_item
        ORDER BY order_id, position";
    let lines = tx.all(lines, &[], |row| {
        let line = LineRow {
            item: row.get(1)?,
            quantity: row.get(2)?,
            price: row.get(3)?,
            returned: row.get(4)?,
            shelved: row.get(5)?,
        };
        Ok((row.get::<String>(0)?, line))
    })?;
    for (order, line) in lines {
        orders.entry(order).and_modify(|it| it.lines.push(line));
    }
    let history: Vec<(String, String, String)> =
        tx.list("SELECT order_id, status, actor FROM order_history ORDER BY id", &[])?;
    for (order, status, actor) in history {
        orders.entry(order).and_modify(|it| it.history.push((status, actor)));
    }
    Ok(orders)
}

fn returns(tx: &mut dyn Tx) -> Result<BTreeMap<String, ReturnRow>> {
    let returns = "SELECT id, order_id, status, refund_status, coalesce(refund_amount, 0)
        FROM order_return";
    let mut returns = map(tx, returns, |row| {
        Ok(ReturnRow {
            order: row.get(1)?,
            status: row.get(2)?,
            refund_status: row.get::<Option<String>>(3)?.unwrap_or_default(),
            refund_amount: row.get(4)?,
            lines: Vec::new(),
        })
    })?;
    let lines: Vec<(String, i64, Option<i64>, i64)> = tx.list(
        "SELECT return_id, position, received, restocked FROM order_return_item
         ORDER BY return_id, position",
        &[],
    )?;
    for (id, position, received, restocked) in lines {
        returns.entry(id).and_modify(|it| it.lines.push((position, received, restocked)));
    }
    Ok(returns)
}

/// Rows by their first column.
fn map<T>(
    tx: &mut dyn Tx,
    sql: &str,
    mut read: impl FnMut(&dyn shop_core::storage::Row) -> Result<T>,
) -> Result<BTreeMap<String, T>> {
    let rows = tx.all(sql, &[], |row| Ok((String::from_column(row, 0)?, read(row)?)))?;
    Ok(rows.into_iter().collect())
}
