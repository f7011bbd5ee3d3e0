//! Counters of orders by local day, so that nothing has to be counted over all orders.
//!
//! An order is counted on the row of its day that it touches anyway for its number, and moved there
//! with each change of its status. What each product sold is summed up once a day is over, off the
//! path of orders; an order of that day that becomes revenue later, or ceases to be, corrects the
//! sum.

use chrono::NaiveDate;

use super::number::day_key;
use super::{Order, OrderId, OrderStatus, ProductId};
use crate::area;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::lane;
use crate::money::Money;
use crate::storage::{Counter, Filter, Row, Tx, params};
use crate::value::Words;

/// The orders of one local day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Day {
    pub(crate) date: NaiveDate,
    counts: [i64; OrderStatus::ALL.len()],
    /// What the orders that count as revenue come to.
    pub(crate) revenue: Money,
    /// Whether what each product sold on it is summed up.
    pub(crate) summed: bool,
}

impl Day {
    /// When it begins.
    pub(crate) fn start(&self) -> Timestamp {
        Timestamp::start_of(self.date)
    }

    /// When the next one begins.
    pub(crate) fn end(&self) -> Timestamp {
        Timestamp::start_of(self.date.succ_opt().unwrap_or(NaiveDate::MAX))
    }

    /// Its orders of a status, or of any.
    pub(crate) fn count(&self, status: Option<OrderStatus>) -> i64 {
        let mut all = OrderStatus::ALL.iter().zip(self.counts);
        match status {
            None => self.counts.iter().sum(),
            Some(wanted) => all.find(|(status, _)| **status == wanted).map_or(0, |(_, n)| n),
        }
    }

    /// Its orders that are neither cancelled nor refunded.
    pub(crate) fn orders(&self) -> i64 {
        self.sum(OrderStatus::holds_stock)
    }

    /// Its orders that count as revenue.
    pub(crate) fn sales(&self) -> i64 {
        self.sum(OrderStatus::is_revenue)
    }

    fn sum(&self, counts: fn(OrderStatus) -> bool) -> i64 {
        let all = OrderStatus::ALL.iter().zip(self.counts);
        all.filter(|(status, _)| counts(**status)).map(|(_, n)| n).sum()
    }
}

/// What a product sold.
#[derive(Debug, Clone)]
pub(crate) struct Sold {
    pub(crate) product: ProductId,
    pub(crate) units: i64,
    pub(crate) revenue: Money,
}

/// The orders of each day.
static DAYS: Counter = Counter {
    add: "INSERT INTO order_day (day, last, pending) VALUES ($1, $2, $2)
          ON CONFLICT (day) DO UPDATE SET last = order_day.last + excluded.last,
            pending = order_day.pending + excluded.pending
          RETURNING last",
};

fn column(status: OrderStatus) -> &'static str {
    match status {
        OrderStatus::Pending => "pending",
        OrderStatus::Processing => "processing",
        OrderStatus::Shipped => "shipped",
        OrderStatus::Delivered => "delivered",
        OrderStatus::Cancelled => "cancelled",
        OrderStatus::Refunded => "refunded",
    }
}

/// Counts an order that is placed on a day, PENDING and no revenue yet, and says which of the day's
/// orders it is, from 1.
pub(super) fn count_new(tx: &mut dyn Tx, day: NaiveDate) -> Result<i64> {
    let day = day_key(day);
    tx.touch(area::SALES);
    if tx.dialect().is_remote {
        return tx.next_number(&DAYS, &day);
    }
    // No `RETURNING`: SQLite opens a temporary table for it, which costs more than a look-up.
    let counted = tx.execute(
        "UPDATE order_day SET last = last + 1, pending = pending + 1 WHERE day = $1",
        params![&day],
    )?;
    if counted == 0 {
        tx.execute(
            "INSERT INTO order_day (day, last, pending) VALUES ($1, 1, 1)
             ON CONFLICT (day) DO UPDATE SET last = order_day.last + 1,
               pending = order_day.pending + 1",
            params![&day],
        )?;
    }
    tx.value("SELECT last FROM order_day WHERE day = $1", params![&day])
}

/// Counts an order under another status than before.
pub(crate) fn moved(tx: &mut dyn Tx, order: &Order, to: OrderStatus) -> Result<()> {
    let sign = i64::from(to.is_revenue()) - i64::from(order.status.is_revenue());
    let day = day_key(order.created_at.local_day());
    let (from, to) = (column(order.status), column(to));
    tx.touch(area::SALES);
    tx.execute(
        &format!(
            "UPDATE order_day SET {from} = {from} - 1, {to} = {to} + 1, revenue = revenue + $1
             WHERE day = $2"
        ),
        params![order.total * sign, &day],
    )?;
    if sign != 0 && is_summed(tx, &day)? { correct(tx, &day, &order.id, sign) } else { Ok(()) }
}

fn is_summed(tx: &mut dyn Tx, day: &str) -> Result<bool> {
    let summed =
        tx.one("SELECT summed FROM order_day WHERE day = $1", params![day], |row| row.get(0))?;
    Ok(summed.unwrap_or(false))
}

/// Adds what an order sold to the sums of its day, or takes it away.
fn correct(tx: &mut dyn Tx, day: &str, order: &OrderId, sign: i64) -> Result<()> {
    tx.run(
        "INSERT INTO product_day (day, product_id, name, units, revenue)
         SELECT $1, product_id, max(name),
           CAST(sum(quantity) AS BIGINT) * CAST($2 AS BIGINT),
           CAST(sum(total) AS BIGINT) * CAST($2 AS BIGINT)
         FROM order_item WHERE order_id = $3 GROUP BY product_id
         ON CONFLICT (day, product_id) DO UPDATE SET
           units = product_day.units + excluded.units,
           revenue = product_day.revenue + excluded.revenue",
        params![day, sign, order],
    )
}

/// The days with orders in a span of days, both ends included, latest first.
pub(crate) fn days(
    tx: &mut dyn Tx,
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
) -> Result<Vec<Day>> {
    let (from, to) = (from.map(day_key), to.map(day_key));
    let mut filter = Filter::default();
    filter.compare("day >=", from.as_ref());
    filter.compare("day <=", to.as_ref());
    let sql = format!(
        "SELECT day, pending, processing, shipped, delivered, cancelled, refunded, revenue, summed
         FROM order_day{} ORDER BY day DESC",
        filter.sql()
    );
    tx.all(&sql, filter.params(), read)
}

fn read(row: &dyn Row) -> Result<Day> {
    let day: String = row.get(0)?;
    let date = NaiveDate::parse_from_str(&day, "%Y%m%d").map_err(Error::from_source)?;
    let mut counts = [0; OrderStatus::ALL.len()];
    for (column, count) in (1..).zip(&mut counts) {
        *count = row.get(column)?;
    }
    Ok(Day { date, counts, revenue: row.get(7)?, summed: row.get(8)? })
}

/// How many orders of a status, or of any, were placed in a span of time that is no whole day.
pub(crate) fn count_between(
    tx: &mut dyn Tx,
    from: Timestamp,
    to: Timestamp,
    status: Option<OrderStatus>,
) -> Result<i64> {
    let mut filter = Filter::default();
    filter.compare("status =", status.map(OrderStatus::as_str));
    filter.compare("created_at >=", Some(from));
    filter.compare("created_at <", Some(to));
    let sql = format!("SELECT count(*) FROM orders{}", filter.sql());
    tx.value(&sql, filter.params())
}

/// The latest day that is over and not summed up yet.
fn unsummed(tx: &mut dyn Tx, today: NaiveDate) -> Result<Option<NaiveDate>> {
    let day = tx.one(
        "SELECT day FROM order_day WHERE summed = 0 AND day < $1 ORDER BY day DESC LIMIT 1",
        params![&day_key(today)],
        |row| row.get::<String>(0),
    )?;
    let parse = |day: String| NaiveDate::parse_from_str(&day, "%Y%m%d").map_err(Error::from_source);
    day.map(parse).transpose()
}

/// Sums up what each product sold on the days that are over, the latest first and one in each
/// transaction; how many days.
pub(crate) async fn sum_up_days(cx: &Context) -> Result<usize> {
    // An order's moment is a little before its commit; its day must not be summed up in between.
    let settled = cx.now().minus(std::time::Duration::from_secs(60 * 60)).local_day();
    let mut summed = 0;
    loop {
        let next = cx.db().read("order.unsummed_days", move |tx| unsummed(tx, settled));
        let Some(day) = next.await? else { return Ok(summed) };
        cx.db().write(lane::INTEGRATIONS, "order.sum_up_day", move |tx| sum_up(tx, day)).await?;
        summed += 1;
    }
}

/// Sums up what each product sold on a day that is over.
fn sum_up(tx: &mut dyn Tx, day: NaiveDate) -> Result<()> {
    let key = day_key(day);
    if is_summed(tx, &key)? {
        return Ok(());
    }
    let end = Timestamp::start_of(day.succ_opt().unwrap_or(NaiveDate::MAX));
    let revenue = OrderStatus::listed(OrderStatus::is_revenue);
    let sql = format!(
        "INSERT INTO product_day (day, product_id, name, units, revenue)
         SELECT $1, i.product_id, max(i.name), sum(i.quantity), sum(i.total)
         FROM orders o JOIN order_item i ON i.order_id = o.id
         WHERE o.created_at >= $2 AND o.created_at < $3 AND o.status IN ({revenue})
         GROUP BY i.product_id"
    );
    tx.execute(&sql, params![&key, Timestamp::start_of(day), end])?;
    tx.touch(area::SALES);
    tx.run("UPDATE order_day SET summed = 1 WHERE day = $1", params![&key])
}

/// What each product sold on each of the days that are summed up, both ends included.
pub(crate) fn sold_by_day(
    tx: &mut dyn Tx,
    from: NaiveDate,
    to: NaiveDate,
    each: &mut dyn FnMut(Sold),
) -> Result<()> {
    tx.query(
        "SELECT product_id, units, revenue FROM product_day WHERE day >= $1 AND day <= $2",
        params![&day_key(from), &day_key(to)],
        &mut |row| {
            each(Sold { product: row.get(0)?, units: row.get(1)?, revenue: row.get(2)? });
            Ok(())
        },
    )
}

/// The same for a day that is not summed up, line by line.
pub(crate) fn sold_on(tx: &mut dyn Tx, day: &Day, each: &mut dyn FnMut(Sold)) -> Result<()> {
    let revenue = OrderStatus::listed(OrderStatus::is_revenue);
    let sql = format!(
        "SELECT i.product_id, i.quantity, i.total FROM orders o
         JOIN order_item i ON i.order_id = o.id
         WHERE o.created_at >= $1 AND o.created_at < $2 AND o.status IN ({revenue})"
    );
    tx.query(&sql, params![day.start(), day.end()], &mut |row| {
        each(Sold { product: row.get(0)?, units: row.get(1)?, revenue: row.get(2)? });
        Ok(())
    })
}

/// The name that a product had when it was last sold on one of these days, the latest first.
pub(crate) fn sold_name(
    tx: &mut dyn Tx,
    product: &ProductId,
    days: &[Day],
) -> Result<Option<String>> {
    for day in days {
        let name = if day.summed {
            tx.one(
                "SELECT name FROM product_day WHERE day = $1 AND product_id = $2",
                params![&day_key(day.date), product],
                |row| row.get(0),
            )?
        } else {
            tx.one(
                "SELECT i.name FROM orders o JOIN order_item i ON i.order_id = o.id
                 WHERE o.created_at >= $1 AND o.created_at < $2 AND i.product_id = $3 LIMIT 1",
                params![day.start(), day.end(), product],
                |row| row.get(0),
            )?
        };
        if name.is_some() {
            return Ok(name);
        }
    }
    Ok(None)
}
