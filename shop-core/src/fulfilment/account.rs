//! The shop's account with its provider of labels.

use super::Shipments;
use super::service::in_time;
use crate::error::{Error, Result};
use crate::money::Money;
use crate::shipment::{LabelError, ShipmentProblem, ShipmentProblemKind};

/// The shop's account with its provider of labels.
#[apply(answer!)]
pub struct LabelAccount {
    /// The provider, e.g. `melhor-envio`; `null` where the shop buys no labels.
    pub provider: Option<String>,
    /// Whether the provider lets the shop in.
    pub connected: bool,
    /// What the balance holds; `null` where the provider does not say.
    pub balance: Option<Money>,
    /// Why it does not.
    pub problem: Option<ShipmentProblem>,
}

impl Shipments<'_> {
    /// The shop's account with its provider, as the provider says now.
    ///
    /// # Errors
    /// Those of the database; what the provider does not answer stands in `problem`.
    ///
    /// Cancel safe: reads only.
    pub async fn account(&self) -> Result<LabelAccount> {
        let Some(provider) = self.fulfilment.provider.clone() else {
            return Ok(LabelAccount {
                provider: None,
                connected: false,
                balance: None,
                problem: None,
            });
        };
        let name = Some(provider.name().to_owned());
        let failed = |connected, problem| LabelAccount {
            provider: name.clone(),
            connected,
            balance: None,
            problem: Some(problem),
        };
        Ok(match in_time(provider.balance()).await {
            Ok(balance) => LabelAccount {
                provider: name,
                connected: true,
                balance: Some(balance),
                problem: None,
            },
            Err(LabelError::Shop(error)) => return Err::<LabelAccount, Error>(error),
            Err(LabelError::NotConnected) => {
                failed(false, ShipmentProblem::of(ShipmentProblemKind::NotConnected))
            }
            Err(error) => {
                let kind = ShipmentProblemKind::NoAnswer;
                failed(true, ShipmentProblem::said(kind, &error.to_string()))
            }
        })
    }
}
