//! Stock as another program reports it, through the inbound webhook.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::Stocks;
use super::item::Counted;
use crate::actor::Actor;
use crate::audit;
use crate::catalog::Item;
use crate::context::Work;
use crate::error::Result;
use crate::id::{ProductId, VariantId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::stock::{StockChange, StockSource, announce};
use crate::storage::Tx;
use crate::value::{StockChangeBy, StockLevel};

/// How many items one call may set.
const MAX_ITEMS: usize = 20_000;

/// What another program reports about stock (`POST /api/webhooks/stock`).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum StockUpdate {
    /// The stock of many items, by their SKUs. Unknown SKUs are named in the answer.
    Sync(StockSync),
    /// The stock of one item.
    Set(StockSet),
    /// By how much the stock of one item changed; it never falls below 0.
    Delta(StockDelta),
}

/// The stock of many items.
#[apply(input!)]
#[derive(Serialize)]
pub struct StockSync {
    /// At most 20000. Of two with one SKU the later one counts.
    #[serde(deserialize_with = "bounded")]
    #[cfg_attr(feature = "schema", schemars(length(max = 20_000)))]
    pub items: Vec<SyncItem>,
}

/// The stock of one of many items.
#[apply(input!)]
#[derive(Serialize)]
pub struct SyncItem {
    /// Of a product or of a variant.
    pub sku: String,
    /// Units that are left.
    pub stock: StockLevel,
}

/// The stock of one item.
#[apply(input!)]
#[derive(Serialize)]
pub struct StockSet {
    /// The product, also where a variant is named.
    pub product_id: ProductId,
    /// One of its variants, instead of the product itself.
    #[serde(default)]
    pub variant_id: Option<VariantId>,
    /// Units that are left.
    pub stock: StockLevel,
}

/// By how much the stock of one item changed.
#[apply(input!)]
#[derive(Serialize)]
pub struct StockDelta {
    /// The product, also where a variant is named.
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
#[non_exhaustive]
pub struct StockOutcome {
    /// Whether at least a part was done.
    pub ok: bool,
    /// How many items have the stock now that was asked for.
    pub updated: usize,
    /// The SKUs that no product and no variant has; their items were left out.
    #[serde(default)]
    pub unknown_skus: Vec<String>,
    /// Whether this repeats the first answer to the same idempotency key, without a second effect.
    #[serde(skip)]
    pub replayed: bool,
}

impl Stocks<'_> {
    /// Takes over what another program reports about stock, all of it in one transaction. With a
    /// key, a repeat gives the first answer again.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] for the one item of [`StockUpdate::Set`] and
    /// [`StockUpdate::Delta`]; [`crate::error::Refusal::IdempotencyKeyReused`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn apply(
        &self,
        by: &Actor,
        update: StockUpdate,
        key: Option<IdempotencyKey>,
    ) -> Result<StockOutcome> {
        let request = IdempotentRequest::by(key, by, "stock.update", &update)?;
        let (by, at) = (by.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            if let Some(first) = request.stored_answer::<StockOutcome>(tx, at.now())? {
                return Ok(StockOutcome { replayed: true, ..first });
            }
            let (outcome, changes) = take_over(tx, &at, &by, &update)?;
            announce(tx, &at, &changes)?;
            if outcome.updated > 0 {
                request.store_answer(tx, at.now(), &outcome)?;
            }
            Ok(outcome)
        };
        self.cx.write_events(lane::ORDERS, "stock.update", job).await
    }
}

/// Also gives each item that has the wanted stock now, changed or not: `stock.updated` lists all of
/// them.
fn take_over(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    update: &StockUpdate,
) -> Result<(StockOutcome, Vec<StockChange>)> {
    let (item, quantity) = match update {
        StockUpdate::Sync(sync) => return take_over_all(tx, at, by, sync),
        StockUpdate::Set(StockSet { product_id, variant_id, stock }) => {
            (Counted::get(tx, product_id, variant_id.as_ref())?, *stock)
        }
        StockUpdate::Delta(StockDelta { product_id, variant_id, delta }) => {
            let item = Counted::get(tx, product_id, variant_id.as_ref())?;
            let quantity = StockLevel::clamped(item.quantity().saturating_add(delta.get()));
            (item, quantity)
        }
    };
    let change = item.set_as(tx, at, by, quantity, StockSource::Webhook, None)?;
    let outcome = StockOutcome { ok: true, updated: 1, unknown_skus: Vec::new(), replayed: false };
    Ok((outcome, vec![change.unwrap_or_else(|| item.unchanged())]))
}

/// Items are changed in the order of their ids, as orders do, so that no two transactions wait for
/// each other.
fn take_over_all(
    tx: &mut dyn Tx,
    at: &Work,
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
    let (mut items, mut unknown_skus) = (Vec::with_capacity(wanted.len()), Vec::new());
    for (sku, quantity) in wanted {
        match Item::find_by_sku(tx, sku)? {
            Some(item) => items.push((Counted::of(tx, item)?, quantity)),
            None => unknown_skus.push(sku.to_owned()),
        }
    }
    items.sort_unstable_by(|(one, _), (other, _)| one.id().cmp(other.id()));
    let (updated, mut changed) = (items.len(), 0);
    let mut changes = Vec::with_capacity(updated);
    for (item, quantity) in &items {
        let change = item.correct(tx, at, *quantity, StockSource::Webhook)?;
        changed += usize::from(change.is_some());
        changes.push(change.unwrap_or_else(|| item.unchanged()));
    }
    if changed > 0 {
        let done = Audited { updated, changed };
        audit::record(tx, at, by, "stock.sync", "sync", &(), &done)?;
    }
    let ok = updated > 0 || unknown_skus.is_empty();
    Ok((StockOutcome { ok, updated, unknown_skus, replayed: false }, changes))
}
