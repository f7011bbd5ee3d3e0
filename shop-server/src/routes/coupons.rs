//! Coupons (`/api/coupons/*`).

use std::time::Duration;

use shop_core::coupon::CouponType;
use shop_core::error::{Entity, Error, Refusal};
use shop_core::id::CouponId;
use shop_core::money::{AskedAmount, Money};
use shop_core::value::Text;

use crate::routes::prelude::*;

/// Whoever asks on and on is guessing codes.
const VALIDATE: Rate = Rate { name: "coupon", max: 30, window: Duration::from_secs(60) };

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::POST, "/api/coupons/validate", "validateCoupon", validate)
            .about("What a coupon would take off a subtotal, or why it does not hold")
            .details(
                "Answers 200 whether or not it holds; `valid` says which. Nothing is kept: the \
                 order counts its use.",
            )
            .rate(VALIDATE),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ValidateCoupon {
    /// As the shopper typed it, in whatever case.
    code: Text<1, 200>,
    /// What the cart comes to before shipping.
    #[schemars(extend("minimum" = 0))]
    subtotal: AskedAmount,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum CouponValidation {
    /// It holds.
    Valid {
        /// True.
        valid: bool,
        coupon: ValidCoupon,
    },
    /// It does not hold.
    Invalid {
        /// False.
        valid: bool,
        /// Why, for people.
        error: &'static str,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
struct ValidCoupon {
    id: CouponId,
    code: String,
    #[serde(rename = "type")]
    kind: CouponType,
    /// Percents or reais, as the type says.
    value: Money,
    /// What it takes off this subtotal.
    discount: Money,
}

async fn validate(
    call: Call<Public>,
    Json(input): Json<ValidateCoupon>,
) -> Result<CouponValidation> {
    match call.shop().coupons().validate(input.code.as_str(), input.subtotal.get()).await {
        Ok(found) => {
            let (coupon, discount) = (found.coupon, found.amount);
            let (id, code, kind, value) = (coupon.id, coupon.code, coupon.kind, coupon.value);
            let coupon = ValidCoupon { id, code, kind, value, discount };
            Ok(CouponValidation::Valid { valid: true, coupon })
        }
        Err(Error::NotFound(Entity::Coupon)) => Ok(invalid(Code::CouponUnknown)),
        Err(refused @ Error::Refused(Refusal::Coupon(_))) => Ok(invalid(Code::of(&refused))),
        Err(error) => Err(error),
    }
}

fn invalid(code: Code) -> CouponValidation {
    CouponValidation::Invalid { valid: false, error: code.text() }
}
