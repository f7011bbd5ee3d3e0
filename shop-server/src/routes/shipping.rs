//! Shipping quotes (`/api/shipping`).

use std::time::Duration;

use shop_core::shipping::{CalculateShipping, ShippingQuote};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, "/api/shipping/calculate", "calculateShipping", calculate)
            .about("What it costs to send something to a postal code")
            .fails(&[Code::CepNotFound, Code::RateLimited])
            .details(
                "Carriers are asked where they are configured, else the shop's own tariffs. Free \
                 from a subtotal of 150.00.",
            ),
    ]
}

/// Only questions that leave this machine are counted: carriers bill and limit them.
async fn calculate(
    call: Call<Public>,
    Query(wanted): Query<CalculateShipping>,
) -> Result<ShippingQuote, Failure> {
    let shipping = call.shop().shipping();
    if shipping.would_ask(&wanted) {
        let max = call.shop().config().shipping.quotes_per_minute_per_ip;
        call.admit("shipping_quote", max, Duration::from_secs(60))?;
    }
    Ok(shipping.calculate(wanted).await?)
}
