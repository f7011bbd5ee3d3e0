//! The boxes that the shop packs orders in.

use super::Shipping;
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, FieldErrors, Result};
use crate::id::BoxId;
use crate::lane;
use crate::revision::Revision;
use crate::storage::{Prefetch, Tx, params, read_columns};
use crate::value::{InvalidValue, Length, Text, Weight};

/// How many boxes a shop has at most, so that packing stays quick.
const MAX_BOXES: i64 = 100;

/// A box that the shop packs orders in.
#[apply(answer!)]
pub struct ShippingBox {
    /// UUID version 7, set by the shop.
    pub id: BoxId,
    /// What staff call it, e.g. "Caixa P".
    pub name: String,
    /// The first inner side in centimetres.
    pub inner_length: Length,
    /// The second inner side in centimetres.
    pub inner_width: Length,
    /// The third inner side in centimetres.
    pub inner_height: Length,
    /// The first outer side in centimetres.
    pub outer_length: Length,
    /// The second outer side in centimetres.
    pub outer_width: Length,
    /// The third outer side in centimetres.
    pub outer_height: Length,
    /// What the empty box weighs with its padding, in kilograms.
    pub tare_weight: Weight,
    /// What the closed parcel may weigh, with the box, in kilograms.
    pub max_weight: Weight,
}

/// A box to be added.
#[apply(input!)]
pub struct NewShippingBox {
    /// What staff call it, e.g. "Caixa P".
    pub name: Text<1, 80>,
    /// The first inner side in centimetres.
    pub inner_length: Length,
    /// The second inner side in centimetres.
    pub inner_width: Length,
    /// The third inner side in centimetres.
    pub inner_height: Length,
    /// The first outer side in centimetres.
    pub outer_length: Length,
    /// The second outer side in centimetres.
    pub outer_width: Length,
    /// The third outer side in centimetres.
    pub outer_height: Length,
    /// What the empty box weighs with its padding, in kilograms.
    pub tare_weight: Weight,
    /// What the closed parcel may weigh, with the box, in kilograms.
    pub max_weight: Weight,
}

/// What changes of a box; fields that are absent stay.
#[apply(patch!)]
pub struct ShippingBoxPatch {
    /// What staff call it.
    pub name: Option<Text<1, 80>>,
    /// The first inner side in centimetres.
    pub inner_length: Option<Length>,
    /// The second inner side in centimetres.
    pub inner_width: Option<Length>,
    /// The third inner side in centimetres.
    pub inner_height: Option<Length>,
    /// The first outer side in centimetres.
    pub outer_length: Option<Length>,
    /// The second outer side in centimetres.
    pub outer_width: Option<Length>,
    /// The third outer side in centimetres.
    pub outer_height: Option<Length>,
    /// What the empty box weighs with its padding, in kilograms.
    pub tare_weight: Option<Weight>,
    /// What the closed parcel may weigh, with the box, in kilograms.
    pub max_weight: Option<Weight>,
}

impl Shipping<'_> {
    /// All boxes, oldest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list_boxes(&self) -> Result<Vec<ShippingBox>> {
        self.cx.db().read("shipping.box_list", all).await
    }

    /// A box by its id.
    ///
    /// # Errors
    /// [`Entity::Box`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_box(&self, id: &BoxId) -> Result<ShippingBox> {
        let id = id.clone();
        self.cx.db().lookup("shipping.box", move |tx| find(tx, &id)).await
    }

    /// Adds a box.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an outer side that is shorter than the inner one, for a parcel that
    /// may weigh no more than the box, and for more than 100 boxes.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create_box(&self, by: &Actor, new: NewShippingBox) -> Result<ShippingBox> {
        let (by, at) = (by.clone(), self.cx.work());
        let made = ShippingBox::new(at.id(), &new);
        made.check()?;
        let job = move |tx: &mut dyn Tx| {
            let boxes: i64 = tx.value("SELECT count(*) FROM shipping_box", &[])?;
            if boxes >= MAX_BOXES {
                let mut full = FieldErrors::default();
                full.add_form(InvalidValue::TooManyBoxes { most: MAX_BOXES.unsigned_abs() });
                return Err(Error::Invalid(full));
            }
            insert(tx, &made, at.now())?;
            audit::record(tx, &at, &by, "box.create", made.id.as_str(), &(), &made)?;
            Ok(made.clone())
        };
        self.cx.db().write(lane::CATALOG, "shipping.create_box", job).await
    }

    /// Changes what the patch names. Orders keep the parcels that they were placed with.
    ///
    /// # Errors
    /// As [`Shipping::create_box`]; [`Entity::Box`]; [`crate::error::Conflict::Changed`] where it
    /// is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update_box(
        &self,
        by: &Actor,
        id: &BoxId,
        patch: ShippingBoxPatch,
        expected: Option<Revision>,
    ) -> Result<ShippingBox> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let before = find(tx, &id)?;
            before.revision()?.check(expected.as_ref())?;
            change(tx, &at, &by, before, &patch)
        };
        self.cx.db().write(lane::CATALOG, "shipping.update_box", job).await
    }

    /// Deletes a box, in the state that the caller saw, where one is given. Orders
    /// keep the parcels that they were placed with.
    ///
    /// # Errors
    /// [`Entity::Box`]; [`crate::error::Conflict::Changed`] where it is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete_box(
        &self,
        by: &Actor,
        id: &BoxId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let found = find(tx, &id)?;
            found.revision()?.check(expected.as_ref())?;
            tx.execute("DELETE FROM shipping_box WHERE id = $1", params![&id])?;
            audit::record(tx, &at, &by, "box.delete", id.as_str(), &found, &())
        };
        self.cx.db().write(lane::CATALOG, "shipping.delete_box", job).await
    }
}

revised! {
    /// The state that staff see and change.
    ShippingBox |it| it;
}

/// What carriers make of a box. Staff are told; the box is kept all the same, for another carrier
/// may take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BoxWarning {
    /// A side over 100 cm, or all three over 200 cm together: Correios do not take it.
    TooLargeForCorreios,
    /// A side over 70 cm: Correios charge extra for it.
    SurchargeAbove70Cm,
    /// More than 30 kg: Correios do not take it.
    TooHeavyForCorreios,
    /// Smaller than 16 x 11 x 2 cm: it is quoted as if it were that large.
    SmallerThanLeast,
}

impl ShippingBox {
    /// A box that the shop does not keep, e.g. to try what packing would make of it.
    pub fn new(id: BoxId, new: &NewShippingBox) -> Self {
        Self {
            id,
            name: new.name.to_string(),
            inner_length: new.inner_length,
            inner_width: new.inner_width,
            inner_height: new.inner_height,
            outer_length: new.outer_length,
            outer_width: new.outer_width,
            outer_height: new.outer_height,
            tare_weight: new.tare_weight,
            max_weight: new.max_weight,
        }
    }

    /// What carriers make of it.
    pub fn warnings(&self) -> Vec<BoxWarning> {
        let mut sides =
            [self.outer_length, self.outer_width, self.outer_height].map(Length::whole_centimetres);
        sides.sort_unstable();
        let [height, width, length] = sides;
        let too_large = length > 100 || length + width + height > 200;
        [
            (too_large, BoxWarning::TooLargeForCorreios),
            (!too_large && length > 70, BoxWarning::SurchargeAbove70Cm),
            (self.max_weight.grams() > 30_000, BoxWarning::TooHeavyForCorreios),
            (length < 16 || width < 11 || height < 2, BoxWarning::SmallerThanLeast),
        ]
        .into_iter()
        .filter_map(|(holds, warning)| holds.then_some(warning))
        .collect()
    }

    fn check(&self) -> Result<()> {
        let mut fields = FieldErrors::default();
        for (field, inner, outer) in [
            ("outerLength", self.inner_length, self.outer_length),
            ("outerWidth", self.inner_width, self.outer_width),
            ("outerHeight", self.inner_height, self.outer_height),
        ] {
            if outer < inner {
                fields.add(field, InvalidValue::ShorterThanInside);
            }
        }
        if self.max_weight <= self.tare_weight {
            fields.add("maxWeight", InvalidValue::NotAboveTare);
        }
        fields.into_result()
    }

    fn patched(&self, patch: &ShippingBoxPatch) -> Self {
        Self {
            id: self.id.clone(),
            name: patch.name.as_ref().map_or_else(|| self.name.clone(), ToString::to_string),
            inner_length: patch.inner_length.unwrap_or(self.inner_length),
            inner_width: patch.inner_width.unwrap_or(self.inner_width),
            inner_height: patch.inner_height.unwrap_or(self.inner_height),
            outer_length: patch.outer_length.unwrap_or(self.outer_length),
            outer_width: patch.outer_width.unwrap_or(self.outer_width),
            outer_height: patch.outer_height.unwrap_or(self.outer_height),
            tare_weight: patch.tare_weight.unwrap_or(self.tare_weight),
            max_weight: patch.max_weight.unwrap_or(self.max_weight),
        }
    }
}

/// The columns of a box, as its fields are read.
macro_rules! select_box {
    ($tail:literal) => {
        concat!(
            "SELECT id, name, inner_length_mm, inner_width_mm, inner_height_mm, outer_length_mm,
                    outer_width_mm, outer_height_mm, tare_grams, max_grams
             FROM shipping_box ",
            $tail
        )
    };
}

fn find(tx: &mut dyn Tx, id: &BoxId) -> Result<ShippingBox> {
    tx.find(select_box!("WHERE id = $1"), params![id])?.ok_or(Error::NotFound(Entity::Box))
}

/// All boxes, oldest first.
pub(crate) fn all(tx: &mut dyn Tx) -> Result<Vec<ShippingBox>> {
    tx.list(ALL, &[])
}

const ALL: &str = select_box!("ORDER BY id");

/// What [`all`] asks.
pub(crate) fn prefetch_all() -> Prefetch {
    Prefetch::new(ALL, &[])
}

read_columns!(
    ShippingBox: id, name, inner_length, inner_width, inner_height, outer_length, outer_width,
    outer_height, tare_weight, max_weight
);

fn change(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    before: ShippingBox,
    patch: &ShippingBoxPatch,
) -> Result<ShippingBox> {
    let after = before.patched(patch);
    if after == before {
        return Ok(before);
    }
    after.check()?;
    update(tx, &after)?;
    audit::record(tx, at, by, "box.update", after.id.as_str(), &before, &after)?;
    Ok(after)
}

fn insert(tx: &mut dyn Tx, made: &ShippingBox, now: Timestamp) -> Result<()> {
    tx.run(
        "INSERT INTO shipping_box (id, name, inner_length_mm, inner_width_mm, inner_height_mm,
           outer_length_mm, outer_width_mm, outer_height_mm, tare_grams, max_grams, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        params![
            made: id, name, inner_length, inner_width, inner_height, outer_length, outer_width,
            outer_height, tare_weight, max_weight; now
        ],
    )
}

fn update(tx: &mut dyn Tx, after: &ShippingBox) -> Result<()> {
    tx.run(
        "UPDATE shipping_box SET name = $1, inner_length_mm = $2, inner_width_mm = $3,
                inner_height_mm = $4, outer_length_mm = $5, outer_width_mm = $6,
                outer_height_mm = $7, tare_grams = $8, max_grams = $9
         WHERE id = $10",
        params![
            after: name, inner_length, inner_width, inner_height, outer_length, outer_width,
            outer_height, tare_weight, max_weight, id
        ],
    )
}
