//! Coupons, for staff (`/api/admin/coupons`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::coupon::{Coupon, CouponFilter, CouponPatch, NewCoupon};
use shop_core::id::CouponId;

use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path, Query};
use crate::output::{Created, Message, Ok200, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

const COUPONS: &str = "/api/admin/coupons";
const COUPON: &str = "/api/admin/coupons/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, COUPONS, "adminListCoupons", list)
            .about("The latest 1000 coupons, or those with a code that begins so"),
        admin(Method::POST, COUPONS, "adminCreateCoupon", create)
            .about("Make a coupon")
            .fails(&[Code::CouponCodeTaken]),
        admin(Method::GET, COUPON, "adminGetCoupon", get)
            .about("A coupon")
            .fails(&[Code::CouponNotFound]),
        admin(Method::PATCH, COUPON, "adminUpdateCoupon", update)
            .about("Change a coupon; orders keep the discount that they were placed with")
            .fails(&[Code::CouponNotFound, Code::CouponCodeTaken]),
        admin(Method::DELETE, COUPON, "adminDeleteCoupon", delete)
            .about("Delete a coupon; orders keep the discount that they were placed with")
            .fails(&[Code::CouponNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CouponPath {
    /// The coupon's id.
    id: CouponId,
}

async fn list(call: Call<Admin>, Query(filter): Query<CouponFilter>) -> Result<Ok200<Vec<Coupon>>> {
    call.shop().coupons().list(filter).await.map(Ok200)
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewCoupon>,
) -> Result<Versioned<Created<Coupon>>> {
    let coupon = call.shop().coupons().create(&call.caller.actor(), new).await?;
    let revision = coupon.revision()?;
    Ok(Versioned(Created(coupon), revision))
}

async fn get(
    call: Call<Admin>,
    Path(CouponPath { id }): Path<CouponPath>,
) -> Result<Versioned<Ok200<Coupon>>> {
    versioned(call.shop().coupons().get(&id).await?)
}

async fn update(
    call: Call<Admin>,
    (Path(CouponPath { id }), IfMatch(seen), Json(patch)): (
        Path<CouponPath>,
        IfMatch,
        Json<CouponPatch>,
    ),
) -> Result<Versioned<Ok200<Coupon>>> {
    versioned(call.shop().coupons().update(&call.caller.actor(), &id, patch, seen).await?)
}

async fn delete(
    call: Call<Admin>,
    Path(CouponPath { id }): Path<CouponPath>,
) -> Result<Ok200<Message>> {
    call.shop().coupons().delete(&call.caller.actor(), &id).await?;
    Ok(Message::new("Cupom excluído"))
}

fn versioned(coupon: Coupon) -> Result<Versioned<Ok200<Coupon>>> {
    let revision = coupon.revision()?;
    Ok(Versioned(Ok200(coupon), revision))
}
