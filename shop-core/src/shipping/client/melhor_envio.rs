//! Melhor Envio, which asks several carriers.

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::answer::{amount, code, days, is_no_offer, refused, text};
use crate::clock::Timestamp;
use crate::config::{MelhorEnvioConfig, Secret};
use crate::http_client::{Call, Http};
use crate::shipping::carrier::{CarrierError, CarrierOption, CarrierQuotes, Parcel, Volume};
use crate::value::Cep;

pub(super) struct MelhorEnvio {
    url: String,
    token: Secret,
    origin: Cep,
    http: Http,
}

impl MelhorEnvio {
    pub(super) fn new(config: &MelhorEnvioConfig, origin: &Cep, http: &Http) -> Option<Self> {
        let (url, token) = (config.url.clone(), config.token.clone()?);
        Some(Self { url, token, origin: origin.clone(), http: http.clone() })
    }
}

impl CarrierQuotes for MelhorEnvio {
    fn name(&self) -> &'static str {
        "Melhor Envio"
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        Box::pin(async move {
            let body = request(&self.origin, parcel);
            let call = Call::post(&self.url, "/api/v2/me/shipment/calculate", &body)?
                .bearer(&self.token)?;
            let answer = self.http.send(call).await?;
            match answer.status {
                200 => options(&super::answer::json(&answer.body)?),
                status if is_no_offer(status) => Ok(Vec::new()),
                _ => Err(refused(&answer, now)),
            }
        })
    }
}

/// What is asked. A quote insures each volume by its `insurance`. `options.insurance_value` goes to
/// the first volume alone, so it stands for the value where there is one.
fn request(origin: &Cep, parcel: &Parcel) -> Value {
    let is_one = parcel.volumes.len() == 1;
    let volume = |volume: &Volume| {
        let mut entry = json!({
            "width": volume.size.width, "height": volume.size.height,
            "length": volume.size.length, "weight": volume.weight,
        });
        let insured = if is_one { "insurance_value" } else { "insurance" };
        entry[insured] = json!(volume.value);
        entry
    };
    let mut options = json!({ "receipt": false, "own_hand": false });
    if is_one {
        options["insurance_value"] = json!(parcel.value);
    }
    json!({
        "from": { "postal_code": origin },
        "to": { "postal_code": parcel.to },
        "volumes": parcel.volumes.iter().map(volume).collect::<Vec<Value>>(),
        "options": options,
    })
}

/// One entry a service, good and bad ones mixed. Some answers are an object keyed "0", "1", ..
fn options(answer: &Value) -> Result<Vec<CarrierOption>, CarrierError> {
    match answer {
        Value::Array(entries) => Ok(entries.iter().filter_map(option).collect()),
        Value::Object(entries) if entries.values().all(Value::is_object) => {
            Ok(entries.values().filter_map(option).collect())
        }
        _ => Err(CarrierError::Garbage("no list of services")),
    }
}

fn option(entry: &Value) -> Option<CarrierOption> {
    if text(entry, "error").is_some() {
        return None;
    }
    let name = text(entry, "name")?;
    let company = text(&entry["company"], "name");
    Some(CarrierOption {
        id: format!("me-{}", code(&entry["id"])?),
        name: company.map_or_else(|| name.to_owned(), |company| format!("{company} {name}")),
        price: amount(&entry["custom_price"]).or_else(|| amount(&entry["price"]))?,
        estimated_days: days(&entry["custom_delivery_time"])
            .or_else(|| days(&entry["delivery_time"]))?,
    })
}
