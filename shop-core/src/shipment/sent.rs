//! Parcels on their way, as mails tell of them.

use serde::{Deserialize, Serialize};

use super::{Shipment, store};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::OrderId;
use crate::mail::{Block, button};
use crate::storage::Tx;

/// A parcel that the carrier has, as a mail tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SentParcel {
    /// Which parcel of the order, from 1.
    pub parcel: i64,
    /// The carrier and its service, as people know them.
    pub carrier: Option<String>,
    /// The code by which the carrier follows it.
    pub tracking_code: Option<String>,
    /// The page that follows it.
    pub tracking_url: Option<String>,
    /// The beginning of the day on which it should arrive at the latest, in São Paulo.
    pub expected_at: Option<Timestamp>,
}

impl SentParcel {
    pub(crate) fn of(it: &Shipment) -> Self {
        Self {
            parcel: it.parcel,
            carrier: it.service_name.clone(),
            tracking_code: it.tracking_code.clone(),
            tracking_url: it.tracking_url.clone(),
            expected_at: it.expected_at,
        }
    }

    /// Its code, when it is expected, and the way to the carrier's page.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let expected = self
            .expected_at
            .map(|at| format!("Previsão de entrega: até {}", at.local_day().format("%d/%m/%Y")));
        let lines: Vec<String> = [&self.tracking_code, &expected, &self.carrier]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        if lines.is_empty() {
            return Vec::new();
        }
        let label = "Código de rastreio".to_owned();
        let mut blocks = vec![Block::Box { label, lines }];
        blocks.extend(self.tracking_url.clone().map(|url| button("Rastrear a entrega", url)));
        blocks
    }
}

/// The parcels of an order that the carrier has.
pub(crate) fn sent(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<SentParcel>> {
    let all = store::of_order(tx, order)?;
    let sent = all.iter().map(|it| &it.shipment);
    let sent = sent.filter(|it| it.status.is_live() && it.posted_at.is_some());
    Ok(sent.map(SentParcel::of).collect())
}

/// The parcels of an order that the carrier has, or has a label with a code for.
pub(crate) fn labelled(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<SentParcel>> {
    let all = store::of_order(tx, order)?;
    let known = all.iter().map(|it| &it.shipment);
    let known = known
        .filter(|it| it.status.is_live() && (it.posted_at.is_some() || it.tracking_code.is_some()));
    Ok(known.map(SentParcel::of).collect())
}
