//! The SQL of coupons: the only writes of `coupon` and `coupon_use`.

use super::{Coupon, NewCoupon, key};
use crate::context::Work;
use crate::error::{Conflict, Result};
use crate::id::{CouponId, OrderId};
use crate::storage::{Tx, params, read_columns};
use crate::value::{Until, UseLimit};

/// More coupons than this are not listed.
const LISTED: i64 = 1000;

pub(super) fn insert(tx: &mut dyn Tx, at: &Work, new: &NewCoupon) -> Result<Coupon> {
    let coupon = Coupon {
        id: at.id(),
        code: new.code.to_string(),
        kind: new.kind,
        value: new.value,
        min_order_value: new.min_order_value,
        max_uses: new.max_uses.map(UseLimit::get),
        used_count: 0,
        expires_at: new.expires_at.map(Until::get),
        active: new.active,
        created_at: at.now(),
    };
    let inserted = tx.exists(
        "INSERT INTO coupon (id, code, code_key, type, value, min_order_value, max_uses, expires_at,
           active, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (code_key) DO NOTHING RETURNING id",
        params![
            &coupon.id, &coupon.code, &key(&coupon.code); coupon: kind, value, min_order_value,
            max_uses, expires_at, active, created_at
        ],
    )?;
    Conflict::CouponCode.unless(inserted)?;
    Ok(coupon)
}

/// The columns of a coupon, in the order in which its row is read.
macro_rules! select_coupon {
    ($tail:literal) => {
        concat!(
            "SELECT id, code, type, value, min_order_value, max_uses, used_count, expires_at,
                    active, created_at
             FROM coupon ",
            $tail
        )
    };
}

read_columns!(
    Coupon: id, code, kind, value, min_order_value, max_uses, used_count, expires_at, active,
    created_at
);

pub(super) fn by_id(tx: &mut dyn Tx, id: &CouponId) -> Result<Option<Coupon>> {
    tx.find(select_coupon!("WHERE id = $1"), params![id])
}

pub(super) fn by_key(tx: &mut dyn Tx, key: &str) -> Result<Option<Coupon>> {
    tx.find(select_coupon!("WHERE code_key = $1"), params![key])
}

/// The latest coupons whose code begins with `prefix`, latest first.
pub(super) fn list(tx: &mut dyn Tx, prefix: &str) -> Result<Vec<Coupon>> {
    if prefix.is_empty() {
        return tx.list(select_coupon!("ORDER BY id DESC LIMIT $1"), params![LISTED]);
    }
    tx.list(
        select_coupon!("WHERE code_key >= $1 AND code_key < $2 ORDER BY id DESC LIMIT $3"),
        params![prefix, &format!("{prefix}\u{10FFFF}"), LISTED],
    )
}

/// All but the count of its uses.
pub(super) fn update(tx: &mut dyn Tx, coupon: &Coupon) -> Result<()> {
    let changed = tx.changes(
        "UPDATE coupon SET code = $1, code_key = $2, type = $3, value = $4, min_order_value = $5,
           max_uses = $6, expires_at = $7, active = $8
         WHERE id = $9
           AND NOT EXISTS (SELECT 1 FROM coupon o WHERE o.code_key = $2 AND o.id <> $9)",
        params![
            &coupon.code, &key(&coupon.code); coupon: kind, value, min_order_value, max_uses,
            expires_at, active, id
        ],
    )?;
    Conflict::CouponCode.unless(changed)
}

pub(super) fn delete(tx: &mut dyn Tx, id: &CouponId) -> Result<()> {
    tx.execute("DELETE FROM coupon_use WHERE coupon_id = $1", params![id])?;
    tx.run("DELETE FROM coupon WHERE id = $1", params![id])
}

/// One use more, where the limit allows it. The guard is in the statement, so it holds whatever was
/// read before.
pub(super) fn count_guarded(tx: &mut dyn Tx, id: &CouponId) -> Result<bool> {
    tx.changes(
        "UPDATE coupon SET used_count = used_count + 1
         WHERE id = $1 AND (max_uses IS NULL OR used_count < max_uses)",
        params![id],
    )
}

/// Adds to the uses of a coupon, or takes them off.
pub(crate) fn count(tx: &mut dyn Tx, id: &CouponId, uses: i64) -> Result<()> {
    tx.run("UPDATE coupon SET used_count = used_count + $1 WHERE id = $2", params![uses, id])
}

/// Whether the order did not have its use yet.
pub(crate) fn insert_use(tx: &mut dyn Tx, order: &OrderId, coupon: &CouponId) -> Result<bool> {
    tx.exists(
        "INSERT INTO coupon_use (order_id, coupon_id) VALUES ($1, $2)
         ON CONFLICT (order_id) DO NOTHING RETURNING order_id",
        params![order, coupon],
    )
}

/// Deletes the use of an order; the coupon that was used, if there is one.
pub(super) fn delete_use(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<CouponId>> {
    tx.find("DELETE FROM coupon_use WHERE order_id = $1 RETURNING coupon_id", params![order])
}
