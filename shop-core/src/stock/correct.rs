//! Corrections: stock as staff count it and as other programs know it.
//!
//! Units that orders hold have left the shelf, so a stock that is set is what is left to be sold.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{MovementReason, StockChange, announce, record};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::id::{Moment, ProductId, VariantId};
use crate::idempotency::{IdempotencyKey, Repeatable};
use crate::shop::Shop;
use crate::storage::{Row, Tx};
use crate::value::{StockChangeBy, StockLevel};

/// How many items one call may set.
const MAX_ITEMS: usize = 20_000;

/// Where a correction came from, as the ledger keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StockSource {
    /// A person of the shop.
    Admin,
    /// A program, through the integration API.
    Api,
    /// A program, through the inbound stock webhook.
    Webhook,
    /// The shop itself, or whoever has the machine.
    System,
}

impl StockSource {
    /// The source as it is written on the wire and in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "ADMIN",
            Self::Api => "API",
            Self::Webhook => "WEBHOOK",
            Self::System => "SYSTEM",
        }
    }
}

impl From<&Actor> for StockSource {
    fn from(by: &Actor) -> Self {
        match by {
            Actor::Admin(_) => Self::Admin,
            Actor::Key(_) => Self::Api,
            Actor::System => Self::System,
        }
    }
}

/// What another program tells about stock (`POST /api/webhooks/stock`).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum StockUpdate {
    /// The stock of many items, by their SKUs. Those that nobody has are named in the answer.
    Sync(StockSync),
    /// The stock of one item.
    Set(StockSet),
    /// By how much the stock of one item changed; it never falls below 0.
    Delta(StockDelta),
}

/// The stock of many items.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StockSync {
    /// At most 20000. Of two with one SKU the later one counts.
    #[serde(deserialize_with = "bounded")]
    #[cfg_attr(feature = "schema", schemars(length(max = 20_000)))]
    pub items: Vec<SyncItem>,
}

/// The stock of one of many items.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncItem {
    /// Of a product or of a variant.
    pub sku: String,
    /// Units that are left.
    pub stock: StockLevel,
}

/// The stock of one item.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StockSet {
    /// The product.
    pub product_id: ProductId,
    /// One of its variants, instead of the product itself.
    #[serde(default)]
    pub variant_id: Option<VariantId>,
    /// Units that are left.
    pub stock: StockLevel,
}

/// By how much the stock of one item changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StockDelta {
    /// The product.
    pub product_id: ProductId,
    /// One of its variants, instead of the product itself.
    #[serde(default)]
    pub variant_id: Option<VariantId>,
    /// Units that came, or with a minus sign went.
    pub delta: StockChangeBy,
}

fn bounded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SyncItem>, D::Error> {
    let items = Vec::<SyncItem>::deserialize(deserializer)?;
    if items.len() > MAX_ITEMS {
        return Err(serde::de::Error::custom("too many items"));
    }
    Ok(items)
}

/// What became of a [`StockUpdate`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StockOutcome {
    /// Whether at least a part was done.
    pub ok: bool,
    /// Items that have the stock now that was asked for.
    pub updated: usize,
    /// What was not done, for people.
    pub errors: Vec<String>,
    /// Whether this is the first answer again, without a second effect (decision 10).
    #[serde(skip)]
    pub replayed: bool,
}

/// An item with the stock that it has now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StockCount {
    /// The variant's id, or the product's.
    pub id: String,
    /// Its article number.
    pub sku: Option<String>,
    /// Units that are left.
    pub stock: i64,
    /// When it was set.
    pub updated_at: Timestamp,
}

/// Units on the shelf: [`Shop::stock`].
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
///
/// let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
/// shop.stock().set(&Actor::System, &candle.id, None, 7.try_into()?).await?;
/// assert_eq!(shop.products().get("vela-de-lavanda").await?.stock, 7);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Stocks<'a> {
    pub(super) shop: &'a Shop,
}

impl<'a> Stocks<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop }
    }

    /// Sets the stock of a product, or of one of its variants.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn set(
        &self,
        by: &Actor,
        product: &ProductId,
        variant: Option<&VariantId>,
        quantity: StockLevel,
    ) -> Result<StockCount> {
        let (by, product, variant) = (by.clone(), product.clone(), variant.cloned());
        let (at, low) = (self.shop.moment(), self.shop.config().stock.low_threshold);
        let job = move |tx: &mut dyn Tx| {
            let item = StockItem::find(tx, &product, variant.as_ref())?;
            let change = recount(tx, &at, &by, &item, quantity, StockSource::from(&by), None)?;
            announce(tx, &at, change.as_slice(), low)?;
            let StockItem { id, sku, .. } = item;
            Ok(StockCount { id, sku, stock: quantity.get(), updated_at: at.now() })
        };
        self.shop.db().write("stock.set", job).await
    }

    /// Takes over what another program knows about stock, all of it in one transaction. With a key,
    /// a repeat gives the first answer again.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the one item of [`StockUpdate::Set`] and [`StockUpdate::Delta`];
    /// [`crate::error::Refusal::IdempotencyKeyReused`].
    pub async fn update(
        &self,
        by: &Actor,
        update: StockUpdate,
        key: Option<IdempotencyKey>,
    ) -> Result<StockOutcome> {
        let who = by.id().unwrap_or_default();
        let repeatable =
            key.map(|key| Repeatable::new(key, who, "stock.update", &update)).transpose()?;
        let (by, at, low) =
            (by.clone(), self.shop.moment(), self.shop.config().stock.low_threshold);
        let job = move |tx: &mut dyn Tx| {
            let first = match &repeatable {
                Some(repeatable) => repeatable.recall::<StockOutcome>(tx, at.now())?,
                None => None,
            };
            if let Some(first) = first {
                return Ok(StockOutcome { replayed: true, ..first });
            }
            let (outcome, changes) = take_over(tx, &at, &by, &update)?;
            announce(tx, &at, &changes, low)?;
            if let Some(repeatable) = repeatable.as_ref().filter(|_| outcome.updated > 0) {
                repeatable.remember(tx, at.now(), &outcome)?;
            }
            Ok(outcome)
        };
        self.shop.db().write("stock.update", job).await
    }
}

/// A product or a variant with the units of its own.
#[derive(Debug, Clone)]
pub(super) struct StockItem {
    /// The variant's id, or the product's own.
    pub(super) id: String,
    pub(super) product_id: String,
    pub(super) sku: Option<String>,
    pub(super) quantity: i64,
}

impl StockItem {
    /// A product, or one of its variants.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub(super) fn find(
        tx: &mut dyn Tx,
        product: &ProductId,
        variant: Option<&VariantId>,
    ) -> Result<Self> {
        let found = match variant {
            None => tx.one(
                "SELECT p.id, p.id, k.code, s.quantity
                 FROM product p JOIN stock s ON s.item_id = p.id
                 LEFT JOIN sku k ON k.item_id = p.id WHERE p.id = $1",
                &[product.into()],
                Self::read,
            ),
            Some(variant) => tx.one(
                "SELECT v.id, v.product_id, k.code, s.quantity
                 FROM variant v JOIN stock s ON s.item_id = v.id
                 LEFT JOIN sku k ON k.item_id = v.id WHERE v.id = $1 AND v.product_id = $2",
                &[variant.into(), product.into()],
                Self::read,
            ),
        }?;
        let missing = if variant.is_some() { Entity::Variant } else { Entity::Product };
        found.ok_or(Error::NotFound(missing))
    }

    pub(super) fn find_by_sku(tx: &mut dyn Tx, sku: &str) -> Result<Option<Self>> {
        tx.one(
            "SELECT k.item_id, p.id, k.code, s.quantity
             FROM sku k JOIN stock s ON s.item_id = k.item_id JOIN product p ON p.pk = s.product_pk
             WHERE k.code = $1",
            &[sku.into()],
            Self::read,
        )
    }

    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            product_id: row.get(1)?,
            sku: row.get(2)?,
            quantity: row.get(3)?,
        })
    }
}

/// Sets an item's stock in somebody's name: with its movement, if it is another one than before, and
/// a line in the audit log. Whoever calls announces the change.
///
/// # Errors
/// [`Error::Busy`] when the stock changed since the item was read.
pub(super) fn recount(
    tx: &mut dyn Tx,
    at: &Moment,
    by: &Actor,
    item: &StockItem,
    quantity: StockLevel,
    source: StockSource,
    reason: Option<&str>,
) -> Result<Option<StockChange>> {
    #[derive(Serialize)]
    struct Audited<'a> {
        stock: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    }
    let change = correct(tx, at, item, quantity.get(), source)?;
    if let Some(change) = &change {
        let before = Audited { stock: item.quantity, reason: None };
        let after = Audited { stock: change.stock, reason };
        audit::record(tx, at, by, "stock.set", &item.id, &before, &after)?;
    }
    Ok(change)
}

fn take_over(
    tx: &mut dyn Tx,
    at: &Moment,
    by: &Actor,
    update: &StockUpdate,
) -> Result<(StockOutcome, Vec<StockChange>)> {
    let (item, quantity) = match update {
        StockUpdate::Sync(sync) => return take_over_all(tx, at, by, sync),
        StockUpdate::Set(StockSet { product_id, variant_id, stock }) => {
            (StockItem::find(tx, product_id, variant_id.as_ref())?, *stock)
        }
        StockUpdate::Delta(StockDelta { product_id, variant_id, delta }) => {
            let item = StockItem::find(tx, product_id, variant_id.as_ref())?;
            let quantity = StockLevel::clamped(item.quantity.saturating_add(delta.get()));
            (item, quantity)
        }
    };
    let change = recount(tx, at, by, &item, quantity, StockSource::Webhook, None)?;
    let outcome = StockOutcome { ok: true, updated: 1, errors: Vec::new(), replayed: false };
    Ok((outcome, change.into_iter().collect()))
}

/// Items are locked in the order of their ids, as in every transaction.
fn take_over_all(
    tx: &mut dyn Tx,
    at: &Moment,
    by: &Actor,
    sync: &StockSync,
) -> Result<(StockOutcome, Vec<StockChange>)> {
    #[derive(Serialize)]
    struct Audited {
        updated: usize,
        changed: usize,
    }
    let wanted: BTreeMap<&str, i64> =
        sync.items.iter().map(|item| (item.sku.trim(), item.stock.get())).collect();
    let (mut items, mut errors) = (Vec::with_capacity(wanted.len()), Vec::new());
    for (sku, quantity) in wanted {
        match StockItem::find_by_sku(tx, sku)? {
            Some(item) => items.push((item, quantity)),
            None => errors.push(format!("SKU não encontrado: {sku}")),
        }
    }
    items.sort_unstable_by(|(one, _), (other, _)| one.id.cmp(&other.id));
    let mut changes = Vec::with_capacity(items.len());
    for (item, quantity) in &items {
        changes.extend(correct(tx, at, item, *quantity, StockSource::Webhook)?);
    }
    let updated = items.len();
    if !changes.is_empty() {
        let done = Audited { updated, changed: changes.len() };
        audit::record(tx, at, by, "stock.sync", "sync", &(), &done)?;
    }
    let ok = updated > 0 || errors.is_empty();
    Ok((StockOutcome { ok, updated, errors, replayed: false }, changes))
}

/// Sets an item's stock, with its movement; `None` where it has that stock already.
pub(super) fn correct(
    tx: &mut dyn Tx,
    at: &Moment,
    item: &StockItem,
    quantity: i64,
    source: StockSource,
) -> Result<Option<StockChange>> {
    let delta = quantity - item.quantity;
    if delta == 0 {
        return Ok(None);
    }
    let set = tx.execute(
        "UPDATE stock SET quantity = $1 WHERE item_id = $2 AND quantity = $3",
        &[quantity.into(), (&item.id).into(), item.quantity.into()],
    )?;
    if set == 0 {
        return Err(Error::Busy { retry_after: std::time::Duration::from_secs(1) });
    }
    record(tx, at, &item.id, delta, MovementReason::Adjustment, source.as_str(), None)?;
    let variant_id = (item.id != item.product_id).then(|| item.id.clone());
    let product_id = item.product_id.clone();
    Ok(Some(StockChange { product_id, variant_id, stock: quantity, delta }))
}
