//! The SQL of shipments: all writes of `shipment` and `shipment_step`.
//!
//! A shipment is read, moved and saved in one transaction, so [`save`] writes whatever may change.

use serde::{Deserialize, Serialize};

use super::{Shipment, ShipmentItem, ShipmentProblem, ShipmentStatus, ShipmentStep};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::{OrderId, ProductId, ShipmentId, VariantId};
use crate::money::Money;
use crate::page::PageRequest;
use crate::storage::{Filter, Row, Tx, params, read_columns};
use crate::value::{Length, Weight};

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

/// What is in a parcel and how large it is, as the table keeps it: in millimetres, grams and cents.
#[derive(Serialize, Deserialize)]
struct Content {
    sides: [i64; 3],
    grams: i64,
    items: Vec<ContentItem>,
}

#[derive(Serialize, Deserialize)]
struct ContentItem {
    product: ProductId,
    variant: Option<VariantId>,
    name: String,
    quantity: i64,
    cents: i64,
    grams: i64,
}

/// The columns of a shipment, for [`read`].
macro_rules! select_shipment {
    ($tail:literal) => {
        concat!(
            "SELECT id, order_id, order_number, parcel, status, provider, label_id, reference,
                    service, service_name, price, quoted_price, declared_value, content,
                    tracking_code, tracking_url, delivery_days, expected_at, problem, problem_text,
                    paid_at, generated_at, posted_at, delivered_at, cancelled_at, created_at,
                    updated_at, allowed_price, price_accepted, attempts, check_at, paying_at
             FROM shipment ",
            $tail
        )
    };
}

fn read(row: &dyn Row) -> Result<Stored> {
    let content: Content =
        serde_json::from_str(&row.get::<String>(13)?).map_err(Error::from_source)?;
    let [length, width, height] = content.sides.map(Length::from_millimetres);
    let problem = match row.get(18)? {
        Some(kind) => Some(ShipmentProblem { kind, text: row.get(19)? }),
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
        weight: Weight::from_grams(content.grams),
        items: content.items.into_iter().map(ShipmentItem::from).collect(),
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
    let content = serde_json::to_string(&Content::of(it)).map_err(Error::from_source)?;
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
    tx.run(
        "UPDATE shipment SET status = $1, label_id = $2, service_name = $3, price = $4,
           price_accepted = $5, allowed_price = $6, tracking_code = $7, tracking_url = $8,
           delivery_days = $9, expected_at = $10, problem = $11, problem_text = $12, attempts = $13,
           check_at = $14, paying_at = $15, paid_at = $16, generated_at = $17, posted_at = $18,
           delivered_at = $19, cancelled_at = $20, updated_at = $21
         WHERE id = $22",
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
            it.problem.as_ref().map(|problem| problem.kind),
            it.problem.as_ref().and_then(|problem| problem.text.as_deref()),
            of.attempts,
            of.check_at,
            of.paying_at,
            it.paid_at,
            it.generated_at,
            it.posted_at,
            it.delivered_at,
            it.cancelled_at,
            it.updated_at,
            &it.id
        ],
    )
}

/// A shipment by its id.
pub(crate) fn by_id(tx: &mut dyn Tx, id: &ShipmentId) -> Result<Option<Stored>> {
    let found = tx.all(select_shipment!("WHERE id = $1"), params![id], read)?;
    Ok(complete(tx, found)?.pop())
}

/// The shipments of an order by their parcels, those that were given up before those that live.
pub(crate) fn of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Stored>> {
    let sql = select_shipment!("WHERE order_id = $1 ORDER BY parcel, created_at, id");
    let found = tx.all(sql, params![order], read)?;
    complete(tx, found)
}

/// A page of all shipments, or of those in one of these statuses, the latest first; and how many there
/// are.
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

fn complete(tx: &mut dyn Tx, mut found: Vec<Stored>) -> Result<Vec<Stored>> {
    for of in &mut found {
        of.shipment.steps = steps(tx, &of.shipment.id)?;
    }
    Ok(found)
}

/// Shipments in these statuses that are to be gone on with, or asked about, by now.
pub(crate) fn due(
    tx: &mut dyn Tx,
    statuses: &[ShipmentStatus],
    now: Timestamp,
    limit: i64,
) -> Result<Vec<ShipmentId>> {
    let mut filter = Filter::default();
    filter.compare("check_at <=", Some(now));
    let places = filter.bind_all(statuses.iter().copied());
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

/// Makes a shipment due now: its provider has news of the label. False where the shop has none such, or
/// nothing more is asked about it. A label in the cart is left alone: it may wait for staff, and news of
/// it is no reason to pay it.
#[cfg(any(feature = "http", feature = "nfe"))]
pub(crate) fn check_now(
    tx: &mut dyn Tx,
    provider: &str,
    label: &str,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "UPDATE shipment SET check_at = $1
         WHERE label_id = $2 AND provider = $3
           AND status NOT IN ('IN_CART', 'DELIVERED', 'CANCELLED', 'EXPIRED', 'FAILED')",
        params![now, label, provider],
    )
}

/// Forgets what says where a parcel of an order went, and asks no carrier about it any more; answers the
/// references of its labels.
pub(crate) fn anonymise(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<String>> {
    tx.run(
        "DELETE FROM shipment_step
         WHERE shipment_id IN (SELECT id FROM shipment WHERE order_id = $1)",
        params![order],
    )?;
    tx.run(
        "UPDATE shipment SET tracking_code = NULL, tracking_url = NULL, problem_text = NULL,
           check_at = CASE WHEN status IN ('GENERATED', 'POSTED', 'RETURNING') THEN NULL
                           ELSE check_at END
         WHERE order_id = $1",
        params![order],
    )?;
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

fn steps(tx: &mut dyn Tx, id: &ShipmentId) -> Result<Vec<ShipmentStep>> {
    tx.list(
        "SELECT at, kind, description, place FROM shipment_step
         WHERE shipment_id = $1 ORDER BY at, id",
        params![id],
    )
}

read_columns!(ShipmentStep: at, kind, description, place);

impl Content {
    fn of(it: &Shipment) -> Self {
        Self {
            sides: [it.length, it.width, it.height].map(Length::millimetres),
            grams: it.weight.grams(),
            items: it.items.iter().cloned().map(ContentItem::from).collect(),
        }
    }
}

impl From<ShipmentItem> for ContentItem {
    fn from(item: ShipmentItem) -> Self {
        let ShipmentItem { product_id, variant_id, name, quantity, price, weight } = item;
        let (cents, grams) = (price.cents(), weight.grams());
        Self { product: product_id, variant: variant_id, name, quantity, cents, grams }
    }
}

impl From<ContentItem> for ShipmentItem {
    fn from(kept: ContentItem) -> Self {
        let ContentItem { product, variant, name, quantity, cents, grams } = kept;
        let (price, weight) = (Money::from_cents(cents), Weight::from_grams(grams));
        Self { product_id: product, variant_id: variant, name, quantity, price, weight }
    }
}
