//! What the office's protocols say.

use super::issuer::{IssuerError, Outcome};
use super::xml::first;
use crate::clock::Timestamp;

/// The codes that authorise: in time, with an alert (NT 2026.002), and late.
pub(crate) const AUTHORIZED: [u16; 3] = [100, 120, 150];
/// The codes of an invoice that was cancelled since: in time, and late.
#[cfg(feature = "http")]
pub(crate) const CANCELLED: [u16; 3] = [101, 151, 155];

/// Rejections that say nothing about the document or the event: the same one may be accepted later,
/// and what was handed over before may be registered.
pub(crate) fn is_passing(code: u16) -> bool {
    matches!(code, 103 | 105 | 106 | 108 | 109 | 656 | 678 | 999)
}

/// A `protNFe` that authorises or denies an invoice.
#[derive(Debug, Clone)]
pub(crate) struct Protocol {
    pub(crate) key: String,
    pub(crate) number: String,
    pub(crate) received_at: Timestamp,
    /// What is decided: see [`AUTHORIZED`].
    pub(crate) code: u16,
    /// The text of the answer, and what the office adds to it.
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
            text: text(xml),
            digest: first(xml, "digVal"),
        })
    }
}

/// What an office says of an invoice: its reason, and up to five messages with their codes.
fn text(xml: &str) -> String {
    let mut said = vec![first(xml, "xMotivo").unwrap_or_default()];
    for message in xml.split("<cMsg>").skip(1).take(5) {
        let message = format!("<cMsg>{message}");
        let parts = first(&message, "cMsg").zip(first(&message, "xMsg"));
        said.extend(parts.map(|(code, text)| format!("{code} - {text}")));
    }
    said.join("; ")
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
    Protocol::parse(xml).is_some_and(|protocol| AUTHORIZED.contains(&protocol.code))
}

/// The number of an event's registration, as its `retEvento` says.
pub(crate) fn protocol_number(event: &str) -> Option<String> {
    first(event, "nProt")
}

/// When an event was registered, as its `retEvento` says.
pub(crate) fn registered_at(event: &str) -> Option<Timestamp> {
    first(event, "dhRegEvento")?.parse().ok()
}
