//! What is known of an invoice wherever one is named.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::storage::{FromColumn, Row};
use crate::value::words;

/// Whether invoices count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum TaxEnvironment {
    /// They do (`tpAmb` 1).
    #[serde(rename = "producao", alias = "production")]
    Production,
    /// They do not: for tests with the tax office (`tpAmb` 2).
    #[serde(rename = "homologacao", alias = "homologation")]
    Homologation,
}

/// Of the numbers that an invoice's is one of, which is how it is kept: those of the sandbox count
/// as little as those of tests with the tax office.
impl FromColumn for TaxEnvironment {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        Ok(match row.text(column)? {
            Some("PRODUCTION") => Self::Production,
            _ => Self::Homologation,
        })
    }
}

words! {
    /// The state of an invoice.
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    pub enum InvoiceStatus {
        /// It has a number and no document yet.
        #[serde(rename = "pendente")]
        Numbered = "NUMBERED",
        /// Its document is signed; whether it was handed over, and with what result, is not known
        /// yet.
        #[serde(rename = "processando")]
        Signed = "SIGNED",
        /// It may be used.
        #[serde(rename = "autorizada")]
        Authorized = "AUTHORIZED",
        /// Its document was not accepted; a corrected one takes its number.
        #[serde(rename = "rejeitada")]
        Rejected = "REJECTED",
        /// Its use is denied for good.
        #[serde(rename = "denegada")]
        Denied = "DENIED",
        /// It was authorised, and cancelled.
        #[serde(rename = "cancelada")]
        Cancelled = "CANCELLED",
        /// Its number was made invalid.
        #[serde(rename = "inutilizada")]
        Disabled = "DISABLED",
        /// Its number turned out to be another document's.
        #[serde(rename = "ocupada")]
        Taken = "TAKEN",
    }
}

impl InvoiceStatus {
    /// Whether the invoice is good or may become so.
    pub(crate) fn is_live(self) -> bool {
        matches!(self, Self::Numbered | Self::Signed | Self::Authorized | Self::Rejected)
    }
}

#[cfg(feature = "nfe")]
impl TaxEnvironment {
    /// `tpAmb`.
    pub fn code(self) -> u8 {
        match self {
            Self::Production => 1,
            Self::Homologation => 2,
        }
    }
}
