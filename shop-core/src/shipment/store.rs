//! The SQL of shipments: all writes of `shipment` and `shipment_step`.
//!
//! A shipment is read, moved and saved in one transaction, so [`save`] writes whatever may change.

use std::collections::{HashMap, HashSet};

use super::{Shipment, ShipmentProblem, ShipmentStatus, ShipmentStep, content};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{OrderId, ShipmentId};
use crate::money::Money;
use crate::page::PageRequest;
use crate::storage::{Filter, Param, Row, Tx, params};
use crate::value::Words;

/// How many values one statement is asked for at once.
const MOST_VALUES: usize = 500;

/// A shipment with what only the shop itself needs to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) shipment: Shipment,
    /// What may be paid for it; none where no bound is set.
    pub(crate) allowed_price: Option<Money>,
    /// Whether the price was compared with what may be paid.
    pub(crate) price_accepted: bool,
    /// Calls since the last one that brought it forward.
    pub(crate) attempts: i64,
    /// When to go on with it, or to ask about it.
    pub(crate) check_at: Option<Timestamp>,
    /// When it was last about to be paid.
    pub(crate) paying_at: Option<Timestamp>,
}

/// The columns of a shipment, for [`read`].
macro_rules! select_shipment {
    ($tail:literal) => {
        concat!(
            "SELECT id, order_id, order_number, parcel, status, provider, label_id, reference,
                    service, service_name, price, quoted_price, declared_value, content,
                    tracking_code, tracking_url, delivery_days, expected_at, problem, problem_text,
                    paid_at, generated_at, posted_at, delivered_at, cancelled_at, created_at,
                    updated_at, allowed_price, price_accepted, attempts, check_at, paying_at,
                    problem_price, problem_limit
             FROM shipment ",
            $tail
        )
    };
}

fn read(row: &dyn Row) -> Result<Stored> {
    let (sides, weight, items) = content::read(&row.get::<String>(13)?)?;
    let [length, width, height] = sides;
    let problem = match row.get(18)? {
        Some(kind) => {
            let (text, price, limit) = (row.get(19)?, row.get(32)?, row.get(33)?);
            Some(ShipmentProblem { kind, text, price, limit })
        }
        None => None,
    };
    let shipment = Shipment {
        id: row.get(0)?,
        order_id: row.get(1)?,
        order_number: row.get(2)?,
        parcel: row.get(3)?,
        status: row.get(4)?,
        provider: row.get(5)?,
        label_id: row.get(6)?,
        reference: row.get(7)?,
        service: row.get(8)?,
        service_name: row.get(9)?,
        price: row.get(10)?,
        quoted_price: row.get(11)?,
        declared_value: row.get(12)?,
        length,
        width,
        height,
        weight,
        items,
        tracking_code: row.get(14)?,
        tracking_url: row.get(15)?,
        delivery_days: row.get(16)?,
        expected_at: row.get(17)?,
        problem,
        paid_at: row.get(20)?,
        generated_at: row.get(21)?,
        posted_at: row.get(22)?,
        delivered_at: row.get(23)?,
        cancelled_at: row.get(24)?,
        created_at: row.get(25)?,
        updated_at: row.get(26)?,
        steps: Vec::new(),
    };
    Ok(Stored {
        shipment,
        allowed_price: row.get(27)?,
        price_accepted: row.get(28)?,
        attempts: row.get(29)?,
        check_at: row.get(30)?,
        paying_at: row.get(31)?,
    })
}

/// Writes a new shipment.
pub(crate) fn insert(tx: &mut dyn Tx, new: &Stored) -> Result<()> {
    let it = &new.shipment;
    let content = content::write(it)?;
    tx.run(
        "INSERT INTO shipment (id, order_id, order_number, parcel, status, provider, reference,
           service, quoted_price, allowed_price, declared_value, content, check_at, created_at,
           updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)",
        params![
            &it.id,
            &it.order_id,
            &it.order_number,
            it.parcel,
            it.status,
            &it.provider,
            &it.reference,
            &it.service,
            it.quoted_price,
            new.allowed_price,
            it.declared_value,
            &content,
            new.check_at,
            it.created_at
        ],
    )
}

/// Writes all that may change of a shipment.
pub(crate) fn save(tx: &mut dyn Tx, of: &Stored) -> Result<()> {
    let it = &of.shipment;
    let problem = it.problem.as_ref();
    tx.run(
        "UPDATE shipment SET status = $1, label_id = $2, service_name = $3, price = $4,
           price_accepted = $5, allowed_price = $6, tracking_code = $7, tracking_url = $8,
           delivery_days = $9, expected_at = $10, problem = $11, problem_text = $12, attempts = $13,
           check_at = $14, paying_at = $15, paid_at = $16, generated_at = $17, posted_at = $18,
           delivered_at = $19, cancelled_at = $20, updated_at = $21, problem_price = $22,
           problem_limit = $23
         WHERE id = $24",
        params![
            it.status,
            &it.label_id,
            &it.service_name,
            it.price,
            i64::from(of.price_accepted),
            of.allowed_price,
            &it.tracking_code,
            &it.tracking_url,
            it.delivery_days,
            it.expected_at,
            problem.map(|problem| problem.kind),
            problem.and_then(|problem| problem.text.as_deref()),
            of.attempts,
            of.check_at,
            of.paying_at,
            it.paid_at,
            it.generated_at,
            it.posted_at,
            it.delivered_at,
            it.cancelled_at,
            it.updated_at,
            problem.and_then(|problem| problem.price),
            problem.and_then(|problem| problem.limit),
            &it.id
        ],
    )
}

/// A shipment by its id.
pub(crate) fn by_id(tx: &mut dyn Tx, id: &ShipmentId) -> Result<Option<Stored>> {
    let found = tx.all(select_shipment!("WHERE id = $1"), params![id], read)?;
    Ok(complete(tx, found)?.pop())
}

/// Those of these shipments that there are, in the order in which they are named.
pub(crate) fn by_ids(tx: &mut dyn Tx, ids: &[ShipmentId]) -> Result<Vec<Stored>> {
    let found = among(tx, "id", ids.iter())?;
    let mut by_id: HashMap<ShipmentId, Stored> =
        found.into_iter().map(|it| (it.shipment.id.clone(), it)).collect();
    Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
}

/// The shipments of an order by their parcels, those that were given up before those that live.
pub(crate) fn of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Stored>> {
    let sql = select_shipment!("WHERE order_id = $1 ORDER BY parcel, created_at, id");
    let found = tx.all(sql, params![order], read)?;
    complete(tx, found)
}

/// Whether a label is bought, or in the cart, that says where an order goes, of a parcel that is
/// here still.
pub(crate) fn says_address(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    let is_here = |it: &Stored| {
        let status = it.shipment.status;
        status.is_live() && !status.was_posted()
    };
    Ok(of_order(tx, order)?.iter().any(is_here))
}

/// The shipments of several orders, each order's as [`of_order`] has them.
pub(crate) fn of_orders(
    tx: &mut dyn Tx,
    orders: &[OrderId],
) -> Result<HashMap<OrderId, Vec<Stored>>> {
    let mut of_orders: HashMap<OrderId, Vec<Stored>> = HashMap::new();
    for found in among(tx, "order_id", orders.iter())? {
        of_orders.entry(found.shipment.order_id.clone()).or_default().push(found);
    }
    Ok(of_orders)
}

/// The shipments of which a column is among these values, by one statement for many of them.
fn among<'p>(
    tx: &mut dyn Tx,
    column: &str,
    values: impl Iterator<Item = impl Into<Param<'p>>>,
) -> Result<Vec<Stored>> {
    let (values, mut all): (Vec<Param<'p>>, _) = (values.map(Into::into).collect(), Vec::new());
    for some in values.chunks(MOST_VALUES) {
        let mut filter = Filter::default();
        let places = filter.bind_all(some.iter().copied());
        filter.and(&format!("{column} IN ({places})"));
        let (select, which) = (select_shipment!(""), filter.sql());
        let sql = format!("{select}{which} ORDER BY parcel, created_at, id");
        let found = tx.all(&sql, filter.params(), read)?;
        all.extend(complete(tx, found)?);
    }
    Ok(all)
}

/// Those of these orders that have no label, but for ones that were given up.
pub(crate) fn without_label(tx: &mut dyn Tx, mut orders: Vec<OrderId>) -> Result<Vec<OrderId>> {
    if orders.is_empty() {
        return Ok(orders);
    }
    let mut filter = Filter::default();
    let places = filter.bind_all(orders.iter());
    filter.and(&format!("order_id IN ({places})"));
    let live = filter.bind_all(ShipmentStatus::which(ShipmentStatus::is_live));
    filter.and(&format!("status IN ({live})"));
    let sql = format!("SELECT DISTINCT order_id FROM shipment{}", filter.sql());
    let with_label: Vec<OrderId> = tx.list(&sql, filter.params())?;
    let with_label: HashSet<OrderId> = with_label.into_iter().collect();
    orders.retain(|order| !with_label.contains(order));
    Ok(orders)
}

/// A page of all shipments, or of those in one of these statuses, the latest first; and how many
/// there are.
pub(crate) fn page(
    tx: &mut dyn Tx,
    statuses: &[ShipmentStatus],
    request: PageRequest,
) -> Result<(Vec<Stored>, i64)> {
    let mut filter = Filter::default();
    if !statuses.is_empty() {
        let places = filter.bind_all(statuses.iter().copied());
        filter.and(&format!("status IN ({places})"));
    }
    let count = format!("SELECT count(*) FROM shipment{}", filter.sql());
    let total = tx.value(&count, filter.params())?;
    let conditions = filter.sql().to_owned();
    let (limit, skip) = (filter.bind(request.limit), filter.bind(request.offset()));
    let select = select_shipment!("");
    let sql = format!(
        "{select}{conditions} ORDER BY created_at DESC, id DESC LIMIT {limit} OFFSET {skip}"
    );
    let found = tx.all(&sql, filter.params(), read)?;
    Ok((complete(tx, found)?, total))
}

/// Adds the steps of all of them, by one statement.
fn complete(tx: &mut dyn Tx, mut found: Vec<Stored>) -> Result<Vec<Stored>> {
    if found.is_empty() {
        return Ok(found);
    }
    let mut filter = Filter::default();
    let places = filter.bind_all(found.iter().map(|of| &of.shipment.id));
    let sql = format!(
        "SELECT shipment_id, at, kind, description, place FROM shipment_step
         WHERE shipment_id IN ({places}) ORDER BY at, id"
    );
    let mut steps: HashMap<ShipmentId, Vec<ShipmentStep>> = HashMap::new();
    for (of, step) in tx.all(&sql, filter.params(), read_step)? {
        steps.entry(of).or_default().push(step);
    }
    for of in &mut found {
        of.shipment.steps = steps.remove(&of.shipment.id).unwrap_or_default();
    }
    Ok(found)
}

fn read_step(row: &dyn Row) -> Result<(ShipmentId, ShipmentStep)> {
    let (at, kind, description, place) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
    Ok((row.get(0)?, ShipmentStep { at, kind, description, place }))
}

/// Shipments whose status is such that they are to be gone on with, or asked about, by now.
pub(crate) fn due(
    tx: &mut dyn Tx,
    is_such: fn(ShipmentStatus) -> bool,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<ShipmentId>> {
    let mut filter = Filter::default();
    filter.compare("check_at <=", Some(now));
    let places = filter.bind_all(ShipmentStatus::which(is_such));
    filter.and(&format!("status IN ({places})"));
    let conditions = filter.sql().to_owned();
    let limit = filter.bind(limit);
    let sql = format!("SELECT id FROM shipment{conditions} ORDER BY check_at LIMIT {limit}");
    tx.list(&sql, filter.params())
}

/// Claims a shipment that is due: of several servers one goes on with it, and the others may after
/// `until`. None where another one did.
pub(crate) fn claim(
    tx: &mut dyn Tx,
    id: &ShipmentId,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<Stored>> {
    let claimed = tx.changes(
        "UPDATE shipment SET check_at = $1 WHERE id = $2 AND check_at <= $3",
        params![until, id, now],
    )?;
    if claimed { by_id(tx, id) } else { Ok(None) }
}

/// Makes the unpaid labels of an order due that wait for staff: the order is closed, so they are to
/// be given up.
pub(crate) fn wake_unpaid(tx: &mut dyn Tx, order: &OrderId, now: Timestamp) -> Result<()> {
    let unpaid = ShipmentStatus::listed(ShipmentStatus::is_unpaid);
    let sql = format!(
        "UPDATE shipment SET check_at = $1
         WHERE order_id = $2 AND check_at IS NULL AND status IN ({unpaid})"
    );
    tx.run(&sql, params![now, order])
}

/// Makes a shipment due now: its provider has news of the label. False where the shop has none
/// such, or nothing more is asked about it ([`ShipmentStatus::hears_news`]), as about one that is
/// under way and has no time to be asked at: it is too old, or its customer was erased.
#[cfg(any(feature = "http", feature = "nfe"))]
pub(crate) fn check_now(
    tx: &mut dyn Tx,
    provider: &str,
    label: &str,
    now: Timestamp,
) -> Result<bool> {
    let mut filter = Filter::default();
    let now = filter.bind(now);
    filter.compare("label_id =", Some(label));
    filter.compare("provider =", Some(provider));
    let places = filter.bind_all(ShipmentStatus::which(ShipmentStatus::hears_news));
    filter.and(&format!("status IN ({places})"));
    let under_way = ShipmentStatus::listed(ShipmentStatus::is_under_way);
    filter.and(&format!("(check_at IS NOT NULL OR status NOT IN ({under_way}))"));
    let sql = format!("UPDATE shipment SET check_at = {now}{}", filter.sql());
    tx.changes(&sql, filter.params())
}

/// Forgets what says where a parcel of an order went, and asks no carrier about it any more;
/// answers the references of its labels.
pub(crate) fn anonymise(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<String>> {
    tx.run(
        "DELETE FROM shipment_step
         WHERE shipment_id IN (SELECT id FROM shipment WHERE order_id = $1)",
        params![order],
    )?;
    let under_way = ShipmentStatus::listed(ShipmentStatus::is_under_way);
    let sql = format!(
        "UPDATE shipment SET tracking_code = NULL, tracking_url = NULL, problem_text = NULL,
           check_at = CASE WHEN status IN ({under_way}) THEN NULL ELSE check_at END
         WHERE order_id = $1"
    );
    tx.run(&sql, params![order])?;
    tx.list("SELECT reference FROM shipment WHERE order_id = $1", params![order])
}

/// Writes down what happened to a parcel; false where that is known already.
pub(crate) fn add_step(tx: &mut dyn Tx, id: &ShipmentId, step: &ShipmentStep) -> Result<bool> {
    tx.changes(
        "INSERT INTO shipment_step (shipment_id, at, kind, description, place)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (shipment_id, kind, at) DO NOTHING",
        params![id, step.at, &step.kind, &step.description, &step.place],
    )
}
