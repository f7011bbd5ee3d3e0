//! Shipping quotes (`/api/shipping`).

use std::time::Duration;

use shop_core::Error;
use shop_core::shipping::{CalculateShipping, PostalCodePlace, ShippingQuote};
use shop_core::value::Cep;

use crate::routes::prelude::*;

/// How many quotes by items one client may have in a minute.
const ITEMS_PER_MINUTE: u32 = 120;

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, "/api/shipping/calculate", "calculateShipping", calculate)
            .about("What it costs to send something to a postal code")
            .fails(&[
                Code::CepNotFound,
                Code::RateLimited,
                Code::ProductInactive,
                Code::VariantRequired,
            ])
            .details(
                "Carriers are asked where they are configured, else the shop's own tariffs. Free \
                 from the subtotal of the setting `shipping.free_from` (150.00 unless it is set). With `items` the price is that of an order of them, \
                 and so is the subtotal; a client has 120 of those a minute.",
            ),
        public(Method::GET, "/api/shipping/cep/{cep}", "lookUpPostalCode", look_up)
            .about("Street, district, city and state of a postal code, to fill an address in")
            .fails(&[Code::InvalidInput, Code::CepNotFound, Code::RateLimited])
            .details("What is not known is null, and a city that is not known is empty."),
    ]
}

/// Questions that leave this machine are counted, since carriers bill and limit them, and so are
/// those that name items, which are priced and packed for each.
async fn calculate(
    call: Call<Public>,
    Query(wanted): Query<CalculateShipping>,
) -> Result<ShippingQuote, Failure> {
    if wanted.items.is_some() {
        call.admit("shipping_items", ITEMS_PER_MINUTE, Duration::from_secs(60))?;
    }
    let shipping = call.shop().shipping();
    let quote = shipping.prepare(wanted).await?;
    if quote.would_ask() {
        let max = call.shop().config().shipping.quotes_per_minute_per_ip;
        call.admit("shipping_quote", max, Duration::from_secs(60))?;
    }
    Ok(quote.calculate().await?)
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CepPath {
    /// Eight digits, with or without the hyphen.
    #[schemars(with = "Cep")]
    cep: String,
}

/// Counted as questions about shipping are.
async fn look_up(
    call: Call<Public>,
    Path(CepPath { cep }): Path<CepPath>,
) -> Result<PostalCodePlace, Failure> {
    let cep: Cep = cep.parse().map_err(|wrong| Error::field("cep", wrong))?;
    let shipping = call.shop().shipping();
    if shipping.would_look_up(&cep) {
        let max = call.shop().config().shipping.quotes_per_minute_per_ip;
        call.admit("shipping_quote", max, Duration::from_secs(60))?;
    }
    Ok(shipping.look_up(cep).await?)
}
