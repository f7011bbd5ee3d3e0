//! How made-up orders stand in the books.

use std::collections::{BTreeMap, HashMap};

use super::trade::Stage;
use super::{DemoProgress, DemoStep};
use crate::area;
use crate::catalog::{self, Sellable};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::coupon;
use crate::error::Result;
use crate::id::{CouponId, OrderId, PaymentId, ProductId, RefundId};
use crate::lane;
use crate::money::Money;
use crate::order::{OrderStatus, daily_stats};
use crate::payment::{PaymentMethod, sandbox_store};
use crate::shop::Shop;
use crate::stock::{self, Movement, MovementReason};
use crate::storage::{Tx, params};
use crate::value::Weight;

/// Items of one transaction.
const BATCH: usize = 500;

/// A product that is ordered.
pub(super) struct Ware {
    id: ProductId,
    name: String,
    pub(super) price: Money,
    image: Option<String>,
    grams: i64,
}

/// A made-up order.
pub(super) struct Made {
    /// Its place among the customers.
    pub(super) customer: usize,
    pub(super) lines: Vec<MadeLine>,
    pub(super) subtotal: Money,
    pub(super) discount: Money,
    pub(super) shipping: Money,
    pub(super) coupon: Option<CouponId>,
    pub(super) status: OrderStatus,
}

impl Made {
    fn total(&self) -> Money {
        self.subtotal - self.discount + self.shipping
    }

    fn is_paid(&self) -> bool {
        !matches!(self.status, OrderStatus::Pending | OrderStatus::Cancelled)
    }
}

/// A line of a made-up order.
pub(super) struct MadeLine {
    /// Its place among the wares.
    pub(super) ware: usize,
    pub(super) quantity: i64,
    pub(super) total: Money,
}

/// What orders add up to.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    /// By local day: its last number, its orders by status, its revenue.
    days: BTreeMap<String, (i64, [i64; 6], i64)>,
    /// By product: units that are not back, lines.
    sold: HashMap<ProductId, (i64, i64)>,
    coupon_uses: i64,
}

impl Totals {
    /// Totals for one more batch, which goes on numbering where these end.
    pub(super) fn begin(&self) -> Self {
        Self { days: self.days.clone(), ..Self::default() }
    }

    /// Takes in what a batch came to.
    pub(super) fn take_in(&mut self, batch: Self) {
        self.days = batch.days;
        self.coupon_uses += batch.coupon_uses;
        for (product, (units, lines)) in batch.sold {
            let (all_units, all_lines) = self.sold.entry(product).or_default();
            *all_units += units;
            *all_lines += lines;
        }
    }

    /// The number of the day's next order, which is counted.
    fn next(&mut self, day: &str, status: OrderStatus, total: Money) -> i64 {
        let (last, counts, revenue) = self.days.entry(day.to_owned()).or_default();
        *last += 1;
        let all = OrderStatus::ALL.iter().zip(counts);
        all.filter(|(one, _)| **one == status).for_each(|(_, count)| *count += 1);
        if status.is_revenue() {
            *revenue += total.cents();
        }
        *last
    }
}

/// Everything that is sold, in the order in which it was entered.
pub(super) fn wares(tx: &mut dyn Tx) -> Result<Vec<Ware>> {
    let ware = |(id, Sellable { name, price, image, packed, .. })| {
        let grams = packed.weight.unwrap_or(Weight::DEFAULT).grams();
        Ware { id, name, price, image, grams }
    };
    Ok(catalog::all_sellable(tx)?.into_iter().map(ware).collect())
}

const ADDRESS: &str = r#"{"street":"Rua das Flores","number":"123","complement":null,"district":"Centro","city":"São Paulo","state":"SP","zipCode":"01001000"}"#;

pub(super) fn write(
    tx: &mut dyn Tx,
    at: &Work,
    stage: &Stage,
    made: &Made,
    totals: &mut Totals,
) -> Result<()> {
    let id: OrderId = at.id();
    let day = at.now().local_day().format("%Y%m%d").to_string();
    let sequence = totals.next(&day, made.status, made.total());
    let number = format!("{}-{day}-{sequence:04}", stage.prefix);
    let (account, address) = &stage.customers[made.customer];
    let cancelled_by = (made.status == OrderStatus::Cancelled).then_some("SWEEPER");
    tx.execute(
        "INSERT INTO orders (id, number, account_id, address_id, address, subtotal, shipping,
           discount, total, coupon_id, status, cancelled_by, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)",
        params![
            &id,
            &number,
            account,
            address,
            ADDRESS,
            made.subtotal,
            made.shipping,
            made.discount,
            made.total(),
            made.coupon.as_ref(),
            made.status.as_str(),
            cancelled_by,
            at.now()
        ],
    )?;
    write_lines(tx, at, stage, &id, made, totals)?;
    write_history(tx, at, &id, made.status)?;
    write_payment(tx, at, (&id, &number), made)?;
    // An unpaid order that was cancelled gave its use back.
    if let Some(coupon) = made.coupon.as_ref().filter(|_| made.status != OrderStatus::Cancelled) {
        coupon::insert_use(tx, &id, coupon)?;
        totals.coupon_uses += 1;
    }
    Ok(())
}

fn write_lines(
    tx: &mut dyn Tx,
    at: &Work,
    stage: &Stage,
    order: &OrderId,
    made: &Made,
    totals: &mut Totals,
) -> Result<()> {
    for (position, line) in (1_i64..).zip(&made.lines) {
        let ware = &stage.products[line.ware];
        tx.execute(
            "INSERT INTO order_item (order_id, position, product_id, item_id, quantity, price,
               total, name, image, weight_grams, shelved)
             VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10)",
            params![
                order,
                position,
                &ware.id,
                line.quantity,
                ware.price,
                line.total,
                &ware.name,
                ware.image.as_deref(),
                ware.grams,
                if made.status.holds_stock() { 0 } else { line.quantity }
            ],
        )?;
        let (sold, lines) = totals.sold.entry(ware.id.clone()).or_default();
        *lines += 1;
        move_units(tx, &ware.id, -line.quantity, MovementReason::Purchase, Some(order), at.now())?;
        if made.status.holds_stock() {
            *sold += line.quantity;
        } else {
            move_units(tx, &ware.id, line.quantity, MovementReason::Return, Some(order), at.now())?;
        }
    }
    Ok(())
}

fn move_units(
    tx: &mut dyn Tx,
    item: &ProductId,
    delta: i64,
    reason: MovementReason,
    order: Option<&OrderId>,
    when: Timestamp,
) -> Result<()> {
    let source = if order.is_some() { "ORDER" } else { "ADMIN" };
    let (item_id, reference) = (item.as_str(), order.map(OrderId::as_str));
    tx.touch(area::STOCK);
    tx.touch(area::LISTING);
    stock::record(tx, when, &Movement { item_id, delta, reason, source, reference })
}

fn write_history(tx: &mut dyn Tx, at: &Work, order: &OrderId, now: OrderStatus) -> Result<()> {
    use OrderStatus as S;
    let moves: &[(S, &str)] = match now {
        S::Pending => &[],
        S::Processing => &[(S::Processing, "PAYMENT")],
        S::Shipped => &[(S::Processing, "PAYMENT"), (S::Shipped, "SYSTEM")],
        S::Delivered => {
            &[(S::Processing, "PAYMENT"), (S::Shipped, "SYSTEM"), (S::Delivered, "SYSTEM")]
        }
        S::Cancelled => &[(S::Cancelled, "SWEEPER")],
        S::Refunded => &[(S::Processing, "PAYMENT"), (S::Refunded, "SYSTEM")],
    };
    for (status, actor) in moves {
        tx.execute(
            "INSERT INTO order_history (order_id, status, actor, created_at)
             VALUES ($1, $2, $3, $4)",
            params![order, status.as_str(), *actor, at.now()],
        )?;
    }
    Ok(())
}

/// A payment in the shop's books and in the sandbox's, which gives money back as of any other.
fn write_payment(
    tx: &mut dyn Tx,
    at: &Work,
    (order, number): (&OrderId, &str),
    made: &Made,
) -> Result<()> {
    if !made.is_paid() {
        return Ok(());
    }
    let refunded = made.status == OrderStatus::Refunded;
    let back = if refunded { made.total() } else { Money::ZERO };
    let id: PaymentId = at.id();
    let of_sandbox = sandbox_store::New::pending(&id, PaymentMethod::Pix, made.total(), number);
    let paid = sandbox_store::New { status: "approved", ..of_sandbox };
    let provider_id = sandbox_store::insert(tx, &paid, at.now())?;
    tx.execute(
        "INSERT INTO payment (id, order_id, provider, method, status, amount, captured,
           refund_reserved, refunded, provider_payment_id, created_at, updated_at, paid_at)
         VALUES ($1, $2, 'provider1', 'PIX', $3, $4, $4, $5, $5, $6, $7, $7, $7)",
        params![
            &id,
            order,
            if refunded { "REFUNDED" } else { "PAID" },
            made.total(),
            back,
            &provider_id.to_string(),
            at.now()
        ],
    )?;
    if !refunded {
        return Ok(());
    }
    let refund: RefundId = at.id();
    let given = sandbox_store::refund(tx, provider_id, &refund, back)?;
    tx.execute(
        "INSERT INTO refund (id, payment_id, order_id, amount, status, origin,
           provider_refund_id, check_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, 'DONE', 'SHOP', $5, $6, $6, $6)",
        params![&refund, &id, order, back, &given.unwrap_or_default().to_string(), at.now()],
    )
    .map(drop)
}

/// Writes what the orders add up to: the counters of the days, and for each product the units that
/// were bought in so that it could sell.
pub(super) async fn settle(
    shop: &Shop,
    totals: Totals,
    start: Timestamp,
    coupon: &CouponId,
    progress: DemoProgress<'_>,
) -> Result<()> {
    let Totals { days, sold, coupon_uses } = totals;
    let coupon = coupon.clone();
    let job = move |tx: &mut dyn Tx| {
        for (day, (last, counts, revenue)) in &days {
            count_day(tx, day, *last, *counts, *revenue)?;
        }
        coupon::count_uses(tx, &coupon, coupon_uses)
    };
    shop.context().db().write(lane::ORDERS, "demo.days", job).await?;
    let sold: Vec<(ProductId, (i64, i64))> = sold.into_iter().collect();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut done = 0;
    for batch in sold.chunks(BATCH) {
        let batch = batch.to_vec();
        done += batch.len();
        let job = move |tx: &mut dyn Tx| {
            for (product, (units, lines)) in &batch {
                if *units > 0 {
                    move_units(tx, product, *units, MovementReason::Adjustment, None, start)?;
                }
                tx.touch(area::STOCK);
                tx.touch(area::LISTING);
                stock::add_sold(tx, product.as_str(), *units, *lines)?;
            }
            Ok(())
        };
        shop.context().db().write(lane::CATALOG, "demo.stock", job).await?;
        progress(DemoStep::Stock, count(done), count(sold.len()));
    }
    daily_stats::sum_up_days(shop.context()).await.map(drop)
}

fn count_day(tx: &mut dyn Tx, day: &str, last: i64, counts: [i64; 6], revenue: i64) -> Result<()> {
    let [pending, processing, shipped, delivered, cancelled, refunded] = counts;
    tx.touch(area::SALES);
    tx.execute(
        "INSERT INTO order_day (day, last, pending, processing, shipped, delivered, cancelled,
           refunded, revenue)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        params![day, last, pending, processing, shipped, delivered, cancelled, refunded, revenue],
    )
    .map(drop)
}
