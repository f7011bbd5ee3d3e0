//! Frenet, which asks several carriers.

use std::sync::Once;

use futures_util::future::BoxFuture;
use hyper::header::HeaderName;
use serde_json::{Value, json};

use super::answer::{amount, code, days, is_no_offer, refused, text};
use crate::clock::Timestamp;
use crate::config::{FrenetConfig, Secret};
use crate::http_client::{Call, Http};
use crate::shipping::carrier::{CarrierError, CarrierOption, CarrierQuotes, Parcel, Volume};
use crate::value::Cep;

const TOKEN: HeaderName = HeaderName::from_static("token");

pub(super) struct Frenet {
    url: String,
    token: Secret,
    origin: Cep,
    http: Http,
    /// Whether [`tell`] was called.
    told: Once,
}

/// By its status alone, an answer to a wrong token may be one that has no offer. It is the same to
/// shoppers, and `GET /api/admin/shipping/providers` shows Frenet as disconnected; so the log has
/// it once.
fn tell(status: u16) {
    tracing::warn!(status, "Frenet has no offer for a parcel, or does not know the shop's token");
}

impl Frenet {
    pub(super) fn new(config: &FrenetConfig, origin: &Cep, http: &Http) -> Option<Self> {
        let (url, token) = (config.url.clone(), config.token.clone()?);
        let (origin, http) = (origin.clone(), http.clone());
        Some(Self { url, token, origin, http, told: Once::new() })
    }
}

impl CarrierQuotes for Frenet {
    fn name(&self) -> &'static str {
        "Frenet"
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        Box::pin(async move {
            let body = json!({
                "SellerCEP": self.origin,
                "RecipientCEP": parcel.to,
                "RecipientCountry": "BR",
                "ShipmentInvoiceValue": parcel.value,
                "ShippingItemArray": parcel.volumes.iter().map(item).collect::<Vec<Value>>(),
            });
            let call = Call::post(&self.url, "/shipping/quote", &body)?
                .secret(TOKEN, self.token.reveal())?;
            let answer = self.http.send(call).await?;
            match answer.status {
                200 => options(&super::answer::json(&answer.body)?),
                status if is_no_offer(status) => {
                    self.told.call_once(|| tell(status));
                    Ok(Vec::new())
                }
                _ => Err(refused(&answer, now)),
            }
        })
    }
}

/// A volume, as Frenet knows it: an item of which there is one.
fn item(volume: &Volume) -> Value {
    json!({
        "Weight": volume.weight, "Length": volume.size.length, "Height": volume.size.height,
        "Width": volume.size.width, "Quantity": 1,
    })
}

/// The list's name is misspelt on the wire; a day may come on which it is not.
fn options(answer: &Value) -> Result<Vec<CarrierOption>, CarrierError> {
    let list = ["ShippingSevicesArray", "ShippingServicesArray"]
        .iter()
        .find_map(|name| answer[*name].as_array())
        .ok_or(CarrierError::Garbage("no list of services"))?;
    Ok(list.iter().filter_map(option).collect())
}

fn option(entry: &Value) -> Option<CarrierOption> {
    if entry["Error"] == true || entry["Error"] == "true" {
        return None;
    }
    let service = text(entry, "ServiceDescription");
    let name: Vec<&str> = text(entry, "Carrier").into_iter().chain(service).collect();
    Some(CarrierOption {
        id: format!("frenet-{}", code(&entry["ServiceCode"])?),
        name: if name.is_empty() { return None } else { name.join(" ") },
        price: amount(&entry["ShippingPrice"])?,
        estimated_days: days(&entry["DeliveryTime"])?,
    })
}
