//! The tariffs that staff keep, for when no carrier answers.

use super::{STATIC, Shipping, ShippingOption};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, FieldErrors, Result};
use crate::id::TariffId;
use crate::lane;
use crate::money::Money;
use crate::revision::Revision;
use crate::storage::{Prefetch, Row, Tx, params};
use crate::value::{InvalidValue, Text, Uf};

/// More tariffs than these are not kept: each order without a carrier looks at all of them.
const MAX_TARIFFS: i64 = 100;

/// A price for a set of states, kept by staff, for when no carrier answers.
#[apply(answer!)]
pub struct Tariff {
    /// UUID version 7, set by the shop.
    pub id: TariffId,
    /// As shoppers see it, e.g. "Econômica".
    pub name: String,
    /// The states it serves.
    pub states: Vec<Uf>,
    /// What it costs.
    pub price: Money,
    /// Business days until delivery.
    pub estimated_days: i64,
}

/// A tariff to be created.
#[apply(input!)]
pub struct NewTariff {
    /// As shoppers see it.
    pub name: Text<1, 80>,
    /// The states it serves, at least one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub states: Vec<Uf>,
    /// What it costs.
    pub price: Money,
    /// Business days until delivery.
    pub estimated_days: u16,
}

/// What changes of a tariff; fields that are absent stay.
#[apply(patch!)]
pub struct TariffPatch {
    /// As shoppers see it.
    pub name: Option<Text<1, 80>>,
    /// The states it serves, at least one.
    pub states: Option<Vec<Uf>>,
    /// What it costs.
    pub price: Option<Money>,
    /// Business days until delivery.
    pub estimated_days: Option<u16>,
}

impl Shipping<'_> {
    /// All tariffs, oldest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list_tariffs(&self) -> Result<Vec<Tariff>> {
        self.cx.db().read("shipping.tariff_list", list).await
    }

    /// A tariff by its id.
    ///
    /// # Errors
    /// [`Entity::Tariff`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_tariff(&self, id: &TariffId) -> Result<Tariff> {
        let id = id.clone();
        self.cx.db().lookup("shipping.tariff", move |tx| find(tx, &id)).await
    }

    /// Adds a tariff.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a negative price or no state at all, and for more than 100 tariffs.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create_tariff(&self, by: &Actor, new: NewTariff) -> Result<Tariff> {
        let (by, at) = (by.clone(), self.cx.work());
        let tariff = Tariff {
            id: at.id(),
            name: new.name.to_string(),
            states: each_once(new.states),
            price: new.price,
            estimated_days: new.estimated_days.into(),
        };
        tariff.check()?;
        let job = move |tx: &mut dyn Tx| {
            let tariffs: i64 = tx.value("SELECT count(*) FROM shipping_tariff", &[])?;
            if tariffs >= MAX_TARIFFS {
                let mut full = FieldErrors::default();
                full.add_form(InvalidValue::TooManyTariffs { most: MAX_TARIFFS.unsigned_abs() });
                return Err(Error::Invalid(full));
            }
            insert(tx, &tariff, at.now())?;
            audit::record(tx, &at, &by, "tariff.create", tariff.id.as_str(), &(), &tariff)?;
            Ok(tariff.clone())
        };
        self.cx.db().write(lane::CATALOG, "shipping.create_tariff", job).await
    }

    /// Changes what the patch names.
    ///
    /// # Errors
    /// As [`Shipping::create_tariff`]; [`Entity::Tariff`]; [`crate::error::Conflict::Changed`]
    /// where it is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update_tariff(
        &self,
        by: &Actor,
        id: &TariffId,
        patch: TariffPatch,
        expected: Option<Revision>,
    ) -> Result<Tariff> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let before = find(tx, &id)?;
            before.revision()?.check(expected.as_ref())?;
            change(tx, &at, &by, before, &patch)
        };
        self.cx.db().write(lane::CATALOG, "shipping.update_tariff", job).await
    }

    /// Deletes a tariff, in the state that the caller saw, where one is given. Orders
    /// keep what they were placed with.
    ///
    /// # Errors
    /// [`Entity::Tariff`]; [`crate::error::Conflict::Changed`] where it is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete_tariff(
        &self,
        by: &Actor,
        id: &TariffId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let tariff = find(tx, &id)?;
            tariff.revision()?.check(expected.as_ref())?;
            tx.execute("DELETE FROM shipping_tariff WHERE id = $1", params![&id])?;
            audit::record(tx, &at, &by, "tariff.delete", id.as_str(), &tariff, &())
        };
        self.cx.db().write(lane::CATALOG, "shipping.delete_tariff", job).await
    }
}

revised! {
    /// The state that staff see and change.
    Tariff |it| it;
}

impl Tariff {
    fn check(&self) -> Result<()> {
        let mut fields = FieldErrors::default();
        if self.states.is_empty() {
            fields.add("states", InvalidValue::MinItems { least: 1 });
        }
        if self.price < Money::ZERO {
            fields.add("price", InvalidValue::AtLeast { least: 0 });
        }
        fields.into_result()
    }

    fn patched(&self, patch: &TariffPatch) -> Self {
        let TariffPatch { name, states, price, estimated_days } = patch;
        Self {
            id: self.id.clone(),
            name: name.as_ref().map_or_else(|| self.name.clone(), ToString::to_string),
            states: states.clone().map_or_else(|| self.states.clone(), each_once),
            price: price.unwrap_or(self.price),
            estimated_days: estimated_days.map_or(self.estimated_days, i64::from),
        }
    }
}

fn each_once(mut states: Vec<Uf>) -> Vec<Uf> {
    states.sort_unstable();
    states.dedup();
    states
}

fn find(tx: &mut dyn Tx, id: &TariffId) -> Result<Tariff> {
    by_id(tx, id)?.ok_or(Error::NotFound(Entity::Tariff))
}

fn change(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    before: Tariff,
    patch: &TariffPatch,
) -> Result<Tariff> {
    let after = before.patched(patch);
    if after == before {
        return Ok(before);
    }
    after.check()?;
    update(tx, &after)?;
    audit::record(tx, at, by, "tariff.update", after.id.as_str(), &before, &after)?;
    Ok(after)
}

fn list(tx: &mut dyn Tx) -> Result<Vec<Tariff>> {
    tx.all(
        "SELECT id, name, states, price, estimated_days FROM shipping_tariff ORDER BY id",
        &[],
        read,
    )
}

fn by_id(tx: &mut dyn Tx, id: &TariffId) -> Result<Option<Tariff>> {
    tx.one(
        "SELECT id, name, states, price, estimated_days FROM shipping_tariff WHERE id = $1",
        params![id],
        read,
    )
}

fn read(row: &dyn Row) -> Result<Tariff> {
    let states = row.text(2)?.unwrap_or_default().split(',').filter(|state| !state.is_empty());
    Ok(Tariff {
        id: row.get(0)?,
        name: row.get(1)?,
        states: states
            .map(|state| state.parse().map_err(Error::from_source))
            .collect::<Result<_>>()?,
        price: row.get(3)?,
        estimated_days: row.get(4)?,
    })
}

/// Whether there is a tariff for any state.
pub(super) fn any(tx: &mut dyn Tx) -> Result<bool> {
    tx.value("SELECT EXISTS (SELECT 1 FROM shipping_tariff)", &[])
}

const BY_PRICE: &str =
    "SELECT id, name, price, estimated_days, states FROM shipping_tariff ORDER BY price, id";

/// What [`static_options`] asks: one query for all states.
pub(crate) fn prefetch_static_options() -> Prefetch {
    Prefetch::new(BY_PRICE, &[])
}

/// The options for a state, cheapest first.
pub(crate) fn static_options(tx: &mut dyn Tx, state: &Uf) -> Result<Vec<ShippingOption>> {
    let served = written(std::slice::from_ref(state));
    let mut options = Vec::new();
    tx.query(BY_PRICE, &[], &mut |row| {
        if row.text(4)?.is_some_and(|states| states.contains(&served)) {
            options.push(read_option(row)?);
        }
        Ok(())
    })?;
    Ok(options)
}

fn read_option(row: &dyn Row) -> Result<ShippingOption> {
    let id: TariffId = row.get(0)?;
    Ok(ShippingOption {
        id: format!("{STATIC}{id}").into(),
        name: row.get(1)?,
        price: row.get(2)?,
        estimated_days: row.get(3)?,
    })
}

/// How a set of states is written: `,RJ,SP,`.
fn written(states: &[Uf]) -> String {
    let states: Vec<&str> = states.iter().map(Uf::as_str).collect();
    format!(",{},", states.join(","))
}

fn insert(tx: &mut dyn Tx, tariff: &Tariff, now: Timestamp) -> Result<()> {
    tx.run(
        "INSERT INTO shipping_tariff (id, name, states, price, estimated_days, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![
            &tariff.id,
            &tariff.name,
            &written(&tariff.states),
            tariff.price,
            tariff.estimated_days,
            now
        ],
    )
}

fn update(tx: &mut dyn Tx, tariff: &Tariff) -> Result<()> {
    tx.run(
        "UPDATE shipping_tariff SET name = $1, states = $2, price = $3, estimated_days = $4
         WHERE id = $5",
        params![&tariff.name, &written(&tariff.states); tariff: price, estimated_days, id],
    )
}
