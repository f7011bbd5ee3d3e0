//! The dashboard: what the back office's first page shows.
//!
//! Everything comes from the counters of the days (`order/daily_stats.rs`), so it costs the same
//! however many orders there are. Orders count on the local day (`America/Sao_Paulo`) on which they
//! were placed: all but cancelled and refunded ones as orders, those that are being prepared, sent
//! or delivered as revenue.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{Days, NaiveDate};

use super::dashboard_days::{OverviewDay, each_day};
use crate::catalog::query_cache::{DependsOn, Now, QueryCache};
use crate::catalog::{AdminProductFilter, CatalogCaches, Products};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::Result;
use crate::id::{OrderId, ProductId};
use crate::money::Money;
use crate::order::OrderStatus;
use crate::order::daily_stats::{self, Day, Sold};
use crate::storage::{Tx, params, read_columns};
use crate::value::{Email, wire_enum};

/// Products that sell best, as many as are shown.
const TOP_PRODUCTS: usize = 5;
/// Latest orders, as many as are shown.
const RECENT_ORDERS: i64 = 10;

/// What sold best in a span of days.
pub(crate) type TopProductsCache = QueryCache<(NaiveDate, NaiveDate), Arc<[TopProduct]>>;

wire_enum! {
    /// How many local days to look at, today included.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum Period {
        /// The last 7 days.
        Week = "7d",
        /// The last 30 days.
        #[default]
        Month = "30d",
        /// The last 90 days.
        Quarter = "90d",
    }
}

impl Period {
    fn days(self) -> u64 {
        match self {
            Self::Week => 7,
            Self::Month => 30,
            Self::Quarter => 90,
        }
    }
}

/// What to look at (`GET /api/admin/dashboard`).
#[apply(filter!)]
#[derive(Copy)]
pub struct OverviewFilter {
    /// How many days, today included.
    pub period: Period,
}

/// A number, and how it compares with the period before.
#[apply(inexact_answer!)]
#[derive(Copy, PartialEq)]
pub struct Measure<T> {
    /// In this period.
    pub total: T,
    /// In percent of the period before, which was as long: 12.5 is an eighth more. 100 where there
    /// was nothing before and there is something now.
    pub change: f64,
}

/// How a period went.
#[apply(inexact_answer!)]
#[derive(PartialEq)]
pub struct Overview {
    /// Which period.
    pub period: Period,
    /// Orders placed, without those that are cancelled or refunded.
    pub orders: Measure<i64>,
    /// What the orders come to that are being prepared, sent or delivered, shipping and discounts
    /// included.
    pub revenue: Measure<Money>,
    /// Revenue by the orders that it comes from.
    pub avg_order_value: Money,
    /// Customers who registered.
    pub new_customers: i64,
    /// Every day of the period, the earliest first, also those without an order.
    pub days: Vec<OverviewDay>,
    /// The products that sold most units in the orders that count as revenue.
    pub top_products: Vec<TopProduct>,
}

/// A product that sells well.
#[apply(answer!)]
pub struct TopProduct {
    /// Which one; it may have been deleted since.
    pub product_id: ProductId,
    /// What it is called, or was.
    pub name: String,
    /// Units, variants included.
    pub sales: i64,
    /// What they came to, before discounts of orders.
    pub revenue: Money,
}

/// The shop in numbers (`GET /api/admin/dashboard/stats`).
#[apply(answer!)]
#[cfg_attr(feature = "schema", schemars(rename = "Stats"))]
pub struct ShopTotals {
    /// Products, on sale or not.
    pub total_products: i64,
    /// Categories, shown or not.
    pub total_categories: i64,
    /// Orders, whatever became of them.
    pub total_orders: i64,
    /// What the orders come to that are being prepared, sent or delivered.
    pub total_revenue: Money,
    /// Orders that wait to be paid.
    pub pending_orders: i64,
    /// The latest orders.
    pub recent_orders: Vec<RecentOrder>,
}

/// One of the latest orders.
#[apply(answer!)]
pub struct RecentOrder {
    /// The order's id.
    pub id: OrderId,
    /// The number that people use.
    pub order_number: String,
    /// What it comes to.
    pub total: Money,
    /// The order's state.
    pub status: OrderStatus,
    /// Who ordered.
    pub user: RecentBuyer,
    /// When it was placed.
    pub created_at: Timestamp,
}

/// Who placed one of the latest orders.
#[apply(answer!)]
pub struct RecentBuyer {
    /// The person's name.
    pub name: String,
    /// The e-mail.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub email: Email,
}

/// How the shop is doing.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// shop.order().await?;
/// let totals = shop.dashboard().get_totals().await?;
/// assert_eq!((totals.total_orders, totals.pending_orders), (1, 1));
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dashboard<'a> {
    pub(super) cx: &'a Context,
    catalog: &'a CatalogCaches,
    top_products: &'a TopProductsCache,
}

impl<'a> Dashboard<'a> {
    pub(crate) fn new(
        cx: &'a Context,
        catalog: &'a CatalogCaches,
        top_products: &'a TopProductsCache,
    ) -> Self {
        Self { cx, catalog, top_products }
    }

    /// How the last days went, beside as many before them.
    ///
    /// Cancel safe: reads only.
    pub async fn get_overview(&self, filter: OverviewFilter) -> Result<Overview> {
        let today = self.cx.now().local_day();
        let from = today - Days::new(filter.period.days() - 1);
        let top_products = self.top_products(from, today).await?;
        let job = move |tx: &mut dyn Tx| overview(tx, filter.period, from, today);
        let overview = self.cx.db().read("dashboard.overview", job).await?;
        Ok(Overview { top_products: top_products.to_vec(), ..overview })
    }

    /// Remembered until an order is placed or moved, and a while longer where it takes long to
    /// find: each product that sold on each of the days is looked at.
    async fn top_products(&self, from: NaiveDate, to: NaiveDate) -> Result<Arc<[TopProduct]>> {
        let now = Now { generations: self.cx.generations(), clock: self.cx.clock() };
        let find = self.cx.db().read("dashboard.top_products", move |tx| {
            let days = daily_stats::days(tx, Some(from), Some(to))?;
            top_products(tx, from, to, &days).map(Arc::from)
        });
        self.top_products.get_or_find(&(from, to), DependsOn::CatalogAndSales, now, find).await
    }

    /// The shop in numbers.
    ///
    /// Cancel safe: reads only.
    pub async fn get_totals(&self) -> Result<ShopTotals> {
        // The total of the list of products is remembered.
        let products = Products::new(self.cx, self.catalog)
            .list_for_admin(AdminProductFilter::default())
            .await?;
        let total_products = products.pagination.total;
        self.cx.db().read("dashboard.totals", move |tx| totals(tx, total_products)).await
    }
}

/// All of it but the products.
fn overview(
    tx: &mut dyn Tx,
    period: Period,
    from: NaiveDate,
    today: NaiveDate,
) -> Result<Overview> {
    let before = from - Days::new(period.days());
    let (now, then): (Vec<Day>, Vec<Day>) = daily_stats::days(tx, Some(before), Some(today))?
        .into_iter()
        .partition(|day| day.date >= from);
    let (orders, revenue) = sums(&now);
    let (orders_before, revenue_before) = sums(&then);
    let sales = now.iter().map(Day::sales).sum();
    Ok(Overview {
        period,
        orders: Measure { total: orders, change: change(orders, orders_before) },
        revenue: Measure {
            total: revenue,
            change: change(revenue.cents(), revenue_before.cents()),
        },
        avg_order_value: average(revenue, sales),
        new_customers: new_customers(tx, Timestamp::start_of(from))?,
        days: each_day(from, today, &now),
        top_products: Vec::new(),
    })
}

fn sums(days: &[Day]) -> (i64, Money) {
    (days.iter().map(Day::orders).sum(), days.iter().map(|day| day.revenue).sum())
}

/// In percent, to two decimals.
fn change(now: i64, before: i64) -> f64 {
    match (now, before) {
        (0, 0) => 0.0,
        (_, 0) => 100.0,
        #[expect(clippy::cast_precision_loss, reason = "a percentage, to two decimals")]
        _ => (((now - before) as f64 / before as f64) * 10_000.0).round() / 100.0,
    }
}

/// Rounded to cents, halves up.
fn average(revenue: Money, orders: i64) -> Money {
    if orders == 0 {
        return Money::ZERO;
    }
    Money::from_cents((revenue.cents() * 2 + orders).div_euclid(orders * 2))
}

/// From the sums of the days that have some, and line by line of the others, as today is.
fn top_products(
    tx: &mut dyn Tx,
    from: NaiveDate,
    to: NaiveDate,
    days: &[Day],
) -> Result<Vec<TopProduct>> {
    let mut sold: HashMap<ProductId, (i64, Money)> = HashMap::new();
    let mut add = |line: Sold| {
        let (units, revenue) = sold.entry(line.product).or_default();
        *units += line.units;
        *revenue += line.revenue;
    };
    daily_stats::sold_by_day(tx, from, to, &mut add)?;
    for day in days.iter().filter(|day| !day.summed) {
        daily_stats::sold_on(tx, day, &mut add)?;
    }
    let mut best: Vec<_> = sold.into_iter().filter(|(_, (units, _))| *units > 0).collect();
    let by_sales = |(a, (a_units, a_revenue)): &(ProductId, (i64, Money)),
                    (b, (b_units, b_revenue)): &(ProductId, (i64, Money))| {
        (b_units, b_revenue, a).cmp(&(a_units, a_revenue, b))
    };
    if best.len() > TOP_PRODUCTS {
        best.select_nth_unstable_by(TOP_PRODUCTS, by_sales);
        best.truncate(TOP_PRODUCTS);
    }
    best.sort_unstable_by(by_sales);
    let named = best.into_iter().map(|(product_id, (sales, revenue))| {
        let name = product_name(tx, &product_id, days)?.unwrap_or_default();
        Ok(TopProduct { product_id, name, sales, revenue })
    });
    named.collect()
}

/// The name of a product, or the one it had when it was last sold on one of these days.
fn product_name(tx: &mut dyn Tx, product: &ProductId, days: &[Day]) -> Result<Option<String>> {
    let name = tx.find("SELECT name FROM product WHERE id = $1", params![product])?;
    if name.is_some() { Ok(name) } else { daily_stats::sold_name(tx, product, days) }
}

fn totals(tx: &mut dyn Tx, total_products: i64) -> Result<ShopTotals> {
    let days = daily_stats::days(tx, None, None)?;
    Ok(ShopTotals {
        total_products,
        total_categories: tx.value("SELECT count(*) FROM category", &[])?,
        total_orders: days.iter().map(|day| day.count(None)).sum(),
        total_revenue: days.iter().map(|day| day.revenue).sum(),
        pending_orders: days.iter().map(|day| day.count(Some(OrderStatus::Pending))).sum(),
        recent_orders: recent_orders(tx)?,
    })
}

fn new_customers(tx: &mut dyn Tx, from: Timestamp) -> Result<i64> {
    tx.value(
        "SELECT count(*) FROM account WHERE role = 'CUSTOMER' AND guest = 0 AND created_at >= $1",
        params![from],
    )
}

fn recent_orders(tx: &mut dyn Tx) -> Result<Vec<RecentOrder>> {
    tx.list(
        "SELECT o.id, o.number, o.total, o.status, o.created_at, a.name, a.email
         FROM orders o JOIN account a ON a.id = o.account_id
         ORDER BY o.created_at DESC, o.id DESC LIMIT $1",
        params![RECENT_ORDERS],
    )
}

read_columns!(RecentOrder: id, order_number, total, status, created_at, user);
read_columns!(RecentBuyer: name, email);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_a_percentage_of_what_was_before() {
        for (now, before, percent) in
            [(9, 8, 12.5), (0, 4, -100.0), (4, 0, 100.0), (0, 0, 0.0), (1, 3, -66.67)]
        {
            assert!((change(now, before) - percent).abs() < 1e-9, "{now} after {before}");
        }
    }

    #[test]
    fn an_average_is_rounded_to_cents() {
        let average = |cents, orders| average(Money::from_cents(cents), orders).cents();
        assert_eq!(
            (average(100, 3), average(101, 2), average(200, 3), average(5, 0)),
            (33, 51, 67, 0)
        );
    }
}
