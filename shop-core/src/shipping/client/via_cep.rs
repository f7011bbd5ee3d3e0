//! ViaCEP.

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::answer::{json, text};
use crate::http_client::{Call, Http};
use crate::shipping::carrier::CarrierError;
use crate::shipping::place::{Place, PostalCodes};
use crate::value::Cep;

pub(super) struct ViaCep {
    url: String,
    http: Http,
}

impl ViaCep {
    pub(super) fn new(url: &str, http: &Http) -> Self {
        Self { url: url.to_owned(), http: http.clone() }
    }
}

impl PostalCodes for ViaCep {
    fn find<'a>(&'a self, cep: &'a Cep) -> BoxFuture<'a, Result<Option<Place>, CarrierError>> {
        Box::pin(async move {
            let answer = self.http.send(Call::get(&self.url, &format!("/ws/{cep}/json/"))?).await?;
            match answer.status {
                200 => place(&json(&answer.body)?),
                429 => {
                    Err(CarrierError::TooManyRequests { retry_after: answer.retry_after_seconds() })
                }
                status => Err(CarrierError::Status(status)),
            }
        })
    }
}

/// An unknown code is answered 200 with `erro`, which is a text or a boolean.
fn place(answer: &Value) -> Result<Option<Place>, CarrierError> {
    if answer["erro"] == true || answer["erro"] == "true" {
        return Ok(None);
    }
    let state = text(answer, "uf").and_then(|uf| uf.parse().ok());
    match (state, text(answer, "localidade")) {
        (Some(state), Some(city)) => {
            // Codes of a whole city have neither; their texts are empty.
            let part = |name, most: usize| {
                let part = text(answer, name).filter(|text| !text.is_empty());
                part.map(|text| text.chars().take(most).collect())
            };
            let city = city.chars().take(80).collect();
            let (district, street) = (part("bairro", 120), part("logradouro", 200));
            Ok(Some(Place { district, street, ..Place::new(state, city) }))
        }
        _ => Err(CarrierError::Garbage("no place")),
    }
}
