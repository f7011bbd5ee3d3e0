//! The carriers and the look-up of postal codes, over HTTP.

pub(crate) mod answer;
mod correios;
mod correios_extras;
mod frenet;
mod melhor_envio;
mod via_cep;

use std::sync::Arc;

use self::correios::Correios;
use self::frenet::Frenet;
use self::melhor_envio::MelhorEnvio;
use self::via_cep::ViaCep;
use super::carrier::CarrierQuotes;
use super::place::PostalCodes;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::http_client::{Http, HttpOptions};
use crate::provider_calls::{ProviderCalls, ThirdParty};

/// What a configuration sets up: carriers in the order of preference, and a look-up unless it is
/// `offline`.
pub(crate) struct Clients {
    pub(crate) carriers: Vec<Arc<dyn CarrierQuotes>>,
    pub(crate) postal_codes: Option<Arc<dyn PostalCodes>>,
}

/// The value of `shipping.cep.url` by which no service is asked.
const OFFLINE: &str = "offline";

impl Clients {
    /// # Errors
    /// [`Error::Internal`] when an address in the configuration is none.
    pub(crate) fn new(config: &Config, calls: &Arc<ProviderCalls>) -> Result<Self> {
        let shipping = &config.shipping;
        let contact = shipping.contact_email.clone().unwrap_or_else(|| config.base_url());
        let http = Http::new(&contact, shipping.timeout(), HttpOptions::default())
            .map_err(Error::from_source)?;
        let http = |provider| http.clone().counted(calls, provider);
        let mut carriers: Vec<Arc<dyn CarrierQuotes>> = Vec::new();
        if let Some(origin) = &shipping.origin_cep {
            let melhor_envio =
                MelhorEnvio::new(&shipping.melhor_envio, origin, &http(ThirdParty::MelhorEnvio));
            carriers.extend(melhor_envio.map(|it| Arc::new(it) as Arc<dyn CarrierQuotes>));
            let correios = Correios::new(&shipping.correios, origin, &http(ThirdParty::Correios));
            carriers.extend(correios.map(|it| Arc::new(it) as Arc<dyn CarrierQuotes>));
            let frenet = Frenet::new(&shipping.frenet, origin, &http(ThirdParty::Frenet));
            carriers.extend(frenet.map(|it| Arc::new(it) as Arc<dyn CarrierQuotes>));
        }
        let url = shipping.cep.url.as_str();
        let postal_codes = (url != OFFLINE)
            .then(|| Arc::new(ViaCep::new(url, &http(ThirdParty::ViaCep))) as Arc<dyn PostalCodes>);
        Ok(Self { carriers, postal_codes })
    }
}
