//! Settings of labels that the shop buys from carriers.

use serde::{Deserialize, Deserializer};

use crate::money::Money;

settings! {
    /// Labels that the shop buys from carriers.
    pub struct LabelsConfig {
        /// Where they are bought.
        pub provider: LabelProviderKind = LabelProviderKind::None,
        /// The provider's number of the service for orders whose customer chose none of the
        /// provider's, as where shipping was free or came from the shop's own tariffs. Without it
        /// staff name one with each label.
        pub service: Option<String>,
        /// How much more than the customer was quoted the labels of an order may cost before staff
        /// are asked.
        #[serde(deserialize_with = "amount_from_text")]
        pub max_over_quote: Money = Money::from_cents(500),
    }
}

/// Where labels are bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LabelProviderKind {
    /// Nowhere.
    None,
    /// In the shop itself, which plays a provider: no carrier takes such a label.
    Sandbox,
    /// At Melhor Envio (`shipping.melhor_envio`).
    MelhorEnvio,
}

fn amount_from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}
