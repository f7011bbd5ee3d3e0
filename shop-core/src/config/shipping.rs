//! Settings of shipping.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::{LabelsConfig, Secret};
use crate::money::Money;
use crate::value::{Cep, Uf};

settings! {
    /// Shipping.
    pub struct ShippingConfig {
        /// Where parcels start from. Without it no carrier is asked.
        pub origin_cep: Option<Cep>,
        /// The subtotal, before any discount, from which shipping is free: R$ 150,00 by default, 0
        /// for always. `None`, written `never`, where it never is.
        #[serde(deserialize_with = "free_from")]
        pub free_from: Option<Money> = Some(Money::from_cents(15_000)),
        /// What shipping costs where nothing at all can be quoted.
        #[serde(deserialize_with = "money_from_text")]
        pub fallback_price: Money,
        /// How long all carriers together may take, in milliseconds; 8000 by default.
        pub timeout_ms: u64 = 8000,
        /// How many quotes one address may have asked of carriers in a minute, counted by each
        /// instance of the server; what is answered from memory is not counted. 0 does not limit
        /// it.
        pub quotes_per_minute_per_ip: u32 = 30,
        /// Whom a carrier may write to about the requests it gets.
        pub contact_email: Option<String>,
        /// Pages on which carriers show a parcel, by the carrier's name, beside the built-in ones;
        /// with `{code}` where the tracking code goes.
        #[serde(deserialize_with = "super::tracking_urls::tracking_urls")]
        pub tracking_urls: BTreeMap<String, String>,
        /// Who sends parcels, as labels and declarations of content say it.
        pub sender: SenderConfig,
        /// Labels that the shop buys from carriers.
        pub labels: LabelsConfig,
        /// The look-up of postal codes.
        pub cep: CepConfig,
        /// The carrier that is preferred.
        pub melhor_envio: MelhorEnvioConfig,
        /// The second one.
        pub correios: CorreiosConfig,
        /// The third one.
        pub frenet: FrenetConfig,
    }

    /// Who sends parcels. Without a `name` it is the company of the invoices (`nfe.company`), where
    /// one is set.
    pub struct SenderConfig {
        /// The shop's name, or the person's.
        pub name: Option<String>,
        /// CNPJ or CPF.
        pub document: Option<String>,
        /// Street.
        pub street: Option<String>,
        /// House number.
        pub number: Option<String>,
        /// Floor, room and the like.
        pub complement: Option<String>,
        /// District.
        pub district: Option<String>,
        /// City.
        pub city: Option<String>,
        /// State.
        pub state: Option<Uf>,
        /// Postal code; `shipping.origin_cep` where it is left out.
        pub zip_code: Option<Cep>,
        /// Telephone number.
        pub phone: Option<String>,
        /// E-mail, for carriers; `shipping.contact_email`, else that of `mail.from`, where it is
        /// left out.
        pub email: Option<String>,
        /// The company's registration with its state (IE), which carriers want beside an invoice.
        pub state_registration: Option<String>,
    }

    /// The look-up of postal codes.
    pub struct CepConfig {
        /// A service that speaks as ViaCEP does, or `offline` for the built-in table alone.
        pub url: String = "https://viacep.com.br".to_owned(),
    }

    /// Melhor Envio.
    pub struct MelhorEnvioConfig {
        /// Where it is.
        pub url: String = "https://melhorenvio.com.br".to_owned(),
        /// The shop's token, made in the panel. Without it Melhor Envio is not asked for quotes;
        /// labels are bought with it while the shop is not connected.
        pub token: Option<Secret>,
        /// The number of the application that the shop registered, by which it is connected.
        pub client_id: Option<String>,
        /// The application's secret. It signs the notices of labels, too.
        pub client_secret: Option<Secret>,
        /// How long one call about labels may take, in milliseconds; 30000 by default.
        pub timeout_ms: u64 = 30_000,
    }

    /// Correios. It is asked where there is a `token`, or `user`, `access_code` and `card`.
    pub struct CorreiosConfig {
        /// Where it is.
        pub url: String = "https://api.correios.com.br".to_owned(),
        /// The number of the contract; the posting card's own where it is not set.
        pub contract: Option<String>,
        /// A token that is ready. It lives for a day, so it is good for a try.
        pub token: Option<Secret>,
        /// The user of Meu Correios that tokens are fetched for.
        pub user: Option<String>,
        /// The user's access code to the API.
        pub access_code: Option<Secret>,
        /// The number of the posting card.
        pub card: Option<String>,
        /// The codes of the services that are offered.
        pub services: Vec<String> = vec!["03220".to_owned(), "03298".to_owned()],
        /// Whether prices are asked with the goods' value declared. Without it a loss is made good
        /// up to what Correios cover anyway.
        pub declare_value: bool,
        /// Whether prices are asked with a proof of delivery (AR).
        pub receipt: bool,
        /// Whether prices are asked with delivery to the addressee alone (MP).
        pub own_hand: bool,
    }

    /// Frenet.
    pub struct FrenetConfig {
        /// Where it is.
        pub url: String = "https://api.frenet.com.br".to_owned(),
        /// The shop's token. Without it Frenet is not asked.
        pub token: Option<Secret>,
    }
}

impl ShippingConfig {
    /// How long all carriers together may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

impl MelhorEnvioConfig {
    /// How long one call about labels may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

fn free_from<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Money>, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "never" => Ok(None),
        amount => amount.parse().map(Some).map_err(serde::de::Error::custom),
    }
}

fn money_from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}
