//! Shipping quotes (`/api/shipping`).

use hyper::Method;
use shop_core::Result;
use shop_core::shipping::{CalculateShipping, ShippingQuote};

use crate::caller::Public;
use crate::input::Query;
use crate::output::Ok200;
use crate::route::{Call, Route, public};

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, "/api/shipping/calculate", "calculateShipping", calculate)
            .about("What it costs to send something to a postal code"),
    ]
}

async fn calculate(
    call: Call<Public>,
    Query(wanted): Query<CalculateShipping>,
) -> Result<Ok200<ShippingQuote>> {
    call.shop().shipping().calculate(wanted).await.map(Ok200)
}
