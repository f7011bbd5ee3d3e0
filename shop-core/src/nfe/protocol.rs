//! What the office's protocols say.

use super::xml::first;
use crate::clock::Timestamp;

/// A `protNFe` that authorises or denies an invoice.
#[derive(Debug, Clone)]
pub(super) struct Protocol {
    pub(super) key: String,
    pub(super) number: String,
    pub(super) received_at: Timestamp,
    /// Which document it is about; the layout lets it be left out.
    pub(super) digest: Option<String>,
}

impl Protocol {
    /// Reads a protocol; none when something that it must have is not there.
    pub(super) fn parse(xml: &str) -> Option<Self> {
        Some(Self {
            key: first(xml, "chNFe")?,
            number: first(xml, "nProt")?,
            received_at: first(xml, "dhRecbto")?.parse().ok()?,
            digest: first(xml, "digVal"),
        })
    }
}

/// When an event was registered, as its `retEvento` says.
pub(super) fn registered_at(event: &str) -> Option<Timestamp> {
    first(event, "dhRegEvento")?.parse().ok()
}
