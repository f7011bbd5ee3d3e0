//! The back office's list of orders, latest first.
//!
//! Nothing here counts or passes over more than a day's orders, however many there are: the
//! counters of the days (`order/daily_stats.rs`) say how many a filter finds, and on which day a
//! page begins.

use std::collections::{BTreeSet, HashMap};

use super::customer_search;
use super::order::OrderCustomer;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{AccountId, OrderId};
use crate::order::{Order, OrderStatus, Orders, daily_stats, store};
use crate::page::{Page, PageLimit, PageNumber, PageRequest, Pagination};
use crate::storage::{Filter, Param, Tx};
use crate::value::{OptionalText, Since, Until};

/// Customers whose orders a search looks at: of those that it finds, the latest.
const CUSTOMERS: i64 = 500;
/// Orders that a search finds by their numbers, and of each customer: the latest.
const HITS: i64 = 1000;

/// Which orders to list (`GET /api/admin/orders`).
#[apply(filter!)]
pub struct OrderFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Orders a page.
    pub limit: Option<PageLimit>,
    /// Only those in this status.
    pub status: Option<OrderStatus>,
    /// The beginning of an order's number (with or without its prefix), its last part (`0027` or
    /// `27`), words that begin words of the customer's name or e-mail, or the beginning of an
    /// e-mail up to its `@` and beyond.
    pub q: Option<OptionalText<120>>,
    /// Placed on this day or at this time, or later.
    pub from: Option<Since>,
    /// Placed until the end of this day, or before this time.
    pub to: Option<Until>,
}

/// An order as the back office's list shows it.
#[apply(inexact_answer!)]
#[derive(PartialEq)]
pub struct OrderRow {
    /// The order.
    #[serde(flatten)]
    pub order: Order,
    /// Who ordered.
    pub user: OrderCustomer,
}

impl Orders<'_> {
    /// A page of the orders that a filter finds, latest first. The total is exact, but for a
    /// search: that looks at the latest 1,000 orders whose numbers it finds, and at the orders of
    /// the latest 500 customers.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: OrderFilter) -> Result<Page<OrderRow>> {
        let prefix = self.cx.config().order_prefix.clone();
        self.cx.db().read("order.search", move |tx| list(tx, &filter, &prefix)).await
    }
}

fn list(tx: &mut dyn Tx, wanted: &OrderFilter, prefix: &str) -> Result<Page<OrderRow>> {
    let request = PageRequest::of(wanted.page, wanted.limit);
    let q = wanted.q.as_ref().map_or("", OptionalText::as_str);
    let (total, ids) = if q.is_empty() {
        by_time(tx, wanted, request)?
    } else {
        let found = hits(tx, wanted, q, prefix)?;
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let latest_first: Vec<OrderId> = found.into_iter().rev().map(|(_, id)| id).collect();
        (total, request.slice(&latest_first).to_vec())
    };
    Ok(Page { data: rows(tx, &ids)?, pagination: Pagination::new(request, total) })
}

/// A range of time within one local day, and how many orders it has.
struct TimeRange {
    to: Timestamp,
    count: i64,
}

/// The total, and the ids of the page. The page begins on the day that the counters say.
pub(super) fn by_time(
    tx: &mut dyn Tx,
    wanted: &OrderFilter,
    request: PageRequest,
) -> Result<(i64, Vec<OrderId>)> {
    let ranges = ranges(tx, wanted)?;
    let total = ranges.iter().map(|range| range.count).sum();
    let mut skip = request.offset();
    for range in ranges {
        if skip < range.count {
            return Ok((total, page_of_ids(tx, wanted, range.to, request.limit, skip)?));
        }
        skip -= range.count;
    }
    Ok((total, Vec::new()))
}

/// The days that the filter reaches into, latest first. Of the first and the last one perhaps only
/// a part, which is counted.
fn ranges(tx: &mut dyn Tx, wanted: &OrderFilter) -> Result<Vec<TimeRange>> {
    let (first, last) =
        (wanted.from.map(|from| from.get().local_day()), wanted.to.map(|to| to.get().local_day()));
    let mut ranges = Vec::new();
    for day in daily_stats::days(tx, first, last)? {
        let from = wanted.from.map_or(day.start(), |from| from.get().max(day.start()));
        let to = wanted.to.map_or(day.end(), |to| to.get().min(day.end()));
        let whole = from == day.start() && to == day.end();
        let count = if whole {
            day.count(wanted.status)
        } else if from < to {
            daily_stats::count_between(tx, from, to, wanted.status)?
        } else {
            0
        };
        ranges.push(TimeRange { to, count });
    }
    Ok(ranges)
}

fn page_of_ids(
    tx: &mut dyn Tx,
    wanted: &OrderFilter,
    before: Timestamp,
    limit: u32,
    skip: i64,
) -> Result<Vec<OrderId>> {
    let mut filter = Filter::default();
    filter.compare("status =", wanted.status.map(OrderStatus::as_str));
    filter.compare("created_at >=", wanted.from.map(Since::get));
    filter.compare("created_at <", Some(before));
    let conditions = filter.sql().to_owned();
    let (limit, skip) = (filter.bind(limit), filter.bind(skip));
    let sql = format!(
        "SELECT id FROM orders{conditions} ORDER BY created_at DESC, id DESC
         LIMIT {limit} OFFSET {skip}"
    );
    tx.list(&sql, filter.params())
}

type Hits = BTreeSet<(Timestamp, OrderId)>;

/// What a search finds, oldest first.
fn hits(tx: &mut dyn Tx, wanted: &OrderFilter, q: &str, prefix: &str) -> Result<Hits> {
    let mut hits = Hits::new();
    if let Some(number) = number_of(q, prefix) {
        by_number(tx, wanted, &number, &mut hits)?;
    }
    if let Some(sequence) = sequence_of(q) {
        by_sequence(tx, wanted, prefix, sequence, &mut hits)?;
    }
    // One statement, prepared once, for each of a few hundred customers at most.
    for customer in customer_search::matching(tx, q, CUSTOMERS)? {
        by_customer(tx, wanted, &customer, &mut hits)?;
    }
    Ok(hits)
}

/// `coalesce`, because the planner would walk through all orders in that status otherwise.
fn by_customer(
    tx: &mut dyn Tx,
    wanted: &OrderFilter,
    customer: &AccountId,
    hits: &mut Hits,
) -> Result<()> {
    let mut filter = Filter::default();
    filter.compare("account_id =", Some(customer));
    filter.compare("coalesce(status, '') =", wanted.status.map(OrderStatus::as_str));
    filter.compare("created_at >=", wanted.from.map(Since::get));
    filter.compare("created_at <", wanted.to.map(Until::get));
    let conditions = filter.sql().to_owned();
    let limit = filter.bind(HITS);
    let sql = format!(
        "SELECT created_at, id FROM orders{conditions} ORDER BY created_at DESC LIMIT {limit}"
    );
    collect(tx, &sql, &filter, hits)
}

/// How the numbers begin that a search may mean; none where it can be no number.
fn number_of(q: &str, prefix: &str) -> Option<String> {
    let q = q.to_uppercase();
    let is_rest = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    if q.starts_with(|c: char| c.is_ascii_digit()) && is_rest(&q) {
        return Some(format!("{prefix}-{q}"));
    }
    if q == prefix {
        return Some(format!("{q}-"));
    }
    let (letters, rest) = q.split_once('-')?;
    let is_prefix = !letters.is_empty() && letters.bytes().all(|b| b.is_ascii_alphanumeric());
    (is_prefix && is_rest(rest)).then_some(q)
}

/// The last part of a number that a search may mean.
fn sequence_of(q: &str) -> Option<i64> {
    let digits = q.bytes().all(|b| b.is_ascii_digit());
    q.parse().ok().filter(|sequence| digits && *sequence > 0)
}

/// The orders whose number ends in this sequence. Each day that came so far has one, whose number
/// follows from the day: one step of the numbers' index for each of the latest days.
fn by_sequence(
    tx: &mut dyn Tx,
    wanted: &OrderFilter,
    prefix: &str,
    sequence: i64,
    hits: &mut Hits,
) -> Result<()> {
    let sequence_text = format!("-{sequence:04}");
    let prefix = format!("{prefix}-");
    let mut filter = Filter::default();
    let (last, days) = (filter.bind(sequence), filter.bind(HITS));
    let (before, after) = (filter.bind(prefix.as_str()), filter.bind(sequence_text.as_str()));
    filter.and(&format!("o.number = {before} || d.day || {after}"));
    filter.compare("status =", wanted.status.map(OrderStatus::as_str));
    filter.compare("created_at >=", wanted.from.map(Since::get));
    filter.compare("created_at <", wanted.to.map(Until::get));
    let sql = format!(
        "SELECT o.created_at, o.id FROM (
           SELECT day FROM order_day WHERE last >= {last} ORDER BY day DESC LIMIT {days}
         ) d CROSS JOIN orders o{}",
        filter.sql()
    );
    collect(tx, &sql, &filter, hits)
}

fn by_number(tx: &mut dyn Tx, wanted: &OrderFilter, number: &str, hits: &mut Hits) -> Result<()> {
    // What follows is digits and dashes, and both come before a colon.
    let end = format!("{number}:");
    let mut filter = Filter::default();
    filter.compare("number >=", Some(number));
    filter.compare("number <", Some(end.as_str()));
    let within = filter.sql().to_owned();
    let limit = filter.bind(HITS);
    let conditions: [(&str, Option<Param<'_>>); 3] = [
        ("status =", wanted.status.map(|status| status.as_str().into())),
        ("created_at >=", wanted.from.map(|from| from.get().into())),
        ("created_at <", wanted.to.map(|to| to.get().into())),
    ];
    let mut narrowed = String::new();
    for (left, right) in conditions {
        if let Some(right) = right {
            let and = if narrowed.is_empty() { "WHERE" } else { "AND" };
            narrowed = format!("{narrowed} {and} {left} {}", filter.bind(right));
        }
    }
    let sql = format!(
        "SELECT created_at, id FROM (
           SELECT created_at, id, status FROM orders{within} ORDER BY number DESC LIMIT {limit}
         ) latest {narrowed}"
    );
    collect(tx, &sql, &filter, hits)
}

fn collect(tx: &mut dyn Tx, sql: &str, filter: &Filter<'_>, hits: &mut Hits) -> Result<()> {
    tx.query(sql, filter.params(), &mut |row| {
        hits.insert((row.get(0)?, row.get(1)?));
        Ok(())
    })
}

/// The orders of these ids, in their order, with who placed them: four queries, however many.
pub(super) fn rows(tx: &mut dyn Tx, ids: &[OrderId]) -> Result<Vec<OrderRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut orders = store::by_ids(tx, ids)?;
    let mut users = users(tx, ids)?;
    let rows = ids
        .iter()
        .filter_map(|id| Some(OrderRow { order: orders.remove(id)?, user: users.remove(id)? }));
    Ok(rows.collect())
}

fn users(tx: &mut dyn Tx, ids: &[OrderId]) -> Result<HashMap<OrderId, OrderCustomer>> {
    let mut filter = Filter::default();
    let sql = format!(
        "SELECT o.id, a.id, a.name, a.email, a.phone, a.cpf, a.guest
         FROM orders o JOIN account a ON a.id = o.account_id WHERE o.id IN ({})",
        filter.bind_all(ids)
    );
    let found = tx.list(&sql, filter.params())?;
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::explain;

    #[tokio::test]
    async fn a_search_in_a_status_looks_at_no_order_of_another_customer() {
        for status in [None, Some(OrderStatus::Delivered)] {
            let wanted = OrderFilter { status, ..OrderFilter::default() };
            let job = move |tx: &mut dyn Tx| {
                by_customer(tx, &wanted, &"x".into(), &mut Hits::new())?;
                by_sequence(tx, &wanted, "PED", 27, &mut Hits::new())
            };
            let plan = explain::plan(job).await;
            assert!(plan.iter().any(|step| step.contains("(account_id=?")), "{plan:#?}");
            assert!(plan.iter().any(|step| step.contains("(number=?")), "{plan:#?}");
            assert!(!plan.iter().any(|step| step.contains("orders_status")), "{plan:#?}");
        }
    }

    #[test]
    fn numbers_are_known_by_their_shape() {
        let number = |q| number_of(q, "PED");
        assert_eq!(number("20261121").as_deref(), Some("PED-20261121"));
        assert_eq!(number("20261121-0001").as_deref(), Some("PED-20261121-0001"));
        assert_eq!(number("ped-2026").as_deref(), Some("PED-2026"));
        assert_eq!(number("ped").as_deref(), Some("PED-"));
        assert_eq!(number("OLD-20261121-00").as_deref(), Some("OLD-20261121-00"));
        for none in ["ana", "ana-maria", "ana@example.com", "-1", "2026 x", ""] {
            assert_eq!(number(none), None, "{none}");
        }
    }

    #[test]
    fn the_last_part_is_known_by_its_value() {
        assert_eq!((sequence_of("0027"), sequence_of("27")), (Some(27), Some(27)));
        for none in ["0", "+27", "-27", "2 7", "ana", "", "99999999999999999999"] {
            assert_eq!(sequence_of(none), None, "{none}");
        }
    }
}
