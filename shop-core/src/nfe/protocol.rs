//! What the office's protocols say.

use super::issuer::{IssuerError, Outcome};
use super::xml::first;
use crate::clock::Timestamp;

/// A `protNFe` that authorises or denies an invoice.
#[derive(Debug, Clone)]
pub(crate) struct Protocol {
    pub(crate) key: String,
    pub(crate) number: String,
    pub(crate) received_at: Timestamp,
    /// What is decided: 100 and 150 authorise.
    pub(crate) code: u16,
    /// The text of the answer.
    pub(crate) text: String,
    /// Which document it is about; the layout lets it be left out.
    pub(crate) digest: Option<String>,
}

impl Protocol {
    /// Reads a protocol; none when something that it must have is not there.
    pub(crate) fn parse(xml: &str) -> Option<Self> {
        Some(Self {
            key: first(xml, "chNFe")?,
            number: first(xml, "nProt")?,
            received_at: first(xml, "dhRecbto")?.parse().ok()?,
            code: first(xml, "cStat")?.trim().parse().ok()?,
            text: first(xml, "xMotivo").unwrap_or_default(),
            digest: first(xml, "digVal"),
        })
    }
}

/// An authorisation whose protocol does not say so is no answer: the office is asked again.
pub(crate) fn readable(outcome: Outcome) -> Result<Outcome, IssuerError> {
    match &outcome {
        Outcome::Authorized { protocol } if !authorizes(protocol) => {
            Err(IssuerError::Garbage("an authorisation without a protocol of one".to_owned()))
        }
        Outcome::Cancelled { protocol: Some(protocol), .. }
            if Protocol::parse(protocol).is_none() =>
        {
            Err(IssuerError::Garbage("a cancellation with an unreadable protocol".to_owned()))
        }
        _ => Ok(outcome),
    }
}

/// Whether this is a protocol whose invoice may be used.
fn authorizes(xml: &str) -> bool {
    Protocol::parse(xml).is_some_and(|protocol| matches!(protocol.code, 100 | 150))
}

/// When an event was registered, as its `retEvento` says.
pub(crate) fn registered_at(event: &str) -> Option<Timestamp> {
    first(event, "dhRegEvento")?.parse().ok()
}
