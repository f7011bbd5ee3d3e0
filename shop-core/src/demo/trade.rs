//! Made-up customers and weeks of their orders, in any number: the same numbers always give the
//! same shop.
//!
//! Rows are written in bulk, but they are those that the shop itself would have written: each unit
//! sold or given back has its movement, each order its history and payment, each day its counters.
//! Only what would leave the shop (mails, events, notifications) is left out.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::ledger::{self, Made, MadeLine};
use super::synthetic::Dice;
use super::{DemoProgress, DemoStep, fixed, people};
use crate::account::{self, Account, Address, Role, no_password};
use crate::actor::Actor;
use crate::clock::Timestamp;
use crate::context::{IdSource, Work};
use crate::coupon::{CouponType, NewCoupon};
use crate::error::Result;
use crate::fiscal::BuyingCompany;
use crate::id::{AccountId, AddressId, CouponId};
use crate::lane;
use crate::money::Money;
use crate::order::OrderStatus;
use crate::shop::Shop;
use crate::storage::Tx;

/// Customers or orders of one transaction.
const BATCH: u32 = 250;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// What of a hundred orders of a week falls on each of its days, the latest first: no two days of a
/// real shop are alike.
const WEEK: [u32; 7] = [14, 9, 17, 11, 21, 20, 8];
/// Orders younger than this are still under way.
const UNDER_WAY: Duration = Duration::from_secs(48 * 60 * 60);

const FIRST: &[&str] = &[
    "Ana",
    "Beatriz",
    "Caio",
    "Débora",
    "Eduardo",
    "Fernanda",
    "Gustavo",
    "Helena",
    "Igor",
    "Juliana",
    "Larissa",
    "Marcelo",
    "Natália",
    "Otávio",
    "Patrícia",
    "Rafael",
    "Sônia",
    "Tiago",
    "Vanessa",
    "Yasmin",
];
const LAST: &[&str] = &[
    "Almeida",
    "Barros",
    "Conceição",
    "Dias",
    "Esteves",
    "Freitas",
    "Gonçalves",
    "Lopes",
    "Martins",
    "Nogueira",
    "Oliveira",
    "Prado",
    "Queiroz",
    "Rocha",
    "Sampaio",
    "Teixeira",
];

/// What orders are made of.
pub(super) struct Stage {
    pub(super) customers: Vec<(AccountId, AddressId)>,
    pub(super) products: Vec<ledger::Ware>,
    pub(super) prefix: String,
    coupon: CouponId,
    end: Timestamp,
    weeks: u32,
    count: u32,
    ids: IdSource,
}

/// How much is made up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub(super) customers: u32,
    pub(super) orders: u32,
    /// How many weeks ago the first order was placed.
    pub(super) weeks: u32,
}

/// Makes the customers, then their orders, then what the orders add up to.
pub(super) async fn fill(shop: &Shop, scale: Scale, progress: DemoProgress<'_>) -> Result<()> {
    let Scale { orders, weeks, .. } = scale;
    let end = shop.now();
    let start = end.minus(7 * DAY * weeks);
    let customers = make_customers(shop, scale, start, progress).await?;
    if customers.is_empty() || orders == 0 {
        return Ok(());
    }
    let products = shop.context().db().read("demo.wares", ledger::wares).await?;
    let prefix = shop.config().order_prefix.clone();
    let coupon = coupon(shop).await?;
    let ids = IdSource::default();
    let stage = Stage { customers, products, prefix, coupon, end, weeks, count: orders, ids };
    let stage = Arc::new(stage);
    let mut totals = ledger::Totals::default();
    for from in (0..orders).step_by(BATCH as usize) {
        let (stage, before) = (Arc::clone(&stage), totals.begin());
        let batch = from..orders.min(from + BATCH);
        let done = batch.end;
        let job = move |tx: &mut dyn Tx| {
            let mut grown = before.clone();
            make_orders(tx, &stage, batch.clone(), &mut grown).map(|()| grown)
        };
        totals.take_in(shop.context().db().write(lane::ORDERS, "demo.orders", job).await?);
        progress(DemoStep::Orders, done, orders);
    }
    ledger::settle(shop, totals, start, &stage.coupon, progress).await
}

async fn coupon(shop: &Shop) -> Result<CouponId> {
    let new = NewCoupon {
        code: fixed("DEMO10")?,
        kind: CouponType::Percent,
        value: Money::from_cents(1000),
        min_order_value: None,
        max_uses: None,
        expires_at: None,
        active: true,
    };
    shop.coupons().create(&Actor::System, new).await.map(|coupon| coupon.id)
}

async fn make_customers(
    shop: &Shop,
    scale: Scale,
    start: Timestamp,
    progress: DemoProgress<'_>,
) -> Result<Vec<(AccountId, AddressId)>> {
    let Scale { customers: count, weeks, .. } = scale;
    let ids = IdSource::default();
    let hash = no_password()?;
    let mut made = Vec::new();
    for from in (0..count).step_by(BATCH as usize) {
        let batch = from..count.min(from + BATCH);
        let done = batch.end;
        let (ids, hash) = (ids.clone(), hash.clone());
        let job = move |tx: &mut dyn Tx| {
            let one = |number| {
                let at = Work::at(start.plus(share(7 * DAY * weeks, number, count)), &ids, 0);
                customer(tx, &at, number, &hash)
            };
            batch.clone().map(one).collect::<Result<Vec<_>>>()
        };
        made.extend(shop.context().db().write(lane::CUSTOMERS, "demo.customers", job).await?);
        progress(DemoStep::Customers, done, count);
    }
    Ok(made)
}

/// The part of a span that so many parts of so many make up.
fn share(span: Duration, part: u32, of: u32) -> Duration {
    let millis = span.as_millis() * u128::from(part) / u128::from(of.max(1));
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

/// How long ago the order was placed after which so many of all came: days have as many as their
/// place in [`WEEK`] says.
fn ago(weeks: u32, later: u32, count: u32) -> Duration {
    // In hundredths of a week's orders, in thousandths of a week.
    let whole = 100_000 * u64::from(weeks) * u64::from(later) / u64::from(count.max(1));
    let week = u32::try_from(whole / 100_000).unwrap_or_default();
    let mut left = u32::try_from(whole % 100_000).unwrap_or_default();
    let mut passed = 7 * DAY * week;
    for share_of_day in WEEK.map(|share| 1000 * share) {
        if left < share_of_day {
            return passed + share(DAY, left, share_of_day);
        }
        left -= share_of_day;
        passed += DAY;
    }
    passed
}

fn customer(tx: &mut dyn Tx, at: &Work, number: u32, hash: &str) -> Result<(AccountId, AddressId)> {
    let mut dice = Dice::new(number);
    let name = format!("{} {}", dice.pick(FIRST), dice.pick(LAST));
    let (id, address): (AccountId, AddressId) = (at.id(), at.id());
    let account = Account {
        id: id.clone(),
        name,
        email: fixed(&format!("demo-{number}@velas.example"))?,
        phone: None,
        cpf: Some(fixed(people::CPF)?),
        company: BuyingCompany::default(),
        role: Role::Customer,
        is_active: true,
        created_at: at.now(),
        guest: false,
    };
    account::insert_demo_customer(tx, &account, hash)?;
    let home = Address {
        id: address.clone(),
        label: "Casa".to_owned(),
        street: "Rua das Flores".to_owned(),
        number: number.to_string(),
        complement: None,
        district: "Centro".to_owned(),
        city: "São Paulo".to_owned(),
        state: fixed("SP")?,
        zip_code: fixed("01001000")?,
        is_default: true,
    };
    account::insert_address(tx, at, &id, &home)?;
    Ok((id, address))
}

fn make_orders(
    tx: &mut dyn Tx,
    stage: &Stage,
    batch: Range<u32>,
    totals: &mut ledger::Totals,
) -> Result<()> {
    for number in batch {
        // Another sequence than that of the products of the same numbers.
        let mut dice = Dice::new(number ^ 0x5bd1_e995);
        let placed_at = stage.end.minus(ago(stage.weeks, stage.count - number, stage.count));
        let at = Work::at(placed_at, &stage.ids, 0);
        let made = order(stage, &mut dice, placed_at);
        ledger::write(tx, &at, stage, &made, totals)?;
    }
    Ok(())
}

/// One to three lines; few products sell most, as in real shops.
fn order(stage: &Stage, dice: &mut Dice, placed_at: Timestamp) -> Made {
    let mut lines: BTreeMap<usize, i64> = BTreeMap::new();
    for _ in 0..=dice.below(3) {
        *lines.entry(popular(dice, stage.products.len())).or_default() += 1 + dice.below_i64(2);
    }
    let line = |(ware, quantity): (usize, i64)| {
        let total = stage.products[ware].price * quantity;
        MadeLine { ware, quantity, total }
    };
    let lines: Vec<MadeLine> = lines.into_iter().map(line).collect();
    let subtotal: Money = lines.iter().map(|line| line.total).sum();
    let coupon = (dice.below(20) == 0).then(|| stage.coupon.clone());
    let discount = coupon.as_ref().map_or(0, |_| (subtotal.cents() + 5) / 10);
    let shipping = if subtotal.cents() >= 15_000 { 0 } else { 1890 };
    Made {
        customer: dice.below(stage.customers.len()),
        lines,
        subtotal,
        discount: Money::from_cents(discount),
        shipping: Money::from_cents(shipping),
        coupon,
        status: status(dice, placed_at.plus(UNDER_WAY) < stage.end),
    }
}

/// The cube of a throw: the first hundredth of the products gets a fifth of the lines.
fn popular(dice: &mut Dice, count: usize) -> usize {
    const STEPS: usize = 1 << 20;
    let throw = u128::try_from(dice.below(STEPS)).unwrap_or_default();
    let steps = u128::try_from(STEPS).unwrap_or(1);
    let count = u128::try_from(count).unwrap_or_default();
    usize::try_from(count * throw * throw * throw / (steps * steps * steps)).unwrap_or_default()
}

fn status(dice: &mut Dice, settled: bool) -> OrderStatus {
    match (settled, dice.below(100)) {
        (true, 0..88) => OrderStatus::Delivered,
        (true, 88..96) | (false, 90..) => OrderStatus::Cancelled,
        (true, 96..99) => OrderStatus::Refunded,
        (false, 0..30) => OrderStatus::Pending,
        (false, 30..70) => OrderStatus::Processing,
        _ => OrderStatus::Shipped,
    }
}
