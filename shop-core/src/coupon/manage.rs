//! What staff do with coupons.

use super::{Coupon, CouponType, Coupons, NewCoupon, key, not_negative, store};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Entity, Error, FieldErrors, Result};
use crate::id::CouponId;
use crate::lane;
use crate::money::Money;
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::{InvalidValue, OptionalText, Text, Until, UseLimit};

/// All there is of something, as a percentage.
const WHOLE: Money = Money::from_cents(10_000);

/// Which coupons to list (`GET /api/admin/coupons`).
#[apply(filter!)]
pub struct CouponFilter {
    /// How the code begins, in whatever case.
    pub search: Option<OptionalText<60>>,
}

/// What changes of a coupon; fields that are absent stay.
#[apply(patch!)]
pub struct CouponPatch {
    /// What shoppers will type; no other coupon may have it, in whatever case.
    pub code: Option<Text<1, 60>>,
    /// What the value counts.
    #[serde(rename = "type")]
    pub kind: Option<CouponType>,
    /// Percents (0 to 100) or reais, as the type says.
    pub value: Option<Money>,
    /// It shall hold from this subtotal on; null for any.
    pub min_order_value: Option<Option<Money>>,
    /// It shall hold for so many orders, those that have it included; null for any number.
    pub max_uses: Option<Option<UseLimit>>,
    /// It shall hold until the end of this day, or before this time; null for ever.
    pub expires_at: Option<Option<Until>>,
    /// Whether it holds at all.
    pub active: Option<bool>,
}

impl Coupons<'_> {
    /// The latest 1000 coupons that a filter finds, latest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: CouponFilter) -> Result<Vec<Coupon>> {
        let prefix = key(filter.search.as_ref().map_or("", OptionalText::as_str));
        self.cx.db().read("coupon.list", move |tx| store::list(tx, &prefix)).await
    }

    /// A coupon, whether it holds or not.
    ///
    /// # Errors
    /// [`Entity::Coupon`].
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &CouponId) -> Result<Coupon> {
        let id = id.clone();
        self.cx.db().lookup("coupon.get", move |tx| find(tx, &id)).await
    }

    /// A coupon by its code, in whatever case, or its id.
    ///
    /// Cancel safe: reads only.
    pub async fn find(&self, name: &str) -> Result<Option<Coupon>> {
        let (code, id) = (key(name), CouponId::from(name));
        let job = move |tx: &mut dyn Tx| match store::by_key(tx, &code)? {
            Some(coupon) => Ok(Some(coupon)),
            None => store::by_id(tx, &id),
        };
        self.cx.db().lookup("coupon.find", job).await
    }

    /// Makes a coupon.
    ///
    /// # Errors
    /// [`crate::error::Conflict::CouponCode`]; [`Error::Invalid`] for a negative value or above 100
    /// percent.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create(&self, by: &Actor, new: NewCoupon) -> Result<Coupon> {
        check(new.kind, new.value, new.min_order_value)?;
        let (by, at) = (by.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let coupon = store::insert(tx, &at, &new)?;
            audit::record(tx, &at, &by, "coupon.create", coupon.id.as_str(), &(), &coupon)?;
            Ok(coupon)
        };
        self.cx.db().write(lane::CATALOG, "coupon.create", job).await
    }

    /// Changes what the patch names. Orders keep the discount that they were placed with. A limit
    /// below the uses that there are already only keeps further orders from using it.
    ///
    /// # Errors
    /// As [`Coupons::create`]; [`Entity::Coupon`]; [`crate::error::Conflict::Changed`] where it is
    /// not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        by: &Actor,
        id: &CouponId,
        patch: CouponPatch,
        expected: Option<Revision>,
    ) -> Result<Coupon> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let before = find(tx, &id)?;
            before.revision()?.check(expected.as_ref())?;
            update(tx, &at, &by, before, &patch)
        };
        self.cx.db().write(lane::CATALOG, "coupon.update", job).await
    }

    /// Deletes a coupon, in the state that the caller saw, where one is given. Orders
    /// keep the discount that they were placed with.
    ///
    /// # Errors
    /// [`Entity::Coupon`]; [`crate::error::Conflict::Changed`] where it is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete(
        &self,
        by: &Actor,
        id: &CouponId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let coupon = find(tx, &id)?;
            coupon.revision()?.check(expected.as_ref())?;
            store::delete(tx, &id)?;
            audit::record(tx, &at, &by, "coupon.delete", id.as_str(), &coupon, &())
        };
        self.cx.db().write(lane::CATALOG, "coupon.delete", job).await
    }
}

revised! {
    /// The state that staff see and change; the uses, which rise by themselves, are not part of it.
    Coupon |it| &Coupon { used_count: 0, ..it.clone() };
}

impl Coupon {
    fn patched(&self, patch: &CouponPatch) -> Self {
        let CouponPatch { code, kind, value, min_order_value, max_uses, expires_at, active } =
            patch;
        Self {
            code: code.as_ref().map_or_else(|| self.code.clone(), ToString::to_string),
            kind: kind.unwrap_or(self.kind),
            value: value.unwrap_or(self.value),
            min_order_value: min_order_value.unwrap_or(self.min_order_value),
            max_uses: max_uses.map_or(self.max_uses, |limit| limit.map(UseLimit::get)),
            expires_at: expires_at.map_or(self.expires_at, |end| end.map(Until::get)),
            active: active.unwrap_or(self.active),
            ..self.clone()
        }
    }
}

fn find(tx: &mut dyn Tx, id: &CouponId) -> Result<Coupon> {
    store::by_id(tx, id)?.ok_or(Error::NotFound(Entity::Coupon))
}

fn update(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    before: Coupon,
    patch: &CouponPatch,
) -> Result<Coupon> {
    let after = before.patched(patch);
    if after == before {
        return Ok(before);
    }
    check(after.kind, after.value, after.min_order_value)?;
    store::update(tx, &after)?;
    audit::record(tx, at, by, "coupon.update", after.id.as_str(), &before, &after)?;
    Ok(after)
}

fn check(kind: CouponType, value: Money, min_order_value: Option<Money>) -> Result<()> {
    let mut fields = FieldErrors::default();
    not_negative(&mut fields, "value", value);
    not_negative(&mut fields, "minOrderValue", min_order_value.unwrap_or_default());
    if kind == CouponType::Percent && value > WHOLE {
        fields.add("value", InvalidValue::AtMost { most: 100 });
    }
    fields.into_result()
}
