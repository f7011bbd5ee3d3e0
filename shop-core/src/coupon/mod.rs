//! Coupons: discounts by a code (docs/decisions.md, "Orders and stock").

mod manage;
mod store;

use unicode_normalization::UnicodeNormalization;

pub use self::manage::{CouponFilter, CouponPatch};
#[cfg(feature = "demo")]
pub(crate) use self::store::{count as count_uses, insert_use};
use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{CouponRefusal, Entity, Error, FieldErrors, Refusal, Result};
use crate::id::{CouponId, OrderId};
use crate::money::Money;
use crate::storage::Tx;
use crate::value::{InvalidValue, Text, Until, UseLimit, trim, wire_enum};

wire_enum! {
    /// What a coupon's value counts.
    pub enum CouponType {
        /// Percents of the subtotal.
        Percent = "PERCENT",
        /// Reais.
        Fixed = "FIXED",
    }
}

/// A coupon, as staff see it.
#[apply(answer!)]
pub struct Coupon {
    /// UUID version 7, set by the shop.
    pub id: CouponId,
    /// What shoppers type, in whatever case.
    pub code: String,
    /// What the value counts.
    #[serde(rename = "type")]
    pub kind: CouponType,
    /// Percents (0 to 100) or reais, as the type says; two decimals either way.
    pub value: Money,
    /// It holds from this subtotal on.
    pub min_order_value: Option<Money>,
    /// For how many orders it holds.
    pub max_uses: Option<i64>,
    /// How many orders have it: those that were paid or still may be.
    pub used_count: i64,
    /// From then on it holds no more.
    pub expires_at: Option<Timestamp>,
    /// False when staff switched it off.
    pub active: bool,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A coupon to be made.
#[apply(input!)]
pub struct NewCoupon {
    /// What shoppers will type; no other coupon may have it, in whatever case.
    pub code: Text<1, 60>,
    /// What the value counts.
    #[serde(rename = "type")]
    pub kind: CouponType,
    /// Percents (0 to 100) or reais, as the type says.
    pub value: Money,
    /// It shall hold from this subtotal on.
    pub min_order_value: Option<Money>,
    /// For how many orders it shall hold.
    pub max_uses: Option<UseLimit>,
    /// It shall hold until the end of this day, or before this time.
    pub expires_at: Option<Until>,
    /// Whether it holds at once.
    pub active: bool,
}

/// A coupon that holds, and what it takes off.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Discount {
    /// The coupon that holds.
    pub coupon: Coupon,
    /// What it takes off the subtotal that was asked about.
    pub amount: Money,
}

/// The shop's coupons.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::coupon::{CouponType, NewCoupon};
///
/// let new = NewCoupon {
///     code: "VELAS10".parse()?,
///     kind: CouponType::Percent,
///     value: "10".parse()?,
///     min_order_value: None,
///     max_uses: Some(100.try_into()?),
///     expires_at: None,
///     active: true,
/// };
/// shop.coupons().create(&Actor::System, new).await?;
/// let discount = shop.coupons().validate("velas10", "99.80".parse()?).await?;
/// assert_eq!(discount.amount.to_string(), "9.98");
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Coupons<'a> {
    cx: &'a Context,
}

impl Coupons<'_> {
    /// What the coupon with this code would take off this subtotal now. It is not used by that. The
    /// code is taken as shoppers type it, in whatever case and with blanks around it.
    ///
    /// # Errors
    /// [`Error::NotFound`] with [`Entity::Coupon`] where no coupon has the code;
    /// [`Refusal::Coupon`] with the reason why it does not hold; [`Error::Invalid`] for a negative
    /// subtotal.
    ///
    /// Cancel safe: reads only.
    pub async fn validate(&self, code: &str, subtotal: Money) -> Result<Discount> {
        let mut fields = FieldErrors::default();
        not_negative(&mut fields, "subtotal", subtotal);
        fields.into_result()?;
        let (key, now) = (key(code), self.cx.now());
        let coupon =
            self.cx.db().lookup("coupon.validate", move |tx| store::by_key(tx, &key)).await?;
        let coupon = coupon.ok_or(Error::NotFound(Entity::Coupon))?;
        let amount = coupon.discount(subtotal, now)?;
        Ok(Discount { coupon, amount })
    }
}

fn not_negative(fields: &mut FieldErrors, name: &str, amount: Money) {
    if amount < Money::ZERO {
        fields.add(name, InvalidValue::AtLeast { least: 0 });
    }
}

/// How an order names its coupon.
pub(crate) enum Named<'a> {
    /// By its id.
    Id(&'a CouponId),
    /// By its code, as the shopper typed it.
    Code(&'a str),
}

/// How codes are compared.
pub(crate) fn key(code: &str) -> String {
    trim(code).nfc().collect::<String>().to_lowercase()
}

impl Coupon {
    /// What it takes off a subtotal, if it holds.
    fn discount(&self, subtotal: Money, now: Timestamp) -> Result<Money> {
        match self.refusal(subtotal, now) {
            Some(refusal) => Err(Error::Refused(Refusal::Coupon(refusal))),
            None => Ok(amount_off(self.kind, self.value, subtotal)),
        }
    }

    /// The first reason against it, in the order of the specification.
    fn refusal(&self, subtotal: Money, now: Timestamp) -> Option<CouponRefusal> {
        if !self.active {
            Some(CouponRefusal::Inactive)
        } else if self.expires_at.is_some_and(|end| end <= now) {
            Some(CouponRefusal::Expired)
        } else if self.max_uses.is_some_and(|max| self.used_count >= max) {
            Some(CouponRefusal::UsedUp)
        } else if self.min_order_value.is_some_and(|min| subtotal < min) {
            Some(CouponRefusal::BelowMinimum)
        } else {
            None
        }
    }
}

/// Percents are rounded to cents half away from zero, and no discount is above the subtotal.
fn amount_off(kind: CouponType, value: Money, subtotal: Money) -> Money {
    let amount = match kind {
        CouponType::Percent => subtotal.percent(value.to_decimal()),
        CouponType::Fixed => value,
    };
    amount.min(subtotal)
}

/// Which coupon an order names, and what it takes off.
///
/// # Errors
/// [`Error::NotFound`] when there is none; [`Refusal::Coupon`] when it does not hold.
pub(crate) fn named(
    tx: &mut dyn Tx,
    at: &Work,
    named: &Named<'_>,
    subtotal: Money,
) -> Result<(CouponId, Money)> {
    let found = match named {
        Named::Id(id) => store::by_id(tx, id)?,
        Named::Code(code) => store::by_key(tx, &key(code))?,
    };
    let coupon = found.ok_or(Error::NotFound(Entity::Coupon))?;
    let amount = coupon.discount(subtotal, at.now())?;
    Ok((coupon.id, amount))
}

/// Uses a coupon that holds for an order, in the order's own transaction.
///
/// # Errors
/// [`Error::NotFound`] and [`Refusal::Coupon`] where it was deleted or used up just now.
pub(crate) fn redeem(tx: &mut dyn Tx, coupon: &CouponId, order: &OrderId) -> Result<()> {
    if !store::count_guarded(tx, coupon)? {
        store::by_id(tx, coupon)?.ok_or(Error::NotFound(Entity::Coupon))?;
        return Err(Error::Refused(Refusal::Coupon(CouponRefusal::UsedUp)));
    }
    store::insert_use(tx, order, coupon)?;
    Ok(())
}

/// Gives back the use of an order that is called off before it was paid. Of a paid order the use
/// stays, for the coupon did its work.
pub(crate) fn give_back(tx: &mut dyn Tx, order: &OrderId) -> Result<()> {
    match store::delete_use(tx, order)? {
        Some(coupon) => store::count(tx, &coupon, -1),
        None => Ok(()),
    }
}

/// Counts the use of an order that is revived once more, beyond the limit if need be: the money
/// that arrived was for the discounted total.
pub(crate) fn use_again(tx: &mut dyn Tx, order: &OrderId, coupon: &CouponId) -> Result<()> {
    if store::insert_use(tx, order, coupon)? { store::count(tx, coupon, 1) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn coupon() -> Coupon {
        Coupon {
            id: "1".into(),
            code: "VELA10".to_owned(),
            kind: CouponType::Percent,
            value: Money::from_cents(1000),
            min_order_value: None,
            max_uses: None,
            used_count: 0,
            expires_at: None,
            active: true,
            created_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn reasons_come_in_the_order_of_the_specification() {
        let now = Timestamp::from_millis(1000);
        let mut bad = Coupon {
            active: false,
            expires_at: Some(now),
            max_uses: Some(1),
            used_count: 1,
            min_order_value: Some(Money::from_cents(100)),
            ..coupon()
        };
        let cents = |cents| Money::from_cents(cents);
        assert_eq!(bad.refusal(cents(99), now), Some(CouponRefusal::Inactive));
        bad.active = true;
        assert_eq!(bad.refusal(cents(99), now), Some(CouponRefusal::Expired));
        let before = Timestamp::from_millis(999);
        assert_eq!(bad.refusal(cents(99), before), Some(CouponRefusal::UsedUp));
        bad.used_count = 0;
        assert_eq!(bad.refusal(cents(99), before), Some(CouponRefusal::BelowMinimum));
        assert_eq!(bad.refusal(cents(100), before), None);
    }

    #[test]
    fn codes_are_compared_without_case_and_spaces_around() {
        assert_eq!(key(" Verão10 "), key("VERÃO10"));
        assert_eq!(key("Vera\u{303}o10"), key("VERÃO10"), "as some systems write accents");
    }

    proptest! {
        #[test]
        fn a_percentage_is_rounded_half_away_from_zero(
            subtotal in 0..=Money::MAX.cents(),
            hundredths in 0..=10_000_i64,
        ) {
            let (value, whole) = (Money::from_cents(hundredths), Money::from_cents(subtotal));
            let off = amount_off(CouponType::Percent, value, whole);
            // In whole ten-thousandths of a cent, so nothing is rounded before the end.
            let exact = i128::from(subtotal) * i128::from(hundredths);
            let expected = exact / 10_000 + i128::from(exact % 10_000 >= 5_000);
            prop_assert_eq!(i128::from(off.cents()), expected);
            prop_assert!(off >= Money::ZERO && off <= whole);
        }

        #[test]
        fn a_fixed_discount_is_never_above_the_subtotal(
            subtotal in 0..=Money::MAX.cents(),
            value in 0..=Money::MAX.cents(),
        ) {
            let (value, whole) = (Money::from_cents(value), Money::from_cents(subtotal));
            let off = amount_off(CouponType::Fixed, value, whole);
            prop_assert_eq!(off, if value < whole { value } else { whole });
        }

        #[test]
        fn more_is_never_less(
            (low, high) in (0..1_000_000_i64, 0..1_000_000_i64),
            hundredths in 0..=10_000_i64,
        ) {
            let (low, high) = (low.min(high), low.max(high));
            for kind in [CouponType::Percent, CouponType::Fixed] {
                let off = |subtotal| {
                    amount_off(kind, Money::from_cents(hundredths), Money::from_cents(subtotal))
                };
                prop_assert!(off(low) <= off(high));
            }
        }
    }
}
