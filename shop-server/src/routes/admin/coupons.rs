//! Coupons, for staff (`/api/admin/coupons`).

use shop_core::coupon::{Coupon, CouponFilter, CouponPatch, NewCoupon};
use shop_core::id::CouponId;

use crate::routes::prelude::*;

const COUPONS: &str = "/api/admin/coupons";
const COUPON: &str = "/api/admin/coupons/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, COUPONS, "adminListCoupons", list)
            .about("The latest 1000 coupons, or those with a code that begins so"),
        admin(Method::POST, COUPONS, "adminCreateCoupon", create)
            .about("Make a coupon")
            .fails(&[Code::CouponCodeTaken]),
        admin(Method::GET, COUPON, "adminGetCoupon", get).about("A coupon"),
        admin(Method::PATCH, COUPON, "adminUpdateCoupon", update)
            .about("Change a coupon; orders keep the discount that they were placed with")
            .fails(&[Code::CouponCodeTaken]),
        admin(Method::DELETE, COUPON, "adminDeleteCoupon", delete)
            .about("Delete a coupon; orders keep the discount that they were placed with"),
    ]
}

async fn list(call: Call<Admin>, Query(filter): Query<CouponFilter>) -> Result<Vec<Coupon>> {
    call.shop().coupons().list(filter).await
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewCoupon>,
) -> Result<Versioned<Created<Coupon>>> {
    call.shop().coupons().create(&call.actor(), new).await.and_then(Versioned::created)
}

async fn get(call: Call<Admin>, Id(id): Id<CouponId>) -> Result<Versioned<Coupon>> {
    call.shop().coupons().get(&id).await.and_then(Versioned::of)
}

async fn update(
    call: Call<Admin>,
    Id(id): Id<CouponId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<CouponPatch>,
) -> Result<Versioned<Coupon>> {
    call.shop().coupons().update(&call.actor(), &id, patch, expected).await.and_then(Versioned::of)
}

async fn delete(
    call: Call<Admin>,
    Id(id): Id<CouponId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().coupons().delete(&call.actor(), &id, expected).await?;
    Ok(Message::new("Cupom excluído"))
}
